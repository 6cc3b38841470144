import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readGuide, readRoomSource } from "../../../../test/documentation.ts";
import { driftKinds } from "./contract.ts";

const guide = readGuide("mcp-tools");
const source = readRoomSource("mcp-connections/tools");

const codes = [
  ...new Set(
    [
      ...source.matchAll(
        /\bconflict\(\s*"(\w+)"|\berror: "(mcp_\w+)"|\bnotFound\("(\w+)"|\d+,\s*"(mcp_\w+)"/g,
      ),
    ].map(([, conflict, error, thing, refused]) => conflict ?? error ?? refused ?? `${thing}_not_found`),
  ),
];

test("the room declares error codes", () => {
  expect(codes.length).toBeGreaterThan(9);
});

test.each(codes)("the guide says what to do about %s", (code) => {
  expect(guide).toContain(`\`${code}\``);
});

test.each(driftKinds)("the guide explains the kind of change %s", (kind) => {
  expect(guide).toContain(`\`${kind}\``);
});

test("every route is in the guide", () => {
  const paths = [...source.matchAll(/path: "(\/v1\/mcp-[^"]+)"/g)].map(([, path]) => path!);
  expect(paths.length).toBe(8);
  for (const path of paths) {
    const last = path.split("/").findLast((part) => !part.startsWith("{"))!;
    expect(guide).toContain(`/${last}`);
  }
});

test.each(["mcp_connection.drift", "mcp_connection.failing", "mcp_approval.requested"])(
  "the guides explain the event %s",
  (type) => {
    expect(guide).toContain(`\`${type}\``);
    expect(readGuide("notifications")).toContain(`"type": "${type}"`);
  },
);

test.each(["mcp_connection_failing", "mcp_tools_held", "mcp_sign_in", "mcp_consent", "mcp_approval_pending"])(
  "the guide of the overview explains %s",
  (kind) => {
    expect(readFileSync("docs/overview.md", "utf8")).toContain(`\`${kind}\``);
  },
);
