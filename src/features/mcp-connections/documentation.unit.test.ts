import { expect, test } from "vitest";
import { readGuide, readRoomSource } from "../../../test/documentation.ts";
import { outcomes } from "./calls/contract.ts";
import { McpConnection } from "./contract.ts";
import { registrations } from "./model.ts";
import { routes } from "./routes.ts";

const guide = readGuide("mcp-connections");

/** Other guides explain the other folders: discovery.md, mcp-tools.md and mcp-import-export.md. */
const folders = ["access", "calls", "checks", "credentials", "registration"];
const source = folders.map((folder) => readRoomSource(`mcp-connections/${folder}`)).join("\n");

const codes = [
  ...new Set(
    [
      ...source.matchAll(
        /\bconflict\(\s*"(\w+)"|\berror: "(mcp_\w+)"|\bnotFound\("(\w+)"|\d+,\s*"(mcp_\w+)"|code: "(mcp_\w+)"/g,
      ),
    ].map(
      ([, conflict, error, thing, refused, code]) =>
        conflict ?? error ?? refused ?? code ?? `${thing}_not_found`,
    ),
  ),
];

test("the room declares error codes", () => {
  expect(codes.length).toBeGreaterThan(10);
});

test.each(codes)("the guide says what to do about %s", (code) => {
  expect(guide).toContain(`\`${code}\``);
});

test.each([...registrations, ...outcomes, ...McpConnection.shape.status.options])(
  "the guide explains %s",
  (word) => {
    expect(guide).toContain(`\`${word}\``);
  },
);

const others = ["mcp-tools", "mcp-import-export", "discovery"].map(readGuide).join("\n");

test("every route is in a guide", () => {
  const missing = routes
    .map(({ spec }) => spec.path)
    .filter((path) => {
      const last = path.split("/").findLast((part) => !part.startsWith("{"))!;
      return !guide.includes(path) && !others.includes(`/${last}`);
    });
  expect(missing).toEqual([]);
});
