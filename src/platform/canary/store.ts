import { type Db, sql } from "../db/index.ts";

export interface Canary {
  keyId: string;
  sealed: string;
}

/** Lets one process at a time add a row, so that replicas that start together agree on their secret. */
export const lock = (tx: Db) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended('secret canaries', 0))`);

/** Returns false when the database is from a version that did not record secrets. */
export const hasTable = async (db: Db): Promise<boolean> =>
  (await db.row<{ isThere: boolean }>(sql`select to_regclass('secret_canaries') is not null as "isThere"`))!
    .isThere;

export const list = (db: Db) =>
  db.rows<Canary>(sql`select key_id as "keyId", sealed from secret_canaries order by key_id`);

export const insert = (tx: Db, { keyId, sealed }: Canary) =>
  tx.run(
    sql`insert into secret_canaries (key_id, sealed) values (${keyId}, ${sealed}) on conflict do nothing`,
  );

export const remove = (tx: Db, keyIds: readonly string[]) =>
  tx.run(sql`delete from secret_canaries where key_id = any(${keyIds}::text[])`);
