/** Reads and writes all tables of the database as lines of JSON, the same on both engines. */
import { type Db, hasHistory, movedState } from "../db/index.ts";

export interface Table {
  /** With its schema for the queue's table, which is not in the schema of the product. */
  name: string;
  columns: readonly { name: string; type: string }[];
  /** Tables that hold its rows. Empty for a table without partitions. */
  partitions: readonly Partition[];
}

export interface Partition {
  name: string;
  bound: string;
  /** Storage parameters, or an empty text. */
  options: string;
}

export interface Sequence {
  name: string;
  lastValue: string;
  isCalled: boolean;
}

/** Where a row is, and how many bytes it has. */
export interface RowPlace {
  tid: string;
  bytes: number;
}

/** Unfinished jobs are part of a snapshot. The other tables of the queue are created by its library. */
export const jobTable = "pgboss.job";

/** Describes this database and not the instance, so it is not copied. */
const marksTable = "maintenance_marks";

const historyTable = "schema_migrations";

// The texts are built from names in the catalogue, which `quote_ident` has quoted.
async function query<Row>(db: Db, text: string, values?: unknown[]): Promise<Row[]> {
  return (await db.queryWithDriverTypes(text, values)).rows as Row[];
}

const execute = async (db: Db, text: string): Promise<void> => void (await query(db, text));

