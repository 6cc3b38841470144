import { type Applied, type Db, readAppliedMigrations } from "../db/index.ts";
import { version } from "../version.ts";
import { createRowDigest } from "./digest.ts";
import * as store from "./store.ts";

export interface Manifest {
  /** The version of the program that took the snapshot. */
  product: string;
  engine: Db["kind"];
  createdAt: number;
  migrations: Applied[];
  tables: store.Table[];
  sequences: store.Sequence[];
}

export interface TableEnd {
  table: string;
  rows: number;
  digest: string;
}

/** A snapshot is a manifest, then for each table of it, in the same order, its rows and its end. */
export type Part =
  | { kind: "manifest"; manifest: Manifest }
  | { kind: "rows"; table: string; lines: string[] }
  | { kind: "end"; end: TableEnd };

/** One statement reads about this much, or one row that is larger. */
const batchBytes = 1024 * 1024;
const batchRows = 1_000;
const placesAtOnce = 5_000;

/** Reads all tables at the moment at which the transaction of `tx` began. */
export async function* readSnapshot(tx: Db): AsyncGenerator<Part> {
  const tables = await store.listTables(tx);
  const manifest: Manifest = {
    product: version,
    engine: tx.kind,
    createdAt: Date.now(),
    migrations: await readAppliedMigrations(tx),
    tables,
    // Sequences do not belong to a transaction. They are read after its beginning, so no row has a later number.
    sequences: await store.listSequences(tx),
  };
  yield { kind: "manifest", manifest };
  for (const table of tables) {
    const digest = createRowDigest();
    for await (const lines of readTable(tx, table)) {
      digest.add(lines);
      yield { kind: "rows", table: table.name, lines };
    }
    yield { kind: "end", end: { table: table.name, rows: digest.rows, digest: digest.render() } };
  }
}

/** Ends with the error of `createStop` when the signal has aborted. */
export async function* stopWith(
  signal: AbortSignal,
  parts: AsyncIterable<Part>,
  createStop: () => Error,
): AsyncGenerator<Part> {
  for await (const part of parts) {
    if (signal.aborted) throw createStop();
    yield part;
  }
}

/** The tables that hold the rows of a table. */
const listParts = ({ name, partitions }: store.Table): string[] =>
  partitions.length > 0 ? partitions.map((one) => one.name) : [name];

export async function* readTable(tx: Db, table: store.Table): AsyncGenerator<string[]> {
  for (const part of listParts(table)) {
    await store.openRows(tx, table, part);
    for (;;) {
      const places = await store.fetchRows(tx, placesAtOnce);
      for (const tids of groupBySize(places)) yield await store.readLines(tx, table, part, tids);
      if (places.length < placesAtOnce) break;
    }
    await store.closeRows(tx);
  }
}

/** Rows can have many megabytes, so their number alone does not limit the memory. */
function* groupBySize(places: readonly store.RowPlace[]): Generator<string[]> {
  let tids: string[] = [];
  let bytes = 0;
  for (const place of places) {
    if (tids.length > 0 && (tids.length === batchRows || bytes + Number(place.bytes) > batchBytes)) {
      yield tids;
      [tids, bytes] = [[], 0];
    }
    tids.push(place.tid);
    bytes += Number(place.bytes);
  }
  if (tids.length > 0) yield tids;
}

/** Runs `work` in a transaction that sees one moment of the database, and changes nothing. */
export async function inSnapshot<T>(db: Db, work: (parts: AsyncGenerator<Part>) => Promise<T>): Promise<T> {
  const tables = await store.listTables(db);
  return db.withOptions({ work: "unlimited" }).transaction(async (tx) => {
    await store.beginSnapshot(tx);
    await store.lockForReading(tx, tables);
    return work(readSnapshot(tx));
  });
}

/** False for a database without the tables of the product. */
export const isInstalled = async (db: Db): Promise<boolean> => (await store.findHoldings(db)).hasSchema;
