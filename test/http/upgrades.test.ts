/** Databases of every earlier version, with rows in their tables, become databases of this version. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  createDb,
  type Db,
  type Engine,
  migrate,
  openPostgres,
  readMigrations,
} from "../../src/platform/db/index.ts";
import { openEmptyPglite } from "../cluster.ts";
import { fillTables, specialValues } from "../fill-tables.ts";
import { makeDatabase } from "../postgres.ts";
import { renderSchema } from "../render-schema.ts";

let engine: Engine;
let drop = async () => {};
beforeAll(async () => {
  if (inject("engine") === "pglite") engine = await openEmptyPglite();
  else {
    const database = await makeDatabase();
    drop = database.drop;
    engine = await openPostgres(database.url, { poolSize: 2, onError: () => {} });
  }
});
afterAll(async () => {
  await engine?.close();
  await drop();
});

class RolledBack extends Error {}

async function runAndRollBack(db: Db, work: (tx: Db) => Promise<void>): Promise<void> {
  await expect(
    db.withOptions({ work: "unlimited" }).transaction(async (tx) => {
      await work(tx);
      throw new RolledBack();
    }),
  ).rejects.toBeInstanceOf(RolledBack);
}

async function countRows(db: Db): Promise<Map<string, number>> {
  const { rows } = await db.queryWithDriverTypes(
    `select relname as name, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I', relname),
      false, true, '')))[1]::text::int as n
     from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  return new Map(rows.map(({ name, n }) => [String(name), Number(n)]));
}

/** Tables whose rows a migration copied to another table, or that it renamed. */
const replaced: Readonly<Record<string, string>> = {
  automation_org_leftovers: "organization_leftovers",
  telemetry_additions: "telemetry_sums",
  telemetry_days: "telemetry_sums",
};

/** Tables whose rows a migration removes on purpose, and why. */
const emptied: Readonly<Record<string, string>> = {
  automation_event_leftovers: "Events of deleted runs are not copied to the partitions (event_partitions).",
  oauth_attempts:
    "People who are at a provider start again, because a state contains its id (states_of_attempts).",
  telemetry_points: "Counters begin again, because the identity of a series has changed (telemetry_sums).",
};

const migrations = readMigrations();
const schema = readFileSync(join(import.meta.dirname, "../../schema.sql"), "utf8");

test("every earlier schema, with rows in its tables, is migrated to this version", async () => {
  const db = createDb(engine);
  const filled = new Set<string>();
  for (const { version, name } of migrations) {
    await migrate(db, migrations.slice(0, version));
    const failed = await fillTables(db, { rows: 1, filled, values: specialValues });
    expect(failed, name).toEqual([]);
    const before = await countRows(db);
    await runAndRollBack(db, async (tx) => {
      expect(await migrate(tx), name).toHaveLength(migrations.length - version);
      const after = await countRows(tx);
      const lost = [...before]
        .filter(([table, n]) => !(table in emptied) && (after.get(replaced[table] ?? table) ?? 0) < n)
        .map(([table]) => table);
      expect(lost, `rows of version ${version} (${name}) that are lost`).toEqual([]);
      const rendered = await renderSchema(async (query) => (await tx.queryWithDriverTypes(query)).rows);
      expect(rendered === schema, `the schema after an upgrade from version ${version}`).toBe(true);
    });
  }
}, 600_000);
