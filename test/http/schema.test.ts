import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useServer } from "../harness.ts";
import { renderSchema } from "../render-schema.ts";

const server = useServer();

test("schema.sql shows the schema of a migrated database, on either engine", async () => {
  const { db } = server.platform;
  const rendered = await renderSchema(async (query) => (await db.queryWithDriverTypes(query)).rows);
  expect(rendered).toBe(readFileSync(join(import.meta.dirname, "../../schema.sql"), "utf8"));
});

test("schema.sql contains every table of the product and none of the job queue", async () => {
  const { db } = server.platform;
  const { rows } = await db.queryWithDriverTypes(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not relispartition`,
  );
  const rendered = await renderSchema(async (query) => (await db.queryWithDriverTypes(query)).rows);
  for (const { name } of rows)
    expect(rendered).toMatch(new RegExp(`^create (unlogged )?table ${name} \\(`, "m"));
  expect(rows.length).toBeGreaterThan(40);
  expect(rendered).not.toContain("pgboss");
});
