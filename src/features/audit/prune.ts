import type { Platform } from "../../platform/context.ts";
import { dayMs } from "../../platform/days.ts";
import type { Db } from "../../platform/db/index.ts";
import { changeHead, checkHead, hashEntry } from "./chain.ts";
import * as store from "./store.ts";

const chainsPerPage = 50;
const entriesPerStep = 1_000;

/** Removes entries older than their retention, in steps, always from the beginning of a chain. */
export async function pruneChains(
  { db, log }: Pick<Platform, "db" | "log">,
  now = Date.now(),
): Promise<void> {
  let after = "";
  for (;;) {
    const overdue = await store.listOverdueAcrossOrganizations(db, now, after, chainsPerPage);
    for (const { scope } of overdue) {
      for (;;) {
        const removed = await db.transaction((tx) => pruneStep(tx, scope, now));
        if (typeof removed === "string")
          log.warn({ scope, reason: removed }, "audit entries are kept; run `signalbox audit verify`");
        if (removed !== entriesPerStep) break;
      }
    }
    if (overdue.length < chainsPerPage) return;
    after = overdue.at(-1)!.scope;
  }
}

/**
 * Returns how many entries it removed, or why it removed none. Entries that fail verification are evidence, so they
 * are kept. An unsigned chain is pruned too, because chains from before signatures are unsigned.
 */
async function pruneStep(tx: Db, scope: string, now: number): Promise<number | string> {
  const head = await store.lockHeadAcrossOrganizations(tx, scope);
  if (!head) return 0;
  const check = checkHead(tx.signer, head);
  if (check === "invalid" || check === "unknown") return "the signature of the chain is not valid";
  const until = now - head.retentionDays * dayMs;
  const { prunedSequence, sequence } = head;
  const rows = await store.listEntriesAcrossOrganizations(
    tx,
    scope,
    prunedSequence,
    sequence,
    entriesPerStep,
  );
  let last = { sequence: prunedSequence, hash: head.prunedHash };
  for (const row of rows) {
    // A clock may have been set back. Only an unbroken range from the beginning is removed.
    if (row.at >= until) break;
    const isIntact =
      row.sequence === last.sequence + 1 &&
      row.previousHash === last.hash &&
      row.hash === hashEntry(last.hash, row.sequence, row);
    if (!isIntact) return `entry ${row.sequence} fails verification`;
    last = row;
  }
  const removed = last.sequence - prunedSequence;
  const next = rows[removed];
  if (next ? next.previousHash !== last.hash : last.sequence === sequence && last.hash !== head.hash)
    return `entry ${last.sequence} does not match the entry after it`;
  if (removed === 0) return 0;
  await store.deleteEntriesAcrossOrganizations(tx, scope, last.sequence);
  await changeHead(tx, scope, {
    prunedSequence: last.sequence,
    prunedHash: last.hash,
    prunedAt: now,
  });
  return removed;
}