/** Texts of values must not depend on settings of the server, the role or the database. */
const textSettings = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1; set local lock_timeout = 0`;

/** Every statement of the transaction then sees the same moment. */
export const beginSnapshot = (tx: Db) =>
  execute(tx, `set transaction isolation level repeatable read, read only; ${prepareText(tx)}`);

export const beginCopy = (tx: Db) => execute(tx, prepareText(tx));

// Between two statements, a file is written or another database is waited for.
const prepareText = ({ kind }: Db) =>
  kind === "postgres" ? `${textSettings}; set local idle_in_transaction_session_timeout = 0` : textSettings;

const inSchema = "relnamespace = current_schema()::regnamespace";
const isTable = "relkind in ('r', 'p') and not relispartition";
const columnsOf = (oid: string) => `(
  select coalesce(json_agg(json_build_object('name', quote_ident(attname), 'type', format_type(atttypid, atttypmod))
    order by attnum), '[]') from pg_attribute
  where attrelid = ${oid} and attnum > 0 and not attisdropped and attgenerated = '')`;
const partitionsOf = (oid: string) => `(
  select coalesce(json_agg(json_build_object('name', inhrelid::regclass::text, 'bound', pg_get_expr(relpartbound, p.oid),
    'options', coalesce(array_to_string(reloptions, ', '), '')) order by relname), '[]') from pg_inherits join pg_class p on p.oid = inhrelid where inhparent = ${oid})`;

/** Lists the tables of the product by name, and the table of jobs when the queue is installed. */
export const listTables = (db: Db) =>
  query<Table>(
    db,
    `select quote_ident(relname) as name, ${columnsOf("c.oid")} as columns, ${partitionsOf("c.oid")} as partitions
     from pg_class c where ${inSchema} and ${isTable} and relname not in ('${marksTable}', '${historyTable}')
     union all
     select '${jobTable}', ${columnsOf("to_regclass('pgboss.job')")}, ${partitionsOf("to_regclass('pgboss.job')")}
     where to_regclass('pgboss.job') is not null
     order by 1`,
  );

/** Changes of the schema wait until the end of the transaction. */
export const lockForReading = (tx: Db, tables: readonly Table[]) =>
  execute(tx, `lock table ${tables.map(({ name }) => name).join(", ")} in access share mode`);

export async function listSequences(db: Db): Promise<Sequence[]> {
  const names = await query<{ name: string }>(
    db,
    `select quote_ident(relname) as name from pg_class where ${inSchema} and relkind = 'S' order by 1`,
  );
  const sequences: Sequence[] = [];
  for (const { name } of names) {
    const [state] = await query<Omit<Sequence, "name">>(
      db,
      `select last_value::text as "lastValue", is_called as "isCalled" from ${name}`,
    );
    sequences.push({ name, ...state! });
  }
  return sequences;
}

/** Stored sizes of the other types are known without reading the value. */
const hasTextSize = /^(text|bytea|character varying)$/;
const conditionOf = (table: Table) => (table.name === jobTable ? "where state < 'completed'" : "");

/** Opens the list of all rows of a part, in the order in which they are stored. */
export const openRows = (tx: Db, table: Table, part: string) => {
  const sizes = table.columns.map(({ name, type }) =>
    hasTextSize.test(type) ? `octet_length(${name})` : `pg_column_size(${name})`,
  );
  const bytes = ["0", ...sizes.map((size) => `coalesce(${size}, 0)`)].join(" + ");
  return execute(
    tx,
    `declare snapshot_rows no scroll cursor for select ctid::text as tid, ${bytes} as bytes
     from ${part} ${conditionOf(table)}`,
  );
};

export const fetchRows = (tx: Db, count: number) => query<RowPlace>(tx, `fetch ${count} from snapshot_rows`);

export const closeRows = (tx: Db) => execute(tx, "close snapshot_rows");

/** Returns each row as a JSON array of texts. */
export async function readLines(tx: Db, { columns }: Table, part: string, tids: readonly string[]) {
  const texts = columns.map(({ name }) => `${name}::text`).join(", ");
  const rows = await query<{ line: string }>(
    tx,
    `select json_build_array(${texts})::text as line from ${part} where ctid = any($1::text::tid[]) order by ctid`,
    [`{${tids.map((tid) => `"${tid}"`).join(",")}}`],
  );
  return rows.map(({ line }) => line);
}

/** `target` has the columns of this database. Columns that it does not have are left out. */
export const insertLines = (tx: Db, table: Table, target: Table, lines: readonly string[]) => {
  const known = new Set(target.columns.map(({ name }) => name));
  const columns = table.columns
    .map(({ name, type }, i) => ({ name, value: `(line ->> ${i})::${type}` }))
    .filter(({ name }) => known.has(name));
  return query(
    tx,
    `insert into ${table.name} (${columns.map(({ name }) => name).join(", ")}) overriding system value
     select ${columns.map(({ value }) => value).join(", ")} from jsonb_array_elements($1::text::jsonb) line`,
    [`[${lines.join(",")}]`],
  );
};

/** A job belongs to a queue. Queues that no definition names are those of the library, or of another version. */
export async function createQueues(tx: Db, { columns }: Table, lines: readonly string[]): Promise<void> {
  const place = (wanted: string) => columns.findIndex(({ name }) => name === wanted);
  await query(
    tx,
    `select pgboss.create_queue(j.name, jsonb_build_object('policy', j.policy)) from (
       select distinct line ->> ${place("name")} as name, coalesce(line ->> ${place("policy")}, 'standard') as policy
       from jsonb_array_elements($1::text::jsonb) line) j
     where not exists (select from pgboss.queue q where q.name = j.name)`,
    [`[${lines.join(",")}]`],
  );
}

export interface Holdings {
  /** The tables are of this product. */
  hasSchema: boolean;
  /** There are tables of another program. */
  hasOtherTables: boolean;
}

export async function findHoldings(db: Db): Promise<Holdings> {
  const hasSchema = await hasHistory(db);
  const [found] = await query<{ tables: string }>(
    db,
    `select count(*)::text as tables from pg_class where ${inSchema} and ${isTable}`,
  );
  return { hasSchema, hasOtherTables: !hasSchema && found!.tables !== "0" };
}

/** True when there is an account or an organization. */
export const hasData = async (db: Db): Promise<boolean> =>
  (
    await query<{ found: boolean }>(
      db,
      "select exists (select from users) or exists (select from organizations) as found",
    )
  )[0]!.found;

/** Removes all tables, types and functions of the product. */
export async function dropSchema(tx: Db): Promise<void> {
  const objects = await query<{ text: string }>(
    tx,
    `select format('drop table if exists %I cascade', relname) as text from pg_class where ${inSchema} and ${isTable}
     union all
     select format('drop view if exists %I cascade', relname) from pg_class where ${inSchema} and relkind = 'v'
     union all
     select format('drop sequence if exists %I cascade', relname) from pg_class where ${inSchema} and relkind = 'S'
     union all
     select format('drop function if exists %s cascade', p.oid::regprocedure) from pg_proc p
     where pronamespace = current_schema()::regnamespace and not exists (
       select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
     union all
     select format('drop type if exists %I cascade', typname) from pg_type
     where typnamespace = current_schema()::regnamespace and typtype = 'e'`,
  );
  for (const { text } of objects) await execute(tx, text);
}

/** Removes the rows that migrations have inserted. */
export async function emptyTables(tx: Db, tables: readonly Table[]): Promise<void> {
  const own = tables.filter(({ name }) => name !== jobTable);
  for (const { name } of own) await execute(tx, `alter table ${name} disable trigger user`);
  await execute(tx, `truncate ${own.map(({ name }) => name).join(", ")}`);
}

export const enableTriggers = async (tx: Db, tables: readonly Table[]): Promise<void> => {
  for (const { name } of tables)
    if (name !== jobTable) await execute(tx, `alter table ${name} enable trigger user`);
};

export const removeJobs = (tx: Db) => execute(tx, `delete from ${jobTable}`);

/** The workers that had these jobs do not exist here, so the jobs start again. */
export const restartActiveJobs = (tx: Db) =>
  execute(
    tx,
    `update ${jobTable} set state = 'retry', start_after = now(), started_on = null where state = 'active'`,
  );

export interface ForeignKey {
  add: string;
  drop: string;
}

/** Rows are loaded table by table, so references are checked when all rows are there. */
export async function dropForeignKeys(tx: Db): Promise<ForeignKey[]> {
  const keys = await query<ForeignKey>(
    tx,
    `select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add,
       format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop
     from pg_constraint where contype = 'f' and conparentid = 0
       and connamespace = current_schema()::regnamespace order by 1`,
  );
  for (const { drop } of keys) await execute(tx, drop);
  return keys;
}

export const addForeignKeys = async (tx: Db, keys: readonly ForeignKey[]): Promise<void> => {
  for (const { add } of keys) await execute(tx, add);
};

/** Which partitions migrations create depends on the day, so they are replaced by those of the snapshot. */
export async function replacePartitions(tx: Db, table: Table, existing: readonly Partition[]): Promise<void> {
  for (const { name } of existing) await execute(tx, `drop table ${name}`);
  for (const { name, bound, options } of table.partitions) {
    const settings = options === "" ? "" : ` with (${options})`;
    await execute(tx, `create table ${name} partition of ${table.name} ${bound}${settings}`);
  }
}

export const setSequences = async (tx: Db, sequences: readonly Sequence[]): Promise<void> => {
  for (const { name, lastValue, isCalled } of sequences)
    await query(tx, "select setval($1::text::regclass, $2::text::bigint, $3::text::boolean)", [
      name,
      lastValue,
      String(isCalled),
    ]);
};

export const analyze = (db: Db) => execute(db, "analyze");

/** How long to wait for writers. It is shorter than the time after which the server looks for deadlocks. */
const freezeTimeoutMs = 700;

/** All tables of the product and of the queue, with their partitions. */
const listGuarded = async (db: Db): Promise<string[]> =>
  (
    await query<{ name: string }>(
      db,
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
       where (n.oid = current_schema()::regnamespace or nspname = 'pgboss') and relkind in ('r', 'p')
         and relname <> '${marksTable}' order by 1`,
    )
  ).map(({ name }) => name);

