import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { toFailure } from "../failure.ts";
import { completeTarget, openTarget } from "../source/index.ts";
import { findLive, lockConnector, queueSync } from "../syncs/index.ts";
import * as store from "./store.ts";

/** How often the head of a connector is compared. */
const intervalSeconds = 5 * 60;
const timeoutMs = 15_000;
/** The next run, a minute later, continues with the rest. */
const maxRoundMs = 50_000;
const batchSize = 40;
const maxPerOrganization = 4;
const queueLimits = { capacity: 8, maxWaitMs: 10 * 60_000, maxWaiting: 10_000, maxWaitingPerKey: 1_000 };

/** Compares heads, a few per organization at a time. Queues a sync where a head moved and no webhook reported it. */
export async function compareHeadsOfStaleConnectors(platform: Platform): Promise<void> {
  const until = Date.now() + maxRoundMs;
  await workFairly({
    queue: platform.queues("head checks", queueLimits),
    take: async (busy) =>
      Date.now() < until && platform.jobs.isReady()
        ? store.claimStaleAcrossOrganizations(
            platform.db,
            intervalSeconds,
            busy,
            maxPerOrganization,
            batchSize,
          )
        : [],
    getKey: ({ orgId }) => orgId,
    work: (connector) => compareHead(platform, connector),
    perKey: maxPerOrganization,
  });
}

async function compareHead(platform: Platform, connector: store.StaleConnector): Promise<void> {
  const { db, log } = platform;
  const { orgId, id, ref, syncedCommit } = connector;
  let head: string | null;
  try {
    const options = { signal: AbortSignal.timeout(timeoutMs), timeoutMs };
    head = await openTarget(
      platform,
      completeTarget(connector),
      options,
      async (repository) => (await repository.resolve(ref)) ?? null,
    );
  } catch (error) {
    const failure = toFailure(error);
    if (!failure) log.warn({ connectorId: id, err: error }, "connector check failed");
    await store.setCheckError(db, orgId, connector, failure?.message ?? "The server did not answer in time.");
    return;
  }
  const checkError = head === null ? `There is no ${ref} in the repository.` : null;
  await store.setCheckError(db, orgId, connector, checkError);
  if (head !== syncedCommit) await queueUnlessFailed(platform, connector, head);
}

async function queueUnlessFailed(
  platform: Platform,
  { orgId, id }: store.StaleConnector,
  head: string | null,
): Promise<void> {
  await platform.db.transaction(async (tx) => {
    const connector = await lockConnector(tx, orgId, id);
    if (connector?.status !== "active" || (await findLive(tx, orgId, id))) return;
    const last = await store.findLastSync(tx, orgId, id);
    // The same head failed for good, or within the last hour, so another sync would not help now.
    // A worker that died before it recorded the head died of another cause, which may still exist.
    const isSame = last?.commit === head || (last?.code === "worker_lost" && last.commit === null);
    if (last?.status === "failed" && isSame && (!last.retryable || last.recent)) return;
    await queueSync(platform, tx, orgId, id, { cause: "sweep", requestedBy: null });
  });
}
