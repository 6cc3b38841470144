import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDb } from "./db.ts";
import { openEmbedded } from "./embedded.ts";
import { pendingMigrations } from "./migrate.ts";
import { sql } from "./sql.ts";
import { copyTemplate, writeTemplate } from "./template.ts";

const root = mkdtempSync(join(tmpdir(), "signalbox-template-"));
const templates = join(root, "templates");
let places = 0;

/** A folder with a copy of the template, which a test may change. */
function copyTemplates(): { folder: string; file: string; target: string } {
  const folder = join(root, `templates-${places++}`);
  cpSync(templates, folder, { recursive: true });
  return { folder, file: join(folder, readdirSync(folder)[0]!), target: join(root, `pg-${places}`) };
}

beforeAll(async () => {
  mkdirSync(templates);
  writeFileSync(join(templates, "database-of-another-version.zst"), "");
  await writeTemplate(async (db) => {
    await db.queryWithDriverTypes("create table installed (id int)");
  }, templates);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test("the template of this version replaces others, and nothing unfinished is left", () => {
  const files = readdirSync(templates);
  expect(files).toHaveLength(1);
  expect(files[0]).toMatch(/^database-[0-9a-f]{32}\.zst$/);
});

test("a new database is a migrated copy of the template, private to its owner", async () => {
  const dataDir = mkdtempSync(join(root, "data-"));
  const engine = await openEmbedded(dataDir, (folder) => {
    expect(copyTemplate(folder, templates)).toBe(true);
    for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }))
      expect(statSync(join(folder, path)).mode & 0o077).toBe(0);
  });
  const db = createDb(engine);
  expect(await pendingMigrations(db)).toEqual([]);
  expect(await db.rows(sql`select id from installed`)).toEqual([]);
  expect(await db.row(sql`select count(*)::int as count from secret_canaries`)).toEqual({ count: 0 });
  await engine.close();
  expect(existsSync(join(dataDir, "pg.unfinished"))).toBe(false);
});

test("a damaged template is not used, and nothing is written", () => {
  const { folder, file, target } = copyTemplates();
  const whole = readFileSync(file);
  const changed = Buffer.from(whole);
  changed[whole.length >> 1]! ^= 1;
  for (const damaged of [changed, whole.subarray(0, whole.length - 1), Buffer.alloc(0)]) {
    writeFileSync(file, damaged);
    expect(copyTemplate(target, folder)).toBe(false);
    expect(existsSync(target)).toBe(false);
  }
});

test("the template of another version is not used", () => {
  const { folder, file, target } = copyTemplates();
  renameSync(file, join(folder, `database-${"0".repeat(32)}.zst`));
  expect(copyTemplate(target, folder)).toBe(false);
  expect(copyTemplate(target, join(root, "no-such-folder"))).toBe(false);
  expect(existsSync(target)).toBe(false);
});

test("a copy that was interrupted does not count as a database", async () => {
  const dataDir = mkdtempSync(join(root, "data-"));
  await expect(
    openEmbedded(dataDir, (folder) => {
      copyTemplate(folder, templates);
      rmSync(join(folder, "base"), { recursive: true });
      throw new Error("interrupted");
    }),
  ).rejects.toThrow("interrupted");
  const engine = await openEmbedded(dataDir, (folder) => copyTemplate(folder, templates));
  expect(await pendingMigrations(createDb(engine))).toEqual([]);
  await engine.close();
});
