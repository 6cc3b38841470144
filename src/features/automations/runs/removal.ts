import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { subtractRuns } from "../figures/index.ts";
import * as store from "./store.ts";

/** Removes runs beyond the retention, also from the sums of the overview. Returns how many it removed. */
export const removeOld = (db: Db, orgId: OrgId, days: number, limit: number): Promise<number> =>
  db.transaction(async (tx) => {
    const ids = (await store.lockOld(tx, orgId, days, limit)).map(({ id }) => id);
    if (ids.length === 0) return 0;
    await subtractRuns(tx, orgId, ids);
    return store.remove(tx, orgId, ids);
  });
