/** A snapshot of one database, written to a file and loaded into another one of either engine. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobs } from "../../src/app.ts";
import type { Io } from "../../src/commands/io.ts";
import { restore } from "../../src/commands/restore.ts";
import { readConfig } from "../../src/platform/config.ts";
import {
  createDb,
  type Db,
  migrate,
  openPostgres,
  pendingMigrations,
  readMigrations,
  sql,
} from "../../src/platform/db/index.ts";
import { installQueue, job } from "../../src/platform/jobs/index.ts";
import {
  checkFile,
  inSnapshot,
  isInstalled,
  lockTarget,
  readFile,
  refuseOccupied,
  writeFile,
  writeSnapshot,
} from "../../src/platform/snapshot/index.ts";
import { openEmptyPglite } from "../cluster.ts";
import { fillTables, specialValues } from "../fill-tables.ts";
import { createWorkspace, useServer } from "../harness.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { renderSchema } from "../render-schema.ts";

const server = useServer();
const folder = mkdtempSync(join(tmpdir(), "signalbox-backup-"));
const file = join(folder, "all.backup");
const mail = jobs.find(({ name }) => name === "mail.deliver")!;

const read = async (db: Db, text: string) => (await db.queryWithDriverTypes(text)).rows;
const listTables = async (db: Db) =>
  (
    await read(
      db,
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace
         and relkind in ('r', 'p') and not relispartition order by 1`,
    )
  )
    .map(({ name }) => String(name))
    .filter((name) => name !== "maintenance_marks");

/** All rows as the database itself renders them. */
async function readEverything(db: Db): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const name of await listTables(db))
    found[name] = (
      await read(db, `select (to_jsonb(t) - 'applied_at')::text as row from ${name} t order by 1`)
    ).map(({ row }) => row);
  found.partitions = await read(
    db,
    `select inhparent::regclass::text as parent, relname, pg_get_expr(relpartbound, c.oid) as bound, reloptions
     from pg_inherits join pg_class c on c.oid = inhrelid where relkind = 'r'
       and relnamespace = 'public'::regnamespace order by 1, 2`,
  );
  found.sequences = await read(
    db,
    "select sequencename, last_value::text from pg_sequences where schemaname = 'public' order by 1",
  );
  return found;
}

const openTargets: Record<string, () => Promise<{ db: Db; close(): Promise<void> }>> = {
  embedded: async () => {
    const engine = await openEmptyPglite();
    return { db: createDb(engine), close: () => engine.close() };
  },
};
if (await isPostgresAvailable())
  openTargets.PostgreSQL = async () => {
    const database = await makeDatabase();
    const engine = await openPostgres(database.url, { poolSize: 2, onError: () => {} });
    return {
      db: createDb(engine),
      async close() {
        await engine.close();
        await database.drop();
      },
    };
  };

let before: Record<string, unknown>;

async function writeSnapshotFile(db: Db): Promise<void> {
  // Counters that are kept in memory can be written meanwhile. Equal rows before and after are those of the file.
  for (let isQuiet = false; !isQuiet; ) {
    rmSync(file, { force: true });
    before = await readEverything(db);
    await inSnapshot(db, (parts) => writeFile(file, parts));
    isQuiet = isDeepStrictEqual(await readEverything(db), before);
  }
}

beforeAll(async () => {
  const { db } = server.platform;
  await createWorkspace(server);
  const failed = await fillTables(db, { values: specialValues });
  expect(failed).toEqual([]);
  await server.platform.jobs.add(db, mail, { id: "mail_waiting" });
  await writeSnapshotFile(db);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the snapshot has a row of every table", async () => {
  const counts: Record<string, number> = {};
  for await (const part of readFile(file)) if (part.kind === "end") counts[part.end.table] = part.end.rows;
  const tables = (await listTables(server.platform.db)).filter((name) => name !== "schema_migrations");
  expect(Object.keys(counts).sort()).toEqual([...tables, "pgboss.job"].sort());
  expect(Object.entries(counts).filter(([, rows]) => rows === 0)).toEqual([]);
});

