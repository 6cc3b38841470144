import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { failureOf } from "../failure.ts";
import { openTarget } from "../source/index.ts";
import { findLive, lockConnector, queueSync } from "../syncs/index.ts";
import { targetOf } from "../target.ts";
import * as store from "./store.ts";

/** A head is compared this often, where no hook tells. */
const everySeconds = 5 * 60;
const patienceMs = 15_000;
/** The next sweep, a minute later, continues with the rest. */
const roundMs = 50_000;
const batch = 40;
const perOrganization = 4;
const places = { capacity: 8, maxWaitMs: 10 * 60_000, maxWaiting: 10_000, maxWaitingPerKey: 1_000 };

/** Compares heads, a few per organization at a time. Queues a sync where a head moved and no webhook reported it. */
export async function sweep(platform: Platform): Promise<void> {
  const until = Date.now() + roundMs;
  await workFairly({
    queue: platform.queues("head checks", places),
    take: async (busy) =>
      Date.now() < until && platform.jobs.isReady()
        ? store.takeStaleAcrossOrganizations(platform.db, everySeconds, busy, perOrganization, batch)
        : [],
    keyOf: ({ orgId }) => orgId,
    work: (connector) => check(platform, connector),
    perKey: perOrganization,
  });
}

async function check(platform: Platform, connector: store.CheckedRow): Promise<void> {
  const { db, log } = platform;
  const { orgId, id, ref, syncedCommit } = connector;
  let head: string | null;
  try {
    const options = { signal: AbortSignal.timeout(patienceMs), timeoutMs: patienceMs };
    head = await openTarget(
      platform,
      targetOf(connector),
      options,
      async (repository) => (await repository.resolve(ref)) ?? null,
    );
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) log.warn({ connectorId: id, err: error }, "connector check failed");
    await store.setCheckError(db, orgId, id, failure?.message ?? "The server did not answer in time.");
    return;
  }
  const gone = head === null ? `There is no ${ref} in the repository.` : null;
  await store.setCheckError(db, orgId, id, gone);
  if (head !== syncedCommit) await queueUnlessKnown(platform, connector, head);
}

async function queueUnlessKnown(
  platform: Platform,
  { orgId, id }: store.CheckedRow,
  head: string | null,
): Promise<void> {
  await platform.db.transaction(async (tx) => {
    const connector = await lockConnector(tx, orgId, id);
    if (connector?.status !== "active" || (await findLive(tx, orgId, id))) return;
    const last = await store.findLast(tx, orgId, id);
    // The same head failed for good, or within the last hour, so another sync would not help now.
    // A worker that died before it recorded the head died of another cause, which may still exist.
    const isSame = last?.commit === head || (last?.code === "worker_lost" && last.commit === null);
    if (last?.status === "failed" && isSame && (!last.retryable || last.recent)) return;
    await queueSync(platform, tx, orgId, id, { cause: "sweep", requestedBy: null });
  });
}
