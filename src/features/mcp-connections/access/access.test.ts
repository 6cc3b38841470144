import { expect, test } from "vitest";
import { createWorkspace, joinWorkspace, useServer } from "../../../../test/harness.ts";
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
