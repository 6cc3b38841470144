/** The groups of routes that the interface of the product names. Each is a section of the API reference, with routes. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const groups = [
  "System",
  "Organizations",
  "Invitations",
  "API Keys",
  "SCIM connectors",
  "SSO connectors",
  "Members",
  "Roles",
  "Teams",
  "Templates",
  "LLM Providers",
  "Workers",
  "Worker Runtime",
  "Worker Activity",
  "Telemetry",
  "Admin reporting",
  "Users",
  "Bootstrap",
];

interface Description {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, { tags?: string[] }>>;
}

test("openapi.json has routes in each of the eighteen groups", () => {
  const { tags, paths } = JSON.parse(readFileSync("openapi.json", "utf8")) as Description;
  const described = new Set(tags.map(({ name }) => name));
  const used = new Set(
    Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags = [] }) => tags)),
  );
  expect(groups).toHaveLength(18);
  expect(groups.filter((name) => !described.has(name) || !used.has(name))).toEqual([]);
});