test("a snapshot shows one moment, although rows are written meanwhile", async () => {
  const { db } = server.platform;
  if (db.kind === "pglite") return;
  const path = join(folder, "meanwhile.backup");
  await inSnapshot(db, async (parts) => {
    async function* addRows() {
      for await (const part of parts) {
        if (part.kind === "manifest") await createWorkspace(server, "Meanwhile");
        yield part;
      }
    }
    await writeFile(path, addRows());
  });
  const summaries = [await checkFile(file), await checkFile(path)];
  expect(summaries[1]!.rows).toBe(summaries[0]!.rows);
  await writeSnapshotFile(db);
});

describe.each(Object.entries(openTargets))("a snapshot that is loaded into %s", (_name, open) => {
  let target: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    target = await open();
    await installQueue(target.db, jobs);
  }, 60_000);
  afterAll(() => target?.close());
  const load = (work: (tx: Db) => Promise<unknown> = async () => {}) =>
    target.db.withOptions({ work: "unlimited" }).transaction(async (tx) => {
      await writeSnapshot(tx, readFile(file));
      await work(tx);
    });

  test("changes nothing when it fails at its end", async () => {
    await expect(
      load(async () => {
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await listTables(target.db)).toEqual([]);
  }, 60_000);

  test("has the same rows, sequences and schema", async () => {
    await load();
    const after = await readEverything(target.db);
    for (const [name, rows] of Object.entries(before)) expect(after[name], name).toEqual(rows);
    expect(Object.keys(after)).toEqual(Object.keys(before));
    const render = (db: Db) => renderSchema(async (query) => (await db.queryWithDriverTypes(query)).rows);
    expect(await render(target.db)).toBe(await render(server.platform.db));
  }, 60_000);

  test("has its unfinished jobs", async () => {
    const waiting = await read(target.db, "select name, data, state::text from pgboss.job");
    expect(waiting).toContainEqual({ name: mail.name, data: { id: "mail_waiting" }, state: "created" });
  });

  test("checks references and calls triggers again", async () => {
    const { db } = target;
    await expect(
      db.run(
        sql`insert into members (id, org_id, user_id, role) values ('mem_x', 'org_x', 'usr_x', 'owner')`,
      ),
    ).rejects.toThrow("foreign key");
    await expect(db.run(sql`delete from audit_events`)).rejects.toThrow("not changed or removed");
    const next = await db.row<{ no: number }>(sql`select nextval('telemetry_sums_no_seq') as no`);
    const last = await db.row<{ no: number }>(sql`select max(no) as no from telemetry_sums`);
    expect(next!.no).toBeGreaterThan(last!.no);
  });

  test("is refused where there is data, unless it may be replaced", async () => {
    await expect(refuseOccupied(target.db, false)).rejects.toThrow("The database is not empty.");
    await refuseOccupied(target.db, true);
    await target.db.run(sql`update organizations set name = 'Changed'`);
    await load();
    expect(await readEverything(target.db)).toEqual(before);
  }, 60_000);

  test("of an earlier version is migrated to this one", async () => {
    const earlier = await open();
    try {
      await installQueue(earlier.db, jobs);
      await migrate(earlier.db, readMigrations().slice(0, 30));
      await fillTables(earlier.db, { rows: 1, values: specialValues });
      const { n } = (await earlier.db.row<{ n: number }>(sql`select count(*) as n from automations`))!;
      const path = join(folder, `earlier-${earlier.db.kind}.backup`);
      await inSnapshot(earlier.db, (parts) => writeFile(path, parts));
      await target.db
        .withOptions({ work: "unlimited" })
        .transaction((tx) => writeSnapshot(tx, readFile(path)));
      expect(n).toBeGreaterThan(0);
      expect(await target.db.row(sql`select count(*) as n from automations`)).toEqual({ n });
      expect(await target.db.row(sql`select count(*) as n from schema_migrations`)).toEqual({
        n: readMigrations().length,
      });
    } finally {
      await earlier.close();
    }
  }, 60_000);

  test.each([[[]], [["--accept-loss"]]])(
    "is not loaded to its end after Ctrl-C, options %j",
    async (options) => {
      const empty = await open();
      try {
        const stop = new AbortController();
        const io: Partial<Io> = {
          config: () =>
            readConfig({ DATA_DIR: folder, SIGNALBOX_SECRET: "a secret for the tests, long enough" }),
          database: async () => {
            stop.abort();
            return { db: empty.db, keyring: server.platform.keyring };
          },
          signal: stop.signal,
        };
        await expect(restore([file, ...options], io as Io)).rejects.toThrow("Stopped. Nothing was changed.");
        expect(await isInstalled(empty.db)).toBe(false);
      } finally {
        await empty.close();
      }
    },
  );

  test("of a newer version is refused", async () => {
    async function* makeNewer() {
      for await (const part of readFile(file)) {
        if (part.kind === "manifest")
          part.manifest.migrations.push({ version: 9_999, name: "later", checksum: "x" });
        yield part;
      }
    }
    await expect(target.db.transaction((tx) => writeSnapshot(tx, makeNewer()))).rejects.toThrow(
      "which has a newer schema than this program",
    );
  });
});

