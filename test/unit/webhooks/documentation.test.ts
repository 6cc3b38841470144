import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { routes } from "../../../src/app.ts";
import { endings } from "../../../src/features/connectors/index.ts";
import { bitbucketEvents } from "../../../src/features/webhooks/dialects/bitbucket.ts";
import { githubEvents } from "../../../src/features/webhooks/dialects/github.ts";
import { codehost } from "../../../src/features/webhooks/ingress/contract.ts";

const root = join(import.meta.dirname, "../../..");
const guide = readFileSync(join(root, "docs/webhooks.md"), "utf8");
const room = join(root, "src/features/webhooks");
const source = readdirSync(room, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => readFileSync(join(room, file), "utf8"))
  .join("\n");

const codes = [...source.matchAll(/\bconflict\(\s*"(\w+)"/g)].map((match) => match[1]!);

test.each([
  ...codes,
  ...codehost.replies[200].shape.reason.options,
  ...Object.values(endings),
  ...githubEvents,
  ...bitbucketEvents,
])("the guide says what %s means", (word) => {
  expect(guide).toContain(`\`${word}\``);
});

test("the guide names every route", () => {
  const paths = routes.filter(({ spec }) => spec.tag === "Webhooks").map(({ spec }) => spec.path);
  expect(paths.length).toBeGreaterThan(8);
  for (const path of paths) {
    const last = path.replace("/v1/webhooks/connectors", "");
    expect(guide).toContain(last);
  }
});
