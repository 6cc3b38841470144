import { expect, test } from "vitest";
import { listFlips, listParts, readEffect, writeSchema } from "./definition.ts";

const base = {
  name: "delete_comment",
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
};

test("a schema has a line for each parameter, whatever the order that the server sends", () => {
  const one = { type: "object", properties: { b: { type: "string" }, a: { enum: [1] } }, required: ["a"] };
  const other = { required: ["a"], properties: { a: { enum: [1] }, b: { type: "string" } }, type: "object" };
  expect(writeSchema(one)).toBe('"b": { "type": "string" }\n"a": { "enum": [1] }\nrequired: ["a"]');
  expect(writeSchema(other, one)).toBe(writeSchema(one));
  const more = { ...one, properties: { c: {}, ...one.properties } };
  expect(writeSchema(more, one)).toBe(
    '"b": { "type": "string" }\n"a": { "enum": [1] }\n"c": {}\nrequired: ["a"]',
  );
});

test("a parameter that is called like a keyword is not mistaken for it", () => {
  expect(writeSchema({ properties: { required: { type: "boolean" } }, required: ["required"] })).toBe(
    '"required": { "type": "boolean" }\nrequired: ["required"]',
  );
  expect(writeSchema({ properties: "all" })).toBe('properties: "all"');
});

test("a flipped hint is named with its present value", () => {
  const before = { readOnlyHint: true };
  const after = { destructiveHint: true };
  expect([
    readEffect(before),
    readEffect(after),
    readEffect(undefined),
    readEffect({ readOnlyHint: false }),
  ]).toEqual(["reads", "destroys", "unknown", "writes"]);
  expect(listFlips(before, after)).toEqual([{ hint: "destructiveHint", value: true }]);
  expect(listFlips(before, {})).toEqual([{ hint: "readOnlyHint", value: undefined }]);
});

test("only fields that differ are compared, and hints that flip are not compared twice", () => {
  expect(listParts(base, base)).toEqual([]);
  const changed = { ...base, description: "Now.", annotations: { destructiveHint: true, title: "Delete" } };
  expect(listParts(base, changed).map(({ field, before, after }) => [field, before, after])).toEqual([
    ["description", "", "Now."],
    ["annotations", "", 'title: "Delete"'],
  ]);
});
