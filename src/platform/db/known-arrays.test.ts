import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmptyPglite } from "../../../test/cluster.ts";
import { createDb, type Engine } from "./db.ts";
import { arrayTypes } from "./known-arrays.ts";
import { migrate } from "./migrate.ts";
import { sql } from "./sql.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEmptyPglite();
  await migrate(createDb(engine));
});
afterAll(() => engine.close());

describe("arrays of the embedded engine", () => {
  test("have the types that the database gives them", async () => {
    const rows = await createDb(engine).rows<{ element: number; array: number }>(sql`
      select oid::int as element, typarray::int as array from pg_type
      where oid::int = any(${[...arrayTypes.keys()]}::int[])`);
    expect(new Map(rows.map(({ element, array }) => [element, array]))).toEqual(new Map(arrayTypes));
  });

  test("are known for every column of the schema", async () => {
    const rows = await createDb(engine).rows<{ column: string; type: number }>(sql`
      select format('%s.%s', c.relname, a.attname) as column, a.atttypid::int as type
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
      where t.typcategory = 'A' and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.attnum > 0`);
    const known = new Set(arrayTypes.values());
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ type }) => !known.has(type))).toEqual([]);
  });

  test.each([
    ["text[]", ["a", 'b "c"', "d,e", "{}", "NULL"]],
    ["int[]", [1, -2]],
    ["bool[]", [true, false]],
    ["float8[]", [1.5, -2]],
  ])("of the type %s come back as they were sent", async (type, items) => {
    const { rows } = await engine.query(`select $1::${type} as given, $2::${type} as empty`, [items, []]);
    expect(rows).toEqual([{ given: items, empty: [] }]);
  });
});