/** Waits for transactions that write, and lets nobody write until the end of this one. Others can read. */
export async function freeze(tx: Db): Promise<void> {
  const tables = (await listGuarded(tx)).join(", ");
  await execute(
    tx,
    `set local lock_timeout = ${freezeTimeoutMs}; lock table ${tables} in share row exclusive mode;
     set local lock_timeout = 0`,
  );
}

/** From the commit on, every write is refused with an error that callers see as "try again later". */
export async function closeForWrites(tx: Db): Promise<void> {
  await execute(
    tx,
    `create function instance_has_moved() returns trigger language plpgsql as $$
     begin raise exception using errcode = '${movedState}', message = 'This instance was moved to another database.'; end $$`,
  );
  for (const name of await listGuarded(tx))
    await execute(
      tx,
      `create trigger instance_has_moved before insert or update or delete or truncate on ${name}
       for each statement execute function instance_has_moved()`,
    );
}

/** For a database that is about to be replaced. Its mark still keeps the service from starting on it. */
export const allowWrites = (db: Db) => execute(db, "drop function if exists instance_has_moved() cascade");

/** Any number that nothing else locks. */
const moveKey = 728_331_009;

/** Until the end of the transaction, `isMarkedOpen` recognizes the database of `tx`, whatever its address is. */
export const markOpen = (tx: Db) => execute(tx, `select pg_advisory_xact_lock(${moveKey})`);

export async function isMarkedOpen(db: Db): Promise<boolean> {
  const [row] = await query<{ free: boolean }>(db, `select pg_try_advisory_xact_lock(${moveKey}) as free`);
  return !row!.free;
}
