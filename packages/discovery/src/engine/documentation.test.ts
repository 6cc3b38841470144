import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requirementCodes, warningCodes } from "./codes.ts";

const root = join(import.meta.dirname, "../../../..");
const guide = readFileSync(join(root, "docs/discovery.md"), "utf8");
const engine = import.meta.dirname;
const source = readdirSync(engine, { encoding: "utf8", recursive: true })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "codes.ts")
  .map((file) => readFileSync(join(engine, file), "utf8"))
  .join("\n");

test.each([...requirementCodes, ...warningCodes])(
  "the code %s is used, and the guide explains it once",
  (code) => {
    expect(source).toContain(`"${code}"`);
    expect(guide.split("\n").filter((line) => line.startsWith(`| \`${code}\` |`))).toHaveLength(1);
  },
);

test("the guide explains no code that does not exist", () => {
  const explained = [...guide.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code);
  const known: readonly string[] = [...requirementCodes, ...warningCodes];
  const statuses = [
    "status",
    "kind",
    "ready",
    "manual_action_required",
    "unsupported",
    "unreachable",
    "none",
    "oauth",
    "manual_bearer",
    "unknown",
  ];
  expect(explained.filter((code) => !known.includes(code ?? "") && !statuses.includes(code ?? ""))).toEqual(
    [],
  );
  expect(guide).toContain("| `mcp_http_<status>` |");
});
