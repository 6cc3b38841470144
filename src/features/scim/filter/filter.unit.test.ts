import fc from "fast-check";
import { type Filter as OracleFilter, parse as parseByOracle } from "scim2-parse-filter";
import { describe, expect, test } from "vitest";
import { filters, writeFilter } from "../../../../test/fixtures/scim/filters.ts";
import { Refusal } from "../../../platform/errors.ts";
import { userDefinition } from "../definitions/index.ts";
import { bindFilter, type Filter, matches, parseFilter, parsePath } from "./index.ts";

/** The tree of the other parser in our form. It has no node for a part behind brackets, so filters have none here. */
function toOurs(filter: OracleFilter): Filter {
  switch (filter.op) {
    case "and":
    case "or":
      return { op: filter.op, filters: filter.filters.map(toOurs) };
    case "not":
      return { op: "not", filter: toOurs(filter.filter) };
    case "[]":
      return { op: "[]", path: filter.attrPath, filter: toOurs(filter.valFilter) };
    case "pr":
      return { op: "pr", path: filter.attrPath };
    default:
      return { op: filter.op, path: filter.attrPath, value: filter.compValue };
  }
}

const attempt = <T>(read: () => T): { tree?: T; error?: unknown } => {
  try {
    return { tree: read() };
  } catch (error) {
    return { error };
  }
};

/** Texts that both parsers unescape alike: the other one knows only \". */
const plain = fc.string({ unit: "grapheme" }).filter((text) => !/[\\\p{Cc}\p{Cs}\u2028\u2029]/u.test(text));

