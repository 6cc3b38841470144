import { afterEach, describe, expect, test } from "vitest";
import {
  type CallableServer,
  startCallableModernServer,
  startCallableSessionServer,
} from "../../../../test/fixtures/mcp-servers/callable.ts";
import { createWorkspace, joinWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { type CallableOptions, connectMcpServer, createMemberCtx } from "../../../../test/mcp-calls.ts";
import { sql } from "../../../platform/db/index.ts";
import { Refusal } from "../../../platform/errors.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { storeCredential } from "../credentials/index.ts";
import { type CallOptions, callTool, countCallsSince } from "./index.ts";
import { removeOldCalls } from "./jobs.ts";

const server = useServer();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(
  starting: Promise<CallableServer> = startCallableSessionServer(),
  more: CallableOptions & { workspace?: Workspace } = {},
) {
  const upstream = await starting;
  closing.push(upstream.close);
  const workspace = more.workspace ?? (await createWorkspace(server));
  return { upstream, ...workspace, ...(await connectMcpServer(server, workspace, upstream.url, more)) };
}

const options = (more: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  ...more,
});

const list = async (auth: Record<string, string>, query = "") =>
  (await server.call(`/v1/mcp-calls${query}`, { headers: auth })).body;

describe("a call", () => {
  test("is in the log when it returns, without arguments and result", async () => {
    const { orgId, owner, ctx, connection } = await start();
    const result = await callTool(ctx, connection, "echo", { text: "hello" }, options({ client: "test 1" }));
    expect(result.content).toEqual([{ type: "text", text: "hello" }]);
    const { items } = await list(owner.auth);
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^mcl_/),
        connectionId: connection.id,
        connectionName: "Issue tracker",
        memberId: ctx.member.id,
        memberName: "Owner",
        credential: "mcp",
        credentialId: ctx.caller.credentialId,
        client: "test 1",
        tool: "echo",
        outcome: "ok",
        code: null,
        ms: expect.any(Number),
        requestBytes: 16,
        resultBytes: expect.any(Number),
        runId: null,
        attempt: null,
        createdAt: expect.any(Number),
      },
    ]);
    const { body } = await server.call(`/v1/mcp-calls/${items[0].id}`, { headers: owner.auth });
    expect(body.call).toEqual({ ...items[0], payload: null });
    const rows = await server.platform.db.rows(sql`select from mcp_call_payloads where org_id = ${orgId}`);
    expect(rows).toEqual([]);
    expect(await countCallsSince(ctx.db, ctx.orgId, Date.now() - 1_000_000)).toEqual(
      new Map([[connection.id, 1]]),
    );
  });

  test("keeps arguments and result sealed when the connection asks for it, until they expire", async () => {
    const { orgId, owner, ctx, connection } = await start(startCallableModernServer(), {
      logPayloads: true,
    });
    await callTool(ctx, connection, "echo", { text: "very private" }, options());
    const stored = await ctx.db.row<{ payload: string }>(
      sql`select payload from mcp_call_payloads where org_id = ${orgId}`,
    );
    expect(stored!.payload).toMatch(/^v2\./);
    const { items } = await list(owner.auth);
    const read = async () =>
      (await server.call(`/v1/mcp-calls/${items[0].id}`, { headers: owner.auth })).body.call;
    expect(await read()).toMatchObject({
      payload: {
        arguments: { text: "very private" },
        result: { content: [{ type: "text", text: "very private" }] },
        expiresAt: expect.any(Number),
      },
    });
    await ctx.db.run(sql`update mcp_call_payloads set expires_at = now() - interval '1 second'`);
    expect((await read()).payload).toBeNull();
    await removeOldCalls(server.platform);
    expect(await ctx.db.rows(sql`select from mcp_call_payloads where org_id = ${orgId}`)).toEqual([]);
    expect((await list(owner.auth)).items).toHaveLength(1);
  });

  test("has the outcome of the tool, of the server or of the refusal", async () => {
    const { upstream, owner, ctx, connection } = await start(undefined, {
      limits: { maxRequestBytes: 1024 },
    });
    const call = (tool: string, args: unknown, more: Partial<CallOptions> = {}) =>
      callTool(ctx, connection, tool, args, options(more)).catch((error) => error);
    expect(await call("fail", {})).toMatchObject({ isError: true });
    expect(await call("echo", [])).toMatchObject({ status: 400 });
    expect(await call("echo", { text: "x".repeat(2_000) })).toMatchObject({ status: 413 });
    expect(await call("unknown", {})).toMatchObject({ status: 404 });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 200);
    expect(await call("slow", { ms: 60_000 }, { signal: abort.signal })).toMatchObject({
      status: 499,
    });
    await expect.poll(() => upstream.seen.cancelled).toEqual(["slow"]);
    upstream.gate.answer = () => ({ status: 500, body: "secret details" });
    expect(await call("echo", { text: "x" })).toMatchObject({
      status: 502,
      body: { error: "mcp_server_failed" },
    });
    const quick = { ...connection, limits: { ...connection.limits, timeoutSeconds: 0.2 } };
    upstream.gate.answer = undefined;
    await expect(callTool(ctx, quick, "slow", { ms: 60_000 }, options())).rejects.toMatchObject({
      status: 504,
    });
    const { items } = await list(owner.auth);
    expect(
      items.map(({ tool, outcome, code }: Record<string, unknown>) => [tool, outcome, code]).reverse(),
    ).toEqual([
      ["fail", "tool_error", "tool_error"],
      ["echo", "refused", "invalid_request"],
      ["echo", "refused", "mcp_request_too_large"],
      ["unknown", "refused", "mcp_tool_not_found"],
      ["slow", "cancelled", "mcp_cancelled"],
      ["echo", "failed", "mcp_server_failed"],
      ["slow", "timed_out", "mcp_server_timeout"],
    ]);
    expect(JSON.stringify(server.logLines)).not.toContain("secret details");
  });

  test("passes progress on", async () => {
    const { ctx, connection } = await start(startCallableModernServer());
    const seen: unknown[] = [];
    await callTool(ctx, connection, "slow", { ms: 10 }, options({ onProgress: (one) => seen.push(one) }));
    expect(seen).toEqual([{ progress: 1, total: 2 }]);
  });

  test("that is refused after the listing never reaches the tool", async () => {
    const { upstream, ctx, connection } = await start(undefined, { policy: {} });
    const call = () =>
      callTool(ctx, connection, "echo", { text: "x" }, options()).then(
        () => "sent",
        (error) => error.body.error,
      );
    expect(await call()).toBe("sent");
    upstream.description.echo = "Says it back, and to somebody else";
    upstream.forgetSessions();
    expect(await Promise.all(Array.from({ length: 20 }, call))).toEqual(Array(20).fill("mcp_tool_held"));
    expect(upstream.seen.calls).toHaveLength(1);
  });
});

