import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { knownProviders } from "../../../src/features/oauth-providers/catalogue/index.ts";
import { healthReasons } from "../../../src/features/oauth-providers/connections/contract.ts";

const root = join(import.meta.dirname, "../../..");
const guide = readFileSync(join(root, "docs/oauth-providers.md"), "utf8");
const room = join(root, "src/features/oauth-providers");
const source = readdirSync(room, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(room, file), "utf8"))
  .join("\n");

test.each(healthReasons)("the guide explains the reason %s", (reason) => {
  expect(guide).toContain(`\`${reason}\``);
});

const codes = [
  ...new Set(
    [...source.matchAll(/\bconflict\(\s*"(\w+)"|\berror: "(\w+)"|\bnotFound\("(\w+)"/g)].map(
      ([, conflict, error, thing]) => conflict ?? error ?? `${thing}_not_found`,
    ),
  ),
];

test("there are codes to look for", () => {
  expect(codes.length).toBeGreaterThan(10);
});

test.each(codes)("the guide says what to do about %s", (code) => {
  expect(guide).toContain(`\`${code}\``);
});

const pageCodes = [
  ...source.matchAll(/^ {2}(\w+):\s+"[^"]*(?:\{\}|Nothing is connected|no longer valid)/gm),
].map(([, code]) => code!);

test("there are codes on pages to look for", () => {
  expect(pageCodes).toEqual(expect.arrayContaining(["access_denied", "superseded", "issuer_mismatch"]));
});

test.each(pageCodes)("the guide says what to do about %s on a page", (code) => {
  expect(guide).toContain(`\`${code}\``);
});

test("the guide counts the providers right", () => {
  expect(guide).toContain(`lists ${knownProviders.size} well-known ones`);
});

test("every route of the room is in the guide", () => {
  const paths = [...source.matchAll(/path: "(\/v1\/oauth-[^"]+)"/g)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) {
    const last = path.split("/").at(-1)!;
    // The callback is where providers lead to; nobody calls it.
    if (last !== "callback") expect(guide).toContain(last.startsWith("{") ? path : `/${last}`);
  }
});