/** Where the parsers differ on purpose, with the reason. */
const known: [RegExp, string][] = [
  [/\\/, "the other parser does not unescape as JSON does"],
  [/\$/, "names such as $ref begin with a dollar sign"],
  [/\[[^\]]*\[/, "brackets inside brackets are not in the grammar"],
  [/(?:^|[\s()[\]"])\d[\w.:/%-]*/, "names begin with a letter, and so do values that are no number"],
  [/-\d[\d.]*[)\s]/, "the other parser refuses a negative number before a bracket"],
  [/\]\s*\.|\]\.\s/, "a part follows its bracket without a space, and never stands alone"],
];

describe("the filter parser", () => {
  test("reads what it wrote, and reads it like the other parser", () => {
    fc.assert(
      fc.property(filters(plain), (filter) => {
        const text = writeFilter(filter);
        expect(parseFilter(text)).toEqual(filter);
        expect(toOurs(parseByOracle(text))).toEqual(filter);
      }),
      { numRuns: 500 },
    );
  });

  test("reads every text that JSON can write", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const text = `title eq ${JSON.stringify(value)}`;
        const { tree, error } = attempt(() => parseFilter(text));
        if (value.includes("\0") || !value.isWellFormed()) expect(error).toBeInstanceOf(Refusal);
        else expect(tree).toEqual({ op: "eq", path: "title", value });
      }),
    );
  });

  test("accepts and refuses damaged filters like the other parser", () => {
    const damage = fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom("", "(", ")", "[", "]", '"', " ", " not ", " and ", " or ", "x", "1", " eq "),
      ),
      { minLength: 1, maxLength: 3 },
    );
    let both = 0;
    fc.assert(
      fc.property(filters(fc.constantFrom("a", "b c")), damage, (filter, cuts) => {
        let text = writeFilter(filter);
        for (const [at, insert] of cuts) {
          const i = at % (text.length + 1);
          text = text.slice(0, i) + insert + text.slice(i + (insert === "" ? 1 : 0));
        }
        const ours = attempt(() => parseFilter(text));
        const theirs = attempt(() => toOurs(parseByOracle(text)));
        if (ours.error)
          expect(ours.error).toMatchObject({ status: 400, body: { scimType: "invalidFilter" } });
        if (known.some(([pattern]) => pattern.test(text))) return;
        expect({ text, refused: ours.error !== undefined }).toEqual({
          text,
          refused: theirs.error !== undefined,
        });
        if (ours.tree && !text.includes("].")) expect(ours.tree).toEqual(theirs.tree);
        both++;
      }),
      { numRuns: 2_000 },
    );
    expect(both).toBeGreaterThan(500);
  });

  test.each([
    ['userName eq "ada"', { op: "eq", path: "userName", value: "ada" }],
    ['USERNAME EQ "ada"', { op: "eq", path: "USERNAME", value: "ada" }],
    [
      'emails[type eq "work"].value eq "x"',
      {
        op: "[]",
        path: "emails",
        filter: {
          op: "and",
          filters: [
            { op: "eq", path: "type", value: "work" },
            { op: "eq", path: "value", value: "x" },
          ],
        },
      },
    ],
    [
      'a pr or b pr and not (c eq "\\"\\\\")',
      {
        op: "or",
        filters: [
          { op: "pr", path: "a" },
          {
            op: "and",
            filters: [
              { op: "pr", path: "b" },
              { op: "not", filter: { op: "eq", path: "c", value: '"\\' } },
            ],
          },
        ],
      },
    ],
  ])("reads %s", (text, tree) => {
    expect(parseFilter(text)).toEqual(tree);
  });

  test.each([
    ["", /name of an attribute/],
    ["userName", /one of pr, eq/],
    ["userName eq", /needs a value/],
    ["userName eq ada", /needs a value/],
    ["userName is 1", /one of pr, eq/],
    ['userName eq "a" userName pr', /cannot go on with "userName" at character 17/],
    ['(userName eq "a"', /needs "\)"/],
    ['emails[type eq "work"', /needs "\]"/],
    ["emails[type[value pr] pr]", /brackets inside brackets/],
    ['userName eq "a', /not readable at character 13/],
    ['userName eq "\\x"', /not valid JSON/],
    ['userName eq "\\u0000"', /no value contains/],
    ["userName eq 'a'", /not readable/],
    [`userName eq "${"a".repeat(4_000)}"`, /at most 4000 characters/],
    [`${"(".repeat(31)}a pr${")".repeat(31)}`, /at most 30 levels/],
    [`${"not ".repeat(31)}a pr`, /at most 30 levels/],
    [Array.from({ length: 101 }, () => "a pr").join(" or "), /at most 100 conditions/],
  ])("refuses %s with the reason", (text, reason) => {
    const { error } = attempt(() => parseFilter(text));
    expect(error).toMatchObject({
      status: 400,
      body: { scimType: "invalidFilter" },
      message: expect.stringMatching(reason),
    });
  });

  test("refuses any other text without another error", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 5_000 }), (text) => {
        for (const read of [parseFilter, parsePath]) {
          const { error } = attempt(() => read(text));
          if (error) expect(error).toMatchObject({ status: 400, body: { scimType: "invalidFilter" } });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("a filter of users", () => {
  const bind = (text: string) => bindFilter(userDefinition, parseFilter(text));
  const ada = {
    userName: "Ada@Example.com",
    externalId: "E1",
    active: true,
    name: { familyName: "Lovelace" },
    emails: [
      { value: "Ada@example.com", type: "work", primary: true },
      { value: "ada@home.example", type: "home" },
    ],
    meta: { created: "2026-01-01T00:00:00.000Z" },
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {
      department: "R&D",
      manager: { value: "m1" },
    },
  };

  test.each([
    ['userName eq "ada@example.COM"', true],
    ['USERNAME Eq "ada@example.com"', true],
    ['externalId eq "e1"', false],
    ['externalId eq "E1"', true],
    ["active eq true", true],
    ['active eq "True"', true],
    ['active ne "false"', true],
    ['emails eq "ada@home.example"', true],
    ['emails.value ew "HOME.example"', true],
    ['emails[type eq "work" and value co "@example"]', true],
    ['emails[type eq "home" and value co "@example"]', false],
    ['emails[type eq "home"].value eq "ada@home.example"', true],
    ['emails[type eq "work"].value eq "ada@home.example"', false],
    ["emails[not (primary pr)]", true],
    ['emails[primary eq "True"]', true],
    ['emails.type ne "work"', true],
    ['emails[type eq "other"].value ne "x"', false],
    ["title pr", false],
    ["title eq null", true],
    ["name.familyName eq null", false],
    ['title ne "x"', true],
    ['title co ""', false],
    ['not (title eq "x")', true],
    ['title gt "a"', false],
    ['name.familyName sw "love"', true],
    ["name pr", true],
    ["emails pr and phoneNumbers pr", false],
    ['meta.created gt "2025-12-31T23:59:59Z"', true],
    ['meta.created eq "2026-01-01T01:00:00+01:00"', true],
    ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "r&d"', true],
    ['urn:ietf:params:scim:schemas:extension:ENTERPRISE:2.0:User:manager eq "m1"', true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ada"', true],
    ['userName eq "b" or userName pr and active eq true', true],
  ])("%s: %s", (text, expected) => {
    expect(matches(bind(text), ada)).toBe(expected);
  });

  test.each([
    ['nothing eq "x"', /no attribute "nothing"/],
    ['department eq "x"', /no attribute "department"/],
    ['constructor eq "x"', /no attribute/],
    ['emails[nothing eq "x"]', /no attribute "nothing"/],
    ['userName[value eq "x"]', /takes no brackets/],
    ["userName eq 5", /quotation marks/],
    ["userName gt null", /compared with null/],
    ['name eq "x"', /has parts/],
    ["active gt true", /takes eq, ne and pr/],
    ['active eq "maybe"', /true or false/],
    ['meta.created co "2026"', /is a time/],
    ['meta.created gt "yesterday"', /needs a time/],
    ['meta.location eq "x"', /cannot be used/],
    ['password eq "x"', /no attribute/],
  ])("refuses %s", (text, reason) => {
    const { error } = attempt(() => bind(text));
    expect(error).toMatchObject({
      status: 400,
      body: { scimType: "invalidFilter" },
      message: expect.stringMatching(reason),
    });
  });
});
