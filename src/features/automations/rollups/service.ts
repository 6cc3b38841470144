import type { Platform } from "../../../platform/context.ts";
import * as store from "./store.ts";

const daysPerBatch = 20;

/** Stores the sums of days that are over. Several processes may do it at the same time. */
export async function rollUpDays(platform: Pick<Platform, "db">, until: number): Promise<void> {
  const { db } = platform;
  for (;;) {
    const open = await store.listOpenDaysAcrossOrganizations(db, daysPerBatch);
    for (const day of open) {
      await db.transaction((tx) => store.storeDayAcrossOrganizations(tx, day));
      if (Date.now() >= until) return;
    }
    if (open.length < daysPerBatch) return rollUpReopenedDays(platform, until);
  }
}

async function rollUpReopenedDays({ db }: Pick<Platform, "db">, until: number): Promise<void> {
  for (;;) {
    const reopened = await store.listReopenedDaysAcrossOrganizations(db, daysPerBatch);
    for (const { day, orgId } of reopened) {
      await db.transaction((tx) => store.storeReopenedDay(tx, orgId, day));
      if (Date.now() >= until) return;
    }
    if (reopened.length < daysPerBatch) return;
  }
}