/** Gives the connection a key, as its owner does. */
async function storeKey({ ctx, connection }: Awaited<ReturnType<typeof start>>, key: string) {
  const bearer = { ...connection, registration: "bearer" as const };
  await ctx.db.run(sql`update mcp_connections set registration = 'bearer' where id = ${connection.id}`);
  await storeCredential(ctx, ctx.db, bearer, null, { authorization: `Bearer ${key}` });
  return bearer;
}

describe("a refused credential", () => {
  test("says what to do, and is not sent again at once", async () => {
    const started = await start(startCallableModernServer());
    const { ctx, upstream, owner } = started;
    const connection = await storeKey(started, "secret-of-upstream");
    const call = () =>
      callTool(ctx, connection, "echo", { text: "secret-of-upstream" }, options()).catch((e) => e);
    expect(await call()).toMatchObject({ content: [{ type: "text", text: "[redacted]" }] });
    expect(upstream.seen.authorizations.at(-1)).toBe("Bearer secret-of-upstream");
    upstream.gate.answer = () => ({
      status: 403,
      headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="issues:write"' },
    });
    expect(await call()).toMatchObject({
      status: 409,
      body: { error: "mcp_consent_required", missingScopes: ["issues:write"] },
    });
    upstream.gate.answer = () => ({ status: 401 });
    const error = await call();
    const { slug } = (await ctx.db.row<{ slug: string }>(
      sql`select slug from organizations where id = ${ctx.orgId}`,
    ))!;
    expect(error).toMatchObject({
      status: 409,
      body: {
        error: "mcp_sign_in_required",
        connectUrl: `${ctx.config.publicUrl}/o/${slug}/connections/mcp/${connection.id}`,
      },
    });
    const before = upstream.seen.messages.length;
    expect(await call()).toMatchObject({ status: 409, body: { error: "mcp_sign_in_required" } });
    expect(upstream.seen.messages).toHaveLength(before);
    expect(JSON.stringify([error, server.logLines])).not.toContain("secret-of-upstream");
    const { items } = await list(owner.auth);
    expect(items.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      "refused",
      "refused",
      "refused",
      "ok",
    ]);
  });
});

