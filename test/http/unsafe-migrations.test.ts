/** Migrations that processes of an earlier version would not survive wait until these are stopped. */
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import {
  createDb,
  type Db,
  type Engine,
  migrate,
  needsStop,
  openPostgres,
  readMigrations,
  sql,
} from "../../src/platform/db/index.ts";
import { makeDatabase } from "../postgres.ts";

test("a migration whose text says that it is not safe while serving needs a stop", () => {
  const unsafe = /not safe while|not while the service runs|stop all processes/i;
  const named = readMigrations().filter(({ text }) => unsafe.test(text));
  expect(named.map(({ version }) => version)).toEqual(
    readMigrations()
      .filter(needsStop)
      .map(({ version }) => version),
  );
  expect(named).not.toEqual([]);
});

const ignore = () => {};

// The embedded engine has one process.
describe.skipIf(inject("engine") === "pglite")("while another process serves", () => {
  const firstUnsafe = readMigrations().find(needsStop)!.version;
  const earlier = readMigrations().slice(0, firstUnsafe - 1);
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let engines: Engine[];
  let db: Db;
  const open = async () => {
    const engine = await openPostgres(database.url, { poolSize: 2, onError: () => {} });
    engines.push(engine);
    return createDb(engine);
  };
  const countApplied = async () =>
    (await db.row<{ count: number }>(sql`select count(*)::int as count from schema_migrations`))!.count;
  beforeEach(async () => {
    database = await makeDatabase();
    engines = [];
    db = await open();
    await migrate(db, earlier);
  });
  afterEach(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await database.drop();
  });

  test("nothing is migrated, and the refusal says where the process is", async () => {
    await (await open()).listen("test", ignore, ignore);
    await expect(migrate(db, readMigrations(), { stopMs: 200 })).rejects.toThrow(
      /^Signalbox is running on this database \((127\.0\.0\.1|this machine)\)\. .*Nothing was migrated\./,
    );
    expect(await countApplied()).toBe(earlier.length);
  });

  test("migrations begin as soon as the process has stopped", async () => {
    const unlisten = await (await open()).listen("test", ignore, ignore);
    const migrating = migrate(db);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await countApplied()).toBe(earlier.length);
    await unlisten();
    await migrating;
    expect(await countApplied()).toBe(readMigrations().length);
  });

  test("the other migrations do not wait", async () => {
    await (await open()).listen("test", ignore, ignore);
    await migrate(db, readMigrations().slice(0, firstUnsafe - 1));
    await db.run(sql`delete from schema_migrations where version = ${firstUnsafe - 1}`);
    const safe = { version: firstUnsafe - 1, name: "safe", text: "select 1", checksum: "x" };
    expect(await migrate(db, [...earlier.slice(0, -1), safe], { stopMs: 0 })).toEqual(["safe"]);
  });
});
