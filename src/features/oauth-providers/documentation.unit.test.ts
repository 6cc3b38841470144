import { expect, test } from "vitest";
import { readGuide, readRoomSource } from "../../../test/documentation.ts";
import { knownProviders } from "./catalogue/index.ts";
import { healthReasons } from "./connections/contract.ts";

const guide = readGuide("oauth-providers");
const source = readRoomSource("oauth-providers");

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

test("the room declares error codes", () => {
  expect(codes.length).toBeGreaterThan(10);
});

test.each(codes)("the guide says what to do about %s", (code) => {
  expect(guide).toContain(`\`${code}\``);
});

const pageCodes = [
  ...source.matchAll(/^ {2}(\w+):\s+"[^"]*(?:\{\}|Nothing is connected|no longer valid)/gm),
].map(([, code]) => code!);

test("the pages of the room declare codes", () => {
  expect(pageCodes).toEqual(expect.arrayContaining(["access_denied", "superseded", "issuer_mismatch"]));
});

test.each(pageCodes)("the guide says what to do about %s on a page", (code) => {
  expect(guide).toContain(`\`${code}\``);
});

test("the guide states the right number of providers", () => {
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
