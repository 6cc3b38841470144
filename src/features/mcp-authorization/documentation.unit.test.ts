import { expect, test } from "vitest";
import { readGuide, readRoomSource } from "../../../test/documentation.ts";
import { routes } from "./routes.ts";

const guide = readGuide("mcp-authorization");
const source = readRoomSource("mcp-authorization");

const codes = [
  ...new Set(
    [
      ...source.matchAll(
        /\bconflict\(\s*"(\w+)"|\berror: "(\w+)"|\bnotFound\("(\w+)"|new ClientProblem\(\s*"(\w+)"/g,
      ),
    ].map(([, conflict, error, thing, problem]) => conflict ?? error ?? problem ?? `${thing}_not_found`),
  ),
].filter((code) => code !== "invalid_request");

test("the room declares error codes", () => {
  expect(codes.length).toBeGreaterThan(5);
});

test.each(codes)("the guide says what %s means", (code) => {
  expect(guide).toContain(`\`${code}\``);
});

test("every route of the room is in the guide", () => {
  for (const { spec } of routes) {
    const last = spec.path.split("/").at(-1)!;
    expect(guide).toContain(last === "deny" ? "…/deny" : spec.path);
  }
});
