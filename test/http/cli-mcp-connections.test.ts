import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommandInProcess } from "../cli.ts";
import { oauth, openHandshake } from "../fixtures/mcp-hostile/parts.ts";
import { type HostileServer, startHostileServer } from "../fixtures/mcp-hostile/server.ts";
import { createKey, createWorkspace, useServer, type Workspace } from "../harness.ts";

describe("signalbox mcp-connections", () => {
  const server = useServer();
  let acme: Workspace;
  let environment: Record<string, string>;
  let open: HostileServer;
  let locked: HostileServer;
  let keyed: HostileServer;
  let folder: string;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    const { key } = await createKey(server, acme.owner);
    environment = { SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: key };
    open = await startHostileServer((request, base) =>
      request.path.startsWith("/mcp") ? openHandshake(request, base) : undefined,
    );
    locked = await startHostileServer(oauth());
    keyed = await startHostileServer((request) => (request.method === "POST" ? { status: 401 } : undefined));
    folder = await mkdtemp(join(tmpdir(), "cli-mcp-"));
  });
  afterAll(async () => {
    await Promise.all([open, locked, keyed].map((one) => one?.close()));
    await rm(folder, { recursive: true });
  });
  const run = (args: string[], input = "", more: Record<string, string> = {}) =>
    runCommandInProcess(["mcp-connections", ...args], { ...environment, ...more }, input);
  const add = async (...args: string[]) => {
    const { code, stdout } = await run(["add", ...args]);
    expect(code).toBe(0);
    return /mcn_\w+/.exec(stdout)![0];
  };

  test("add saves an open server; list, show and remove", async () => {
    const id = await add(`${open.base}/mcp`, "--name", "Open docs", "--everybody");
    const listed = await run(["list"]);
    expect(listed.stdout).toMatch(/^ID +NAME +PREFIX +ADDRESS +STATUS +TOOLS +HELD +CALLS 24 H\n/);
    expect(listed.stdout).toMatch(new RegExp(`${id} +Open docs +open-docs +${open.base}/mcp`));
    expect((await run(["show", id])).stdout).toMatch(
      /name +Open docs\n[\s\S]*credential +per_member, none\n/,
    );
    expect(JSON.parse((await run(["show", id, "--json"])).stdout).connection.access.organization).toBe(true);
    expect(await run(["remove", id])).toMatchObject({ code: 0, stdout: expect.stringContaining("deleted") });
    expect(await run(["show", id])).toMatchObject({ code: 5 });
  });

  test("add says what a person has to choose, and reads a token from stdin", async () => {
    const asked = await run(["add", `${keyed.base}/mcp`]);
    expect(asked).toMatchObject({ code: 1, stdout: "" });
    expect(asked.stderr).toContain("--registration bearer:");
    const saved = await run(
      ["add", `${keyed.base}/mcp`, "--registration", "bearer", "--shared"],
      "a-secret-token\n",
    );
    expect(saved).toMatchObject({ code: 0, stdout: expect.stringContaining("is saved as mcn_") });
    expect(saved.stdout + saved.stderr).not.toContain("a-secret-token");
    expect(await run(["add", "not a url"])).toMatchObject({ code: 1 });
    expect(await run(["add", keyed.base, "--registration", "magic"])).toMatchObject({ code: 2 });
    expect(await run(["add"])).toMatchObject({ code: 2 });
  });

  test("connect prints the address of the authorization server; disconnect ends the account", async () => {
    const id = await add(`${locked.base}/mcp`, "--registration", "pre_registered", "--client-id", "ours");
    const started = await run(["connect", id]);
    expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining("code_challenge") });
    expect(await run(["connect", id, "--code", "WRONG-CODE"])).toMatchObject({ code: 5 });
    expect(await run(["disconnect", id])).toMatchObject({ code: 0 });
  });

  test("tools, drift and calls of a connection that nobody used are empty; approve needs names", async () => {
    const id = await add(`${open.base}/mcp/tools`);
    expect((await run(["calls", id])).code).toBe(0);
    expect((await run(["tools", id])).code).toBe(0);
    expect((await run(["drift", id])).code).toBe(0);
    expect(await run(["approve", id])).toMatchObject({ code: 2 });
    expect(await run(["approve", id, "a", "--all"])).toMatchObject({ code: 2 });
    const unseen = await run(["approve", id, "--all"]);
    expect(unseen).toMatchObject({ code: 2, stderr: expect.stringContaining("--revision") });
    const old = await run(["approve", id, "--all", "--revision", "seen-before"]);
    expect(old).toMatchObject({ code: 1, stderr: expect.stringContaining("Read the differences again") });
    expect(await run(["calls", "--outcome", "maybe"])).toMatchObject({ code: 1 });
  });

  test("import shows a file, takes values from the environment or stdin, and saves each server once", async () => {
    const file = join(folder, "mcp.json");
    const entry = (path: string, variable: string) => ({
      url: `${keyed.base}/${path}`,
      headers: { Authorization: `Bearer \${${variable}}` },
    });
    await writeFile(
      file,
      JSON.stringify({
        mcpServers: {
          docs: { url: `${open.base}/mcp/imported` },
          first: entry("first", "FIRST_TOKEN"),
          second: entry("second", "SECOND_TOKEN"),
          local: { command: "npx", args: ["some-server"] },
        },
      }),
    );
    const preview = await run(["import", file, "--preview"]);
    expect(preview.code).toBe(0);
    expect(preview.stdout).toMatch(/first +http.*first +Authorization +FIRST_TOKEN/);
    const imported = await run(["import", file], "second-secret\n", { FIRST_TOKEN: "first-secret" });
    expect(imported.stdout).toMatch(/docs: saved as mcn_\w+\./);
    expect(imported.stdout).toMatch(/first: saved as mcn_\w+\./);
    expect(imported.stdout).toMatch(/second: saved as mcn_\w+\./);
    expect(imported.stderr).toContain("local: not saved.");
    expect(imported.stdout + imported.stderr).not.toMatch(/first-secret|second-secret/);
    const again = await run(["import", file, "--only", "docs", "--json"]);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout).results).toMatchObject([{ outcome: "exists" }]);
    expect(await run(["import", file, "--only", "other"])).toMatchObject({ code: 2 });
    expect(await run(["import", join(folder, "missing.json")])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining("ENOENT") },
    });
    expect(await run(["import", "-"], "{")).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining("Line 1, column 2") },
    });
  });

  test("export prints the configuration alone on stdout, and where it goes on stderr", async () => {
    const exported = await run(["export", "cursor"]);
    expect(JSON.parse(exported.stdout).mcpServers.signalbox.url).toMatch(/\/mcp$/);
    expect(exported.stderr).toContain("~/.cursor/mcp.json");
    const codex = await run(["export", "codex", "--token"]);
    expect(codex.stdout).toContain('bearer_token_env_var = "SIGNALBOX_MCP_TOKEN"');
    expect(codex.stderr).toContain("set the environment variable SIGNALBOX_MCP_TOKEN");
    expect(await run(["export", "emacs"])).toMatchObject({ code: 1 });
  });
});
