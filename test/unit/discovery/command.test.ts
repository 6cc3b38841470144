import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { discover } from "../../../src/commands/discover.ts";
import { oauth, openHandshake, result, serverMetadata } from "../../fixtures/mcp-hostile/parts.ts";
import { type HostileServer, startHostileServer } from "../../fixtures/mcp-hostile/server.ts";

async function run(args: string[], env: Record<string, string> = {}, isTTY = false) {
  let out = "";
  let err = "";
  const code = await discover(args, {
    stdout: { write: (text) => (out += text), isTTY, columns: 100 },
    stderr: { write: (text) => (err += text) },
    env,
  });
  return { code, out, err };
}

describe("signalbox discover", () => {
  const servers: Record<string, HostileServer> = {};
  beforeAll(async () => {
    servers.open = await startHostileServer(openHandshake);
    servers.byHand = await startHostileServer(
      oauth({ server: (base) => serverMetadata(base, { registration_endpoint: undefined }) }),
    );
    servers.page = await startHostileServer(() => ({
      headers: { "content-type": "text/html" },
      text: "<html>",
    }));
    servers.rude = await startHostileServer((request, base) =>
      request.rpc === "tools/list"
        ? result(request, { tools: [{ name: "\u001b[2J\u202eevil\u0007" }] })
        : openHandshake(request, base),
    );
  });
  afterAll(async () => {
    for (const server of Object.values(servers)) await server.close();
  });
  const at = (name: string) => `${servers[name]?.base}/mcp`;

  test("the exit code says the status", async () => {
    expect((await run([at("open")])).code).toBe(0);
    expect((await run([at("byHand")])).code).toBe(2);
    expect((await run([at("page")])).code).toBe(3);
    expect((await run(["http://10.0.0.1/mcp"])).code).toBe(4);
  });

  test("a person reads the verdict, what was asked and what to do next", async () => {
    const { out } = await run([at("byHand")], { PUBLIC_URL: "https://signalbox.example/" });
    expect(out).toContain("SOMETHING HAS TO BE DONE BY HAND");
    expect(out).toContain("https://signalbox.example/v1/oauth-providers/127-0-0-1/connect/callback");
    expect(out).toMatch(/401 {2}initialize/);
    expect(out).toContain("Next: Register an OAuth client");
  });

  test("--json is the result, --evidence adds the trail to either form", async () => {
    const plain = JSON.parse((await run([at("open"), "--json"])).out);
    expect(plain).toMatchObject({ status: "ready", tools: { count: 3 } });
    expect(plain).not.toHaveProperty("evidence");
    expect(JSON.parse((await run([at("open"), "--json", "--evidence"])).out).evidence.length).toBeGreaterThan(
      3,
    );
    expect((await run([at("open"), "--evidence"])).out).toContain("Lifecycle › Initialization");
  });

  test("colours are for terminals, and NO_COLOR is respected", async () => {
    const sequence = "\u001b[";
    expect((await run([at("open")], {}, true)).out).toContain(sequence);
    expect((await run([at("open")], { NO_COLOR: "1" }, true)).out).not.toContain(sequence);
    expect((await run([at("open")])).out).not.toContain(sequence);
  });

  test("a tool whose name holds control sequences cannot drive the terminal", async () => {
    const { out } = await run([at("rude")]);
    expect(out).toContain("evil");
    for (const obeyed of ["\u001b", "\u0007", "\u202e"]) expect(out).not.toContain(obeyed);
  });

  test("wrong usage says what is wrong, and --help is no fault", async () => {
    expect(await run([])).toMatchObject({ code: 1, err: expect.stringContaining("Name one URL.") });
    expect(await run(["a", "b"])).toMatchObject({ code: 1 });
    expect(await run(["--what", "https://x.example"])).toMatchObject({ code: 1 });
    expect(await run(["ftp://x.example"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("http:// or https://"),
    });
    expect(await run(["https://x.example"], { EGRESS_ALLOW: "https://x" })).toMatchObject({
      code: 1,
      err: expect.stringContaining("EGRESS_ALLOW"),
    });
    expect(await run(["--help"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("Usage: signalbox discover"),
    });
  });
});
