import { afterEach, describe, expect, test } from "vitest";
import {
  type CallableServer,
  startCallableSessionServer,
} from "../../../../test/fixtures/mcp-servers/callable.ts";
import { createWorkspace, joinWorkspace, useServer } from "../../../../test/harness.ts";
import { connectMcpServer, createMemberCtx } from "../../../../test/mcp-calls.ts";
import { sql } from "../../../platform/db/index.ts";
import type { Policy } from "../model.ts";
import { watchConnections } from "../watch/service.ts";
import { callTool } from "./index.ts";

const server = useServer();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server that takes keys, a connection to it, and two members who may use it. */
async function start(credential: "shared" | "per_member", policy?: Partial<Policy>) {
  const upstream: CallableServer = await startCallableSessionServer();
  closing.push(upstream.close);
  const acme = await createWorkspace(server);
  const ada = await joinWorkspace(server, acme, "member");
  const bob = await joinWorkspace(server, acme, "member");
  const { connection } = await connectMcpServer(server, acme, upstream.url, policy ? { policy } : {});
  const keyed = { ...connection, credential, registration: "bearer" as const };
  await server.platform.db.run(sql`
    update mcp_connections set registration = 'bearer', credential = ${credential} where id = ${connection.id}`);
  const path = `/v1/mcp-connections/${connection.id}`;
  const setKey = async (headers: Record<string, string>, bearerToken: string) =>
    expect(
      (await server.call(`${path}/credential`, { method: "PUT", headers, body: { bearerToken } })).status,
    ).toBe(204);
  const adaCtx = await createMemberCtx(server, acme.orgId, ada);
  const bobCtx = await createMemberCtx(server, acme.orgId, bob);
  const call = (ctx: typeof adaCtx, tool: string, args: unknown) =>
    callTool(ctx, keyed, tool, args, { signal: new AbortController().signal });
  return { upstream, acme, ada, bob, adaCtx, bobCtx, connection: keyed, path, setKey, call };
}

describe("members of one connection", () => {
  test("a member who disconnects ends no call of another member", async () => {
    const { upstream, ada, bob, adaCtx, path, setKey, call } = await start("per_member");
    await setKey(ada.auth, "key-of-ada-1");
    await setKey(bob.auth, "key-of-bob-1");
    const disconnect = () => server.call(`${path}/disconnect`, { method: "POST", headers: bob.auth });
    const running = call(adaCtx, "slow", { ms: 1_500 });
    await expect.poll(() => upstream.seen.calls).toHaveLength(1);
    expect((await disconnect()).status).toBe(204);
    expect((await disconnect()).status).toBe(204);
    expect(await running).toMatchObject({ content: [{ type: "text", text: "done" }] });
    expect(upstream.seen.cancelled).toEqual([]);
  });

  test("a server that repeats the shared key in its refusal shows it to nobody", async () => {
    const key = "shared-key-of-the-company";
    const { upstream, acme, ada, adaCtx, connection, path, setKey, call } = await start("shared");
    await setKey(acme.owner.auth, key);
    upstream.gate.answer = () => ({
      status: 403,
      headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${key} read"` },
    });
    const consent = await call(adaCtx, "echo", { text: "x" }).catch((error) => error);
    expect(consent).toMatchObject({ body: { error: "mcp_consent_required" } });
    const shown = await server.call(path, { headers: ada.auth });
    upstream.gate.answer = () => ({ status: 401, headers: { "www-authenticate": `Bearer error="${key}"` } });
    const refusal = await call(adaCtx, "echo", { text: "x" }).catch((error) => error);
    expect(refusal).toMatchObject({ body: { error: "mcp_sign_in_required" } });
    const states = await server.platform.db.rows(
      sql`select * from mcp_member_states where connection_id = ${connection.id}`,
    );
    expect(JSON.stringify([consent.body, shown.body, refusal.body, states])).not.toContain(key);
  });

  test("an account that the server does not allow in says nothing about the connection", async () => {
    const { upstream, ada, bob, connection, path, setKey } = await start("per_member");
    await setKey(ada.auth, "key-of-ada-1");
    await setKey(bob.auth, "key-of-bob-1");
    upstream.gate.answer = ({ headers }) =>
      headers.authorization === "Bearer key-of-ada-1" ? { status: 403 } : undefined;
    const tested = await server.call(`${path}/test`, { method: "POST", headers: ada.auth });
    expect(tested.body.test).toMatchObject({ ok: false, steps: [{}, { step: "credential" }] });
    expect((await server.call(path, { headers: bob.auth })).body.connection).toMatchObject({
      status: "connected",
      problem: null,
    });
    await server.platform.db.run(
      sql`update mcp_connections set next_check_at = now() where id = ${connection.id}`,
    );
    await watchConnections(server.platform);
    expect((await server.call(path, { headers: bob.auth })).body.connection).toMatchObject({
      status: "connected",
      problem: null,
      checkedAt: expect.any(Number),
    });
  });
});
