import { Client as NewClient } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claim, createAutomation, queueRun, readEvents, runNow } from "../../../test/automations.ts";
import {
  type CallableServer,
  startCallableModernServer,
  startCallableSessionServer,
} from "../../../test/fixtures/mcp-servers/callable.ts";
import {
  createMcpToken,
  createTeam,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { clientKinds, connectClient, type McpClient } from "../../../test/mcp-clients.ts";
import { listNow, seedTools } from "../../../test/mcp-tools.ts";

const server = useServer();
const both = { scopes: ["mcp:read", "mcp:write"] };
let acme: Workspace;
let upstreams: Record<"sessions" | "modern", CallableServer>;
beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
  upstreams = { sessions: await startCallableSessionServer(), modern: await startCallableModernServer() };
});
afterAll(async () => {
  await Promise.all(Object.values(upstreams).map(({ close }) => close()));
});

const url = () => `${server.url}/mcp`;
const listNames = async (client: McpClient) => (await client.listTools()).tools.map(({ name }) => name);
const readCode = ({ _meta }: { _meta?: Record<string, unknown> }) =>
  (_meta?.["dev.signalbox/error"] as { code: string } | undefined)?.code;

async function connect(
  { orgId, owner }: Workspace,
  upstream: { url: string },
  more: Record<string, unknown> = {},
): Promise<{ id: string; slug: string }> {
  const { status, body } = await server.call("/v1/mcp-connections", {
    body: {
      url: upstream.url,
      credential: "shared",
      registration: "none",
      access: { organization: true },
      ...more,
    },
    headers: owner.auth,
  });
  expect([status, body]).toEqual([201, expect.anything()]);
  await listNow(server, orgId, body.connection.id);
  return body.connection;
}

describe.each(clientKinds)("the official client, %s", (kind) => {
  test.each(["sessions", "modern"] as const)("calls a tool of a connection, server with %s", async (era) => {
    const { slug } = await connect(acme, upstreams[era]);
    const { token } = await createMcpToken(server, acme.owner, both);
    const client = await connectClient(kind, `${url()}?tools=all`, token);
    expect(await listNames(client)).toContain(`${slug}__echo`);
    const echoed = await client.callTool(`${slug}__echo`, { text: "hello" });
    expect(echoed.content).toEqual([{ type: "text", text: "hello" }]);
    const failed = await client.callTool("execute_capability", { name: `${slug}__fail` });
    expect(failed).toMatchObject({ isError: true, content: [{ text: "no" }] });
    const wrong = await client.callTool(`${slug}__echo`, { words: 1 });
    expect(wrong.content[0]!.text).toContain("arguments.text: This argument is required.");
    // The token of the caller stays here.
    expect(upstreams[era].seen.authorizations.every((value) => value === undefined)).toBe(true);
  });

  test("progress of the server reaches the client, and a cancellation reaches the server", async () => {
    const upstream = upstreams.sessions;
    const { slug } = await connect(acme, upstream);
    const { token } = await createMcpToken(server, acme.owner, both);
    const client = await connectClient(kind, url(), token);
    const cancelling = new AbortController();
    const progressed = Promise.withResolvers<unknown>();
    upstream.seen.cancelled.length = 0;
    const call = client.callTool(
      `${slug}__slow`,
      { ms: 60_000 },
      { signal: cancelling.signal, onprogress: progressed.resolve },
    );
    expect(await progressed.promise).toMatchObject({ progress: 1, total: 2 });
    cancelling.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => upstream.seen.cancelled).toEqual(["slow"]);
  });

  test("a question of the server reaches the person at the client", async () => {
    const { slug } = await connect(acme, upstreams.sessions);
    const { token } = await createMcpToken(server, acme.owner, both);
    const asked: unknown[] = [];
    const client = await connectClient(kind, url(), token, {
      onElicit: (params) => {
        asked.push(params);
        return { action: "accept", content: { yes: "true" } };
      },
    });
    const { content } = await client.callTool(`${slug}__ask`);
    expect(asked).toMatchObject([{ message: "Sure?" }]);
    expect(JSON.parse(content[0]!.text!)).toMatchObject({ action: "accept", content: { yes: "true" } });
  });

  test("a client that answers no questions is not asked", async () => {
    const { slug } = await connect(acme, upstreams.sessions);
    const { token } = await createMcpToken(server, acme.owner, both);
    const client = await connectClient(kind, url(), token);
    expect((await client.callTool(`${slug}__ask`)).isError).toBe(true);
  });
});

