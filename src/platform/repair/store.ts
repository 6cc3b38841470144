/** Damage that can be repaired from what is in the database itself. */
import type { Db } from "../db/index.ts";

async function query<Row>(db: Db, text: string): Promise<Row[]> {
  return (await db.queryWithDriverTypes(text)).rows as Row[];
}

/** Indexes that the database does not use, because building them was interrupted. */
export const listInvalidIndexes = (db: Db) =>
  query<{ name: string }>(
    db,
    `select c.oid::regclass::text as name from pg_index join pg_class c on c.oid = indexrelid
     where not indisvalid and relkind = 'i' and relnamespace = current_schema()::regnamespace order by 1`,
  );

/** Rebuilds an index. On a server, tables can be written meanwhile. A large one takes minutes. */
export const rebuildIndex = async (db: Db, name: string): Promise<void> =>
  void (await db
    .withOptions({ work: "unlimited" })
    .queryWithDriverTypes(`reindex index ${db.kind === "postgres" ? "concurrently " : ""}${name}`));

export interface NumberedColumn {
  table: string;
  column: string;
  sequence: string;
}

const listNumberedColumns = (db: Db) =>
  query<NumberedColumn>(
    db,
    `select c.oid::regclass::text as table, quote_ident(attname) as column,
       pg_get_serial_sequence(c.oid::regclass::text, attname) as sequence
     from pg_attribute join pg_class c on c.oid = attrelid
     where attidentity <> '' and not attisdropped and relkind in ('r', 'p') and not relispartition
       and relnamespace = current_schema()::regnamespace order by 1`,
  );

/** Columns whose next number exists already, so that the next insert would fail. */
export async function listLateSequences(db: Db): Promise<NumberedColumn[]> {
  const late: NumberedColumn[] = [];
  for (const one of await listNumberedColumns(db)) {
    const [found] = await query<{ isLate: boolean }>(
      db,
      `select coalesce((select max(${one.column}) from ${one.table}) > last_value, false)
         or (not is_called and exists (select from ${one.table} where ${one.column} = last_value)) as "isLate"
       from ${one.sequence}`,
    );
    if (found!.isLate) late.push(one);
  }
  return late;
}

/** Never sets a sequence back. */
export const advanceSequence = async (db: Db, { table, column, sequence }: NumberedColumn): Promise<void> =>
  void (await query(
    db,
    `select setval('${sequence}', greatest((select max(${column}) from ${table}), (select last_value from ${sequence})))`,
  ));
