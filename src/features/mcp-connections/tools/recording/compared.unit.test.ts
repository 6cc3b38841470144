import { expect, test } from "vitest";
import { createComparedListings, digestListing } from "./compared.ts";

const hashesOf = (count: number) =>
  new Map(Array.from({ length: count }, (_, n) => [`tool_${n}`, `hash ${n}`]));

test("the oldest comparisons are dropped when there are too many hashes", () => {
  const compared = createComparedListings(10);
  const keep = (id: string, count: number) =>
    compared.keep(id, { digest: "d", fingerprint: "f", hashes: hashesOf(count) });
  keep("one", 4);
  keep("two", 4);
  // A new comparison of the same connection takes the place of its last one.
  keep("one", 4);
  keep("three", 6);
  expect(["one", "two", "three"].map((id) => compared.find(id, "d") !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
  keep("large", 11);
  expect(compared.find("three", "d")).toBeUndefined();
  expect(compared.find("large", "d")).toBeUndefined();
});

test("only the same listing is found", () => {
  const compared = createComparedListings(10);
  compared.keep("one", { digest: "d", fingerprint: null, hashes: hashesOf(1) });
  expect(compared.find("one", "e")).toBeUndefined();
});

test("listings that differ in anything have different digests", () => {
  const listing = (inputSchema: unknown, instructions?: string) =>
    digestListing({ tools: [{ name: "echo", inputSchema }], instructions });
  const schemas = ["null", "1e999", "-1e999", "0", "-0", '""', "{}", "[]", '{"a":1,"b":2}', '{"b":2,"a":1}'];
  const digests = schemas.map((text) => listing(JSON.parse(text)));
  expect(new Set([...digests, listing({}, "Be kind."), listing({}, "")]).size).toBe(schemas.length + 2);
  expect(listing({ type: "object" })).toBe(listing({ type: "object" }));
});
