import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../errors.ts";
import { parseJson } from "./input.ts";

const read = (text: string) => parseJson(Buffer.from(text), { "content-type": "application/json" });
function refusal(text: string) {
  try {
    read(text);
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
