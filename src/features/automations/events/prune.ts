import type { Db } from "../../../platform/db/index.ts";
import * as store from "./store.ts";

const step = 1_000;

/** Removes a run's events in small steps. False when `until` came first; the rest is for the next time. */
export async function pruneRun(db: Db, runNo: number, until: number): Promise<boolean> {
  while (Date.now() < until) if ((await store.removeSomeOfAll(db, runNo, step)) < step) return true;
  return false;
}

/** Removes the events of runs that are gone. */
export async function pruneLeftovers(db: Db, until: number): Promise<void> {
  while (Date.now() < until) {
    const left = await store.listLeftoversOfAll(db, 50);
    for (const { runNo } of left)
      if (await pruneRun(db, runNo, until)) await store.forgetLeftoverOfAll(db, runNo);
    if (left.length < 50) return;
  }
}