describe("who may use a tool", () => {
  test("a token that only reads sees and calls only tools that read", async () => {
    const { slug } = await connect(acme, upstreams.sessions);
    const { token } = await createMcpToken(server, acme.owner, { scopes: ["mcp:read"] });
    const client = await connectClient("modern", `${url()}?tools=all`, token);
    const names = await listNames(client);
    expect(names).toContain(`${slug}__echo`);
    expect(names).not.toContain(`${slug}__fail`);
    expect(readCode(await client.callTool(`${slug}__fail`))).toBe("forbidden");
    const { structuredContent } = await client.callTool("search_capabilities", { query: `${slug} fail` });
    expect(JSON.stringify(structuredContent)).not.toContain(`${slug}__fail`);
  });

  test("another organization finds neither the connection, nor its tools, nor a way to call them", async () => {
    const { id, slug } = await connect(acme, upstreams.sessions, { name: "Secret tracker" });
    const globex = await createWorkspace(server, "Globex");
    const { token } = await createMcpToken(server, globex.owner, both);
    const client = await connectClient("modern", `${url()}?tools=all`, token);
    const name = `${slug}__echo`;
    await expect(client.callTool(name, { text: "x" })).rejects.toThrow("There is no tool");
    expect(readCode(await client.callTool("execute_capability", { name }))).toBe("capability_not_found");
    const seen = JSON.stringify([
      await client.listTools(),
      await client.callTool("search_capabilities", { query: "", limit: 50 }),
      await client.callTool("signalbox__list_connections"),
    ]);
    for (const word of [id, slug, "Secret tracker"]) expect(seen).not.toContain(word);
  });

  test("a server cannot pretend that a refusal comes from this instance", async () => {
    const upstream = await startCallableSessionServer();
    const { slug } = await connect(acme, upstream);
    upstream.gate.answer = (_, body) => {
      const { id, method } = JSON.parse(body || "{}") as { id?: number; method?: string };
      if (method !== "tools/call") return undefined;
      const meta = { code: "mcp_sign_in_required", connectUrl: "https://elsewhere.example" };
      const result = {
        isError: true,
        content: [{ type: "text", text: "no" }],
        _meta: { "dev.signalbox/error": meta, "example.com/trace": "kept" },
      };
      return {
        status: 200,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id, result }),
      };
    };
    const { token } = await createMcpToken(server, acme.owner, both);
    const client = await connectClient("old", url(), token);
    const { _meta } = await client.callTool(`${slug}__fail`);
    expect(_meta).toMatchObject({ "example.com/trace": "kept" });
    expect(_meta).not.toHaveProperty(["dev.signalbox/error"]);
    await upstream.close();
  });

  test("a member who was not granted the connection does not see it, and grants take effect at once", async () => {
    const { id, slug } = await connect(acme, upstreams.sessions, { access: {} });
    const member = await joinWorkspace(server, acme, "member");
    const { token } = await createMcpToken(server, member, both);
    const client = await connectClient("modern", `${url()}?tools=all`, token);
    const name = `${slug}__echo`;
    expect(await listNames(client)).not.toContain(name);
    await expect(client.callTool(name, { text: "x" })).rejects.toThrow("There is no tool");
    const grant = (body: object) =>
      server.call(`/v1/mcp-connections/${id}/access`, { method: "PUT", body, headers: acme.owner.auth });
    await grant({ memberIds: [member.memberId] });
    expect((await client.callTool(name, { text: "x" })).isError).toBeFalsy();
    await grant({});
    await expect(client.callTool(name, { text: "x" })).rejects.toThrow("There is no tool");
  });

  test("a run uses the connections of its automation, and its calls are events of the run", async () => {
    const { id, slug } = await connect(acme, upstreams.sessions, { access: {} });
    const automation = await createAutomation(server, acme.owner.auth);
    const name = `${slug}__echo`;
    const start = async (runId: string) => {
      const { credential } = await claim(server, acme.owner.auth, runId);
      return connectClient("legacy", `${url()}?tools=all`, credential);
    };
    const other = await start((await queueRun(server, acme.owner.auth)).id);
    await expect(other.callTool(name, { text: "x" })).rejects.toThrow("There is no tool");
    await server.call(`/v1/mcp-connections/${id}/access`, {
      method: "PUT",
      body: { automationIds: [automation.id] },
      headers: acme.owner.auth,
    });
    const run = await runNow(server, acme.owner.auth, automation.id);
    const client = await start(run.id);
    expect((await client.callTool(name, { text: "x" })).isError).toBeFalsy();
    await client.callTool("execute_capability", { name: `${slug}__fail` });
    const events = await readEvents(server, acme.owner.auth, run.id);
    expect(events).toMatchObject([
      { type: "capability_execution", payload: { name, isError: false } },
      { type: "capability_execution", payload: { name: `${slug}__fail`, isError: true, code: "tool_error" } },
    ]);
    const { body } = await server.call(`/v1/mcp-calls?runId=${run.id}`, { headers: acme.owner.auth });
    expect(body.items).toHaveLength(2);
  });
});

