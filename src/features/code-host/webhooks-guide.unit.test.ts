import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { routes } from "../../app.ts";
import { bitbucketEvents, githubEvents } from "./dialects/index.ts";
import { disconnectReasons } from "./events/index.ts";
import { codehost } from "./ingress/contract.ts";

const root = join(import.meta.dirname, "../../..");
const guide = readFileSync(join(root, "docs/webhooks.md"), "utf8");
const source = ["deliveries", "dialects", "ingress", "refused"]
  .flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder)).map((file) => join(import.meta.dirname, folder, file)),
  )
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

const codes = [...source.matchAll(/\bconflict\(\s*"(\w+)"/g)].map((match) => match[1]!);

test.each([
  ...codes,
  ...codehost.replies[200].shape.reason.options,
  ...Object.values(disconnectReasons),
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
