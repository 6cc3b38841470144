import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Sessions, startSessionServer } from "../fixtures/mcp-servers/official.ts";
import { cleanUp, copyFolder, freshFolder, type RunningServer, serve } from "./kit.ts";
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

/** Checks `typed.ts` in a project without the types of Node, and returns what the compiler prints. */
async function checkTypes(folder: string): Promise<string> {
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024"];
  const libraries = ["--lib", "es2024,dom", "--types", ""];
  const checked = await run(join(root, "node_modules/.bin/tsc"), [...options, ...libraries, "typed.ts"], {
    cwd: folder,
    env: environment,
  }).catch((error: { stdout: string }) => error);
  return checked.stdout;
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
  let server: RunningServer;
  let folder: string;
  beforeAll(async () => {
    folder = await install("runner");
    server = await serve(copyFolder(inject("preparedFolder")));
  });

  test("starts without a registry and prints its help", async () => {
    const { stdout } = await run("npx", ["signalbox-runner", "--help"], {
      cwd: folder,
      env: environment,
    });
    expect(stdout).toMatch(/^Usage: signalbox-runner \[options\] -- <program>/);
    expect(readdirSync(join(folder, "node_modules/@signalbox"))).toEqual(["runner"]);
  });

  test("executes one run of a server", async () => {
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

describe("the tarball of discovery", () => {
  let folder: string;
  let server: Sessions;
  beforeAll(async () => {
    folder = await install("discovery");
    server = await startSessionServer();
  });
  afterAll(() => server.close());

  test("examines a real MCP server, without a registry and without the Signalbox server", async () => {
    const args = ["signalbox-discover", `${server.base}/mcp`, "--json", "--evidence"];
    const { stdout } = await run("npx", args, { cwd: folder, env: environment });
    const { evidence, ...result } = JSON.parse(stdout);
    expect(result).toMatchObject({
      status: "ready",
      server: { url: `${server.base}/mcp`, protocolVersion: "2025-11-25", initialize: "succeeded" },
      authentication: { kind: "none" },
      tools: { visibility: "available_without_auth", count: 2 },
      manualRequirements: [],
    });
    expect(evidence).toContainEqual(expect.objectContaining({ step: "probe_initialize", status: 200 }));
    expect([server.opened, server.alive.size]).toEqual([1, 0]);
    expect(readdirSync(join(folder, "node_modules/@signalbox"))).toEqual(["discovery"]);
  });

  test("refuses a private address, and its advice is a command that can be copied", async () => {
    const ask = (env: Record<string, string>) =>
      run("npx", ["signalbox-discover", "http://10.0.0.1/mcp"], {
        cwd: folder,
        env: { ...environment, ...env },
      }).catch((error: { code: number; stdout: string; stderr: string }) => error);
    expect(await ask({})).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("EGRESS_ALLOW=10.0.0.1 signalbox-discover http://10.0.0.1/mcp"),
    });
    expect(await ask({ EGRESS_ALLOW: "https://x" })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("EGRESS_ALLOW must list hosts"),
    });
  });

  test("is a library with types, and keeps its internals private", async () => {
    const source = (type: string) => `
      import { discover } from "@signalbox/discovery";
      import { createEgress, EgressError } from "@signalbox/discovery/egress";
      const egress = createEgress({ allow: [], allowLoopback: true });
      const { result, evidence, closed } = await discover("${server.base}/mcp", { egress });
      const status${type} = result.status;
      await closed;
      await egress.close();
      const refused = await discover("${server.base}/mcp");
      await refused.closed;
      const error = await createEgress({ allow: [], allowLoopback: false })
        .request("${server.base}")
        .then(() => undefined, (error) => error);
      const internal = await import("@signalbox/discovery/" + "engine/json").catch(({ code }) => code);
      console.log(status, evidence.length > 0, refused.result.status, error instanceof EgressError, internal);
    `;
    writeFileSync(join(folder, "plain.js"), source(""));
    const { stdout } = await run(process.execPath, ["plain.js"], { cwd: folder, env: environment });
    expect(stdout).toBe("ready true unreachable true ERR_PACKAGE_PATH_NOT_EXPORTED\n");

    writeFileSync(
      join(folder, "typed.ts"),
      `${source(': "ready" | "manual_action_required" | "unsupported" | "unreachable"')}
      // @ts-expect-error: the result has no such field.
      console.log(result.verdict);
      // @ts-expect-error: the policy says whether loopback may be reached.
      createEgress({ allow: [] });
    `,
    );
    expect(await checkTypes(folder)).toBe("");
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
    expect(await checkTypes(folder)).toBe("");
  });
});
