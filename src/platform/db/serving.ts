import type { Db } from "./db.ts";
import { sql } from "./sql.ts";

/** The name of the connection on which a serving process waits for notifications. */
export const listenerName = "signalbox listen";

/** Where other processes of this product serve this database from: each address once. */
export async function listServingAddresses(db: Db): Promise<string[]> {
  if (db.kind === "pglite") return [];
  // A transaction would otherwise see the same list again.
  await db.run(sql`select pg_stat_clear_snapshot()`);
  const rows = await db.rows<{ address: string }>(sql`
    select distinct coalesce(host(client_addr), 'this machine') as address from pg_stat_activity
    where datname = current_database() and application_name = ${listenerName} order by 1`);
  return rows.map(({ address }) => address);
}
