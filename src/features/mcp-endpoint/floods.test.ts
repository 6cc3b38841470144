import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type CallableServer,
  startCallableSessionServer,
} from "../../../test/fixtures/mcp-servers/callable.ts";
import {
  createMcpToken,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { connectClient, type ToolResult } from "../../../test/mcp-clients.ts";
import { listNow } from "../../../test/mcp-tools.ts";

/** Callers and servers that send as much as they can. */
const server = useServer();
let acme: Workspace;
let globex: Workspace;
let upstream: CallableServer;
beforeEach(async () => {
  [acme, globex] = [await createWorkspace(server, "Acme"), await createWorkspace(server, "Globex")];
  upstream = await startCallableSessionServer({ json: true });
});
afterEach(() => upstream.close());

async function connect({ orgId, owner }: Workspace, onDrift: string, limits: Record<string, number> = {}) {
  const headers = owner.auth;
  const { body } = await server.call("/v1/mcp-connections", {
    body: {
      ...{ url: upstream.url, credential: "shared", registration: "none" },
      access: { organization: true },
    },
    headers,
  });
  const { id, slug } = body.connection as { id: string; slug: string };
  await server.call(`/v1/mcp-connections/${id}`, { method: "PATCH", body: { limits }, headers });
  await server.call(`/v1/mcp-connections/${id}/tools/policy`, { method: "PUT", body: { onDrift }, headers });
  await listNow(server, orgId, id);
  return { id, slug };
}

async function open(person: Person, slug: string) {
  const { token } = await createMcpToken(server, person, { scopes: ["mcp:read", "mcp:write"] });
  const client = await connectClient("modern", `${server.url}/mcp`, token);
  return (tool: string, args: Record<string, unknown>) => client.callTool(`${slug}__${tool}`, args);
}

const readCode = ({ _meta, isError }: ToolResult) =>
  isError ? (_meta?.["dev.signalbox/error"] as { code: string } | undefined)?.code : "called";

const countCodes = (results: readonly ToolResult[]) => {
  const counts: Record<string, number> = {};
  for (const code of results.map(readCode)) counts[code ?? "none"] = (counts[code ?? "none"] ?? 0) + 1;
  return counts;
};

const countMessages = (method: string) => upstream.seen.messages.filter((one) => one === method).length;

describe("a caller that sends as many calls as it can", () => {
  test("reaches the server as often as the limit allows, and other tenants are answered", async () => {
    const limited = await connect(acme, "warn", { callsPerMinute: 40, concurrency: 10 });
    const other = await connect(globex, "warn");
    const [flood, quiet] = [await open(acme.owner, limited.slug), await open(globex.owner, other.slug)];
    upstream.seen.calls.length = 0;
    const flooding = Promise.all(Array.from({ length: 90 }, (_, n) => flood("echo", { text: `flood ${n}` })));
    expect(countCodes(await Promise.all([1, 2, 3].map(() => quiet("echo", { text: "quiet" }))))).toEqual({
      called: 3,
    });
    expect(countCodes(await flooding)).toEqual({ called: 40, mcp_rate_limited: 50 });
    const sent = upstream.seen.calls.filter(({ args }) => JSON.stringify(args).includes("flood"));
    expect(sent).toHaveLength(40);
    // One refusal is logged for many, so that the log does not grow with the flood.
    const { body } = await server.call("/v1/mcp-calls?outcome=refused", { headers: acme.owner.auth });
    expect(body.items).toHaveLength(1);
  });

  test("leaves a share of the limit to a colleague of the same connection", async () => {
    const { slug } = await connect(acme, "warn", { callsPerMinute: 40, concurrency: 10 });
    const colleague = await joinWorkspace(server, acme, "member");
    const [flood, quiet] = [await open(acme.owner, slug), await open(colleague, slug)];
    expect(readCode(await quiet("echo", { text: "first" }))).toBe("called");
    await Promise.all(Array.from({ length: 60 }, () => flood("echo", { text: "flood" })));
    expect(readCode(await quiet("echo", { text: "second" }))).toBe("called");
  });
});

describe("a server that sends as much as it can", () => {
  test("is listed once for each call at most, however often it announces a change", async () => {
    const { slug } = await connect(acme, "warn");
    const call = await open(acme.owner, slug);
    await call("echo", { text: "opens the session" });
    await expect.poll(() => upstream.seen.messages).toContain("GET");
    const before = countMessages("tools/list");
    for (let i = 0; i < 2_000; i++) upstream.announceChange();
    for (let i = 0; i < 5; i++) await call("echo", { text: "x" });
    await expect.poll(() => countMessages("tools/list")).toBeGreaterThan(before);
    expect(countMessages("tools/list") - before).toBeLessThanOrEqual(6);
  });

  test("is cut off when its progress has no end, and others are answered meanwhile", async () => {
    const limited = await connect(acme, "warn", { maxResultBytes: 1024 });
    const other = await connect(globex, "warn");
    const [flooded, quiet] = [await open(acme.owner, limited.slug), await open(globex.owner, other.slug)];
    const progress = `event: message\ndata: ${JSON.stringify({
      ...{ jsonrpc: "2.0", method: "notifications/progress" },
      params: { progressToken: 1, progress: 1, message: "x".repeat(100) },
    })}\n\n`;
    upstream.gate.answer = (_, body) =>
      body.includes('"method":"tools/call"') && body.includes("flood")
        ? { status: 200, headers: { "content-type": "text/event-stream" }, body: progress.repeat(20_000) }
        : undefined;
    const [cut, answered] = await Promise.all([
      flooded("echo", { text: "flood" }),
      quiet("echo", { text: "quiet" }),
    ]);
    expect([readCode(cut), readCode(answered)]).toEqual(["mcp_result_too_large", "called"]);
    expect(readCode(await flooded("echo", { text: "later" }))).toBe("called");
  });

  test("is refused when its listing has no end, and what was approved stays", async () => {
    const { id, slug } = await connect(acme, "hold_changed");
    const call = await open(acme.owner, slug);
    let page = 0;
    upstream.gate.answer = (_, body) => {
      if (!body.includes('"method":"tools/list"')) return undefined;
      const tools = Array.from({ length: 1_000 }, (__, n) => ({
        ...{ name: `tool_${page}_${n}`, inputSchema: { type: "object" } },
      }));
      page++;
      const { id: messageId } = JSON.parse(body) as { id: number };
      const result = { tools, nextCursor: String(page) };
      return {
        ...{ status: 200, headers: { "content-type": "application/json" } },
        body: JSON.stringify({ jsonrpc: "2.0", id: messageId, result }),
      };
    };
    upstream.seen.calls.length = 0;
    expect(readCode(await call("echo", { text: "x" }))).toBe("mcp_server_failed");
    expect(page).toBeLessThanOrEqual(4);
    expect(upstream.seen.calls).toEqual([]);
    upstream.gate.answer = undefined;
    expect(readCode(await call("echo", { text: "x" }))).toBe("called");
    const { body } = await server.call(`/v1/mcp-connections/${id}/drift`, { headers: acme.owner.auth });
    expect(body.items).toEqual([]);
  });
});