describe("a credential that is replaced during a call", () => {
  test("is not refused because the server refuses the earlier one", async () => {
    const started = await start(startCallableModernServer());
    const { ctx, upstream } = started;
    const connection = await storeKey(started, "earlier-key-of-upstream");
    const { promise: isReplaced, resolve: replace } = Promise.withResolvers<void>();
    upstream.gate.answer = async ({ headers }, body) => {
      if (headers.authorization === "Bearer later-key-of-upstream" || !body.includes("tools/call"))
        return undefined;
      await isReplaced;
      return { status: 401 };
    };
    const calling = callTool(ctx, connection, "echo", { text: "hello" }, options()).catch((error) => error);
    await expect.poll(() => upstream.seen.messages).toContain("tools/call");
    await storeKey(started, "later-key-of-upstream");
    replace();
    expect(await calling).toMatchObject({ content: [{ type: "text", text: "hello" }] });
    const states = await ctx.db.rows(
      sql`select from mcp_member_states where connection_id = ${connection.id}`,
    );
    expect(states).toEqual([]);
  });
});

describe("a call that waits", () => {
  test.each([
    ["is turned off", "", "PATCH", { enabled: false }, "mcp_connection_not_found"],
    ["is not granted any more", "/access", "PUT", {}, "mcp_connection_not_found"],
    ["denies the tool", "/tools/policy", "PUT", { onDrift: "warn", deny: ["echo"] }, "mcp_tool_denied"],
  ])("for a place is not sent when the connection %s meanwhile", async (_, path, method, body, code) => {
    const { upstream, owner, ctx, connection } = await start(undefined, { limits: { concurrency: 1 } });
    const call = (tool: string, args: object) =>
      callTool(ctx, connection, tool, args, options()).catch((error) => error);
    const running = call("slow", { ms: 1_500 });
    await expect.poll(() => upstream.seen.calls).toHaveLength(1);
    const waiting = call("echo", { text: "hello" });
    const address = `/v1/mcp-connections/${connection.id}${path}`;
    expect(await server.call(address, { method, body, headers: owner.auth })).toMatchObject({ status: 200 });
    await running;
    expect(await waiting).toMatchObject({ body: { error: code } });
    expect(upstream.seen.calls.map(({ name }) => name)).toEqual(["slow"]);
  });
});

describe("an approval", () => {
  test("stays until a call is sent: no limit, credential or listing that stops the call uses it up", async () => {
    const { upstream, owner, ctx, connection } = await start(undefined, {
      policy: { destructive: "approve", treatUnknownAsDestructive: true },
    });
    const call = (more: Partial<typeof connection> = {}) =>
      callTool(ctx, { ...connection, ...more }, "slow", { ms: 1 }, options()).catch((error) => error);
    const { body } = await call();
    expect(body).toMatchObject({ error: "mcp_approval_required" });
    const path = `/v1/mcp-approvals/${body.approvalId}/approve`;
    expect(await server.call(path, { body: {}, headers: owner.auth })).toMatchObject({ status: 200 });
    const limits = { ...connection.limits, callsPerMinute: 0 };
    expect(await call({ limits })).toMatchObject({ body: { error: "mcp_rate_limited" } });
    expect(await call({ registration: "bearer" })).toMatchObject({ body: { error: "mcp_sign_in_required" } });
    upstream.gate.answer = () => ({ status: 503 });
    expect(await call()).toMatchObject({ body: { error: "mcp_server_failed" } });
    upstream.gate.answer = undefined;
    expect(upstream.seen.calls).toEqual([]);
    expect(await call()).toMatchObject({ content: [{ text: "done" }] });
    expect(await call()).toMatchObject({ body: { error: "mcp_approval_required" } });
    expect(upstream.seen.calls).toHaveLength(1);
  });
});

