import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStackReader } from "./stack.ts";

describe("a stack of the bundle", () => {
  const parent = mkdtempSync(join(tmpdir(), "stack-"));
  const folder = join(parent, "signalbox-bundle");
  beforeAll(() => {
    mkdirSync(folder);
    // The second line of the file, column 4, is line 12, column 2 of the source.
    const map = { version: 3, sources: ["../src/part.ts"], names: [], mappings: ";GAWC" };
    writeFileSync(join(folder, "part-1a2b.mjs.map"), JSON.stringify(map));
    writeFileSync(join(folder, "damaged.mjs.map"), "{");
  });
  afterAll(() => rmSync(parent, { recursive: true }));
  const at = (name: string) => `Error: It broke\n    at work (${pathToFileURL(join(folder, name))}:2:4)`;

  test("names the positions in the source files", () => {
    const source = pathToFileURL(join(parent, "src/part.ts"));
    expect(createStackReader()(at("part-1a2b.mjs"))).toBe(`Error: It broke\n    at work (${source}:12:2)`);
  });

  test("stays as it is where there is no map", () => {
    const readStack = createStackReader();
    for (const stack of [
      at("missing.mjs"),
      at("damaged.mjs"),
      "Error: It broke\n    at work (file:///srv/src/part.ts:1:1)",
    ])
      expect(readStack(stack)).toBe(stack);
  });
});
