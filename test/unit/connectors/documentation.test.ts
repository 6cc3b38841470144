import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorCodes } from "../../../src/features/connectors/syncs/contract.ts";

const root = join(import.meta.dirname, "../../..");

describe.each(["connectors", "templates"])("the guide of %s", (room) => {
  const guide = readFileSync(join(root, `docs/${room}.md`), "utf8");
  const folder = join(root, "src/features", room);
  const source = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("hooks"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");

  test("says what to do about every conflict", () => {
    const codes = [...source.matchAll(/\bconflict\(\s*"(\w+)"/g)].map((match) => match[1]!);
    expect(codes.length).toBeGreaterThan(2);
    expect(codes.filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
  });

  test("names every path", () => {
    const paths = [...source.matchAll(/path: "(\/v1\/[^"]+)"/g)].map((match) => match[1]!);
    expect(paths.length).toBeGreaterThan(4);
    const last = (path: string) => path.split("/").findLast((part) => !part.startsWith("{"))!;
    expect(paths.filter((path) => !guide.includes(last(path)))).toEqual([]);
  });
});

test.each(errorCodes)("the guide of connectors explains %s", (code) => {
  expect(readFileSync(join(root, "docs/connectors.md"), "utf8")).toContain(`\`${code}\``);
});
