import { expect, test } from "vitest";
import { z } from "zod";
import type { Refusal } from "../../../platform/errors.ts";
import { checkInput } from "../../../platform/http/index.ts";
import { eventAttributes } from "./attributes.ts";

function findProblems(attributes: unknown): unknown {
  try {
    return checkInput(z.strictObject({ attributes: eventAttributes.optional() }), { attributes });
  } catch (error) {
    return (error as Refusal).body.details;
  }
}

const many = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`name.${i}`, value]));

test("64 attributes with texts, numbers, true, false and null are accepted as they are", () => {
  const attributes = {
    ...many(60),
    text: "😀".repeat(16_384),
    yes: true,
    none: null,
    ["😀".repeat(128)]: "",
  };
  expect(findProblems(attributes)).toEqual({ attributes });
  expect(findProblems(undefined)).toEqual({});
});

test("attributes are counted before one of them is looked at", () => {
  expect(findProblems(many(65, []))).toEqual([{ message: "At most 64 attributes.", path: ["attributes"] }]);
});

test("what is wrong with an attribute is said in words of the API, five times at most", () => {
  const wrongType = "Must be a number, text, true or false, or null, not a list.";
  expect(
    findProblems({ list: [], object: {}, long: "x".repeat(16_385), "": 1, ["x".repeat(129)]: 1 }),
  ).toEqual([
    { message: wrongType, path: ["attributes", "list"] },
    { message: wrongType.replace("a list", "an object"), path: ["attributes", "object"] },
    { message: "Must have at most 16384 characters.", path: ["attributes", "long"] },
    { message: "The name of an attribute has 1 to 128 characters.", path: ["attributes", ""] },
    { message: "The name of an attribute has 1 to 128 characters.", path: ["attributes", "x".repeat(128)] },
  ]);
  expect(findProblems(many(64, []))).toHaveLength(5);
  expect(findProblems("text")).toEqual([{ message: "Must be an object, not text.", path: ["attributes"] }]);
});

test("a name that no object can have is left out", () => {
  const attributes = JSON.parse('{"__proto__": "text", "a": 1}');
  expect(findProblems(attributes)).toEqual({ attributes: { a: 1 } });
});

test("the description of the API says what is accepted", () => {
  expect(z.toJSONSchema(eventAttributes, { io: "input" })).toMatchObject({
    type: "object",
    propertyNames: { maxLength: 128 },
    additionalProperties: { anyOf: [{ type: "number" }, { maxLength: 16_384 }, {}, {}] },
  });
});
