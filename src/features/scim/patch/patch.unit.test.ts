import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "../../../platform/errors.ts";
import { readUser, type UserResource } from "../resources/index.ts";
import { applyGroupPatch, applyUserPatch } from "./index.ts";

const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const body = (...Operations: unknown[]) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations,
});
const attempt = (read: () => unknown) => {
  try {
    return read();
  } catch (error) {
    return error;
  }
};
const ada: UserResource = Object.freeze({
  userName: "ada",
  active: true,
  displayName: "Ada",
  name: { givenName: "Ada", familyName: "Lovelace" },
  emails: [
    { value: "ada@x", type: "work", primary: true },
    { value: "ada@home", type: "home" },
  ],
  [enterprise]: { department: "R&D", manager: { value: "m1", displayName: "M" } },
});
const patch = (...operations: unknown[]) => applyUserPatch(ada, body(...operations));

describe("a PATCH of a user", () => {
  test.each<[string, unknown, Partial<UserResource>]>([
    ["Entra: text boolean", { op: "Replace", path: "active", value: "False" }, { active: false }],
    ["Entra: text boolean without a path", { op: "Replace", value: { active: "False" } }, { active: false }],
    ["Okta: no path", { op: "replace", value: { active: false } }, { active: false }],
    ["other case", { OP: "REPLACE", Path: "ACTIVE", Value: "false" }, { active: false }],
    [
      "a read-only attribute without a path is ignored",
      { op: "replace", value: { id: "x", displayName: "B" } },
      { displayName: "B" },
    ],
    ["add is replace for one value", { op: "add", path: "displayName", value: "B" }, { displayName: "B" }],
    [
      "dotted path",
      { op: "Add", path: "name.givenName", value: "B" },
      { name: { givenName: "B", familyName: "Lovelace" } },
    ],
    [
      "dotted keys",
      { op: "Replace", value: { "name.givenName": "B", nickName: "N" } },
      { name: { givenName: "B", familyName: "Lovelace" }, nickName: "N" },
    ],
    [
      "an object changes the parts that it names",
      { op: "replace", path: "name", value: { familyName: "B" } },
      { name: { givenName: "Ada", familyName: "B" } },
    ],
    [
      "null removes a part",
      { op: "replace", path: "name", value: { familyName: null } },
      { name: { givenName: "Ada" } },
    ],
    ["null removes a value", { op: "replace", path: "displayName", value: null }, { displayName: undefined }],
    ["remove", { op: "Remove", path: "displayName" }, { displayName: undefined }],
    ["remove a part", { op: "remove", path: "name.givenName" }, { name: { familyName: "Lovelace" } }],
    [
      "unknown names in a value are ignored",
      { op: "add", value: { nothing: 1, "no[thing eq 1]": 2, "a b!": 3, title: "T" } },
      { title: "T" },
    ],
    [
      "colon path of the extension",
      { op: "Add", path: `${enterprise}:department`, value: "B" },
      { [enterprise]: { department: "B", manager: { value: "m1", displayName: "M" } } },
    ],
    [
      "manager as plain text",
      { op: "Add", path: `${enterprise}:manager`, value: "m2" },
      { [enterprise]: { department: "R&D", manager: { value: "m2" } } },
    ],
    [
      "empty manager",
      { op: "Replace", path: `${enterprise}:manager`, value: "" },
      { [enterprise]: { department: "R&D" } },
    ],
    [
      "manager.value",
      { op: "replace", path: `${enterprise}:manager.value`, value: "m2" },
      { [enterprise]: { department: "R&D", manager: { value: "m2", displayName: "M" } } },
    ],
    [
      "the extension as a key",
      { op: "replace", value: { [enterprise]: { division: "D" }, [`${enterprise}:costCenter`]: "C" } },
      {
        [enterprise]: {
          department: "R&D",
          manager: { value: "m1", displayName: "M" },
          division: "D",
          costCenter: "C",
        },
      },
    ],
    ["the whole extension removed", { op: "remove", path: enterprise }, { [enterprise]: undefined }],
    [
      "a filtered add that matches nothing creates the value",
      { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "1" },
      { phoneNumbers: [{ type: "mobile", value: "1" }] },
    ],
    [
      "a filtered replace that matches nothing creates the value",
      { op: "Replace", path: 'addresses[type eq "work"].locality', value: "Paris" },
      { addresses: [{ type: "work", locality: "Paris" }] },
    ],
    [
      "a filter with a text boolean",
      { op: "Add", path: 'roles[primary eq "True"].value', value: "admin" },
      { roles: [{ primary: true, value: "admin" }] },
    ],
    [
      "a filtered key without a path",
      { op: "Replace", value: { 'emails[type eq "work"].value': "b@x" } },
      {
        emails: [
          { value: "b@x", type: "work", primary: true },
          { value: "ada@home", type: "home" },
        ],
      },
    ],
    [
      "a filter in other case",
      { op: "Remove", path: 'EMAILS[TYPE EQ "Work"]' },
      { emails: [{ value: "ada@home", type: "home" }] },
    ],
    [
      "an emptied value is removed",
      { op: "Replace", path: 'emails[type eq "work"].value', value: "" },
      { emails: [{ value: "ada@home", type: "home" }] },
    ],
    [
      "adding an equal value changes nothing",
      { op: "add", path: "emails", value: [{ value: "ADA@x", type: "work" }] },
      {
        emails: [
          { value: "ada@home", type: "home" },
          { value: "ADA@x", type: "work", primary: true },
        ],
      },
    ],
    [
      "the newest primary value is the only one",
      { op: "add", path: "emails", value: { value: "c@x", primary: true } },
      {
        emails: [
          { value: "ada@x", type: "work", primary: false },
          { value: "ada@home", type: "home" },
          { value: "c@x", primary: true },
        ],
      },
    ],
    [
      "a value that becomes primary is the only one",
      { op: "replace", path: 'emails[type eq "home"].primary', value: "True" },
      {
        emails: [
          { value: "ada@x", type: "work", primary: false },
          { value: "ada@home", type: "home", primary: true },
        ],
      },
    ],
    [
      "replace of the list",
      { op: "replace", path: "emails", value: [{ value: "c@x" }] },
      { emails: [{ value: "c@x" }] },
    ],
    [
      "removal by value",
      { op: "remove", path: "emails", value: [{ value: "ADA@X" }] },
      { emails: [{ value: "ada@home", type: "home" }] },
    ],
    ["removal of all", { op: "remove", path: "emails" }, { emails: undefined }],
    ["removal of what is not there", { op: "remove", path: 'emails[type eq "other"]' }, {}],
    [
      "a filtered replace of a whole value",
      { op: "replace", path: 'emails[type eq "home"]', value: { value: "n@x", type: "other" } },
      {
        emails: [
          { value: "ada@x", type: "work", primary: true },
          { value: "n@x", type: "other" },
        ],
      },
    ],
  ])("%s", (_, operation, changes) => {
    const expected = Object.fromEntries(
      Object.entries({ ...ada, ...changes }).filter(([, value]) => value !== undefined),
    );
    expect(patch(operation)).toEqual(expected);
  });

  test("builds a value in several operations", () => {
    expect(
      patch(
        { op: "Add", path: 'phoneNumbers[type eq "work"].primary', value: true },
        { op: "Add", path: 'phoneNumbers[type eq "work"].value', value: "1" },
      ).phoneNumbers,
    ).toEqual([{ type: "work", primary: true, value: "1" }]);
  });

  test.each<[unknown, string, RegExp]>([
    [{ op: "replace", path: "active", value: "maybe" }, "invalidValue", /true or false/],
    [{ op: "replace", path: "active", value: null }, "invalidValue", /true or false/],
    [{ op: "replace", value: { active: "" } }, "invalidValue", /true or false/],
    [{ op: "remove", path: "active" }, "invalidValue", /true or false/],
    [{ op: "replace", path: "nothing", value: "x" }, "invalidPath", /no attribute "nothing"/],
    [{ op: "replace", path: "department", value: "x" }, "invalidPath", /no attribute/],
    [{ op: "replace", path: "name.nothing", value: "x" }, "invalidPath", /no attribute/],
    [{ op: "replace", path: "a b", value: "x" }, "invalidPath", /not readable/],
    [{ op: "replace", path: "__proto__.x", value: "x" }, "invalidPath", /no attribute/],
    [{ op: "replace", path: 'emails[type eq "work"', value: "x" }, "invalidFilter", /needs "\]"/],
    [
      { op: "replace", path: 'emails[nothing eq "work"].value', value: "x" },
      "invalidFilter",
      /no attribute "nothing"/,
    ],
    [{ op: "replace", path: 'emails[value eq "old@x"].value', value: "x" }, "noTarget", /matches the filter/],
    [{ op: "add", path: 'emails[value co "old"].value', value: "x" }, "noTarget", /matches the filter/],
    [{ op: "replace", path: "id", value: "x" }, "mutability", /cannot be changed/],
    [{ op: "add", path: "groups", value: [{ value: "g" }] }, "mutability", /cannot be changed/],
    [{ op: "replace", path: "meta.version", value: "x" }, "mutability", /cannot be changed/],
    [{ op: "remove", path: "userName" }, "mutability", /required/],
    [{ op: "replace", path: "userName", value: "" }, "invalidValue", /required/],
    [{ op: "remove" }, "noTarget", /needs a `path`/],
    [{ op: "add", path: "title" }, "invalidValue", /needs a `value`/],
    [{ op: "move", path: "title" }, "invalidSyntax", /add, replace or remove/],
    [{ op: "add", value: "x" }, "invalidValue", /must be an object/],
    [{ op: "add", path: 5, value: "x" }, "invalidSyntax", /must be text/],
    ["x", "invalidSyntax", /must be an object/],
    [
      { op: "add", path: "emails", value: Array.from({ length: 49 }, (_, i) => ({ value: `${i}` })) },
      "invalidValue",
      /at most 50/,
    ],
  ])("refuses %j", (operation, scimType, message) => {
    expect(attempt(() => patch(operation))).toMatchObject({
      status: 400,
      body: { scimType },
      message: expect.stringMatching(message),
    });
  });

  test.each([
    null,
    [],
    {},
    { Operations: [] },
    { Operations: {} },
    { schemas: ["urn:x"], Operations: [{ op: "remove", path: "title" }] },
  ])("refuses the body %j", (sent) => {
    expect(attempt(() => applyUserPatch(ada, sent))).toMatchObject({
      status: 400,
      body: { scimType: "invalidSyntax" },
    });
  });

  test("takes at most 2,000 changes, however they are written", () => {
    const value = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [
          `emails[type eq "${i % 40}" and display eq "${i}"].value`,
          "x",
        ]),
      );
    expect(attempt(() => patch({ op: "replace", value: value(2_001) }))).toMatchObject({
      status: 400,
      body: { scimType: "invalidValue" },
      message: expect.stringMatching(/at most 2000 values/),
    });
  });

  test("takes at most 1,000 operations", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ op: "add", path: "title", value: `${i}` }));
    expect(patch(...many(1_000)).title).toBe("999");
    expect(attempt(() => patch(...many(1_001)))).toMatchObject({ status: 400 });
  });

  test("takes a thousand paths as long as directories write them, and refuses longer ones unread", () => {
    const many = (path: string) => Array.from({ length: 1_000 }, () => ({ op: "remove", path }));
    expect(patch(...many('emails[type eq "home" and primary eq "False"].display')).emails).toHaveLength(2);
    // Not even well formed: the paths are measured before one of them is parsed.
    expect(attempt(() => patch(...many("[".repeat(101))))).toMatchObject({
      status: 400,
      body: { scimType: "invalidValue" },
      message: expect.stringMatching(/at most 100000 characters together/),
    });
  });

  test("counts all names before it looks one up, also unknown ones inside of schemas", () => {
    const names = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, i]));
    const operation = (count: number) => ({
      op: "replace",
      value: { [enterprise]: names(count), title: "T" },
    });
    expect(patch(operation(2_000), operation(2_000)).title).toBe("T");
    expect(attempt(() => patch(operation(2_500), operation(2_500)))).toMatchObject({
      status: 400,
      body: { scimType: "invalidValue" },
      message: expect.stringMatching(/names at most 5000 attributes/),
    });
  });
});

