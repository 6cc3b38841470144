import { beforeAll, describe, expect, test } from "vitest";
import {
  askOnce,
  createKey,
  createMcpToken,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { createApp } from "../../app.ts";
import { sql } from "../../platform/db/index.ts";

describe("MCP tokens", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });
  const me = (headers: Record<string, string>) => server.call("/v1/me", { headers });
  const list = async (headers: Record<string, string>) =>
    (await server.call("/v1/mcp/tokens?limit=100", { headers })).body.items;

  test("are created by a session, shown once, valid for seven days, and identify their member", async () => {
    const { status, body } = await server.call("/v1/mcp/token", {
      body: { name: "Editor", scopes: ["mcp:write", "mcp:read", "mcp:read"].slice(0, 2) },
      headers: acme.owner.auth,
    });
    expect(status).toBe(201);
    expect(body.token).toMatch(/^sbm_/);
    expect(body.mcpToken).toMatchObject({
      name: "Editor",
      scopes: ["mcp:read", "mcp:write"],
      lastUsedAt: null,
    });
    expect(Math.round((body.mcpToken.expiresAt - Date.now()) / 86_400_000)).toBe(7);
    const reply = await me({ authorization: `Bearer ${body.token}` });
    expect(reply.body).toMatchObject({
      credential: "mcp",
      scopes: ["mcp:read", "mcp:write"],
      activeOrganizationId: acme.orgId,
      user: { id: acme.owner.userId },
    });
    const listed = await list(acme.owner.auth);
    expect(listed).toContainEqual(body.mcpToken);
    expect(JSON.stringify(listed)).not.toContain(body.token);
    const stored = await server.platform.db.rows<{ row: string }>(
      sql`select t::text as row from mcp_tokens t`,
    );
    expect(stored.map(({ row }) => row).join()).not.toContain(body.token);
  });

  test("have the scope mcp:read by default, and cannot call other routes", async () => {
    const token = await createMcpToken(server, acme.owner);
    expect((await me(token.auth)).body.scopes).toEqual(["mcp:read"]);
    for (const body of [{ scopes: [] }, { scopes: ["mcp:admin"] }, { scopes: "mcp:read" }])
      expect((await server.call("/v1/mcp/token", { body, headers: acme.owner.auth })).status).toBe(400);
    expect((await server.call("/v1/organization", { headers: token.auth })).status).toBe(401);
  });

  test("are created without a body", async () => {
    const { status, body } = await server.call("/v1/mcp/token", { method: "POST", headers: acme.owner.auth });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { mcpToken: { name: "MCP client", scopes: ["mcp:read"] } },
    });
  });

  test("are not created by a key or by another MCP token", async () => {
    const key = await createKey(server, acme.owner);
    const token = await createMcpToken(server, acme.owner);
    expect((await server.call("/v1/mcp/token", { body: {}, headers: key.auth })).body.reason).toBe(
      "session_required",
    );
    expect((await server.call("/v1/mcp/token", { body: {}, headers: token.auth })).status).toBe(401);
  });

  test("belong to their organization, even when the caller names another one", async () => {
    const token = await createMcpToken(server, acme.owner);
    const other = await server.call("/v1/organizations", {
      body: { name: "Other" },
      headers: acme.owner.auth,
    });
    const { body } = await me({ ...token.auth, "x-organization-id": other.body.organization.id });
    expect(body.activeOrganizationId).toBe(acme.orgId);
    expect(body.organizations).toHaveLength(1);
    await server.call("/v1/me/active-organization", {
      body: { organizationId: acme.orgId },
      headers: acme.owner.auth,
    });
  });

  test("are revoked at once by their member or an admin, and not by others", async () => {
    const [bob, carl] = [
      await joinWorkspace(server, acme, "member"),
      await joinWorkspace(server, acme, "member"),
    ];
    const end = (id: string, headers: Record<string, string>) =>
      server.call(`/v1/mcp/tokens/${id}`, { method: "DELETE", headers });
    const [first, second] = [await createMcpToken(server, bob), await createMcpToken(server, bob)];
    expect(await list(carl.auth)).toEqual([]);
    expect((await end(first.id, carl.auth)).body).toEqual({ error: "mcp_token_not_found" });
    for (const [token, by] of [
      [first, bob],
      [second, acme.owner],
    ] as const) {
      expect((await me(token.auth)).status).toBe(200);
      expect((await end(token.id, by.auth)).status).toBe(204);
      expect((await me(token.auth)).status).toBe(401);
    }
  });

  test("show when they were last used", async () => {
    const token = await createMcpToken(server, acme.owner);
    const app = createApp(server.platform, { role: "api" });
    await askOnce(app, "/v1/me", token.auth);
    await app.close();
    const { lastUsedAt } = (await list(acme.owner.auth)).find(({ id }: { id: string }) => id === token.id);
    expect(lastUsedAt).toBeGreaterThan(Date.now() - 60_000);
  });
});
