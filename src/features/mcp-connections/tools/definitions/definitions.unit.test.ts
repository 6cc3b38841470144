import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  canonicalize,
  DefinitionError,
  hashArguments,
  listingLimits,
  maxDepth,
  normalizeListing,
} from "./index.ts";

const shuffle = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffle);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, shuffle(field)]),
  );
};

const tool = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  description: `What ${name} does.`,
  inputSchema: { type: "object" },
  ...more,
});
const hashOf = (one: unknown, name = "a") => normalizeListing({ tools: [one] }).tools.get(name)?.hash;

describe("canonical JSON", () => {
  test("has sorted keys, no spaces, and numbers and texts as RFC 8785 shows them", () => {
    const value = {
      numbers: [JSON.parse("333333333.33333329"), 1e30, 4.5, 2e-3, 1e-27, -0],
      string: '\u20ac$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false],
    };
    expect(canonicalize(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const keys = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
    expect(canonicalize(keys)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  test("does not depend on the order of keys, and reads back as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = canonicalize(value);
        expect(canonicalize(shuffle(value))).toBe(text);
        expect(canonicalize(JSON.parse(text))).toBe(text);
      }),
    );
  });

  test("differs for values that differ", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const areSame =
          JSON.stringify(shuffle(JSON.parse(canonicalize(one)))) ===
          JSON.stringify(shuffle(JSON.parse(canonicalize(other))));
        expect(canonicalize(one) === canonicalize(other)).toBe(areSame);
      }),
    );
  });

  test("keeps __proto__ as an ordinary key, and texts with lone surrogates apart", () => {
    expect(canonicalize(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
    expect(canonicalize("\ud800")).not.toBe(canonicalize("\ufffd"));
    expect(canonicalize("\ud800")).not.toBe(canonicalize("\udfff"));
  });

  test("is refused for values that are too deep or no JSON", () => {
    let deep: unknown = 1;
    for (let level = 0; level <= maxDepth; level++) deep = [deep];
    for (const value of [deep, Number.NaN, undefined, () => 1]) {
      expect(() => canonicalize(value)).toThrow(DefinitionError);
    }
  });
});

describe("a listing", () => {
  test("gives each tool the same hash, whatever the order of tools and keys", () => {
    const tools = [tool("b"), tool("a", { annotations: { readOnlyHint: true, title: "A" } })];
    const one = normalizeListing({ tools });
    const other = normalizeListing({ tools: tools.map(shuffle).reverse() });
    expect([...other.tools]).toEqual([...one.tools]);
    expect([...one.tools.keys()]).toEqual(["a", "b"]);
  });

  test("changes the hash with each field that an agent sees, and with no other", () => {
    const same = hashOf(tool("a"));
    const changes = [
      { title: "A" },
      { description: "Another." },
      { inputSchema: { type: "object", properties: {} } },
      { outputSchema: { type: "object" } },
      { annotations: { destructiveHint: true } },
    ];
    const hashes = changes.map((change) => hashOf(tool("a", change)));
    expect(new Set([same, ...hashes]).size).toBe(changes.length + 1);
    expect(hashOf(tool("a", { _meta: { x: 1 }, icons: [] }))).toBe(same);
  });

  test("gives instructions and tools hashes of their own domains", () => {
    const listing = normalizeListing({ tools: [tool("a")], instructions: "Search first." });
    expect(listing.instructions?.text).toBe("Search first.");
    const text = canonicalize(tool("a"));
    expect(normalizeListing({ tools: [], instructions: text }).instructions?.hash).not.toBe(
      listing.tools.get("a")?.hash,
    );
    expect(normalizeListing({ tools: [], instructions: "" }).instructions).toBeNull();
  });

  test("notices a second tool of the same name, and passes over an exact copy", () => {
    const alone = normalizeListing({ tools: [tool("a")] }).tools.get("a");
    const copied = normalizeListing({ tools: [tool("a"), tool("a")] }).tools.get("a");
    const doubled = normalizeListing({ tools: [tool("a"), tool("a", { title: "B" })] }).tools.get("a");
    expect(copied).toEqual(alone);
    expect(doubled?.hash).not.toBe(alone?.hash);
  });

  test("leaves out what has no usable name, is too deep or too large, and says so", () => {
    let deep: unknown = {};
    for (let level = 0; level < 100; level++) deep = { items: deep };
    const tools = [
      null,
      7,
      {},
      tool(""),
      tool("a\0"),
      tool("\ud800"),
      tool("x".repeat(listingLimits.nameLength + 1)),
      tool("deep", { inputSchema: deep }),
      tool("large", { description: "x".repeat(listingLimits.toolBytes) }),
      tool("fine"),
    ];
    const { tools: kept, omitted, problems } = normalizeListing({ tools });
    expect([...kept.keys()]).toEqual(["fine"]);
    expect(omitted).toBe(9);
    expect(problems).toContain("large: It is too large.");
  });

  test("of ten thousand tools is cut, and counts the rest", () => {
    const tools = Array.from({ length: 10_000 }, (_, n) => tool(`tool_${n}`));
    const { tools: kept, omitted } = normalizeListing({ tools });
    expect(kept.size).toBe(listingLimits.tools);
    expect(omitted).toBe(10_000 - listingLimits.tools);
    const large = Array.from({ length: 100 }, (_, n) =>
      tool(`tool_${n}`, { description: "x".repeat(200 * 1024) }),
    );
    const cut = normalizeListing({ tools: large });
    expect(cut.tools.size + cut.omitted).toBe(100);
    expect(cut.tools.size).toBeLessThan(50);
  });

  test("stores text that the database accepts, with the hash of what was sent", () => {
    const { tools } = normalizeListing({
      tools: [
        JSON.parse('{"name":"a","description":"x\\u0000\\ud800","inputSchema":{"__proto__":{"\\u0000":1}}}'),
      ],
    });
    const { definition, hash } = tools.get("a")!;
    expect(definition.description).toBe("x\ufffd\ufffd");
    expect(JSON.stringify(definition.inputSchema)).toBe('{"__proto__":{"\ufffd":1}}');
    expect(hash).not.toBe(
      hashOf({ name: "a", description: "x\ufffd\ufffd", inputSchema: definition.inputSchema }),
    );
  });

  test("never throws and never exceeds its limits, whatever a server sends", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), inputSchema: fc.jsonValue() }))),
        (tools) => {
          const { tools: kept, omitted } = normalizeListing({ tools });
          expect(kept.size + omitted).toBeLessThanOrEqual(tools.length);
        },
      ),
    );
  });
});

test("the hash of arguments does not depend on the order of keys, and counts no arguments as empty ones", () => {
  expect(hashArguments({ a: 1, b: [2] })).toBe(hashArguments({ b: [2], a: 1 }));
  expect(hashArguments(undefined)).toBe(hashArguments({}));
  expect(hashArguments({ a: 1 })).not.toBe(hashArguments({ a: "1" }));
});
