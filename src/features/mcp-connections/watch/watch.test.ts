import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ChangingServer, startChangingServer } from "../../../../test/fixtures/mcp-servers/changing.ts";
import { createWorkspace, joinWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { grantToAll, type SeededConnection, seedMcpConnection } from "../../../../test/mcp-connections.ts";
import { sql } from "../../../platform/db/index.ts";
import { sessionPool } from "../upstream/index.ts";
import { watchConnections } from "./service.ts";

const server = useServer();
const db = () => server.platform.db;
let acme: Workspace;
let upstream: ChangingServer;
let connection: SeededConnection;
beforeEach(async () => {
  acme = await createWorkspace(server);
  upstream = await startChangingServer();
  connection = await seedMcpConnection(server, acme, { url: upstream.url });
});
afterEach(() => upstream.close());

const makeDue = (id: string = connection.id) =>
  db().run(sql`update mcp_connections set next_check_at = now() where id = ${id}`);
const watch = async () => {
  await makeDue();
  await watchConnections(server.platform);
};
const read = async (id: string = connection.id) =>
  (await db().row<{
    health: string;
    step: string | null;
    code: string | null;
    tools: number;
    held: number;
    failures: number;
    minutes: number;
  }>(sql`
    select health, health_step as step, health_code as code, tool_count as tools, held_tools as held,
      check_failures as failures, round(extract(epoch from next_check_at - now()) / 60)::int as minutes
    from mcp_connections where id = ${id}`))!;
const listEvents = (type: string) =>
  db().rows<{ data: Record<string, unknown> }>(sql`
    select data from notification_events where org_id = ${acme.orgId} and type = ${type} order by id`);

describe("the watch", () => {
  test("lists the tools of a new connection, and again about a day later", async () => {
    await watch();
    const first = await read();
    expect(first).toMatchObject({ health: "ok", tools: 3, held: 0, failures: 0 });
    expect(first.minutes).toBeGreaterThan(22 * 60);
    expect(first.minutes).toBeLessThan(26 * 60);
    upstream.find("search_issues").description = "Poison.";
    upstream.instructions.text = "Poison.";
    await watchConnections(server.platform);
    expect(await read()).toMatchObject({ held: 0 });
    await watch();
    expect(await read()).toMatchObject({ health: "ok", tools: 3, held: 1 });
    expect(await listEvents("mcp_connection.drift")).toMatchObject([
      { data: { tools: ["search_issues"], toolCount: 1, heldTools: 1, instructions: true } },
    ]);
  });

  test("keeps the tools of a server that fails, pauses longer each time, and tells people once", async () => {
    await watch();
    upstream.failure.status = 503;
    const pauses: number[] = [];
    for (let n = 0; n < 4; n++) {
      await watch();
      pauses.push((await read()).minutes);
    }
    expect(pauses).toEqual([1, 2, 4, 8]);
    expect(await read()).toMatchObject({ health: "failing", step: "reach", tools: 3, failures: 4 });
    expect(await listEvents("mcp_connection.failing")).toHaveLength(1);
    const { body } = await server.call(`/v1/mcp-connections/${connection.id}/tools`, {
      headers: acme.owner.auth,
    });
    expect(body.items.map(({ state }: { state: string }) => state)).toEqual([
      "approved",
      "approved",
      "approved",
    ]);
    upstream.failure.status = undefined;
    await watch();
    expect(await read()).toMatchObject({ health: "ok", failures: 0, code: null });
  });

  test("tells people once about a server that fails in different ways, and since when", async () => {
    await watch();
    // The requirements are compared too, as in every check of a server that has been down for a day.
    await db().run(
      sql`update mcp_connections set discovered_at = now() - interval '1 day' where id = ${connection.id}`,
    );
    const stopped = upstream;
    upstream = await startChangingServer();
    await stopped.close();
    await watch();
    const { body: before } = await server.call(`/v1/mcp-connections/${connection.id}`, {
      headers: acme.owner.auth,
    });
    for (let n = 0; n < 3; n++) await watch();
    const { body: after } = await server.call(`/v1/mcp-connections/${connection.id}`, {
      headers: acme.owner.auth,
    });
    expect(before.connection.problem.since).toBeTypeOf("number");
    expect(after.connection.problem.since).toBe(before.connection.problem.since);
    expect(await listEvents("mcp_connection.failing")).toHaveLength(1);
  });

  test("counts failures from the last time the server worked, also when a person tested it", async () => {
    await grantToAll(server, connection);
    await watch();
    upstream.failure.status = 503;
    await watch();
    expect(await read()).toMatchObject({ health: "failing", failures: 1 });
    upstream.failure.status = undefined;
    const { body } = await server.call(`/v1/mcp-connections/${connection.id}/test`, {
      ...{ method: "POST", headers: acme.owner.auth },
    });
    expect(body.test.ok).toBe(true);
    upstream.failure.status = 503;
    await watch();
    expect(await read()).toMatchObject({ health: "failing", failures: 1 });
    expect(await listEvents("mcp_connection.failing")).toEqual([]);
  });

  test("does not say that a server fails when this instance has no capacity for the check", async () => {
    await watch();
    const pool = server.platform.state.get(sessionPool);
    for (const { id } of await db().rows<{ id: string }>(sql`select id from mcp_connections`)) pool.end(id);
    // The limits of the pool.
    const places = server.platform.queues("mcp_sessions", {
      ...{ capacity: 1024, maxWaitMs: 5_000, maxWaiting: 1024, maxWaitingPerKey: 256, perProcess: true },
    });
    const releases: (() => void)[] = [];
    // Each organization has a share of the places, so it takes many to fill them.
    for (
      let place = await places.tryEnter("other");
      place;
      place = await places.tryEnter(`other ${releases.length}`)
    )
      releases.push(place);
    await watch();
    for (const release of releases) release();
    expect(await read()).toMatchObject({ health: "ok", failures: 0 });
    expect(await listEvents("mcp_connection.failing")).toEqual([]);
    await watch();
    expect(await read()).toMatchObject({ health: "ok", tools: 3 });
  });

  test("passes over connections that are switched off, and suspended organizations", async () => {
    await db().run(sql`update mcp_connections set enabled = false where id = ${connection.id}`);
    await watch();
    expect(await read()).toMatchObject({ health: "unknown" });
    await db().run(sql`update mcp_connections set enabled = true where id = ${connection.id}`);
    await db().run(sql`update organizations set suspended_at = now() where id = ${acme.orgId}`);
    await watch();
    expect(await read()).toMatchObject({ health: "unknown" });
    await db().run(sql`update organizations set suspended_at = null where id = ${acme.orgId}`);
    await watch();
    expect(await read()).toMatchObject({ health: "ok" });
  });

  test("with an account per member waits until somebody is connected, and is then soon", async () => {
    await db().run(sql`
      update mcp_connections set credential = 'per_member', registration = 'bearer' where id = ${connection.id}`);
    await watch();
    expect(await read()).toMatchObject({ health: "unknown", tools: 0, minutes: 1 });
    await grantToAll(server, connection);
    const member = await joinWorkspace(server, acme, "member");
    const saved = await server.call(`/v1/mcp-connections/${connection.id}/credential`, {
      ...{ method: "PUT", headers: member.auth, body: { bearerToken: "mcp-test-token" } },
    });
    expect(saved.status).toBeLessThan(300);
    await watch();
    expect(await read()).toMatchObject({ health: "ok", tools: 3 });
  });

  test("with nobody connected sees that a server is back", async () => {
    await db().run(sql`
      update mcp_connections set credential = 'per_member', registration = 'bearer',
        discovered_at = now() - interval '1 day' where id = ${connection.id}`);
    const move = (url: string) =>
      db().run(sql`update mcp_connections set url = ${url} where id = ${connection.id}`);
    const stopped = await startChangingServer();
    await stopped.close();
    await move(stopped.url);
    await watch();
    expect(await read()).toMatchObject({ health: "failing", step: "reach" });
    await move(upstream.url);
    await watch();
    expect(await read()).toMatchObject({ health: "ok", step: null });
  });

  test("with nobody connected sees that a discovery succeeds again", async () => {
    // The name resolver of this machine did not answer, for example.
    await db().run(sql`
      update mcp_connections set credential = 'per_member', registration = 'bearer',
        discovered_at = now() - interval '1 day', health = 'failing', health_step = 'discover',
        health_code = 'requirements_discovery_failed', health_since = now(), check_failures = 1
      where id = ${connection.id}`);
    await watch();
    expect(await read()).toMatchObject({ health: "ok", step: null, failures: 0 });
  });

  test("a refused credential concerns its member, and not the connection", async () => {
    await db().run(sql`
      update mcp_connections set credential = 'per_member', registration = 'bearer' where id = ${connection.id}`);
    await grantToAll(server, connection);
    const member = await joinWorkspace(server, acme, "member");
    await server.call(`/v1/mcp-connections/${connection.id}/credential`, {
      ...{ method: "PUT", headers: member.auth, body: { bearerToken: "mcp-test-token" } },
    });
    upstream.failure.status = 401;
    await watch();
    expect(await read()).toMatchObject({ health: "unknown", failures: 0 });
    const states = await db().rows<{ memberId: string; state: string }>(sql`
      select member_id as "memberId", state from mcp_member_states where connection_id = ${connection.id}`);
    expect(states).toEqual([{ memberId: member.memberId, state: "sign_in" }]);
  });

  test("of many failing connections of one organization reaches every connection of every organization", async () => {
    const greedy = await createWorkspace(server, "Greedy");
    upstream.failure.status = 503;
    for (let n = 0; n < 30; n++) {
      const { id } = await seedMcpConnection(server, greedy, { url: upstream.url });
      await makeDue(id);
    }
    const other = await startChangingServer();
    await db().run(sql`update mcp_connections set url = ${other.url} where id = ${connection.id}`);
    await watch();
    await other.close();
    expect(await read()).toMatchObject({ health: "ok", tools: 3 });
    const left = await db().row<{ count: number }>(sql`
      select count(*)::int as count from mcp_connections where org_id = ${greedy.orgId} and check_failures = 0`);
    expect(left).toEqual({ count: 0 });
  });
});
