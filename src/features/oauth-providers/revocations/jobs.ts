import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { job } from "../../../platform/jobs/index.ts";
import { OAuthFailure, revokeToken } from "../../../platform/oauth/index.ts";
import { createPeer, findCredentials } from "../clients/index.ts";
import { findByTokenId } from "../connections/index.ts";
import { recordEvent, serviceActor } from "../events/index.ts";
import { revocationJob } from "../revocation-queue.ts";
import { openToken } from "../tokens/index.ts";
import * as store from "./store.ts";

const batchSize = 40;
const maxPerOrganization = 4;
const queueLimits = { capacity: 8, maxWaitMs: 10 * 60_000, maxWaiting: 10_000, maxWaitingPerKey: 1_000 };
/** Minutes between tries, about a day in total. Then the token is erased and the failure is recorded. */
const retryMinutes = [1, 5, 15, 60, 180, 360, 720];

/** After this many, the revocation is not tried again, because the request itself may end the process. */
const maxDeaths = 2;

/** Reads pending rows and not job data, because a cascade of the database can also end a connection. */
export const revokePending = job({
  name: revocationJob.name,
  everySeconds: 15,
  retries: 0,
  handle: (platform) =>
    workFairly({
      queue: platform.queues("revocations", queueLimits),
      take: (busy) =>
        store.claimPendingAcrossOrganizations(platform.db, busy, maxPerOrganization, batchSize, retryMinutes),
      getKey: ({ orgId }) => orgId,
      work: (pending) => revokePendingToken(platform, pending),
      perKey: maxPerOrganization,
    }),
});

async function revokePendingToken(platform: Platform, pending: store.PendingRevocation): Promise<void> {
  const { db } = platform;
  const { orgId, id, attempts, deaths } = pending;
  const isPoison = deaths >= maxDeaths;
  const outcome = isPoison
    ? new OAuthFailure("unusable", "worker_died", "The process ended twice during the revocation.")
    : await sendRevocation(platform, pending);
  const lastTry = isPoison || attempts > retryMinutes.length;
  if (outcome instanceof OAuthFailure && !lastTry) {
    return void (await store.storeRevocationError(db, orgId, id, outcome.code));
  }
  const failed = outcome instanceof OAuthFailure;
  const state = failed ? "failed" : outcome;
  await db.transaction(async (tx) => {
    await store.storeRevocation(tx, orgId, id, state, failed ? outcome.code : null);
    const connection = await findByTokenId(tx, orgId, id);
    if (connection) {
      const about = { providerId: connection.providerId, connectionId: connection.id };
      const detail = failed ? { code: outcome.code } : { outcome: state };
      await recordEvent(
        tx,
        orgId,
        state === "revoked" ? "revoked" : "revoke_failed",
        serviceActor,
        about,
        detail,
      );
    }
  });
}

async function sendRevocation(
  platform: Platform,
  { orgId, id, credentialsId, ...sealed }: store.PendingRevocation,
): Promise<"revoked" | "not_offered" | OAuthFailure> {
  let refreshRevoked = false;
  try {
    const credentials = await findCredentials(platform.db, orgId, credentialsId);
    if (!credentials) return "not_offered";
    const peer = createPeer(platform, orgId, credentials);
    if (!peer.server.revocation) return "not_offered";
    const bound = { id, orgId, client: credentials };
    // The refresh token first, because most providers then revoke its access tokens too.
    if (sealed.refreshToken && peer.server.revocation.style === "rfc7009") {
      const token = openToken(platform.keyring, bound, "refresh_token", sealed.refreshToken);
      await revokeToken(peer, token, "refresh_token");
      refreshRevoked = true;
    }
    if (sealed.accessToken) {
      const token = openToken(platform.keyring, bound, "access_token", sealed.accessToken);
      await revokeToken(peer, token, "access_token");
    }
    return "revoked";
  } catch (error) {
    if (!(error instanceof OAuthFailure)) {
      platform.log.error({ err: error, token: id }, "revocation failed");
      return new OAuthFailure("unusable", "internal_error", "The token could not be read.");
    }
    return refreshRevoked && error.code === "unsupported_token_type" ? "revoked" : error;
  }
}
