import { describe, expect, test } from "vitest";
import { type Description, findBreaks, reportBreaks } from "../openapi-breaking.ts";
import type { Schema } from "../openapi-schemas.ts";

interface Parts {
  body?: Schema;
  bodyRequired?: boolean;
  reply?: Schema;
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  responses?: Description["paths"][string][string]["responses"];
  security?: Record<string, string[]>[];
  schemas?: Record<string, Schema>;
}

/** A description of one operation, `POST /things`. */
function describeOne({ body, bodyRequired = true, reply, schemas = {}, ...more }: Parts): Description {
  const json = (schema: Schema) => ({ "application/json": { schema } });
  return {
    paths: {
      "/things": {
        post: {
          ...(body ? { requestBody: { required: bodyRequired, content: json(body) } } : {}),
          responses: { 200: reply ? { content: json(reply) } : {} },
          ...more,
        },
      },
    },
    components: { schemas },
  };
}

const breaksBetween = (old: Parts, next: Parts) => findBreaks(describeOne(old), describeOne(next));
const object = (properties: Record<string, Schema>, required: string[] = [], more: Schema = {}): Schema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
  ...more,
});
const text: Schema = { type: "string" };
const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });

describe("a change that breaks clients is reported:", () => {
  const request = (old: Schema, next: Schema) => breaksBetween({ body: old }, { body: next });
  const response = (old: Schema, next: Schema) => breaksBetween({ reply: old }, { reply: next });
  const thing = (fields: Record<string, Schema>): Schema => object(fields);

  test.each<[string, string[], string]>([
    ["a removed path", findBreaks(describeOne({}), { paths: {} }), "/things: the path was removed"],
    [
      "a removed method",
      findBreaks(describeOne({}), { paths: { "/things": {} } }),
      "POST /things: the method was removed",
    ],
    [
      "a removed status",
      breaksBetween({ responses: { 200: {}, 404: {} } }, { responses: { 200: {} } }),
      "POST /things, response 404: the status was removed",
    ],
    [
      "another status of success",
      breaksBetween({ responses: { 200: {} } }, { responses: { 200: {}, 202: {} } }),
      "POST /things, response 202: a status that is not an error was added",
    ],
    [
      "a removed response header",
      breaksBetween({ responses: { 200: { headers: { "Retry-After": {} } } } }, {}),
      "POST /things, response 200: the header `Retry-After` was removed",
    ],
    [
      "a removed content type",
      breaksBetween({ reply: text }, {}),
      "POST /things, response 200: the content type application/json was removed",
    ],
    [
      "a credential that is no longer accepted",
      breaksBetween({ security: [{ bearer: [] }, { key: [] }] }, { security: [{ bearer: [] }] }),
      "POST /things: the credential `key` is no longer accepted",
    ],
    [
      "a credential where none was needed",
      breaksBetween({ security: [] }, { security: [{ bearer: [] }] }),
      "POST /things: a credential became required",
    ],
    [
      "a removed parameter",
      breaksBetween({ parameters: [{ name: "q", in: "query" }] }, {}),
      "POST /things, query parameter `q`: the parameter was removed",
    ],
    [
      "a required parameter that was added",
      breaksBetween({}, { parameters: [{ name: "q", in: "query", required: true }] }),
      "POST /things, query parameter `q`: a required parameter was added",
    ],
    [
      "a parameter that became required",
      breaksBetween(
        { parameters: [{ name: "q", in: "query" }] },
        { parameters: [{ name: "q", in: "query", required: true }] },
      ),
      "POST /things, query parameter `q`: became required",
    ],
    [
      "a body that became required",
      breaksBetween({ body: text, bodyRequired: false }, { body: text }),
      "POST /things, request: the body became required",
    ],
    [
      "a body that was added",
      breaksBetween({}, { body: text }),
      "POST /things, request: a required body was added",
    ],
    [
      "a new required request field",
      request(thing({}), object({ name: text }, ["name"])),
      "POST /things, request, `name`: a required field was added",
    ],
    [
      "a request field that became required",
      request(object({ name: text }), object({ name: text }, ["name"])),
      "POST /things, request, `name`: became required",
    ],
    [
      "a removed request field, where unknown fields are refused",
      request(thing({ name: text }), thing({})),
      "POST /things, request, `name`: the field was removed",
    ],
    [
      "unknown request fields that are refused now",
      request(object({}, [], { additionalProperties: true }), object({})),
      "POST /things, request: unknown fields are no longer accepted",
    ],
    [
      "a narrowed type of a request field",
      request(thing({ n: { type: ["string", "integer"] } }), thing({ n: text })),
      "POST /things, request, `n`: the type integer is no longer accepted",
    ],
    [
      "a request number that must be an integer",
      request(thing({ n: { type: "number" } }), thing({ n: { type: "integer" } })),
      "POST /things, request, `n`: the type number is no longer accepted",
    ],
    [
      "a request field of any type that must be a text",
      request(thing({ n: {} }), thing({ n: text })),
      "POST /things, request, `n`: the type any type is no longer accepted",
    ],
    [
      "a request field that may no longer be null",
      request(thing({ name: nullable(text) }), thing({ name: text })),
      "POST /things, request, `name`: null is no longer accepted",
    ],
    [
      "a removed enum value of a request",
      request(
        thing({ kind: { type: "string", enum: ["a", "b"] } }),
        thing({ kind: { type: "string", enum: ["a"] } }),
      ),
      'POST /things, request, `kind`: the value "b" is no longer accepted',
    ],
    [
      "a request text that must be one of a list",
      request(thing({ kind: text }), thing({ kind: { type: "string", const: "a" } })),
      "POST /things, request, `kind`: only certain values are accepted now",
    ],
    [
      "a lower maximum",
      request(thing({ n: { type: "integer", maximum: 9 } }), thing({ n: { type: "integer", maximum: 8 } })),
      "POST /things, request, `n`: `maximum` became stricter (9 → 8)",
    ],
    [
      "a new minimum length",
      request(thing({ name: text }), thing({ name: { type: "string", minLength: 1 } })),
      "POST /things, request, `name`: `minLength` became stricter (none → 1)",
    ],
    [
      "another pattern",
      request(thing({ name: text }), thing({ name: { type: "string", pattern: "^a" } })),
      "POST /things, request, `name`: `pattern` became stricter (none → ^a)",
    ],
    [
      "a narrowed item of a list",
      request({ type: "array", items: { type: ["string", "null"] } }, { type: "array", items: text }),
      "POST /things, request, `[]`: the type null is no longer accepted",
    ],
    [
      "a removed response field",
      response(thing({ id: text, name: text }), thing({ id: text })),
      "POST /things, response 200, `name`: the field was removed",
    ],
    [
      "a removed field of an item of a page",
      response(
        thing({ items: { type: "array", items: thing({ name: text }) } }),
        thing({ items: { type: "array", items: thing({}) } }),
      ),
      "POST /things, response 200, `items[].name`: the field was removed",
    ],
    [
      "a response field that may be missing",
      response(object({ name: text }, ["name"]), object({ name: text })),
      "POST /things, response 200, `name`: is no longer always present",
    ],
    [
      "a response field that may be null",
      response(thing({ name: text }), thing({ name: nullable(text) })),
      "POST /things, response 200, `name`: null is a new kind of value",
    ],
    [
      "a response field of another type",
      response(thing({ n: { type: "integer" } }), thing({ n: text })),
      "POST /things, response 200, `n`: the type string was added",
    ],
    [
      "a removed enum value of a response",
      response(thing({ kind: { enum: ["a", "b"] } }), thing({ kind: { enum: ["a"] } })),
      'POST /things, response 200, `kind`: the value "b" was removed',
    ],
    [
      "an added enum value of a response, also of one that may be null",
      response(thing({ kind: nullable({ enum: ["a"] }) }), thing({ kind: nullable({ enum: ["a", "b"] }) })),
      'POST /things, response 200, `kind`: the value "b" was added',
    ],
    [
      "a response value that left its list",
      response(thing({ kind: { type: "string", enum: ["a"] } }), thing({ kind: text })),
      "POST /things, response 200, `kind`: values outside of the list became possible",
    ],
    [
      "a change behind references, also of a schema that refers to itself",
      breaksBetween(
        { reply: { $ref: "#/components/schemas/Tree" }, schemas: { Tree: tree({ name: text }) } },
        { reply: { $ref: "#/components/schemas/Tree" }, schemas: { Tree: tree({}) } },
      ),
      "POST /things, response 200, `name`: the field was removed",
    ],
  ])("%s", (_, found, expected) => expect(found).toEqual([expected]));

  function tree(fields: Record<string, Schema>): Schema {
    return object({ ...fields, children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } });
  }
});

