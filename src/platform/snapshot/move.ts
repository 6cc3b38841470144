import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, isDatabaseBusy } from "../db/index.ts";
import { OperatorError } from "../errors.ts";
import type { Job } from "../jobs/index.ts";
import { findMove, markMovedTo, markMovingFrom, readMarks, unmarkMovingFrom } from "../marks/index.ts";
import { readSnapshot, stopWith } from "./read.ts";
import * as store from "./store.ts";
import { lockTarget, prepareTarget, refreshStatistics, type Written, writeSnapshot } from "./write.ts";

export interface MoveOptions {
  /** Names of the two databases, without passwords. */
  from: string;
  to: string;
  jobs: readonly Job[];
  /** Removes what is in the target. */
  mayReplace: boolean;
  signal: AbortSignal;
  onStep(text: string): void;
}

/**
 * Moves everything to another database. The source is in force until its transaction commits, which also refuses all
 * later writes there; the target has every row by then, and is marked as unfinished until the source is closed. So at
 * every moment at most one of the two accepts writes, and the same call finishes a move that was interrupted. Returns
 * undefined when an earlier move was finished.
 */
export async function moveDatabase(
  source: Db,
  target: Db,
  options: MoveOptions,
): Promise<Written | undefined> {
  const { from, to, jobs, onStep } = options;
  if (await finishMove(source, target)) return undefined;
  await refuseSameDatabase(source, target);
  // Rows of an interrupted move were never in force, so they can be replaced.
  const { movingFrom } = await readMarks(target);
  const mayReplace = options.mayReplace || movingFrom?.place === from;
  await prepareTarget(target, { mayReplace, jobs });
  const id = randomUUID();
  const written = await inFrozenSource(source, options, async (tx) => {
    onStep("Copying. Changes are refused with 503 meanwhile.");
    const copy = await target.withOptions({ work: "unlimited" }).transaction(async (other) => {
      await lockTarget(other, mayReplace);
      const copied = await writeSnapshot(other, stopWith(options.signal, readSnapshot(tx), createStop));
      await markMovingFrom(other, { id, place: from });
      return copied;
    });
    onStep(`Every row is in ${to}. Closing the old database.`);
    if (options.signal.aborted) throw createStop();
    await store.closeForWrites(tx);
    await markMovedTo(tx, { id, place: to });
    return copy;
  });
  onStep("The old database is closed. Opening the new one.");
  await unmarkMovingFrom(target);
  await refreshStatistics(target);
  return written;
}

/** Opens the target of a move whose source is closed already. */
async function finishMove(source: Db, target: Db): Promise<boolean> {
  const { movedTo } = await readMarks(source);
  if (!movedTo) return false;
  const { movingFrom } = await readMarks(target);
  if (movingFrom?.id !== movedTo.id) throw (await findMove(source))!;
  await unmarkMovingFrom(target);
  return true;
}

/** The copy would wait for the locks on the original. Two URLs of one database can differ, so a lock is compared. */
async function refuseSameDatabase(source: Db, target: Db): Promise<void> {
  await source.transaction(async (tx) => {
    await store.markOpen(tx);
    if (await store.isMarkedOpen(target))
      throw new OperatorError(
        "The new database is the one that is to be moved. Nothing was changed. Name another one.",
      );
  });
}

const maxAttempts = 100;
const pauseMs = 300;

/** Runs `work` in a transaction of the source in which nobody else writes. */
async function inFrozenSource<T>(source: Db, options: MoveOptions, work: (tx: Db) => Promise<T>): Promise<T> {
  const db = source.withOptions({ work: "unlimited", alone: true });
  for (let attempt = 1; ; attempt++) {
    let isFrozen = false;
    try {
      return await db.transaction(async (tx) => {
        await store.beginCopy(tx);
        await store.freeze(tx);
        isFrozen = true;
        const move = await findMove(tx);
        if (move) throw move;
        return work(tx);
      });
    } catch (error) {
      // A long transaction writes. Waiting for it inside of this one could be a deadlock.
      if (isFrozen || !isDatabaseBusy(error)) throw error;
      if (attempt === maxAttempts)
        throw new OperatorError(
          "Changes in progress did not end within a minute. Nothing was changed. Try again when less is going on.",
        );
      if (options.signal.aborted) throw createStop();
      await sleep(pauseMs);
    }
  }
}

const createStop = () => new OperatorError("Stopped. The old database is still in force.");
