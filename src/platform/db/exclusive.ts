import type { Db } from "./db.ts";
import { sql } from "./sql.ts";

/** Any number, the same in every replica, and not the one migrations queue at. */
const lockKey = 728_331_002;

/** One process at a time of all on the same database. The embedded one has a single process anyway. */
export function exclusively<T>(db: Db, work: () => Promise<T>): Promise<T> {
  if (db.kind === "pglite") return work();
  return db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(${lockKey})`);
    return work();
  });
}
