import { type Db, raw, sql } from "../db/index.ts";
import type { SealedColumn } from "../keyring.ts";

// Names of tables and columns are written in the program, see `sealedColumns`.
const parts = ({ table, id, column, organization = "null::text", address }: SealedColumn) => ({
  organization: raw(organization),
  fields: raw(address?.fields ?? "null::jsonb"),
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
  organization: string | null;
  /** JSON from which the address of the place is computed. */
  fields: unknown;
}

/** Lists values that start with `only` and not with `currentPrefix`, in the order of their rows. */
export function listOutdated(
  db: Db,
  where: SealedColumn,
  currentPrefix: string,
  after: string,
  limit: number,
  only = "",
) {
  const { table, id, column, organization, fields } = parts(where);
  return db.rows<SealedValue>(sql`
    select ctid::text as at, ${id} as row, ${column} as sealed, ${organization} as organization, ${fields} as fields
    from ${table}
    where ${column} is not null and not starts_with(${column}, ${currentPrefix}) and starts_with(${column}, ${only})
      and ${id} > ${after}
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

/** Returns the columns that exist in this database. A database of an earlier version lacks some. */
export async function listExisting(
  db: Db,
  columns: readonly SealedColumn[],
): Promise<readonly SealedColumn[]> {
  const names = (of: (one: SealedColumn) => string) => columns.map(of);
  const found = await db.rows<{ position: number }>(sql`
    select wanted.position::int as position
    from unnest(${names(({ table }) => table)}::text[], ${names(({ column }) => column)}::text[])
      with ordinality as wanted (table_name, column_name, position)
    join pg_attribute a on a.attrelid = to_regclass(wanted.table_name) and a.attname = wanted.column_name
      and not a.attisdropped
    order by 1`);
  return found.map(({ position }) => columns[position - 1]!);
}

/** The last rows of a column that has something sealed. */
export function sample(db: Db, where: SealedColumn, limit: number) {
  const { table, id, column, organization, fields } = parts(where);
  return db.rows<SealedValue>(sql`
    select ctid::text as at, ${id} as row, ${column} as sealed, ${organization} as organization, ${fields} as fields
    from ${table} where ${column} is not null order by ${id} desc limit ${limit}`);
}

/** Returns true when the first format has ended. Only a holder of the secret can compute `mark`. */
export const hasEndedFirstFormat = async (db: Db, mark: string) =>
  (await db.row(sql`select from sealing_formats where ended = 1 and mark = ${mark}`)) !== undefined;

export const endFirstFormat = (db: Db, mark: string) =>
  db.run(sql`insert into sealing_formats (ended, mark) values (1, ${mark})
    on conflict (ended) do update set mark = excluded.mark`);

/** Returns true a day after the migration, when every process of the earlier version has ended. */
export const mayEndFirstFormat = async (db: Db) =>
  (await db.row(sql`
    select from schema_migrations where name = 'search_and_seals' and applied_at < now() - interval '1 day'`)) !==
  undefined;
