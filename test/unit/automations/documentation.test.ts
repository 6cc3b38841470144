import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reasons } from "../../../src/features/automations/runs/contract.ts";

const root = join(import.meta.dirname, "../../..");
const guide = readFileSync(join(root, "docs/automations.md"), "utf8");
const room = join(root, "src/features/automations");
const source = readdirSync(room, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(room, file), "utf8"))
  .join("\n");

test.each(reasons)("the guide explains the reason %s", (reason) => {
  expect(guide).toContain(`\`${reason}\``);
});

const codes = [...new Set([...source.matchAll(/\bconflict\(\s*"(\w+)"/g)].map((match) => match[1]!))];

test("there are codes to look for", () => {
  expect(codes.length).toBeGreaterThan(7);
});

test.each(codes)("the guide says what to do about %s", (code) => {
  expect(guide).toContain(`\`${code}\``);
});

const paths = [
  ...new Set([...source.matchAll(/path: ["`](\/v1\/automation[^"`]*)["`]/g)].map((match) => match[1]!)),
];

test.each(paths)("the guide or its table of reading names %s", (path) => {
  const verb = path.replace(/^.*\/(?=[^/]+$)/, "");
  expect(guide).toContain(verb.startsWith("{") ? path : verb.replace(/\$.*/, ""));
});
