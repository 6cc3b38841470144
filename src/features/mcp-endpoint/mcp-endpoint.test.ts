import { beforeAll, describe, expect, test } from "vitest";
import { makeAdmin, suspend } from "../../../test/admin.ts";
import {
  claim,
  complete,
  createAutomation,
  event,
  queueRun,
  readEvents,
  report,
  reportBatch,
} from "../../../test/automations.ts";
import { createTemplate } from "../../../test/connectors.ts";
import {
  createKey,
  createMcpToken,
  createRole,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { clientKinds, connectClient, postMcp } from "../../../test/mcp-clients.ts";
import { callsInProgress } from "./sessions/index.ts";

const server = useServer();
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
});

const both = { scopes: ["mcp:read", "mcp:write"] };
const url = () => `${server.url}/mcp`;
const listNames = async (client: Awaited<ReturnType<typeof connectClient>>) =>
  (await client.listTools()).tools.map(({ name }) => name);
const ownNames = [
  "execute_capability",
  "search_capabilities",
  "signalbox__discover_mcp_server",
  "signalbox__list_automations",
  "signalbox__list_connections",
  "signalbox__list_runs",
  "signalbox__list_templates",
  "signalbox__read_run",
  "signalbox__read_template",
  "signalbox__run_automation",
  "signalbox__watch_run",
];

describe.each(clientKinds)("the official client, %s", (kind) => {
  test("lists the tools of the control plane and calls them with the caller's rights", async () => {
    const { token } = await createMcpToken(server, acme.owner, both);
    const automation = await createAutomation(server, acme.owner.auth);
    const client = await connectClient(kind, url(), token);
    expect(await listNames(client)).toEqual(ownNames);
    const listed = await client.callTool("signalbox__list_automations", { limit: 1 });
    expect(listed.structuredContent).toMatchObject({ items: [{ id: automation.id }] });
    const started = await client.callTool("signalbox__run_automation", { automationId: automation.id });
    expect(started.structuredContent).toMatchObject({
      run: { automationId: automation.id, status: "queued" },
    });
  });

  test("a token that only reads sees no tool that changes anything, and cannot call one", async () => {
    const { token } = await createMcpToken(server, acme.owner, { scopes: ["mcp:read"] });
    const automation = await createAutomation(server, acme.owner.auth);
    const client = await connectClient(kind, url(), token);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("signalbox__run_automation");
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    const args = { automationId: automation.id };
    const refused = await client.callTool("signalbox__run_automation", args);
    expect(refused).toMatchObject({
      isError: true,
      _meta: { "dev.signalbox/error": { code: "forbidden", reason: "insufficient_scope" } },
    });
    const around = await client.callTool("execute_capability", {
      name: "signalbox__run_automation",
      arguments: args,
    });
    expect(around._meta).toEqual(refused._meta);
  });

  test("a run is watched until it ends, with its events as progress", async () => {
    const { token } = await createMcpToken(server, acme.owner, both);
    const client = await connectClient(kind, url(), token);
    const run = await queueRun(server, acme.owner.auth);
    await claim(server, acme.owner.auth, run.id);
    const seen: string[] = [];
    const watching = client.callTool(
      "signalbox__watch_run",
      { runId: run.id, seconds: 30 },
      { onprogress: ({ message }) => void seen.push(message ?? "") },
    );
    await report(server, acme.owner.auth, run.id, event(0));
    await server.call(`/v1/automation-runs/${run.id}/complete`, {
      body: { attempt: 1, status: "succeeded" },
      headers: acme.owner.auth,
    });
    const { structuredContent } = await watching;
    expect(structuredContent).toMatchObject({ isOver: true, run: { status: "succeeded" }, lastEventId: "0" });
    expect(seen.at(-1)).toBe("The run is succeeded.");
    expect(seen.some((message) => message.startsWith("1.0 "))).toBe(true);
  });

  test("refusals of the API are errors of the tool, with the same code", async () => {
    const { token } = await createMcpToken(server, acme.owner, both);
    const client = await connectClient(kind, url(), token);
    expect(await client.callTool("signalbox__read_run", { runId: "run_unknown" })).toMatchObject({
      isError: true,
      _meta: { "dev.signalbox/error": { code: "automation_run_not_found", status: 404 } },
    });
    const invalid = await client.callTool("signalbox__list_runs", { limit: "many", colour: 1 });
    expect(invalid.isError).toBe(true);
    expect(invalid.content[0]!.text).toContain("arguments.limit: Must be integer, not string.");
    expect(invalid.content[0]!.text).toContain("arguments.colour: There is no such argument.");
    await expect(client.callTool("signalbox__no_such_tool")).rejects.toThrow("There is no tool");
  });

  test("search finds tools by words, and execution calls what it found", async () => {
    const { token } = await createMcpToken(server, acme.owner, both);
    const template = await createTemplate(server, acme.owner.auth);
    const client = await connectClient(kind, url(), token);
    const { structuredContent } = await client.callTool("search_capabilities", { query: "read template" });
    const [best] = (structuredContent as { items: unknown[] }).items;
    expect(best).toMatchObject({
      name: "signalbox__read_template",
      executable: true,
      why: null,
      readOnly: true,
    });
    const read = await client.callTool("execute_capability", {
      name: "signalbox__read_template",
      arguments: { templateId: template.id },
    });
    expect(read.structuredContent).toMatchObject({ template: { id: template.id } });
    expect(await client.callTool("execute_capability", { name: "nothing" })).toMatchObject({
      isError: true,
      _meta: { "dev.signalbox/error": { code: "capability_not_found" } },
    });
  });

  test("a cancelled call stops on the server", async () => {
    const { token } = await createMcpToken(server, acme.owner, both);
    const client = await connectClient(kind, url(), token);
    const run = await queueRun(server, acme.owner.auth);
    const cancelling = new AbortController();
    const started = Promise.withResolvers<void>();
    const watching = client.callTool(
      "signalbox__watch_run",
      { runId: run.id, seconds: 600 },
      { signal: cancelling.signal, onprogress: () => started.resolve() },
    );
    await started.promise;
    expect(countCalls()).toBe(1);
    cancelling.abort();
    await expect(watching).rejects.toThrow();
    await expect.poll(countCalls).toBe(0);
  });

  test("a removed member's stream ends, and the next request is refused", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const { token } = await createMcpToken(server, member, both);
    const client = await connectClient(kind, url(), token);
    const run = await queueRun(server, member.auth);
    const started = Promise.withResolvers<void>();
    client
      .callTool(
        "signalbox__watch_run",
        { runId: run.id, seconds: 600 },
        { onprogress: () => started.resolve() },
      )
      .catch(() => {});
    await started.promise;
    await server.call(`/v1/members/${member.memberId}`, { method: "DELETE", headers: acme.owner.auth });
    await expect.poll(countCalls).toBe(0);
    await expect(client.listTools()).rejects.toThrow();
  });
});

