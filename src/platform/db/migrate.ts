import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../errors.ts";
import type { Db } from "./db.ts";
import { describeMissingRights } from "./server.ts";
import { listServingAddresses } from "./serving.ts";
import { sql } from "./sql.ts";

export interface Migration {
  version: number;
  name: string;
  text: string;
  checksum: string;
}

const migrationsFolder = join(import.meta.dirname, "../../../migrations");

export function readMigrations(folder = migrationsFolder): Migration[] {
  const found = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const version = Number(file.slice(0, 4));
      const text = readFileSync(join(folder, file), "utf8");
      return {
        version,
        name: file.slice(5, -4),
        text,
        checksum: createHash("sha256").update(text).digest("hex"),
      };
    });
  found.forEach(({ version, name }, i) => {
    if (version !== i + 1) throw new Error(`Migration ${name}: expected number ${i + 1}, found ${version}.`);
  });
  return found;
}

/**
 * Migrations after which processes of an earlier version fail, or change data wrongly. Their texts say why. A text that was
 * applied cannot be changed, so the numbers are here.
 */
const unsafeWhileServing: ReadonlySet<number> = new Set([46, 47, 50, 51, 52, 56, 58]);

/** True when all processes of an earlier version must be stopped before this migration. */
export const needsStop = ({ version }: Pick<Migration, "version">): boolean =>
  unsafeWhileServing.has(version);

/** Any number, the same in every replica: the key of the lock that lets one of them migrate. */
const lockKey = 728_331_001;

/** Lets nobody else migrate or restore until the end of the transaction. */
export const lockSchema = (tx: Db) => tx.run(sql`select pg_advisory_xact_lock(${lockKey})`);

/**
 * Brings the schema to this program's version. Forward only: a database that a newer program has
 * migrated, or whose history differs, is refused rather than guessed at. Returns what was applied.
 */
export async function migrate(
  db: Db,
  migrations = readMigrations(),
  { stopMs = 15_000 }: { stopMs?: number } = {},
): Promise<string[]> {
  const applied: string[] = [];
  const work = db.withOptions({ work: "unlimited" }).transaction(async (tx) => {
    // Replicas that start together queue here; the second finds nothing left to do.
    await lockSchema(tx);
    // Migrations compute with days and weeks, which must not depend on the time zone of the server.
    await tx.run(sql`set local timezone = 'UTC'`);
    await tx.queryWithDriverTypes(`create table if not exists schema_migrations (
      version int primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
    )`);
    if (!(await hasHistory(tx))) throw createForeignHistoryError();
    const done = await history(tx);
    const missing = pending(done, migrations);
    if (done.length > 0 && missing.some(needsStop)) await requireStop(tx, stopMs);
    for (const next of missing) {
      await tx.queryWithDriverTypes(next.text);
      await tx.run(sql`insert into schema_migrations (version, name, checksum)
        values (${next.version}, ${next.name}, ${next.checksum})`);
      applied.push(next.name);
    }
  });
  await work.catch((error: unknown) => {
    throw describeMissingRights(error) ?? error;
  });
  return applied;
}

/** Waits until no other process serves this database. A process that was just stopped may still finish its requests. */
async function requireStop(tx: Db, stopMs: number): Promise<void> {
  for (const started = Date.now(); ; await sleep(100)) {
    const addresses = await listServingAddresses(tx);
    if (addresses.length === 0) return;
    if (Date.now() - started < stopMs) continue;
    throw new OperatorError(
      `Signalbox is running on this database (${addresses.join(", ")}). Processes of the earlier version would fail or ` +
        "change data wrongly after this migration. Nothing was migrated. Stop all of them and try again. " +
        '`docs/operations.md`, "Upgrading", explains what to do when they were stopped already.',
    );
  }
}

/** The migrations that are still to run, without running them. */
export async function pendingMigrations(db: Db, migrations = readMigrations()): Promise<Migration[]> {
  if (await hasHistory(db)) return pending(await history(db), migrations);
  const other = await db.row<{ found: boolean }>(
    sql`select to_regclass('schema_migrations') is not null as found`,
  );
  if (other?.found) throw createForeignHistoryError();
  return migrations;
}

/** Returns true when this product has migrated the database. Other programs have a table of this name with other columns. */
export async function hasHistory(db: Db): Promise<boolean> {
  const row = await db.row<{ columns: number }>(
    sql`select count(*)::int as columns from pg_attribute
      where attrelid = to_regclass('schema_migrations') and attname in ('version', 'name', 'checksum')`,
  );
  return row?.columns === 3;
}

const createForeignHistoryError = () =>
  new OperatorError(
    "The table schema_migrations belongs to another program. Give Signalbox a database of its own.",
  );

/**
 * Returns true when the first `count` migrations are applied. There may be more: during an update, processes of the old
 * version continue to serve.
 */
export async function isMigrated(db: Db, count: number): Promise<boolean> {
  const row = await db.row<{ done: number }>(
    sql`select count(*)::int as done from schema_migrations where version <= ${count}`,
  );
  return row?.done === count;
}

export interface Applied {
  version: number;
  name: string;
  checksum: string;
}

/** The migrations that were applied, for a database that has been migrated. */
export const history = (db: Db) =>
  db.rows<Applied>(sql`select version, name, checksum from schema_migrations order by version`);

/** Throws when the history is not one of this program. */
export function pending(done: Applied[], migrations: Migration[]): Migration[] {
  for (const { version, name, checksum } of done) {
    const expected = migrations[version - 1];
    if (!expected) {
      throw new OperatorError(
        `The database has migration ${version} (${name}), which this program does not know: ` +
          "it was migrated by a newer Signalbox. Start that version, or restore a backup from before it.",
      );
    }
    if (expected.checksum !== checksum) {
      throw new OperatorError(
        `Migration ${version} (${expected.name}) differs from the one this database was migrated with. ` +
          "Restore the original file; a change of schema is a new migration.",
      );
    }
  }
  return migrations.slice(done.length);
}
