import type { OrgId } from "../../../platform/context.ts";
import { addPartitions, type Db, dropPartition, listPartitions } from "../../../platform/db/index.ts";
import * as store from "./store.ts";

const step = 1_000;

/** Removes a run's events in small steps. Returns false when `until` has passed and events are left. */
export async function removeEventsOfRun(
  db: Db,
  orgId: OrgId,
  runNo: number,
  until: number,
): Promise<boolean> {
  while (Date.now() < until) if ((await store.removeSome(db, orgId, runNo, step)) < step) return true;
  return false;
}

/** A partition is dropped when the last run of its week is pruned, so up to a week after the first one. */
const dropDays = 8;

/** Leaves a run's events to the next drop of their partition. */
export const leaveEventsOfRun = (db: Db, orgId: OrgId, runNo: number) =>
  store.addLeftover(db, orgId, runNo, dropDays);

/** Removes the events of deleted runs, and of runs whose partition was not dropped in time. */
export async function removeLeftoverEvents(db: Db, until: number): Promise<void> {
  while (Date.now() < until) {
    const left = await store.listLeftoversAcrossOrganizations(db, 50);
    for (const { runNo, orgId } of left)
      if (await removeEventsOfRun(db, orgId, runNo, until)) await store.removeLeftover(db, orgId, runNo);
    if (left.length < 50) return;
  }
}

/** Adds partitions ahead, and drops those whose runs have no events to keep. */
export async function keepPartitions(db: Db): Promise<void> {
  await addPartitions(db, store.eventTable);
  for (const { name, startsAt, endsAt } of await listPartitions(db, store.eventTable)) {
    // Runs of a week that is not over can still be created.
    if (endsAt > Date.now()) return;
    const week = [startsAt ?? 0, endsAt] as const;
    if (!(await store.isPrunedAcrossOrganizations(db, ...week)) || !(await dropPartition(db, name))) continue;
    await store.removeLeftoversAcrossOrganizations(db, ...week);
  }
}
