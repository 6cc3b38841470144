import { describeScreen } from "@signalbox/command-line";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  challenge,
  oauth,
  openHandshake,
  result,
  serverMetadata,
} from "../../../../test/fixtures/mcp-hostile/parts.ts";
import { type HostileServer, startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import { readSettings, runDiscoverCommand } from "./command.ts";

async function run(args: string[], env: Record<string, string> = {}, colour = false, width = 100) {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    program: "signalbox discover",
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    settings: () => readSettings(env),
  };
  const code = await runDiscoverCommand(args, io, { colour, width });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("signalbox discover", () => {
  const servers: Record<string, HostileServer> = {};
  beforeAll(async () => {
    servers.open = await startHostileServer(openHandshake);
    servers.byHand = await startHostileServer(
      oauth({ server: (base) => serverMetadata(base, { registration_endpoint: undefined }) }),
    );
    servers.signIn = await startHostileServer(oauth());
    servers.key = await startHostileServer(({ path }) => (path === "/mcp" ? challenge("Bearer") : undefined));
    servers.basic = await startHostileServer(() => challenge('Basic realm="x"'));
    servers.busy = await startHostileServer(() => ({ status: 503 }));
    servers.moved = await startHostileServer(() => ({
      status: 302,
      headers: { location: "https://login.example/" },
    }));
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

  test("the exit code corresponds to the status", async () => {
    expect((await run([at("open")])).code).toBe(0);
    expect((await run([at("byHand")])).code).toBe(2);
    expect((await run([at("page")])).code).toBe(3);
    expect((await run(["http://10.0.0.1/mcp"])).code).toBe(4);
  });

  test("the output shows the verdict, the requests and the next steps", async () => {
    const { out } = await run([at("byHand")], { PUBLIC_URL: "https://signalbox.example/" });
    expect(out).toContain("SOMETHING HAS TO BE DONE BY HAND");
    expect(out).toContain("https://signalbox.example/v1/oauth-providers/127-0-0-1/connect/callback");
    expect(out).toMatch(/401 {2}initialize/);
    expect(out).toContain("Next: Register an OAuth client");
  });

  test("the last line is the next step", async () => {
    const last = async (url: string) =>
      /^Next: .*$/ms.exec((await run([url])).out)?.[0].replaceAll("\n", " ");
    expect(await last(at("open"))).toBe("Next: connect it.");
    expect(await last(at("signIn"))).toBe("Next: connect it; people sign in with their own accounts.");
    expect(await last(at("key"))).toBe("Next: Enter a bearer token, as described above.");
    expect(await last(at("page"))).toContain("look up the address in the server's documentation");
    expect(await last(at("busy"))).toContain("wait a little");
    expect(await last(at("moved"))).toContain("with the address it redirects to");
    expect(await last(at("basic"))).toContain("send what is written above to the server's operator");
    const closed = await startHostileServer(() => undefined);
    await closed.close();
    expect(await last(`${closed.base}/mcp`)).toContain("check the address, and that the server is up");
    expect(await last("http://10.0.0.1/mcp")).toBe(
      "Next: if you trust that address, run   EGRESS_ALLOW=10.0.0.1 signalbox discover http://10.0.0.1/mcp",
    );
    expect(await last("http://10.0.0.1/mcp?a=1&b='x")).toContain("discover 'http://10.0.0.1/mcp?a=1&b=%27x'");
    expect(await last("http://169.254.169.254/mcp")).toContain("as described above");
  });

  test("every line fits a narrow terminal, except addresses, which are not cut", async () => {
    for (const name of ["open", "byHand", "signIn", "key", "page"]) {
      const { out } = await run([at(name), "--evidence"], {}, false, 40);
      const long = out.split("\n").filter((line) => line.length > 40);
      expect(long.filter((line) => !line.includes("http") && line.trim().includes(" "))).toEqual([]);
    }
  });

  test("a failure is shown at the end of its line, so that the columns stay aligned", async () => {
    const { out } = await run(["http://10.0.0.1/mcp"]);
    expect(out).toMatch(/^ {2}– {4}initialize {8}POST {3}http:\/\/10\.0\.0\.1\/mcp refused_by_policy, /m);
  });

  test("--json prints the result, and --evidence adds the requests to both forms", async () => {
    const plain = JSON.parse((await run([at("open"), "--json"])).out);
    expect(plain).toMatchObject({ status: "ready", tools: { count: 3 } });
    expect(plain).not.toHaveProperty("evidence");
    expect(JSON.parse((await run([at("open"), "--json", "--evidence"])).out).evidence.length).toBeGreaterThan(
      3,
    );
    expect((await run([at("open"), "--evidence"])).out).toContain("Lifecycle › Initialization");
  });

  test("colours are used only on terminals that support them", async () => {
    const sequence = "\u001b[";
    expect((await run([at("open")], {}, true)).out).toContain(sequence);
    expect((await run([at("open")])).out).not.toContain(sequence);
    const stream = (isTTY: boolean, hasColors: boolean) =>
      ({ isTTY, hasColors: () => hasColors, columns: 80 }) as NodeJS.WriteStream;
    expect(describeScreen(stream(true, true))).toEqual({ colour: true, width: 80 });
    expect(describeScreen(stream(true, false)).colour).toBe(false);
    expect(describeScreen(stream(false, true)).colour).toBe(false);
  });

  test("control sequences in the name of a tool have no effect on the terminal", async () => {
    const { out } = await run([at("rude")]);
    expect(out).toContain("evil");
    for (const obeyed of ["\u001b", "\u0007", "\u202e"]) expect(out).not.toContain(obeyed);
  });

  test("wrong usage is explained, with an exit code that no verdict has", async () => {
    expect(await run([])).toMatchObject({ code: 1, err: expect.stringContaining("Name the URL") });
    expect(await run(["https://a.example", "b"])).toMatchObject({ code: 1 });
    expect(await run(["--what", "https://x.example"])).toMatchObject({ code: 1 });
    expect(await run(["mcp.example.com/mcp"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("Did you mean https://mcp.example.com/mcp?"),
    });
    for (const [given, meant] of [
      ["localhost:9311/mcp", "http://localhost:9311/mcp"],
      ["localhost/mcp", "http://localhost/mcp"],
      ["127.0.0.1:9311", "http://127.0.0.1:9311"],
      ["[::1]:9311/mcp", "http://[::1]:9311/mcp"],
      ["mcp.example.com:8443/mcp", "https://mcp.example.com:8443/mcp"],
    ] as const)
      expect((await run([given])).err).toContain(`Did you mean ${meant}?`);
    expect(await run(["ftp://x.example"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("http:// or https://"),
    });
    await expect(run(["https://x.example"], { EGRESS_ALLOW: "https://x" })).rejects.toThrow("EGRESS_ALLOW");
    await expect(run(["--help"])).rejects.toThrow("Usage: signalbox discover");
  });
});

describe("the settings of signalbox-discover", () => {
  test("come from EGRESS_ALLOW and PUBLIC_URL", () => {
    expect(readSettings({})).toEqual({ egressAllow: [], publicUrl: undefined });
    expect(
      readSettings({
        EGRESS_ALLOW: "mcp.corp.example, 10.1.0.0/16",
        PUBLIC_URL: "https://signalbox.example/x",
      }),
    ).toEqual({ egressAllow: ["mcp.corp.example", "10.1.0.0/16"], publicUrl: "https://signalbox.example" });
  });

  test.each(["signalbox.example", "ftp://signalbox.example"])("refuse %s as PUBLIC_URL", (PUBLIC_URL) => {
    expect(() => readSettings({ PUBLIC_URL })).toThrow("PUBLIC_URL must be the address");
  });
});
