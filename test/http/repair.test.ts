/** What `doctor --fix` repairs inside of the database. */
import { expect, test } from "vitest";
import { checkMarks, checkRepairs } from "../../src/commands/checks/repair.ts";
import { sql } from "../../src/platform/db/index.ts";
import { markBackup, markMovedTo } from "../../src/platform/marks/index.ts";
import { fillTables, specialValues } from "../fill-tables.ts";
import { useServer } from "../harness.ts";

const server = useServer();

test("nothing is found in a database without damage", async () => {
  expect(await checkRepairs(server.platform.db)).toEqual([]);
});

test("a sequence that is behind its table continues after the last number, and is never set back", async () => {
  const { db } = server.platform;
  await fillTables(db, { rows: 2, values: specialValues });
  expect(await checkRepairs(db)).toEqual([]);
  await db.queryWithDriverTypes("select setval('telemetry_sums_no_seq', 1, false)");
  const [finding, ...others] = await checkRepairs(db);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ check: "numbers", level: "problem" });
  expect(finding!.message).toContain("telemetry_sums.no");
  expect(await finding!.fix!()).toBe("telemetry_sums.no continues after its last number");
  expect(await checkRepairs(db)).toEqual([]);
  const next = await db.row<{ no: number }>(sql`select nextval('telemetry_sums_no_seq') as no`);
  const last = await db.row<{ no: number }>(sql`select max(no) as no from telemetry_sums`);
  expect(next!.no).toBe(last!.no + 1);
  await finding!.fix!();
  expect((await db.row<{ no: number }>(sql`select nextval('telemetry_sums_no_seq') as no`))!.no).toBe(
    next!.no + 1,
  );
});

test("an invalid index is built again", async () => {
  const { db } = server.platform;
  await db.queryWithDriverTypes(
    "update pg_index set indisvalid = false where indexrelid = 'workers_page'::regclass",
  );
  const [finding] = await checkRepairs(db);
  expect(finding).toMatchObject({ check: "indexes", level: "problem" });
  expect(await finding!.fix!()).toBe("rebuilt workers_page");
  expect(await checkRepairs(db)).toEqual([]);
});

test("a backup that is older than a week is a warning, and a database that was left is a problem", async () => {
  const { db } = server.platform;
  expect(await checkMarks(db)).toEqual([
    { check: "backup", level: "ok", message: "none yet with `signalbox backup`" },
  ]);
  const backup = { createdAt: Date.now(), bytes: 1, rows: 2, encrypted: true };
  await markBackup(db, backup);
  expect(await checkMarks(db)).toMatchObject([{ check: "backup", level: "ok" }]);
  await markBackup(db, { ...backup, createdAt: Date.now() - 8 * 86_400_000 });
  expect(await checkMarks(db)).toMatchObject([{ check: "backup", level: "warning" }]);
  await markMovedTo(db, { id: "1", place: "/srv/elsewhere" });
  const [finding] = await checkMarks(db);
  expect(finding).toMatchObject({ check: "move", level: "problem" });
  expect(finding!.message).toContain("This instance was moved to /srv/elsewhere.");
});
