import { type Db, raw, sql } from "../db/index.ts";
import type { SealedColumn } from "../keyring.ts";

// Names of tables and columns are written in the program, see `sealedColumns`.
const parts = ({ table, id, column }: SealedColumn) => ({
  table: raw(table),
  // A fixed order, whatever the database's locale is.
  id: raw(`(${id}) collate "C"`),
  column: raw(column),
});

export interface SealedValue {
  /** Where the row is at this moment; an update moves it. */
  at: string;
  row: string;
  sealed: string;
}

/** Values that are not sealed by the current key, in the order of their rows. */
export function listOutdated(
  db: Db,
  where: SealedColumn,
  currentPrefix: string,
  after: string,
  limit: number,
) {
  const { table, id, column } = parts(where);
  return db.rows<SealedValue>(sql`
    select ctid::text as at, ${id} as row, ${column} as sealed from ${table}
    where ${column} is not null and not starts_with(${column}, ${currentPrefix}) and ${id} > ${after}
    order by ${id} limit ${limit}`);
}

/** Writes each value whose old one is still in its place, and says how many those were. */
export function replace(db: Db, where: SealedColumn, changes: { at: string; old: string; fresh: string }[]) {
  const { table, column } = parts(where);
  return db.run(sql`
    update ${table} t set ${column} = change.fresh
    from unnest(${changes.map(({ old }) => old)}::text[], ${changes.map(({ fresh }) => fresh)}::text[])
      as change (old, fresh)
    where t.ctid = any(${changes.map(({ at }) => at)}::text[]::tid[]) and t.${column} = change.old`);
}

/** How many values there are under each key; `prefix` is what such a value starts with. */
export function countByKey(db: Db, where: SealedColumn) {
  const { table, column } = parts(where);
  return db.rows<{ prefix: string; count: number }>(sql`
    select split_part(${column}, '.', 1) || '.' || split_part(${column}, '.', 2) || '.' as prefix, count(*) as count
    from ${table} where ${column} is not null group by 1`);
}

/** The last rows of a column that has something sealed. */
export function sample(db: Db, where: SealedColumn, limit: number) {
  const { table, id, column } = parts(where);
  return db.rows<SealedValue>(sql`
    select ctid::text as at, ${id} as row, ${column} as sealed from ${table}
    where ${column} is not null order by ${id} desc limit ${limit}`);
}