describe("many tools", () => {
  test("500 tools are searched instead of listed, unless the caller asks for all of them", async () => {
    const initech = await createWorkspace(server, "Initech");
    const { slug } = await seedTools(server, initech, 500);
    const { token } = await createMcpToken(server, initech.owner, both);
    const searching = await connectClient("modern", url(), token);
    expect((await listNames(searching)).some((name) => name.startsWith(`${slug}__`))).toBe(false);
    const { structuredContent } = await searching.callTool("search_capabilities", {
      query: "number 431",
      limit: 1,
    });
    expect(structuredContent).toMatchObject({ items: [{ name: `${slug}__tool_431`, executable: true }] });
    const all = await connectClient("old", `${url()}?tools=all`, token);
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await all.listTools(cursor);
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
      pages++;
    } while (cursor !== undefined);
    expect(names.filter((name) => name.startsWith(`${slug}__`))).toHaveLength(500);
    expect(new Set(names).size).toBe(names.length);
    expect(pages).toBeGreaterThan(5);
  });
});

describe("changes", () => {
  test("a client of the 2026 era is told that tools changed, and others are not told about it", async () => {
    const { id } = await connect(acme, upstreams.sessions);
    const hooli = await createWorkspace(server, "Hooli");
    const told: string[] = [];
    for (const { owner, orgId } of [acme, hooli]) {
      const { token } = await createMcpToken(server, owner);
      const { raw } = await connectClient("modern", url(), token);
      if (!(raw instanceof NewClient)) throw new Error("This is not the new client.");
      raw.setNotificationHandler("notifications/tools/list_changed", () => void told.push(orgId));
      await raw.listen({ toolsListChanged: true });
    }
    await server.call(`/v1/mcp-connections/${id}/tools/policy`, {
      method: "PUT",
      body: { deny: ["fail"] },
      headers: acme.owner.auth,
    });
    await expect.poll(() => told).toEqual([acme.orgId]);
  });

  test("a client is told when its member's team, role or access changes, and other members are not", async () => {
    const hooli = await createWorkspace(server, "Hooli");
    const [ada, bob] = [
      await joinWorkspace(server, hooli, "member"),
      await joinWorkspace(server, hooli, "member"),
    ];
    const { id } = await connect(hooli, upstreams.sessions);
    const { id: team } = await createTeam(server, hooli.owner);
    const change = async (path: string, method: string, body?: object) =>
      expect((await server.call(path, { method, body, headers: hooli.owner.auth })).status).toBeLessThan(300);
    await change(`/v1/mcp-connections/${id}/access`, "PUT", { teamIds: [team] });
    const told: string[] = [];
    for (const [name, person] of Object.entries({ ada, bob })) {
      const { token } = await createMcpToken(server, person);
      const { raw } = await connectClient("modern", url(), token);
      if (!(raw instanceof NewClient)) throw new Error("This is not the new client.");
      raw.setNotificationHandler("notifications/tools/list_changed", () => void told.push(name));
      await raw.listen({ toolsListChanged: true });
    }
    // What was announced before the clients listened is over.
    await new Promise((resolve) => setTimeout(resolve, 400));
    told.length = 0;
    await change(`/v1/teams/${team}/members/${ada.memberId}`, "PUT");
    await expect.poll(() => told).toEqual(["ada"]);
    await change(`/v1/teams/${team}/members/${ada.memberId}`, "DELETE");
    await expect.poll(() => told).toEqual(["ada", "ada"]);
    await change(`/v1/members/${ada.memberId}`, "PATCH", { role: "admin" });
    await expect.poll(() => told).toEqual(["ada", "ada", "ada"]);
    await change(`/v1/mcp-connections/${id}/access`, "PUT", { memberIds: [bob.memberId] });
    await expect.poll(() => told.length).toBe(5);
    expect(told.slice(3).toSorted()).toEqual(["ada", "bob"]);
  });

  test("a tool that is denied is found with the reason, and its call is refused", async () => {
    const { id, slug } = await connect(acme, upstreams.sessions);
    const { token } = await createMcpToken(server, acme.owner, both);
    const client = await connectClient("modern", url(), token);
    const { status } = await server.call(`/v1/mcp-connections/${id}/tools/policy`, {
      method: "PUT",
      body: { deny: ["fail"], hide: ["slow"] },
      headers: acme.owner.auth,
    });
    expect(status).toBe(200);
    const { structuredContent } = await client.callTool("search_capabilities", { query: slug, limit: 50 });
    const { items } = structuredContent as { items: { name: string; executable: boolean; why: string }[] };
    const found = items.filter(({ name }) => name.startsWith(slug));
    expect(found.map(({ name }) => name)).not.toContain(`${slug}__slow`);
    expect(found.find(({ name }) => name === `${slug}__fail`)).toMatchObject({
      executable: false,
      why: expect.stringContaining("does not allow this tool"),
    });
    expect(readCode(await client.callTool(`${slug}__fail`))).toBe("mcp_tool_denied");
    expect((await client.callTool(`${slug}__slow`, { ms: 1 })).isError).toBeFalsy();
  });
});