describe("limits", () => {
  test("of a minute and of places are refusals that say when to try again, and are logged once", async () => {
    const { upstream, owner, ctx, connection } = await start(undefined, {
      limits: { callsPerMinute: 3 },
    });
    const call = () => callTool(ctx, connection, "echo", { text: "x" }, options()).catch((error) => error);
    for (let i = 0; i < 3; i++) expect(await call()).not.toBeInstanceOf(Refusal);
    for (let i = 0; i < 3; i++)
      expect(await call()).toMatchObject({
        status: 429,
        body: { error: "mcp_rate_limited", retryAfterSeconds: expect.any(Number) },
      });
    expect(upstream.seen.calls).toHaveLength(3);
    const { items } = await list(owner.auth, "?outcome=refused");
    expect(items).toHaveLength(1);
  });

  test("a server that fails five times in a row is not called for a while", async () => {
    const { upstream, orgId, owner, ctx, connection } = await start();
    const call = () => callTool(ctx, connection, "echo", { text: "x" }, options()).catch((error) => error);
    upstream.gate.answer = () => ({ status: 503 });
    const codes: string[] = [];
    for (let i = 0; i < 7; i++) codes.push((await call()).body.error);
    expect(codes).toEqual([...Array(5).fill("mcp_server_failed"), "mcp_server_paused", "mcp_server_paused"]);
    upstream.gate.answer = undefined;
    const other = await connectMcpServer(server, { orgId, owner }, upstream.url);
    expect(await callTool(ctx, other.connection, "echo", { text: "x" }, options())).toMatchObject({
      content: [{}],
    });
  });
});

