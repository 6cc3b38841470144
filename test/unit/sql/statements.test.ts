/** Every SQL statement of the product is prepared, and its result is compared with the row type it declares. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { columnsUnderSecret } from "../../../src/app.ts";
import { checkStatements } from "./check.ts";
import { collectStatements } from "./collect.ts";
import { type MigratedDatabase, openMigratedDatabase } from "./database.ts";
import * as exceptions from "./exceptions.ts";
import { findOuterTables } from "./outer-joins.ts";
import { openProgram, type Program } from "./program.ts";
import { toValue } from "./values.ts";

let program: Program;
let database: MigratedDatabase;
beforeAll(async () => {
  program = openProgram();
  database = await openMigratedDatabase();
}, 180_000);
afterAll(async () => {
  program[Symbol.dispose]();
  await database.close();
});

const isProduct = (file: string) => file.startsWith("src/") && !file.endsWith(".test.ts");

test("every statement of the product returns the columns that its row type declares", async () => {
  // The names of these tables and columns are data of the rooms.
  const known = new Map([["SealedColumn", columnsUnderSecret.map(toValue)]]);
  const collected = collectStatements(program, isProduct, known);
  expect(collected.statements.length).toBeGreaterThan(450);
  const { problems, unused } = await checkStatements(program, database, collected, exceptions);
  expect(problems.join("\n")).toBe("");
  expect(unused).toEqual([]);
}, 180_000);

test("the check finds each kind of mistake in the samples, and no other", async () => {
  const collected = collectStatements(program, (file) => file === "test/unit/sql/samples.ts");
  const { problems } = await checkStatements(program, database, collected);
  const texts = problems.map(
    (problem) => problem.replace(/^\S+?:\d+(?:, called at \S+)?: /, "").split("\n")[0],
  );
  expect(texts).toEqual([
    'The row type has the column "email", which the statement does not return.',
    'The statement returns the column "email", which the row type does not declare.',
    'The statement returns the column "id" twice.',
    'The column "a" is declared as number, but the database returns text.',
    'The column "b" is declared as string, but the database returns int8.',
    'The column "c" is declared as Date, but the database returns timestamptz.',
    'The column "d" is declared as string, but the database returns bool.',
    'The column "e" is declared as Date, but the database returns jsonb.',
    'The column "f" is declared as string, but the database returns text[].',
    'The column "g" is declared as number[], but the database returns text[].',
    'The column "h" is declared as bigint, but the database returns int8.',
    'The column "address" is declared as string, but sessions.ip_address can be null.',
    'The column "member" is declared as string, but members.id can be null, because of an outer join.',
    "PostgreSQL refuses the statement: column u.nam does not exist",
    "PostgreSQL refuses the statement: column u.nickname does not exist",
    'PostgreSQL refuses the statement: syntax error at or near "form"',
    "The statement cannot be analysed: the row type `Record<string, unknown>` does not name its columns.",
    'The column "id" is declared as number, but the database returns text.',
    'The column "name" is declared as number, but the database returns text.',
    "PostgreSQL refuses the statement: column u.alias does not exist",
    "The statement cannot be analysed: `raw(table)` at test/unit/sql/samples.ts:77 is not known.",
    "The statement cannot be analysed: no statement contains this `sql` text.",
  ]);
});

test("an exception that allows fewer calls than a file has allows none", async () => {
  const collected = collectStatements(program, (file) => file === "test/unit/sql/samples.ts");
  const allowing = async (calls: number) => {
    const notAnalysed = [{ file: "test/unit/sql/samples.ts", calls }];
    return checkStatements(program, database, collected, { notAnalysed, neverNull: [], removedJoins: [] });
  };
  const before = (await allowing(1)).problems.length;
  expect((await allowing(2)).problems).toHaveLength(before - 2);
});

describe("tables of outer joins", () => {
  test.each([
    ["select 1 from a left join b on b.id = a.id", ["b"]],
    ["select 1 from a left join lateral (select 1 from b join c on true) d on true", ["b", "c"]],
    ["with b as materialized (select 1 from c) select 1 from a left join b on true", ["b", "c"]],
    ["select 1 from a right join b on true", ["a"]],
    ["select 1 from a full join b on true", ["a", "b"]],
    ["insert into c select 1 from a left join b on true returning id", []],
    ["with c as (insert into c select 1 returning id) select 1 from a left join c on true", ["c"]],
    ["select 1 from a join b on true where x = 'left join c'", []],
  ])("%s", (text, tables) => {
    const found = findOuterTables(text);
    expect(["a", "b", "c"].filter((name) => found.has(name))).toEqual(tables);
  });

  test("a subquery that the caller removes does not count", () => {
    expect(
      findOuterTables("select 1 from a left join lateral (select 1 from b) page on true", ["page"]).size,
    ).toBe(0);
  });
});
