import type { Platform } from "../../../platform/context.ts";
import { dayMs } from "../../../platform/days.ts";
import { addPartitions, type Db, dropPartition, listPartitions } from "../../../platform/db/index.ts";
import { smallestIdAt } from "../../../platform/ids.ts";
import { job } from "../../../platform/jobs/index.ts";
import { removeOldAcrossOrganizations as removeOldRefusals } from "../refused/index.ts";
import * as store from "./store.ts";

/** The time limit of one run. The next run continues. */
const maxRunMs = 60_000;
const batchSize = 200;
const keysPerStep = 5_000;

/** Removes old deliveries and old records of refused deliveries. */
export const removeOldRecords = job({
  name: "webhooks.prune",
  schedule: "*/10 * * * *",
  handle: (platform) => pruneDeliveries(platform, Date.now() + maxRunMs),
});

export async function pruneDeliveries(
  { db, config }: Pick<Platform, "db" | "config">,
  until: number,
): Promise<void> {
  const days = config.webhookRetentionDays;
  await addPartitions(db, store.deliveryTable);
  await dropOldPartitions(db, Date.now() - days * dayMs, until);
  while (Date.now() < until && (await removeOldRefusals(db, days, batchSize)) === batchSize);
}

/** Drops the weeks that ended before `horizon`, and removes older deliveries that are in no partition of a week. */
async function dropOldPartitions(db: Db, horizon: number, until: number): Promise<void> {
  for (const { name, endsAt } of await listPartitions(db, store.deliveryTable)) {
    if (endsAt > horizon) break;
    // The keys go first: a key without its delivery would refuse a delivery that is sent again.
    for (const remove of [
      store.removeSomeKeysAcrossOrganizations,
      store.removeSomeTargetsAcrossOrganizations,
    ])
      if (!(await removeBefore(db, remove, endsAt, keysPerStep, until))) return;
    if (!(await dropPartition(db, name))) return;
  }
  const [first] = await listPartitions(db, store.deliveryTable);
  const end = Math.min(horizon, first ? (first.startsAt ?? first.endsAt) : horizon);
  await removeBefore(db, store.removeSomeAcrossOrganizations, end, batchSize, until);
}

/** Returns false when `until` has passed and rows are left. */
async function removeBefore(
  db: Db,
  remove: (db: Db, beforeId: string, limit: number) => Promise<number>,
  end: number,
  limit: number,
  until: number,
): Promise<boolean> {
  while (Date.now() < until) if ((await remove(db, smallestIdAt("whd", end), limit)) < limit) return true;
  return false;
}
