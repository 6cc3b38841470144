import { type Db, sql } from "../db/index.ts";

export type MarkName = "last_backup" | "moved_to" | "moving_from";

export interface Mark {
  name: MarkName;
  detail: unknown;
  markedAt: number;
}

/** Returns false when the database is from a version without marks. */
export const hasTable = async (db: Db): Promise<boolean> =>
  (await db.row<{ isThere: boolean }>(sql`select to_regclass('maintenance_marks') is not null as "isThere"`))!
    .isThere;

export const list = (db: Db) =>
  db.rows<Mark>(sql`select name, detail, marked_at as "markedAt" from maintenance_marks order by name`);

export const put = (db: Db, name: MarkName, detail: object) =>
  db.run(sql`insert into maintenance_marks (name, detail) values (${name}, ${JSON.stringify(detail)}::jsonb)
    on conflict (name) do update set detail = excluded.detail, marked_at = now()`);

export const remove = (db: Db, name: MarkName) =>
  db.run(sql`delete from maintenance_marks where name = ${name}`);
