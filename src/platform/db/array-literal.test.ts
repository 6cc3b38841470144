import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmptyPglite } from "../../../test/cluster.ts";
import { formatArray } from "./array-literal.ts";
import { createDb, type Db, type Engine } from "./db.ts";
import { sql } from "./sql.ts";

let engine: Engine;
let db: Db;
beforeAll(async () => {
  engine = await openEmptyPglite();
  db = createDb(engine);
});
afterAll(() => engine.close());

const storableText = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "0").toWellFormed());
const check = <T>(item: fc.Arbitrary<T>, read: (items: readonly T[]) => Promise<unknown>) =>
  fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 20 }), async (items) => {
      expect(await read(items)).toEqual(items);
    }),
    { numRuns: 100 },
  );
const value = async (statement: ReturnType<typeof sql>) =>
  (await db.row<{ value: unknown }>(statement))!.value;

describe("an array in a statement", () => {
  test("of texts is read as it was written", async () => {
    const special = fc.constantFrom("", "NULL", "null", '"', "\\", "{", "}", ",", " a ", "{}", '\\"', "\n");
    await check(fc.oneof(storableText, special, fc.constant(null)), (items) =>
      value(sql`select ${items}::text[] as value`),
    );
  });

  test("of numbers is read as it was written", async () => {
    await check(fc.oneof(fc.integer(), fc.constant(null)), (items) =>
      value(sql`select ${items}::int[] as value`),
    );
    // Adding 0 turns -0 into 0.
    const double = fc.double({ noNaN: true }).map((x) => x + 0);
    await check(double, async (items) => {
      const rows = await db.rows<{ x: number }>(sql`select x from unnest(${items}::float8[]) x`);
      return rows.map(({ x }) => x);
    });
    await check(fc.maxSafeInteger(), async (items) => {
      const rows = await db.rows<{ x: number }>(sql`select x from unnest(${items}::bigint[]) x`);
      return rows.map(({ x }) => x);
    });
  });

  test("of booleans and of bytes is read as it was written", async () => {
    await check(fc.boolean(), (items) => value(sql`select ${items}::bool[] as value`));
    await check(
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      async (items) => {
        const rows = await db.rows<{ x: Buffer }>(sql`select x from unnest(${items}::bytea[]) x`);
        return rows.map(({ x }) => x);
      },
    );
  });

  test("of arrays is read as it was written", async () => {
    const items = [
      ["a", 'b"'],
      ["c,", "\\"],
    ];
    expect(await value(sql`select ${items}::text[][] as value`)).toEqual(items);
  });

  test("of objects is a mistake in the program", () => {
    expect(() => formatArray([{ a: 1 }])).toThrow("An array of a statement holds");
  });
});
