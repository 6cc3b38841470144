import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, expect, inject, test } from "vitest";
import { openPglite } from "../../src/platform/db/pglite.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, copyFolder, freshFolder, signalbox } from "./kit.ts";

afterAll(cleanUp);

/** Commits a row, prints its number, and goes on. */
const writer = `
  const { openPglite } = await import(process.argv[1]);
  const engine = await openPglite(process.argv[2]);
  await engine.queryWithDriverTypes("create table numbers (n int)");
  for (let n = 1; n < 5_000; n++) {
    await engine.transaction(async (session) => {
      await session.queryWithDriverTypes("insert into numbers values (" + n + ")");
      await session.queryWithDriverTypes("select pg_logical_emit_message(true, 'fill', repeat('x', 20000))");
    });
    console.log(n);
  }`;

// A limit of the size of files stands for a full disk: the engine cannot write the end of its log file of 16 MiB.
const limit = "ulimit -f 32000";

/** Returns a data folder whose log goes on in a new file, so that it is empty when the limit begins. */
async function prepareFolder(): Promise<string> {
  const dataDir = copyFolder(inject("preparedFolder"));
  const prepared = await openPglite(join(dataDir, "pg"));
  await prepared.queryWithDriverTypes("select pg_switch_wal()");
  await prepared.close();
  return dataDir;
}

/** Commits rows until the engine cannot write. `redirect` is where stderr of the process goes. */
async function fillDisk(folder: string, redirect = "") {
  const engineFile = join(import.meta.dirname, "../../src/platform/db/pglite.ts");
  const command = `${limit}; exec "$0" --input-type=module -e "$1" "$2" "$3" ${redirect}`;
  const child = spawn("sh", ["-c", command, process.execPath, writer, engineFile, folder], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stderr, committed: Number(stdout.trim().split("\n").at(-1)) };
}

test("the embedded database ends its process when its log cannot be written, and no committed row is lost", async () => {
  const folder = join(await prepareFolder(), "pg");
  const { code, stderr, committed } = await fillDisk(folder);
  expect(stderr).toMatch(/^The embedded database in .* stopped \(.*\)\. .*\n$/);
  expect(code).toBe(1);
  expect(committed).toBeGreaterThan(0);
  const engine = await openPglite(folder);
  const { rows } = await engine.queryWithDriverTypes(
    "select max(n) as last, count(*)::int as n from numbers",
  );
  await engine.close();
  expect(rows[0]!.n).toBe(rows[0]!.last);
  expect(rows[0]!.n).toBeGreaterThanOrEqual(committed);
});

// As with `signalbox serve 2>signalbox.log` on the disk of the data folder.
test.skipIf(!existsSync("/dev/full"))(
  "the embedded database ends its process also when stderr is on a full disk",
  async () => {
    const { code } = await fillDisk(join(await prepareFolder(), "pg"), "2>/dev/full");
    expect(code).toBe(1);
  },
);

/** Copies the database that is in the folder, and continues. */
const copier = `
  const { openPglite, createDb, copyEmbedded } = await import(process.argv[1]);
  const [, , dataDir, target] = process.argv;
  const engine = await openPglite(dataDir + "/pg");
  await copyEmbedded(createDb(engine), dataDir, target).catch((error) => console.error(error.message));
  await engine.queryWithDriverTypes("create table numbers (n int)");
  process.exit(0);`;

test("a copy of the embedded database that does not fit on the disk says so, and is removed", async () => {
  const dataDir = await prepareFolder();
  const target = join(dataDir, "pg.copy-1");
  const door = join(import.meta.dirname, "../../src/platform/db/index.ts");
  const command = `${limit}; exec "$0" --input-type=module -e "$1" "$2" "$3" "$4"`;
  const child = spawn("sh", ["-c", command, process.execPath, copier, door, dataDir, target], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [[code], stderr] = await Promise.all([once(child, "close"), text(child.stderr)]);
  expect(stderr).toBe(
    `The database cannot be copied to ${target} (EFBIG). The copy needs as much free space as ` +
      `${join(dataDir, "pg")}. Free some, or stop the service and back up again.\n`,
  );
  expect(code).toBe(0);
  expect(existsSync(target)).toBe(false);
});

test.runIf(await isPostgresAvailable())(
  "a backup that does not fit on the disk says so and leaves no file",
  async () => {
    const database = await makeDatabase();
    const env = { DATABASE_URL: database.url, SIGNALBOX_SECRET: "a secret for the tests, long enough" };
    expect(await signalbox(["migrate"], undefined, env)).toMatchObject({ code: 0 });
    const folder = dirname(freshFolder());
    const file = join(folder, "signalbox.backup");
    const program = join(import.meta.dirname, "../../bin/signalbox.mjs");
    const command = 'ulimit -f 2; exec "$0" "$1" backup "$2"';
    const child = spawn("sh", ["-c", command, process.execPath, program, file], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [[code], stderr] = await Promise.all([once(child, "close"), text(child.stderr)]);
    await database.drop();
    expect(stderr).toBe(`${file} cannot be written (EFBIG). No backup was written.\n`);
    expect(code).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  },
);
