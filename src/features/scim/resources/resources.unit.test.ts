import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../../platform/errors.ts";
import {
  describeResourceTypes,
  describeSchemas,
  groupDefinition,
  userDefinition,
} from "../definitions/index.ts";
import { renderScimError, ScimError } from "../errors.ts";
import { readGroup, readProjection, readUser, writeResource } from "./index.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const refusal = (scimType: string, message: RegExp) =>
  expect.objectContaining({
    status: 400,
    body: expect.objectContaining({ scimType }),
    message: expect.stringMatching(message),
  });
const attempt = (read: () => unknown) => {
  try {
    return read();
  } catch (error) {
    return error;
  }
};

describe("the body of a user", () => {
  test("keeps declared attributes under their own names and ignores the rest", () => {
    expect(
      readUser({
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", enterprise],
        ID: "chosen by the caller",
        USERNAME: "ada",
        externalid: "e1",
        Name: { GivenName: "Ada", unknown: 1 },
        Active: "False",
        emails: [{ Value: "ada@example.com", TYPE: "work", primary: "True" }],
        groups: [{ value: "g1" }],
        meta: { version: "x" },
        password: "secret",
        [enterprise.toUpperCase()]: { DEPARTMENT: "R&D", employeeNumber: 42, manager: "m1" },
        "urn:example:other": { a: 1 },
        ...JSON.parse('{"__proto__":{"displayName":"no"}}'),
      }),
    ).toEqual({
      userName: "ada",
      externalId: "e1",
      name: { givenName: "Ada" },
      active: false,
      emails: [{ value: "ada@example.com", type: "work", primary: true }],
      [enterprise]: { department: "R&D", employeeNumber: "42", manager: { value: "m1" } },
    });
  });

  test("has no `active` unless it was sent", () => {
    expect(readUser({ userName: "a" })).toEqual({ userName: "a" });
  });

  test.each([true, "true", "True", "TRUE"])("reads active %j as true", (active) => {
    expect(readUser({ userName: "a", active }).active).toBe(true);
  });
  test.each([false, "false", "False"])("reads active %j as false", (active) => {
    expect(readUser({ userName: "a", active }).active).toBe(false);
  });
  test.each([0, 1, "", "no", "0", "yes", null, [], {}, "False!"])("refuses active %j", (active) => {
    expect(attempt(() => readUser({ userName: "a", active }))).toEqual(
      refusal("invalidValue", /`active` must be true or false/),
    );
  });

  test("treats null, empty text and empty lists as no value", () => {
    const body = {
      userName: "a",
      title: "",
      displayName: null,
      emails: [],
      name: {},
      phoneNumbers: [{ type: "work" }],
    };
    expect(readUser(body)).toEqual({ userName: "a" });
  });

  test("keeps equal values once and one primary value", () => {
    const work = { value: "a@x", type: "work", primary: true };
    expect(
      readUser({ userName: "a", emails: [work, { ...work }, { value: "b@x", primary: true }] }).emails,
    ).toEqual([work, { value: "b@x", primary: false }]);
  });

  test.each<[unknown, string, RegExp]>([
    [null, "invalidSyntax", /JSON object/],
    [[], "invalidSyntax", /JSON object/],
    [{}, "invalidValue", /`userName` is required/],
    [{ userName: "" }, "invalidValue", /`userName` is required/],
    [{ userName: {} }, "invalidValue", /`userName` must be text/],
    [{ userName: "a".repeat(513) }, "invalidValue", /at most 512 characters/],
    [{ userName: "a\0" }, "invalidValue", /cannot be stored/],
    [{ userName: "\ud800" }, "invalidValue", /cannot be stored/],
    [{ userName: "a", title: true }, "invalidValue", /`title` must be text/],
    [{ userName: "a", name: "Ada" }, "invalidValue", /`name` must be an object/],
    [
      { userName: "a", emails: Array.from({ length: 51 }, (_, i) => ({ value: `${i}` })) },
      "invalidValue",
      /at most 50/,
    ],
    [{ userName: "a", emails: [[]] }, "invalidValue", /`emails` must be an object/],
    [{ userName: "a", emails: [{ value: "a", primary: "perhaps" }] }, "invalidValue", /emails.primary/],
    [{ userName: "a", [enterprise]: "x" }, "invalidValue", /must be an object/],
  ])("refuses %j", (body, scimType, message) => {
    expect(attempt(() => readUser(body))).toEqual(refusal(scimType, message));
  });

  test("counts all names before it looks one up, also unknown ones inside of schemas", () => {
    const names = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, i]));
    expect(readUser({ userName: "a", ...names(900) })).toEqual({ userName: "a" });
    for (const body of [names(1_000), { [enterprise]: names(999) }])
      expect(attempt(() => readUser({ userName: [], ...body }))).toEqual(
        refusal("invalidValue", /names at most 1000 attributes/),
      );
  });

  test("any JSON is read or refused, and what was read is read again unchanged", () => {
    const name = fc.constantFrom(
      "userName",
      "active",
      "Emails",
      "name",
      "name.givenName",
      "title",
      enterprise,
      `${enterprise}:manager`,
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record({ value: fc.string(), primary: fc.boolean() }),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value), (body) => {
        const read = attempt(() => readUser({ userName: "a", ...body }));
        if (read instanceof Refusal) expect(read.status).toBe(400);
        else expect(readUser(read)).toEqual(read);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the body of a group", () => {
  test("has its members apart, each once", () => {
    const members = [
      { value: "u1", display: "Ada", $ref: null },
      { value: "u1" },
      "u2",
      { VALUE: "u3", type: "User" },
    ];
    expect(readGroup({ displayName: "Staff", Members: members })).toEqual({
      resource: { displayName: "Staff" },
      members: ["u1", "u2", "u3"],
    });
  });

  test("tells an empty list from no list", () => {
    expect(readGroup({ displayName: "Staff" }).members).toBeUndefined();
    expect(readGroup({ displayName: "Staff", members: [] }).members).toEqual([]);
    expect(readGroup({ displayName: "Staff", members: null }).members).toEqual([]);
  });

  test.each([
    [{ members: [] }, /`displayName` is required/],
    [{ displayName: "a", members: [{ display: "x" }] }, /needs a `value`/],
    [{ displayName: "a", members: [{ value: "g", type: "Group" }] }, /Groups inside groups/],
    [
      { displayName: "a", members: Array.from({ length: 20_001 }, (_, i) => ({ value: `${i}` })) },
      /at most 20000/,
    ],
  ])("refuses %#", (body, message) => {
    expect(attempt(() => readGroup(body))).toEqual(refusal("invalidValue", message));
  });
});

describe("a reply", () => {
  const user = {
    id: "u1",
    userName: "ada",
    externalId: "e1",
    name: { givenName: "Ada", familyName: "Lovelace" },
    active: true,
    emails: [{ value: "a@x", type: "work" }, { value: "b@x" }],
    [enterprise]: { department: "R&D", manager: { value: "m1", displayName: "M" } },
    meta: { resourceType: "User", version: 'W/"1"' },
  };
  const write = (query: { attributes?: string; excludedAttributes?: string }) =>
    writeResource(userDefinition, user, readProjection(userDefinition, query));
  const schemas = [userDefinition.schema.id];
  const both = [...schemas, enterprise];

  test("has everything by default", () => {
    expect(write({})).toEqual({ schemas: both, ...user });
    expect(write({ attributes: "", excludedAttributes: "" })).toEqual({ schemas: both, ...user });
  });

  test.each<[string, unknown]>([
    ["userName", { schemas, id: "u1", userName: "ada" }],
    ["USERNAME, emails.TYPE", { schemas, id: "u1", userName: "ada", emails: [{ type: "work" }] }],
    ["name.givenName,name.familyName", { schemas, id: "u1", name: user.name }],
    ["name.givenName,name", { schemas, id: "u1", name: user.name }],
    ["nothing", { schemas, id: "u1" }],
    ["meta.version", { schemas, id: "u1", meta: { version: 'W/"1"' } }],
    ["urn:ietf:params:scim:schemas:core:2.0:User:active", { schemas, id: "u1", active: true }],
    [enterprise, { schemas: both, id: "u1", [enterprise]: user[enterprise] }],
    [`${enterprise}:department`, { schemas: both, id: "u1", [enterprise]: { department: "R&D" } }],
    [`${enterprise}:manager.value`, { schemas: both, id: "u1", [enterprise]: { manager: { value: "m1" } } }],
  ])("has with attributes=%s only these", (attributes, expected) => {
    expect(write({ attributes })).toEqual(expected);
  });

  test("leaves out excluded attributes, but never `id` and `schemas`", () => {
    const excludedAttributes = `id,schemas,userName,name.familyName,emails,meta,externalId,active,${enterprise}`;
    expect(write({ excludedAttributes })).toEqual({ schemas, id: "u1", name: { givenName: "Ada" } });
  });
});

describe("/Schemas and /ResourceTypes", () => {
  test("declare exactly the attributes that are read", () => {
    const declared = describeSchemas("https://x/scim/v2");
    expect(declared.map(({ id }) => id)).toEqual([
      userDefinition.schema.id,
      enterprise,
      groupDefinition.schema.id,
    ]);
    const sample = ({ type, multiValued, subAttributes, name }: Record<string, unknown>): unknown => {
      const one =
        type === "complex"
          ? Object.fromEntries(
              (subAttributes as Record<string, unknown>[]).map((sub) => [sub.name, sample(sub)]),
            )
          : type === "boolean"
            ? true
            : name === "type"
              ? "User"
              : "x";
      return multiValued ? [one] : one;
    };
    const writable = (attributes: readonly Record<string, unknown>[]) =>
      attributes.filter(({ mutability }) => mutability !== "readOnly");
    const createBody = (attributes: readonly Record<string, unknown>[]) =>
      Object.fromEntries(writable(attributes).map((one) => [one.name, sample(one)]));
    const [user, extension, group] = declared;
    const body = { ...createBody(user!.attributes), [enterprise]: createBody(extension!.attributes) };
    expect(readUser(body)).toEqual(body);
    expect(readGroup(createBody(group!.attributes))).toEqual({
      resource: { displayName: "x" },
      members: ["x"],
    });
  });

  test("name their addresses", () => {
    const types = describeResourceTypes("https://x/scim/v2");
    expect(types.map(({ meta }) => meta.location)).toEqual([
      "https://x/scim/v2/ResourceTypes/User",
      "https://x/scim/v2/ResourceTypes/Group",
    ]);
    expect(types[0]!.schemaExtensions).toEqual([{ schema: enterprise, required: false }]);
  });
});

test("every refusal is a SCIM error with its status as text", () => {
  for (const [refused, expected] of [
    [
      attempt(() => readUser({})),
      { status: "400", scimType: "invalidValue", detail: "`userName` is required." },
    ],
    [new Refusal(404, { error: "user_not_found" }), { status: "404", detail: "There is no such resource." }],
    [
      new Refusal(409, { error: "taken", message: "Taken.", scimType: "uniqueness" }),
      { status: "409", scimType: "uniqueness" },
    ],
    [new Refusal(400, { error: "x", message: "m", scimType: "unheard" }), { status: "400", detail: "m" }],
  ] as const) {
    const body = renderScimError(refused as Refusal);
    expect(ScimError.parse(body)).toEqual(body);
    expect(body).toMatchObject(expected);
  }
});
