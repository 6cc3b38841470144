import type { Db } from "../../../platform/db/index.ts";
import * as store from "./store.ts";

const step = 1_000;

/** Removes a run's events in small steps. Returns false when `until` has passed and events are left. */
export async function removeEventsOfRun(db: Db, runNo: number, until: number): Promise<boolean> {
  while (Date.now() < until)
    if ((await store.removeSomeAcrossOrganizations(db, runNo, step)) < step) return true;
  return false;
}

/** Removes the events of deleted runs. */
export async function removeLeftoverEvents(db: Db, until: number): Promise<void> {
  while (Date.now() < until) {
    const left = await store.listLeftoversAcrossOrganizations(db, 50);
    for (const { runNo } of left)
      if (await removeEventsOfRun(db, runNo, until)) await store.removeLeftoverAcrossOrganizations(db, runNo);
    if (left.length < 50) return;
  }
}
