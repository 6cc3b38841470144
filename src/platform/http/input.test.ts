import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "../errors.ts";
import { parseJson, parseQuery } from "./input.ts";

const read = (text: string) => parseJson(Buffer.from(text), { "content-type": "application/json" });
const refusal = (text: string) => findDetail(() => read(text));
function findDetail(call: () => unknown) {
  try {
    call();
  } catch (error) {
    if (error instanceof Refusal) return (error.body as { details?: unknown[] }).details?.[0];
    throw error;
  }
  return undefined;
}
const nest = (levels: number, inner: string) => `${'{"a":['.repeat(levels)}${inner}${"]}".repeat(levels)}`;

describe("a JSON body", () => {
  test("is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false, maxDepth: 20 }), (text) => {
        if (/\\u0000|\\ud[89a-f]/i.test(text)) return;
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ["1e999", []],
    ["-1e999", []],
    ['{"a":[0,1e309]}', ["a", 1]],
    [`{"a":{"b":${"9".repeat(400)}}}`, ["a", "b"]],
    ['{"__proto__":[1E+400]}', ["__proto__", 0]],
    ['{"a":1e999,"b":1e999}', ["a"]],
  ])("with a number that is too large is refused, and the path is named: %.20s", (text, path) => {
    expect(refusal(text)).toEqual({
      message: "The number is too large. Send a smaller number, or send it as text.",
      path,
    });
  });

  test("may contain numbers and texts that only look too large", () => {
    for (const text of ["1e308", '"1e999"', "0e999", "1e-999", `"${"9".repeat(400)}"`])
      expect(read(text)).toEqual(JSON.parse(text));
  });

  test("may be nested 100 deep and not more", () => {
    expect(refusal(nest(50, "1"))).toBeUndefined();
    for (const text of [nest(50, "[]"), nest(50, "{}"), nest(5_000, "1"), `[1e999,${nest(50, "{}")}]`])
      expect(refusal(text)).toEqual({ message: "The body is nested more than 100 deep." });
  });
});

describe("a number of the query", () => {
  const query = z.strictObject({
    from: z.coerce.number().int().min(-10).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    name: z.string().optional(),
  });
  const readNumbers = (search: string) => parseQuery(search, query);

  test("is a plain decimal, or has its default when it is absent", () => {
    expect(readNumbers("")).toEqual({ limit: 50 });
    expect(readNumbers("limit=7&from=0")).toEqual({ limit: 7, from: 0 });
    expect(readNumbers("limit=007&from=-10")).toEqual({ limit: 7, from: -10 });
    expect(readNumbers("limit=5.0&name=0x10")).toEqual({ limit: 5, name: "0x10" });
  });

  test.each([
    "",
    "%20",
    "0x10",
    "1e1",
    "+5",
    "%205",
    "5%0A",
    "5,0",
    "--5",
    "5.",
    ".5",
    "%D9%A5",
    "NaN",
    "Infinity",
  ])("is refused when it is not: %j", (text) => {
    for (const name of ["from", "limit"])
      expect(findDetail(() => readNumbers(`${name}=${text}`))).toEqual({
        message: "Must be a number in decimal digits.",
        path: [name],
      });
  });

  test("is refused when it is a fraction or outside of its range", () => {
    expect(findDetail(() => readNumbers("limit=1.5"))).toMatchObject({
      message: "Must be a whole number, not 1.5.",
    });
    expect(findDetail(() => readNumbers("limit=0"))).toMatchObject({ message: "Must be at least 1." });
    expect(findDetail(() => readNumbers("limit=101"))).toMatchObject({ message: "Must be at most 100." });
    expect(findDetail(() => readNumbers(`limit=${"9".repeat(400)}`))).toMatchObject({ path: ["limit"] });
  });
});
