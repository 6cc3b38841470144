import {
  type Db,
  describeMissingRights,
  findPending,
  listServingAddresses,
  lockSchema,
  migrate,
  readMigrations,
} from "../db/index.ts";
import { OperatorError } from "../errors.ts";
import { installQueue, type Job } from "../jobs/index.ts";
import { createRowDigest } from "./digest.ts";
import { type Manifest, type Part, readTable, type TableEnd } from "./read.ts";
import * as store from "./store.ts";

/** What was written, table by table. */
export interface Written {
  manifest: Manifest;
  tables: TableEnd[];
}

/**
 * Replaces the contents of the database by a snapshot, inside of the transaction of `tx`. The schema is that of the
 * snapshot while rows are loaded, and is migrated afterwards. Every table is read again and compared.
 */
export async function writeSnapshot(tx: Db, parts: AsyncIterable<Part>): Promise<Written> {
  await store.beginCopy(tx);
  let loading: Loading | undefined;
  const ends: TableEnd[] = [];
  for await (const part of parts) {
    if (part.kind === "manifest") loading = await startLoading(tx, part.manifest);
    else if (!loading) throw new Error("A snapshot begins with its manifest.");
    else if (part.kind === "rows") await loading.insert(part.table, part.lines);
    else ends.push(part.end);
  }
  if (!loading || ends.length !== loading.manifest.tables.length)
    throw new OperatorError("The snapshot is not complete. Nothing was changed.");
  await loading.finish(ends);
  await migrate(tx);
  return { manifest: loading.manifest, tables: ends };
}

/** Prepares a database for a snapshot. Throws when it has data that would be lost, or is in use. */
export async function prepareTarget(
  db: Db,
  { mayReplace, jobs }: { mayReplace: boolean; jobs: readonly Job[] },
): Promise<void> {
  await refuseOccupied(db, mayReplace);
  try {
    await store.allowWrites(db);
    await installQueue(db, jobs);
  } catch (error) {
    throw describeMissingRights(error) ?? error;
  }
}

/** Checks again, inside of the transaction that writes: a command or a service may have used the database in the meantime. */
export async function lockTarget(tx: Db, mayReplace: boolean): Promise<void> {
  await lockSchema(tx);
  await refuseOccupied(tx, mayReplace);
}

/** Throws when the database has data that would be lost, or is in use. */
export async function refuseOccupied(db: Db, mayReplace: boolean): Promise<void> {
  await refuseData(db, mayReplace);
  if ((await listServingAddresses(db)).length > 0)
    throw new OperatorError("Signalbox is running on this database. Stop all its processes first.");
}

async function refuseData(db: Db, mayReplace: boolean): Promise<void> {
  const { hasSchema, hasOtherTables } = await store.findHoldings(db);
  if (hasOtherTables)
    throw new OperatorError("The database has tables of another program. Use an empty database.");
  if (hasSchema && !mayReplace && (await store.hasData(db)))
    throw new OperatorError(
      "The database is not empty. Nothing was changed. Use an empty one, or remove everything in it with --replace.",
    );
}

/** After a load, the planner knows nothing about the tables. */
export const refreshStatistics = (db: Db) => store.analyze(db.withOptions({ work: "unlimited" }));

interface Loading {
  manifest: Manifest;
  insert(table: string, lines: readonly string[]): Promise<void>;
  finish(ends: readonly TableEnd[]): Promise<void>;
}

async function startLoading(tx: Db, manifest: Manifest): Promise<Loading> {
  refuseUnknownSchema(manifest);
  await store.dropSchema(tx);
  await migrate(tx, readMigrations().slice(0, manifest.migrations.length));
  const tables = new Map(manifest.tables.map((table) => [table.name, table]));
  for (const { name, partitions } of await store.listTables(tx)) {
    const table = tables.get(name);
    if (table && name !== store.jobTable) await store.replacePartitions(tx, table, partitions);
  }
  const found = await store.listTables(tx);
  const targets = new Map(found.map((table) => [table.name, table]));
  const missing = [...tables.keys()].filter((name) => !targets.has(name));
  if (missing.length > 0)
    throw new OperatorError(
      `The snapshot has tables that its migrations do not create: ${missing.join(", ")}. Nothing was changed.`,
    );
  await store.emptyTables(tx, found);
  await store.removeJobs(tx);
  const foreignKeys = await store.dropForeignKeys(tx);
  return {
    manifest,
    async insert(name, lines) {
      if (name === store.jobTable) await store.createQueues(tx, tables.get(name)!, lines);
      await store.insertLines(tx, tables.get(name)!, targets.get(name)!, lines);
    },
    async finish(ends) {
      for (const end of ends) await compareTable(tx, targets.get(end.table)!, tables.get(end.table)!, end);
      await store.addForeignKeys(tx, foreignKeys);
      await store.enableTriggers(tx, found);
      await store.setSequences(tx, manifest.sequences);
      await store.restartActiveJobs(tx);
    },
  };
}

/** Throws when this program does not have the migrations of the snapshot. */
export function refuseUnknownSchema({ migrations, product }: Manifest): void {
  if (migrations.length > readMigrations().length)
    throw new OperatorError(
      `This backup is from Signalbox ${product}, which has a newer schema than this program. Nothing was changed. Use that version to restore it.`,
    );
  findPending(migrations, readMigrations());
}

async function compareTable(tx: Db, target: store.Table, source: store.Table, end: TableEnd): Promise<void> {
  const digest = createRowDigest();
  const known = new Set(target.columns.map(({ name }) => name));
  const columns = source.columns.filter(({ name }) => known.has(name));
  for await (const lines of readTable(tx, { ...target, columns })) digest.add(lines);
  // Another version of the queue can lack a column of its table. Then only the number of its jobs is compared.
  const isComparable = columns.length === source.columns.length;
  if (digest.rows === end.rows && (!isComparable || digest.render() === end.digest)) return;
  throw new Error(
    `Table ${end.table} has ${digest.rows} rows after the copy, with other contents than the ${end.rows} rows before.`,
  );
}
