import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatArray } from "./array-literal.ts";
import { compile, emptySql, join, raw, reuseStatement, type Sql, sql } from "./sql.ts";

const compiled = (statement: Sql) => compile(statement);

/** A template call, as the compiler makes one. */
const tagged = (strings: string[], params: unknown[]) =>
  sql(Object.assign([...strings], { raw: strings }) as unknown as TemplateStringsArray, ...params);

const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string()), fc.boolean());
const text = fc.stringMatching(/^[a-z ,=()]{0,8}$/);

/** Statements with values and pieces in any arrangement, to some depth. */
const statement: fc.Arbitrary<Sql> = fc.letrec<{ sql: Sql }>((tie) => ({
  sql: fc
    .array(fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: tie("sql") }), { maxLength: 5 })
    .chain((params) =>
      fc
        .array(text, { minLength: params.length + 1, maxLength: params.length + 1 })
        .map((strings) => tagged(strings, params)),
    ),
})).sql;

describe("a statement", () => {
  test("numbers its parameters from 1 without gaps, in the order of their values, at any depth", () => {
    fc.assert(
      fc.property(statement, (one) => {
        const { text, values } = compiled(one);
        const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n));
        expect(numbers).toEqual(values.map((_, i) => i + 1));
      }),
    );
  });

  test("passes every value beside its text, and arrays as PostgreSQL reads them", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 6 }), (values) => {
        const strings = Array.from({ length: values.length + 1 }, (_, i) => `part${i} `);
        const result = compiled(tagged(strings, values));
        expect(result.values).toEqual(values.map((one) => (Array.isArray(one) ? formatArray(one) : one)));
        expect(result.text.replace(/\$\d+/g, "")).toBe(strings.join(""));
      }),
    );
  });

  test("is the same text each time it is compiled, so that it is prepared once", () => {
    fc.assert(
      fc.property(statement, (one) => {
        expect(compiled(one)).toEqual(compiled(one));
      }),
    );
  });
});

test("a statement can contain other statements and lists, and emptySql adds nothing", () => {
  const where = join([sql`a = ${1}`, sql`b = ${2}`], " and ");
  expect(compiled(sql`select ${raw("x")} from t where ${where} ${emptySql} limit ${3}`)).toEqual({
    text: "select x from t where a = $1 and b = $2  limit $3",
    values: [1, 2, 3],
  });
  expect(compiled(join([], ", "))).toEqual({ text: "", values: [] });
});

test("a reused statement is built once and gets the values of each call", () => {
  let built = 0;
  const select = reuseStatement((a: string, b: number | null) => {
    built++;
    return sql`select ${b} from t where ${sql`x = ${a} and y = ${"kept"}`} or z = ${a}`;
  });
  const [first, second] = [select("one", 1), select("two", null)];
  const text = "select $1 from t where x = $2 and y = $3 or z = $4";
  expect(compiled(first)).toEqual({ text, values: [1, "one", "kept", "one"] });
  expect(compiled(second)).toEqual({ text, values: [null, "two", "kept", "two"] });
  expect(first.strings).toBe(second.strings);
  expect(built).toBe(1);
});
