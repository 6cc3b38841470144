import type { Platform } from "../../../platform/context.ts";
import { failureOf } from "../failure.ts";
import { openTarget } from "../source/index.ts";
import { findLive, lockConnector, queueSync } from "../syncs/index.ts";
import { targetOf } from "../target.ts";
import * as store from "./store.ts";

/** A head is compared this often, where no hook tells. */
const everySeconds = 5 * 60;
const atOnce = 5;
const inOneSweep = 200;
const patienceMs = 15_000;

/** Compares heads, a few at a time, and queues a sync where one has moved and nobody has told. */
export async function sweep(platform: Platform): Promise<void> {
  for (let done = 0; done < inOneSweep && platform.jobs.isReady(); ) {
    const stale = await store.takeStaleOfAll(platform.db, everySeconds, atOnce);
    // Fewer than asked for may mean that some were being written just then, so only none is the end.
    if (stale.length === 0) return;
    await Promise.all(stale.map((connector) => check(platform, connector)));
    done += stale.length;
  }
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
    // This very head was tried and cannot go better by itself, or was tried just now: it waits for a person.
    if (last?.status === "failed" && last.commit === head && (!last.retryable || last.recent)) return;
    await queueSync(platform, tx, orgId, id, { cause: "sweep", requestedBy: null });
  });
}
