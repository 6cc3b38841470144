/** `npm run schema` writes schema.sql; with `--check` it ends with 1 when the file is not current. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createDb, migrate } from "../src/platform/db/index.ts";
import { openEmptyPglite } from "./cluster.ts";
import { renderSchema } from "./render-schema.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const file = join(import.meta.dirname, "../schema.sql");

const engine = await openEmptyPglite();
const db = createDb(engine);
await migrate(db);
const text = await renderSchema(async (query) => (await db.queryWithDriverTypes(query)).rows);
await engine.close();

if (!values.check) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  console.error("schema.sql is stale: the migrations give another schema. Write it with `npm run schema`.");
  process.exitCode = 1;
}
