import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanUp, freshFolder, type Serving, serve } from "./kit.ts";
import { openWorkspace } from "./runner-kit.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
/** The Node of this test comes first, because the packages need a newer one than the machine may have. */
const environment = {
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: process.env.HOME,
  // Nothing listens there: an installation that asks a registry fails.
  npm_config_registry: "http://127.0.0.1:9",
  npm_config_offline: "true",
};

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
const tarballs = freshFolder();

beforeAll(async () => {
  await run(process.execPath, [join(root, "packages/build.ts"), "--pack", "--out", tarballs], {
    cwd: root,
    env: environment,
  });
});
afterAll(cleanUp);

/** Installs a tarball into an empty folder. */
async function install(name: string): Promise<string> {
  const folder = freshFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const file = readdirSync(tarballs).find((one) => one.startsWith(`signalbox-${name}-`))!;
  await run(
    "npm",
    ["install", join(tarballs, file), "--no-audit", "--no-fund", "--cache", join(folder, "cache")],
    {
      cwd: folder,
      env: environment,
    },
  );
  return folder;
}

test("all packages have the version of the server, and depend on that version of each other", () => {
  const { version } = readJson("package.json");
  const manifests = [
    "package.json",
    ...readdirSync(join(root, "packages"))
      .filter((name) => !name.includes("."))
      .map((name) => `packages/${name}/package.json`),
  ].map(readJson);
  for (const { name, version: own, dependencies = {} } of manifests) {
    expect([name, own]).toEqual([name, version]);
    for (const [dependency, wanted] of Object.entries(dependencies))
      if (dependency.startsWith("@signalbox/"))
        expect([name, dependency, wanted]).toEqual([name, dependency, version]);
  }
});

describe("the tarball of the runner", () => {
  let server: Serving;
  let folder: string;
  beforeAll(async () => {
    folder = await install("runner");
    server = await serve(freshFolder());
  });

  test("starts without a registry and says how it is used", async () => {
    const { stdout } = await run("npx", ["signalbox-runner", "--help"], {
      cwd: folder,
      env: environment,
    });
    expect(stdout).toMatch(/^Usage: signalbox-runner \[options\] -- <program>/);
    expect(readdirSync(join(folder, "node_modules/@signalbox"))).toEqual(["runner"]);
  });

  test("does one run of a server", async () => {
    const workspace = await openWorkspace(() => server.url);
    const runId = await workspace.queue("Count these four words");
    const args = ["signalbox-runner", "--once", "--state", join(folder, "state"), "--command", "wc -w"];
    const { stdout } = await run("npx", args, {
      cwd: folder,
      env: { ...environment, SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: workspace.key },
    });
    expect(stdout).toContain(`${runId} succeeded`);
    const { run: ended } = await workspace.read(runId);
    expect(ended).toMatchObject({ status: "succeeded", resultSummary: "4" });
  });
});

describe("the tarball of the client", () => {
  test("is imported by JavaScript, and its types hold in a project for browsers", async () => {
    const folder = await install("client");
    const source = (type: string) => `
      import { createClient, UnreachableError } from "@signalbox/client";
      const client = createClient({ url: "http://127.0.0.1:9", maxTries: 1 });
      const error${type} = await client.request("GET /v1/me").then(() => undefined, (error) => error);
      console.log(error instanceof UnreachableError, error?.message);
    `;
    writeFileSync(join(folder, "plain.js"), source(""));
    const { stdout } = await run(process.execPath, ["plain.js"], { cwd: folder, env: environment });
    expect(stdout).toMatch(/^true /);

    writeFileSync(
      join(folder, "typed.ts"),
      `${source(": Error | undefined")}
      for await (const automation of client.paginate("GET /v1/automations")) console.log(automation.name.length);
      // @ts-expect-error: the operation does not exist.
      await client.request("GET /v1/nothing");
      // @ts-expect-error: the path has a required parameter.
      await client.request("GET /v1/automations/{id}");
    `,
    );
    const options = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--lib",
      "es2024,dom",
      "--types",
      "",
    ];
    const checked = await run(join(root, "node_modules/.bin/tsc"), [...options, "typed.ts"], {
      cwd: folder,
      env: environment,
    }).catch((error: { stdout: string }) => error);
    expect(checked.stdout).toBe("");
  });
});
