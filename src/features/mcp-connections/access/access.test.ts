import { expect, test } from "vitest";
import {
  createRole,
  createTeam,
  createWorkspace,
  joinWorkspace,
  useServer,
} from "../../../../test/harness.ts";
import { grantToAll, seedMcpConnection } from "../../../../test/mcp-connections.ts";

const server = useServer();

test("who may use a connection is for those who manage it", async () => {
  const acme = await createWorkspace(server);
  const ada = await joinWorkspace(server, acme, "member");
  const made = await seedMcpConnection(server, acme);
  await grantToAll(server, made);
  const path = `/v1/mcp-connections/${made.id}`;
  expect((await server.call(`${path}/access`, { headers: ada.auth })).status).toBe(403);
  const read = async (headers: Record<string, string>) =>
    (await server.call(path, { headers })).body.connection;
  expect(await read(ada.auth)).toMatchObject({ access: null, people: null });
  expect(await read(acme.owner.auth)).toMatchObject({ access: { organization: true } });
});

test("nobody gets a connection through a team by adding themselves to it", async () => {
  const acme = await createWorkspace(server);
  const { id } = await seedMcpConnection(server, acme);
  const team = await createTeam(server, acme.owner);
  await server.call(`/v1/mcp-connections/${id}/access`, {
    ...{ method: "PUT", body: { teamIds: [team.id] }, headers: acme.owner.auth },
  });
  const role = await createRole(server, acme.owner, ["teams:manage", "members:read", "mcp_connections:use"]);
  const manager = await joinWorkspace(server, acme, role.id);
  const join = (headers: Record<string, string>) =>
    server.call(`/v1/teams/${team.id}/members/${manager.memberId}`, { method: "PUT", headers });
  const refused = await join(manager.auth);
  expect(refused).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
  expect(refused.body.message).toContain("an MCP connection");
  expect((await join(acme.owner.auth)).status).toBe(200);
});