test("the changed variant of a union is named, and the others are not", () => {
  const created = (more: Record<string, Schema>) => object({ type: { const: "created" }, ...more }, ["type"]);
  const removed = object({ type: { const: "removed" } }, ["type"]);
  const union = (...anyOf: Schema[]): Parts => ({ reply: { anyOf } });
  expect(breaksBetween(union(created({ name: text }), removed), union(created({}), removed))).toEqual([
    "POST /things, response 200, `name`: the field was removed",
  ]);
  expect(breaksBetween(union(removed), union(created({}), removed))).toEqual([
    'POST /things, response 200: object with "created" is a new kind of value',
  ]);
});

test("a change that no client can notice is not a break", () => {
  const old = {
    body: object({ name: { type: "string", maxLength: 5 }, old: text }, ["name"], {
      additionalProperties: true,
    }),
    reply: object({ id: text, kind: nullable({ enum: ["a"] }) }, ["id"]),
    responses: undefined,
    security: [{ bearer: [] }],
    parameters: [{ name: "q", in: "query", required: true, schema: { type: "integer" } }],
  };
  const { responses: _, ...parts } = old;
  const next: Parts = {
    body: object({ name: { type: "string", maxLength: 6 }, added: text }, [], { additionalProperties: true }),
    bodyRequired: false,
    reply: object({ id: text, kind: { enum: ["a"] }, added: text }, ["id", "kind", "added"]),
    security: [{ bearer: [] }, { key: [] }],
    parameters: [
      { name: "q", in: "query", schema: { type: "number" } },
      { name: "added", in: "query", schema: text },
    ],
  };
  expect(breaksBetween(parts, next)).toEqual([]);
  expect(breaksBetween({}, { responses: { 200: {}, 429: {} } })).toEqual([]);
  expect(breaksBetween({ security: [{ bearer: [] }] }, { security: [] })).toEqual([]);
});

describe("the report", () => {
  const report = (breaks: string[], allowed: { break: string; reason: string }[]) => {
    const lines: string[] = [];
    return { code: reportBreaks(breaks, allowed, (line) => lines.push(line)), lines };
  };

  test("fails for a break that is not allowed, or that is allowed without a reason", () => {
    expect(report(["A"], []).code).toBe(1);
    expect(report(["A"], [{ break: "A", reason: " " }]).lines[0]).toBe("BREAKING: A");
  });

  test("passes for breaks that are allowed, and prints the reason", () => {
    expect(report(["A"], [{ break: "A", reason: "nobody used it" }])).toEqual({
      code: 0,
      lines: ["allowed: A (nobody used it)"],
    });
    expect(report([], [{ break: "A", reason: "nobody used it" }])).toEqual({ code: 0, lines: [] });
  });
});
