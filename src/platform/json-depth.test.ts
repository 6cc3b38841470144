import fc from "fast-check";
import { expect, test } from "vitest";
import { isNestedDeeper } from "./json-depth.ts";

const findDepth = (value: unknown): number =>
  value !== null && typeof value === "object"
    ? 1 + Math.max(0, ...Object.values(value).map((one) => findDepth(one)))
    : 0;

const text = fc.oneof(fc.string(), fc.stringMatching(/^[[\]{}"\\]{0,12}$/));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    text,
    fc.integer(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3 }),
  ),
}));

test("the depth of a JSON text is that of its value, whatever its strings contain", () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2), (value, space) => {
      const depth = findDepth(value);
      const json = JSON.stringify(value, null, space);
      expect(isNestedDeeper(json, depth)).toBe(false);
      if (depth > 0) expect(isNestedDeeper(json, depth - 1)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("a text that is not JSON is read to its end", () => {
  for (const text of ["", '"', '"\\', '[["\\"', "]]]][", "{[}]", "\u015b\u017b".repeat(200)])
    expect(isNestedDeeper(text, 100)).toBe(false);
});