/** How many calls are in progress. */
const countCalls = () => server.platform.state.get(callsInProgress).count();

const message = (method: string, params: unknown = {}, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const call = (name: string, args: unknown = {}, id: unknown = 1) =>
  message("tools/call", { name, arguments: args }, id);

describe("who may call", () => {
  test("a request without a credential learns where the authorization server is described", async () => {
    for (const method of ["POST", "GET", "DELETE"]) {
      const { status, headers, body } = await server.call("/mcp", {
        method,
        ...(method === "POST" ? { body: message("ping") } : {}),
      });
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toContain(
        `resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`,
      );
      expect(body).toMatchObject({ jsonrpc: "2.0", id: null, error: { data: { error: "unauthorized" } } });
    }
  });

  test("sessions, API keys, unknown and removed tokens are refused", async () => {
    const { id, token } = await createMcpToken(server, acme.owner);
    const { auth: key } = await createKey(server, acme.owner);
    const unknown = `${token.slice(0, -4)}0000`;
    for (const headers of [acme.owner.auth, key, { authorization: `Bearer ${unknown}` }])
      expect((await postMcp(url(), message("ping"), headers)).status).toBe(401);
    expect((await postMcp(url(), message("ping"), { authorization: `Bearer ${token}` })).status).toBe(200);
    await server.call(`/v1/mcp/tokens/${id}`, { method: "DELETE", headers: acme.owner.auth });
    expect((await postMcp(url(), message("ping"), { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  test("an MCP token cannot call the routes that its tools use", async () => {
    const { auth } = await createMcpToken(server, acme.owner, both);
    for (const path of ["/v1/automations", "/v1/automation-runs", "/v1/templates", "/v1/mcp-connections"])
      expect((await server.call(path, { headers: auth })).status).toBe(401);
  });

  test("a tool needs the permission of its route", async () => {
    const role = await createRole(server, acme.owner, ["mcp_tokens:create", "templates:read"]);
    const member = await joinWorkspace(server, acme, role.id);
    const { token } = await createMcpToken(server, member, both);
    const client = await connectClient("modern", url(), token);
    expect((await listNames(client)).filter((name) => name.startsWith("signalbox__"))).toEqual([
      "signalbox__list_templates",
      "signalbox__read_template",
    ]);
    expect(await client.callTool("signalbox__list_automations")).toMatchObject({
      isError: true,
      _meta: { "dev.signalbox/error": { code: "forbidden", reason: "missing_permission" } },
    });
  });

  test("another organization's run, automation and template are unknown", async () => {
    const globex = await createWorkspace(server, "Globex");
    const { token } = await createMcpToken(server, globex.owner, both);
    const client = await connectClient("modern", url(), token);
    const { id: runId, automationId } = await queueRun(server, acme.owner.auth);
    const { id: templateId } = await createTemplate(server, acme.owner.auth);
    const codes = [];
    for (const [name, args] of [
      ["signalbox__read_run", { runId }],
      ["signalbox__watch_run", { runId }],
      ["signalbox__run_automation", { automationId }],
      ["signalbox__read_template", { templateId }],
    ] as const)
      codes.push((await client.callTool(name, args))._meta?.["dev.signalbox/error"]);
    expect(codes).toMatchObject([{ status: 404 }, { status: 404 }, { status: 404 }, { status: 404 }]);
    const { structuredContent } = await client.callTool("signalbox__list_runs");
    expect(structuredContent).toEqual({ items: [], nextCursor: null });
  });

  test("web pages of other sites are refused", async () => {
    const { auth } = await createMcpToken(server, acme.owner);
    const from = (origin: string) => postMcp(url(), message("ping"), { ...auth, origin });
    expect((await from(server.url)).status).toBe(200);
    const { status, text } = await from("https://evil.example");
    expect(status).toBe(403);
    expect(text).toContain("origin_not_allowed");
    expect((await from("null")).status).toBe(403);
  });

  test("a suspended organization is refused", async () => {
    const initech = await createWorkspace(server, "Initech");
    const { auth } = await createMcpToken(server, initech.owner);
    await makeAdmin(server, acme.owner);
    await suspend(server, acme.owner, initech.orgId);
    expect((await postMcp(url(), message("ping"), auth)).status).toBe(403);
  });
});

describe("the program of a run", () => {
  test("its searches and calls are events of the run, between the events of the runner", async () => {
    const template = await createTemplate(server, acme.owner.auth);
    const { id } = await queueRun(server, acme.owner.auth, { templateIds: [template.id] });
    const { credential } = await claim(server, acme.owner.auth, id);
    const client = await connectClient("legacy", url(), credential);
    expect(await listNames(client)).toEqual([
      "execute_capability",
      "search_capabilities",
      "signalbox__read_run",
      "signalbox__read_template",
    ]);
    const send = async (sequence: number) =>
      expect(await report(server, acme.owner.auth, id, event(sequence))).toMatchObject({
        status: 200,
        body: { event: { sequence } },
      });
    await client.callTool("search_capabilities", { query: "template" });
    await send(0);
    await client.callTool("signalbox__read_template", { templateId: template.id });
    await client.callTool("execute_capability", {
      name: "signalbox__read_run",
      arguments: { runId: "run_1" },
    });
    await send(1);
    await send(1);
    await send(0);
    await send(2);
    expect(await report(server, acme.owner.auth, id, event(4))).toMatchObject({
      status: 409,
      body: { error: "automation_runner_event_sequence_gap", expected: 3 },
    });
    const events = await readEvents(server, acme.owner.auth, id);
    expect(events.map(({ sequence, type }: { sequence: number; type: string }) => [sequence, type])).toEqual([
      [0, "capability_search"],
      [1, "assistant"],
      [2, "capability_execution"],
      [3, "capability_execution"],
      [4, "assistant"],
      [5, "assistant"],
    ]);
    expect(events[0].payload).toMatchObject({ query: "template", results: ["signalbox__read_template"] });
    expect(events[2].payload).toMatchObject({ name: "signalbox__read_template", isError: false });
    expect(events[3].payload).toMatchObject({ isError: true, code: "automation_run_not_found" });
  });

  test("a runner that begins with 1 goes on with its own numbers, in batches and with usage", async () => {
    const { id } = await queueRun(server, acme.owner.auth);
    const { credential } = await claim(server, acme.owner.auth, id);
    const client = await connectClient("modern", url(), credential);
    await client.callTool("search_capabilities", { query: "" });
    const usage = { type: "usage", payload: { inputTokens: 2, outputTokens: 1, costMicros: 5 } };
    const stored = await reportBatch(server, acme.owner.auth, id, [event(1), event(2, usage)]);
    expect(stored.body).toMatchObject({ added: 2, lastSequence: 2 });
    await client.callTool("search_capabilities", { query: "" });
    const again = await reportBatch(server, acme.owner.auth, id, [event(2, usage), event(3, usage)]);
    expect(again.body).toMatchObject({ added: 1, repeated: 1, lastSequence: 3 });
    const { usage: total } = (await server.call(`/v1/automation-runs/${id}`, { headers: acme.owner.auth }))
      .body;
    expect(total).toMatchObject({ costMicros: 10 });
  });

  test("a finished attempt gets no more events, and its credential ends", async () => {
    const { id } = await queueRun(server, acme.owner.auth);
    const { credential } = await claim(server, acme.owner.auth, id);
    await report(server, acme.owner.auth, id, event(0, { type: "terminal" }));
    const client = await connectClient("legacy", url(), credential);
    await client.callTool("search_capabilities", { query: "" });
    expect(await readEvents(server, acme.owner.auth, id)).toHaveLength(1);
    await complete(server, acme.owner.auth, id, { attempt: 1, status: "succeeded" });
    await expect(client.listTools()).rejects.toThrow();
  });
});

describe("messages", () => {
  test("a batch is answered, and a long one is refused", async () => {
    const { auth } = await createMcpToken(server, acme.owner);
    const { status, text } = await postMcp(
      url(),
      [message("ping", {}, 1), message("tools/list", {}, 2)],
      auth,
    );
    expect(status).toBe(200);
    expect(text.match(/"id":[12]/g)).toHaveLength(2);
    const many = Array.from({ length: 21 }, (_, id) => message("ping", {}, id));
    expect((await postMcp(url(), many, auth)).status).toBe(400);
  });

  test("what is no message of the protocol is refused, and the reply is JSON-RPC", async () => {
    const { auth } = await createMcpToken(server, acme.owner);
    const deep = `${"[".repeat(500)}${"]".repeat(500)}`;
    const wrong = ["", "{", "null", "1", '"text"', "[]", "{}", '{"jsonrpc":"1.0"}', deep, '{"a":"\\u0000"}'];
    for (const body of wrong) {
      const reply = await postMcp(url(), body, auth);
      expect([body, reply.status]).toEqual([body, 400]);
      expect(JSON.parse(reply.text)).toMatchObject({
        jsonrpc: "2.0",
        error: { message: expect.any(String) },
      });
    }
    const text = await postMcp(url(), message("ping"), { ...auth, "content-type": "text/plain" });
    expect(text.status).toBe(415);
    const large = await postMcp(url(), call("search_capabilities", { query: "x".repeat(5_000_000) }), auth);
    expect(large.status).toBe(413);
  });

  test("hostile names and arguments are refused without a fault", async () => {
    const { token } = await createMcpToken(server, acme.owner, both);
    const client = await connectClient("old", url(), token);
    for (const name of ["", "__proto__", "constructor", "signalbox__", "a".repeat(10_000), "\u202e", "../v1"])
      await expect(client.callTool(name)).rejects.toThrow("There is no tool");
    for (const args of [
      { query: 1 },
      { query: "x".repeat(501) },
      { query: "", limit: 1e9 },
      { __proto__x: 1 },
    ])
      expect((await client.callTool("search_capabilities", args)).isError).toBe(true);
    const nested = await client.callTool("execute_capability", { name: "execute_capability", arguments: {} });
    expect(nested._meta?.["dev.signalbox/error"]).toMatchObject({ code: "capability_not_found" });
    await expect(client.listTools("bm90IGEgY3Vyc29yIQ")).rejects.toThrow();
    expect(server.logLines.filter((line) => line.includes("request failed"))).toEqual([]);
  });

  test("prompts and resources are not offered", async () => {
    const { auth } = await createMcpToken(server, acme.owner);
    for (const method of ["prompts/list", "resources/list", "resources/read"]) {
      const { text } = await postMcp(url(), message(method), auth);
      expect(text).toContain("-32601");
    }
  });

  test("the query parameter and the header choose what is listed, and a wrong value is refused", async () => {
    const { auth } = await createMcpToken(server, acme.owner);
    expect((await postMcp(`${url()}?tools=search`, message("tools/list"), auth)).status).toBe(200);
    expect((await postMcp(`${url()}?tools=most`, message("tools/list"), auth)).status).toBe(400);
    const header = { ...auth, "x-signalbox-tools": "most" };
    expect((await postMcp(url(), message("tools/list"), header)).status).toBe(400);
  });
});

describe("sign-in", () => {
  test("our own discovery says that the endpoint needs OAuth and is ready", async () => {
    const { status, body } = await server.call("/v1/mcp-connections/discover", {
      body: { url: url() },
      headers: acme.owner.auth,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "ready",
      server: { initialize: "authentication_required" },
      authentication: {
        kind: "oauth",
        resource: url(),
        recommendedScopes: expect.arrayContaining(["mcp:read", "mcp:write"]),
      },
      manualRequirements: [],
    });
    expect(body.authentication.availableRegistrationMethods).toEqual(
      expect.arrayContaining(["client_metadata", "dynamic"]),
    );
  });
});
