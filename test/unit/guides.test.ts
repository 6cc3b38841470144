import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorCodes } from "../../src/features/code-host/sync-errors.ts";

const root = join(import.meta.dirname, "../..");

/** What each guide explains. docs/webhooks.md explains the other folders of the code-host room. */
const folders = {
  connectors: [
    "access",
    "checks",
    "connectors",
    "events",
    "head-checks",
    "secrets",
    "source",
    "syncs",
    "syncs/work",
  ].map((folder) => `code-host/${folder}`),
  templates: ["templates", "templates/files"],
};

describe.each(Object.entries(folders))("the guide of %s", (name, parts) => {
  const guide = readFileSync(join(root, `docs/${name}.md`), "utf8");
  const source = parts
    .map((part) => join(root, "src/features", part))
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

  test("explains every conflict", () => {
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
