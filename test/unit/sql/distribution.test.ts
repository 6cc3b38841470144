/** What a database that is distributed by organization needs of the schema and of every statement (docs/scale.md). */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { columnsUnderSecret } from "../../../src/app.ts";
import { collectStatements, type Statement } from "./collect.ts";
import { findUnlimitedUses, listTableUses } from "./distribution.ts";
import { joinedById, tablesOfParents, tablesOfTheInstance } from "./distribution-exceptions.ts";
import { openProgram } from "./program.ts";
import { toValue } from "./values.ts";

const schema = readFileSync("schema.sql", "utf8");
const tables = [...schema.matchAll(/^create (?:unlogged )?table (\w+) \(([\s\S]*?)\n\)/gm)].map(
  ([, name, columns]) => ({ name: name!, hasOrganization: /\n {2}org_id /.test(columns!) }),
);
const ofOrganizations = new Set(
  tables.filter(({ hasOrganization }) => hasOrganization).map(({ name }) => name),
);

test("every table has the organization, or is listed with the reason why not", () => {
  const others = tables.filter(({ hasOrganization }) => !hasOrganization).map(({ name }) => name);
  const listed = [...Object.keys(tablesOfTheInstance), ...Object.keys(tablesOfParents)];
  expect(others.sort()).toEqual(listed.sort());
  expect(ofOrganizations.has("automation_events")).toBe(true);
});

describe("every statement", () => {
  let statements: Statement[];
  beforeAll(() => {
    using program = openProgram();
    const known = new Map([["SealedColumn", columnsUnderSecret.map(toValue)]]);
    const isProduct = (file: string) => file.startsWith("src/") && !file.endsWith(".test.ts");
    ({ statements } = collectStatements(program, isProduct, known));
  }, 180_000);

  test("limits each table to an organization, or is listed", () => {
    const unlisted = new Set<string>();
    const used = new Set<string>();
    for (const { place, texts } of statements) {
      const { file, line } = findCaller(place);
      if (worksForAll(file, line)) continue;
      for (const table of texts.flatMap((text) => findUnlimitedUses(text, ofOrganizations))) {
        used.add(`${file} ${table}`);
        if (!joinedById[file]?.includes(table))
          unlisted.add(`${place}: add a condition on org_id of ${table}, or list it`);
      }
    }
    expect([...unlisted]).toEqual([]);
    const listed = Object.entries(joinedById).flatMap(([file, names]) =>
      names.map((name) => `${file} ${name}`),
    );
    expect(listed.filter((one) => !used.has(one))).toEqual([]);
  });
});

/** `src/a.ts:1, called at src/b.ts:2` → the last place, where the statement is written. */
function findCaller(place: string): { file: string; line: number } {
  const [file, line] = place.split(", called at ").at(-1)!.split(":");
  return { file: file!, line: Number(line) };
}

/**
 * Jobs, and functions that find the organization, work across organizations. Their names say so, and so does the
 * condition of a job.
 */
function worksForAll(file: string, line: number): boolean {
  if (!file.startsWith("src/features/")) return true;
  const before = readFileSync(file, "utf8").split("\n").slice(0, line);
  if (/^\s+isDue:/.test(before.at(-1)!)) return true;
  const declared = before.findLast((one) => /^(?:export )?(?:async )?(?:const|function) \w+/.test(one));
  return /(?:AcrossOrganizations|ByToken|OfAll)\b/.test(declared ?? "");
}

describe("uses of tables", () => {
  const known = new Set(["a", "b"]);

  test.each([
    ["select 1 from a where a.org_id = $1", []],
    ["select 1 from a where org_id = $1", []],
    ["select 1 from a x where x.org_id = $1", []],
    ["select 1 from a x where x.id = $1", ["a"]],
    ["select 1 from a join b on b.id = a.id where a.org_id = $1", ["b"]],
    ["select 1 from a join b on b.org_id = a.org_id where a.org_id = $1", []],
    ["select x.org_id from a x", ["a"]],
    ["select 1 from a x where 'x.org_id = 1' is null", ["a"]],
    ["insert into a (id, org_id) values ($1, $2)", []],
    ["insert into a (id) values ($1)", ["a"]],
    ["update a set n = 1 where id = $1 and org_id = $2", []],
    ["delete from a where id = $1", ["a"]],
  ])("%s", (text, expected) => expect(findUnlimitedUses(text, known)).toEqual(expected));

  test("are found in lists and with aliases", () => {
    expect(listTableUses("select 1 from a as x, b y, c", known).map(({ alias }) => alias)).toEqual([
      "x",
      "y",
    ]);
  });
});
