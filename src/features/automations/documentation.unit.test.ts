import { expect, test } from "vitest";
import { readGuide, readRoomSource } from "../../../test/documentation.ts";
import { reasons } from "./runs/contract.ts";

const guide = readGuide("automations");
const source = readRoomSource("automations");

test.each(reasons)("the guide explains the reason %s", (reason) => {
  expect(guide).toContain(`\`${reason}\``);
});

const codes = [...new Set([...source.matchAll(/\bconflict\(\s*"(\w+)"/g)].map((match) => match[1]!))];

test("the room declares error codes", () => {
  expect(codes.length).toBeGreaterThan(7);
});

test.each(codes)("the guide says what to do about %s", (code) => {
  expect(guide).toContain(`\`${code}\``);
});

const paths = [
  ...new Set([...source.matchAll(/path: ["`](\/v1\/automation[^"`]*)["`]/g)].map((match) => match[1]!)),
];

test.each(paths)("the guide names the route %s", (path) => {
  const verb = path.replace(/^.*\/(?=[^/]+$)/, "");
  expect(guide).toContain(verb.startsWith("{") ? path : verb.replace(/\$.*/, ""));
});
