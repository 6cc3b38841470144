/**
 * Every list with every filter, at a million rows in each large table, on PostgreSQL:
 * `node test/long/list-filters.ts [--rows 1000000]`. It runs `test/http/filters.test.ts` with that many rows. Writing
 * them takes about three minutes and 7 GB; the whole takes about ten minutes.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { rows: { type: "string", default: "1000000" } } });
const rows = Number(values.rows);
if (!Number.isInteger(rows) || rows < 30_000 || rows % 1_000 !== 0) {
  console.error("--rows is a multiple of 1,000 and at least 30,000, for example --rows 1000000.");
  process.exit(2);
}
const root = join(import.meta.dirname, "../..");
const { status } = spawnSync(
  join(root, "node_modules/.bin/vitest"),
  ["run", "--project", "postgres", "test/http/filters.test.ts"],
  { cwd: root, stdio: "inherit", env: { ...process.env, TEST_LIST_ROWS: String(rows) } },
);
process.exit(status ?? 1);