describe("random operations", () => {
  /** Ways in which directories write the same change. */
  const spell = (op: string, key: string, value: unknown, way: number) => {
    const cased = way & 1 ? op[0]!.toUpperCase() + op.slice(1) : op;
    const path = way & 2 && !key.includes("[") ? key.toUpperCase() : key;
    return way & 4 && op !== "remove" ? { op: cased, value: { [path]: value } } : { op: cased, path, value };
  };
  const keys: Record<string, (user: UserResource) => unknown> = {
    title: (user) => user.title,
    displayName: (user) => user.displayName,
    "name.givenName": (user) => user.name?.givenName,
    "name.familyName": (user) => user.name?.familyName,
    [`${enterprise}:department`]: (user) => user[enterprise]?.department,
    [`${enterprise}:manager.value`]: (user) => user[enterprise]?.manager?.value,
    'emails[type eq "work"].value': (user) => user.emails?.find(({ type }) => type === "work")?.value,
    'emails[type eq "home"].value': (user) => user.emails?.find(({ type }) => type === "home")?.value,
    'phoneNumbers[type eq "mobile"].value': (user) =>
      user.phoneNumbers?.find(({ type }) => type === "mobile")?.value,
  };
  const step = fc.record({
    op: fc.constantFrom("add", "replace", "remove"),
    key: fc.constantFrom(...Object.keys(keys)),
    value: fc.constantFrom("a", "b", "c", "", null),
    way: fc.nat(7),
  });

  test("of single values end like a map of names to values, in one request or in many", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const model = new Map(Object.entries(keys).map(([key, read]) => [key, read(ada)]));
        for (const { op, key, value } of steps)
          model.set(key, op === "remove" ? undefined : value || undefined);
        const operations = steps.map(({ op, key, value, way }) => spell(op, key, value, way));
        const atOnce = patch(...operations);
        const inTurn = operations.reduce((user, one) => applyUserPatch(user, body(one)), ada);
        for (const result of [atOnce, inTurn])
          expect(Object.entries(keys).map(([key, read]) => [key, read(result)])).toEqual([...model]);
        expect(readUser(atOnce)).toEqual(atOnce);
      }),
      { numRuns: 500 },
    );
  });

  test("of any JSON are applied or refused, and the result can be read again", () => {
    const path = fc.oneof(
      fc.constantFrom(
        "active",
        "emails",
        "name",
        "emails.value",
        'emails[type eq "work"]',
        enterprise,
        `${enterprise}:manager`,
        "roles",
      ),
      fc.string(),
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.array(fc.record({ value: fc.string(), type: fc.string(), primary: fc.boolean() })),
    );
    const operation = fc.record(
      { op: fc.constantFrom("add", "Replace", "remove"), path, value },
      { requiredKeys: ["op"] },
    );
    const before = structuredClone(ada);
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 5 }), (operations) => {
        const result = attempt(() => patch(...operations));
        if (result instanceof Refusal) expect(result.status).toBe(400);
        else expect(readUser(result)).toEqual(result);
        expect(ada).toEqual(before);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a PATCH of a group", () => {
  const group = { displayName: "Staff", externalId: "e1" };
  const change = (...operations: unknown[]) => applyGroupPatch(group, body(...operations));
  const none = { add: [], remove: [] };

  test.each<[string, unknown, unknown]>([
    [
      "Entra: add",
      { op: "Add", path: "members", value: [{ $ref: null, value: "u1" }] },
      { add: ["u1"], remove: [] },
    ],
    [
      "Entra: remove by value",
      { op: "Remove", path: "members", value: [{ $ref: null, value: "u1" }] },
      { add: [], remove: ["u1"] },
    ],
    [
      "Okta: remove by filter without a value",
      { op: "remove", path: 'members[value eq "u:1"]' },
      { add: [], remove: ["u:1"] },
    ],
    [
      "Okta: replace without a path",
      { op: "replace", value: { members: [{ value: "u1", display: "A" }] } },
      { replaceAll: ["u1"], ...none },
    ],
    ["add without a path", { op: "add", value: { Members: [{ value: "u1" }] } }, { add: ["u1"], remove: [] }],
    ["remove all", { op: "remove", path: "members" }, { replaceAll: [], ...none }],
    [
      "one member without a list",
      { op: "add", path: "members", value: { value: "u1" } },
      { add: ["u1"], remove: [] },
    ],
    [
      "twice is once",
      { op: "add", path: "members", value: [{ value: "u1" }, { value: "u1" }] },
      { add: ["u1"], remove: [] },
    ],
    [
      "several by filter",
      { op: "remove", path: 'members[value eq "u1" or value eq "u2"]' },
      { add: [], remove: ["u1", "u2"] },
    ],
  ])("%s", (_, operation, members) => {
    expect(change(operation)).toEqual({ resource: group, members });
  });

  test("is renamed with and without a path", () => {
    const renamed = { displayName: "B", externalId: "e1" };
    expect(change({ op: "Replace", path: "displayName", value: "B" })).toEqual({
      resource: renamed,
      members: none,
    });
    expect(change({ op: "replace", value: { id: "g1", displayName: "B" } })).toEqual({
      resource: renamed,
      members: none,
    });
  });

  test.each<[unknown, string]>([
    [{ op: "remove", path: 'members[display eq "x"]' }, "invalidFilter"],
    [{ op: "remove", path: 'members[not (value eq "x")]' }, "invalidFilter"],
    [{ op: "replace", path: 'members[value eq "x"].type', value: "User" }, "invalidPath"],
    [{ op: "replace", path: 'members[value eq "x"].display', value: "X" }, "mutability"],
    [{ op: "add", path: "members", value: [{ display: "x" }] }, "invalidValue"],
    [
      { op: "add", path: "members", value: Array.from({ length: 20_001 }, (_, i) => ({ value: `${i}` })) },
      "invalidValue",
    ],
    [{ op: "remove", path: "displayName" }, "mutability"],
    [{ op: "replace", path: "userName", value: "x" }, "invalidPath"],
  ])("refuses %#", (operation, scimType) => {
    expect(attempt(() => change(operation))).toMatchObject({ status: 400, body: { scimType } });
  });

  test("with random operations has the members of a set after the same operations", () => {
    const id = fc.constantFrom("a", "b", "c", "d", "e");
    const ids = fc.array(id, { maxLength: 3 });
    const step = fc.oneof(
      fc.record({ op: fc.constantFrom("add", "remove", "replace"), ids }),
      fc.record({ op: fc.constant("filter"), ids: id.map((one) => [one]) }),
      fc.record({ op: fc.constant("clear"), ids: fc.constant([]) }),
    );
    fc.assert(
      fc.property(ids, fc.array(step, { minLength: 1, maxLength: 10 }), (start, steps) => {
        const model = new Set(start);
        for (const { op, ids } of steps) {
          if (op === "clear" || op === "replace") model.clear();
          for (const one of ids) op === "remove" || op === "filter" ? model.delete(one) : model.add(one);
        }
        const values = (list: string[]) => list.map((value) => ({ value }));
        const { members } = change(
          ...steps.map(({ op, ids }) =>
            op === "filter"
              ? { op: "remove", path: `members[value eq "${ids[0]}"]` }
              : op === "clear"
                ? { op: "remove", path: "members" }
                : { op, path: "members", value: values(ids) },
          ),
        );
        const result = new Set(members.replaceAll ?? start);
        for (const one of members.add) result.add(one);
        for (const one of members.remove) result.delete(one);
        expect([...result].sort()).toEqual([...model].sort());
        expect(members.add.filter((one) => members.remove.includes(one))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

test("a PATCH that would compare millions of values is refused before it does", () => {
  const emails = Array.from({ length: 50 }, (_, i) => ({ value: `${"x".repeat(900)}${i}`, type: "work" }));
  const any = Array.from({ length: 99 }, (_, i) => `value co "q${i}"`).join(" or ");
  const many = (operation: object) => body(...Array.from({ length: 50 }, () => operation));
  for (const operation of [
    { op: "replace", path: `emails[${any} or type eq "work"].display`, value: "d" },
    { op: "remove", path: "emails", value: Array.from({ length: 50 }, (_, i) => ({ value: `none${i}` })) },
  ])
    expect(attempt(() => applyUserPatch({ ...ada, emails }, many(operation)))).toMatchObject({
      status: 400,
      body: { scimType: "invalidValue" },
    });
  const few = Array.from({ length: 20 }, () => ({
    op: "replace",
    path: 'emails[type eq "work"].display',
    value: "d",
  }));
  expect(applyUserPatch({ ...ada, emails }, body(...few)).emails).toHaveLength(50);
});