test("a database of another program is refused", async () => {
  const engine = await openEmptyPglite();
  try {
    const db = createDb(engine);
    await refuseOccupied(db, false);
    await db.queryWithDriverTypes("create table orders (id int)");
    await expect(refuseOccupied(db, true)).rejects.toThrow("tables of another program");
  } finally {
    await engine.close();
  }
});

test("a database of another program is refused although its migrations are in a table of the same name", async () => {
  const engine = await openEmptyPglite();
  try {
    const db = createDb(engine);
    await db.queryWithDriverTypes(
      "create table schema_migrations (version text primary key); create table users (id int); create table organizations (id int)",
    );
    await expect(refuseOccupied(db, true)).rejects.toThrow("tables of another program");
    const text = "schema_migrations belongs to another program. Give Signalbox a database of its own.";
    await expect(migrate(db)).rejects.toThrow(text);
    await expect(pendingMigrations(db)).rejects.toThrow(text);
    expect(await isInstalled(db)).toBe(false);
  } finally {
    await engine.close();
  }
});

test.runIf(await isPostgresAvailable())(
  "a database that a service began to use after the first check is refused",
  async () => {
    const target = await openTargets.PostgreSQL!();
    try {
      await refuseOccupied(target.db, true);
      const unlisten = await target.db.listen(
        "anything",
        () => {},
        () => {},
      );
      await expect(target.db.transaction((tx) => lockTarget(tx, true))).rejects.toThrow(
        "Signalbox is running on this database. Stop all its processes first.",
      );
      await unlisten();
    } finally {
      await target.close();
    }
  },
);

test("a running job is started again in the copy, also of a queue that the target does not know", async () => {
  const slow = job({ name: "test.slow", handle: async () => {} });
  const [engine, other] = [await openEmptyPglite(), await openEmptyPglite()];
  try {
    const [db, target] = [createDb(engine), createDb(other)];
    await installQueue(db, [slow]);
    await installQueue(target, []);
    await migrate(db);
    await db.queryWithDriverTypes(
      "insert into pgboss.job (name, state, data) values ('test.slow', 'active', '{\"a\": 1}'), ('test.slow', 'completed', null)",
    );
    const path = join(folder, "jobs.backup");
    await inSnapshot(db, (parts) => writeFile(path, parts));
    await target.transaction((tx) => writeSnapshot(tx, readFile(path)));
    expect(await read(target, "select name, state::text, data from pgboss.job")).toEqual([
      { name: "test.slow", state: "retry", data: { a: 1 } },
    ]);
  } finally {
    await engine.close();
    await other.close();
  }
}, 120_000);
