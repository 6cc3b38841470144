import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { job } from "../../../platform/jobs/index.ts";
import { deregisterClient, OAuthFailure } from "../../../platform/oauth/index.ts";
import { openManagementToken } from "../sealing.ts";
import { removalJob } from "./queue.ts";
import * as store from "./store.ts";

const perOrganization = 2;
const batchSize = 20;
const queueLimits = { capacity: 4, maxWaitMs: 10 * 60_000, maxWaiting: 1_000, maxWaitingPerKey: 100 };
/** Minutes between tries, about a day in total. Then the client stays at the server, and the log says so. */
const retryMinutes = [1, 5, 15, 60, 180, 360, 720];

/** Removes clients at authorization servers that no connection uses (RFC 7592). */
export const removeClients = job({
  name: removalJob.name,
  everySeconds: 20,
  retries: 0,
  async handle(platform) {
    await store.releaseOrphansAcrossOrganizations(platform.db);
    await workFairly({
      queue: platform.queues("client removals", queueLimits),
      take: (busy) =>
        store.claimDueAcrossOrganizations(platform.db, busy, perOrganization, batchSize, retryMinutes),
      getKey: ({ orgId }) => orgId,
      work: (due) => removeClient(platform, due),
      perKey: perOrganization,
    });
  },
});

async function removeClient(platform: Platform, due: store.DueRegistration): Promise<void> {
  const { db, log } = platform;
  const { id, orgId, clientId, attempts, registrationEndpoint } = due;
  const outcome = await sendRemoval(platform, due);
  const isLast = attempts > retryMinutes.length;
  if (outcome instanceof OAuthFailure && !isLast)
    return void (await store.storeError(db, orgId, id, outcome.code));
  await store.remove(db, orgId, id);
  if (outcome === "removed") return;
  log.warn(
    {
      ...{ orgId, registration: id, clientId, registrationEndpoint },
      reason: outcome instanceof OAuthFailure ? outcome.code : outcome,
    },
    "a registered client could not be removed: remove it at the authorization server",
  );
}

/** `unknown`: the process ended before it stored the reply, so it is not known whether a client was registered. */
async function sendRemoval(
  { egress, keyring, log }: Platform,
  { id, orgId, managementUrl, accessToken, clientId, registrationEndpoint }: store.DueRegistration,
): Promise<"removed" | "not_offered" | "unknown" | OAuthFailure> {
  if (clientId === null) return "unknown";
  if (managementUrl === null || accessToken === null) return "not_offered";
  try {
    const url = managementUrl;
    return await deregisterClient(egress.forOrganization(orgId).forAddressFrom(registrationEndpoint), {
      url,
      accessToken: openManagementToken(keyring, { id, orgId, url }, accessToken),
    });
  } catch (error) {
    if (error instanceof OAuthFailure) return error;
    log.error({ err: error, registration: id }, "the removal of a client failed");
    return new OAuthFailure("unusable", "internal_error", "The client could not be read.");
  }
}