describe("the log", () => {
  async function seedCalls() {
    const acme = await createWorkspace(server, "Acme");
    const other = await createWorkspace(server, "Other");
    const member = await joinWorkspace(server, acme, "member");
    const { connection, ctx: ownerCtx } = await start(undefined, { workspace: acme, name: "=HYPERLINK(1)" });
    const memberCtx = await createMemberCtx(server, acme.orgId, member);
    await callTool(ownerCtx, connection, "echo", { text: "a" }, options());
    await callTool(memberCtx, connection, "fail", {}, options({ runId: "run_1", attempt: 2 }));
    return { acme, other, member, connection };
  }

  test("shows members their own calls and managers all of them, of one organization", async () => {
    const { acme, other, member, connection } = await seedCalls();
    const all = (await list(acme.owner.auth)).items;
    expect(all.map(({ tool }: { tool: string }) => tool)).toEqual(["fail", "echo"]);
    expect((await list(member.auth)).items).toEqual([all[0]]);
    expect((await list(member.auth, `?memberId=${all[1].memberId}`)).items).toEqual([]);
    expect((await list(other.owner.auth)).items).toEqual([]);
    const read = async (auth: Record<string, string>, id: string) =>
      (await server.call(`/v1/mcp-calls/${id}`, { headers: auth })).status;
    expect(await read(member.auth, all[0].id)).toBe(200);
    expect(await read(member.auth, all[1].id)).toBe(404);
    expect(await read(other.owner.auth, all[0].id)).toBe(404);
    const path = `/v1/mcp-connections/${connection.id}/calls`;
    expect((await server.call(path, { headers: acme.owner.auth })).body.items).toEqual(all);
    expect((await server.call(path, { headers: member.auth })).body.items).toEqual([all[0]]);
    expect((await server.call(path, { headers: other.owner.auth })).status).toBe(404);
    await server.platform.db.run(
      sql`delete from mcp_connection_grants where connection_id = ${connection.id}`,
    );
    expect((await server.call(path, { headers: member.auth })).status).toBe(404);
    expect((await list(member.auth)).items).toEqual([all[0]]);
  });

  test("is filtered by connection, member, tool, outcome, run and time", async () => {
    const { acme, connection, member } = await seedCalls();
    const tools = async (query: string) =>
      (await list(acme.owner.auth, query)).items.map(({ tool }: { tool: string }) => tool);
    expect(await tools(`?connectionId=${connection.id}`)).toEqual(["fail", "echo"]);
    expect(await tools(`?memberId=${member.memberId}`)).toEqual(["fail"]);
    expect(await tools("?tool=echo")).toEqual(["echo"]);
    expect(await tools("?outcome=tool_error")).toEqual(["fail"]);
    expect(await tools("?outcome=ok")).toEqual(["echo"]);
    expect(await tools("?runId=run_1")).toEqual(["fail"]);
    expect(await tools("?runId=run_1&tool=echo")).toEqual([]);
    expect(await tools(`?from=${Date.now() + 60_000}`)).toEqual([]);
    expect(await tools(`?to=${Date.now() + 60_000}&limit=1`)).toEqual(["fail"]);
  });

  test("is exported as lines of JSON and as CSV that no spreadsheet executes", async () => {
    const { acme, member } = await seedCalls();
    const exported = async (query: string, auth = acme.owner.auth) =>
      (await fetch(`${server.url}/v1/mcp-calls/export${query}`, { headers: auth })).text();
    const lines = (await exported(""))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ tool, complete }) => tool ?? complete)).toEqual(["echo", "fail", true]);
    const csv = (await exported("?format=csv")).split("\r\n");
    expect(csv).toHaveLength(5);
    expect(csv[1]).toContain(",'=HYPERLINK(1),");
    expect(csv[3]).toBe("# complete");
    expect((await exported("", member.auth)).trim().split("\n")).toHaveLength(2);
    expect((await exported("?outcome=ok")).trim().split("\n")).toHaveLength(2);
  });

  test("is exported completely when it has more calls than fit in memory at once", async () => {
    const { orgId, owner } = await createWorkspace(server);
    const ids = Array.from({ length: 1_203 }, (_, i) => newIdAt("mcl", Date.now() - 10_000 + i));
    await server.platform.db.run(sql`
      insert into mcp_calls (org_id, id, connection_id, credential, credential_id, tool, outcome, ms, request_bytes,
        result_bytes, created_at)
      select ${orgId}, id, 'mcn_x', 'mcp', 'x', 'echo', 'ok', 1, 1, 1, now() from unnest(${ids}::text[]) id`);
    const text = await (await fetch(`${server.url}/v1/mcp-calls/export`, { headers: owner.auth })).text();
    const found = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(found.slice(0, -1)).toEqual([...ids].sort());
  });

  test("forgets calls after 90 days, and those of a deleted organization", async () => {
    const { orgId, owner } = await createWorkspace(server);
    const old = newIdAt("mcl", Date.now() - 91 * 24 * 3600_000);
    const recent = newIdAt("mcl", Date.now() - 89 * 24 * 3600_000);
    const insert = (id: string, org: string) =>
      server.platform.db.run(sql`
        with call as (
          insert into mcp_calls (org_id, id, connection_id, credential, credential_id, tool, outcome, ms, request_bytes,
            result_bytes, created_at)
          values (${org}, ${id}, 'mcn_x', 'mcp', 'x', 'echo', 'ok', 1, 1, 1, now()))
        insert into mcp_call_payloads (org_id, call_id, payload, expires_at)
        values (${org}, ${id}, 'x', now() + interval '1 day')`);
    await insert(old, orgId);
    await insert(recent, orgId);
    await insert(recent, "org_gone");
    await removeOldCalls(server.platform);
    expect((await list(owner.auth)).items.map(({ id }: { id: string }) => id)).toEqual([recent]);
    const left = await server.platform.db.rows<{ orgId: string; callId: string }>(
      sql`select org_id as "orgId", call_id as "callId" from mcp_call_payloads`,
    );
    expect(left).toEqual([{ orgId, callId: recent }]);
  });
});
