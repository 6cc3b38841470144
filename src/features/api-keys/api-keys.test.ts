import { beforeAll, describe, expect, test } from "vitest";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";

describe("API keys", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });

  test("a key calls as the member who made it, in that organization", async () => {
    const key = await createKey(server, acme.owner);
    const { status, body } = await server.call("/v1/me", { headers: key.auth });
    expect(status).toBe(200);
    expect(body.user.id).toBe(acme.owner.userId);
    expect(body.activeOrganizationId).toBe(acme.orgId);
    expect(body.credential).toBe("key");
  });

  test("a removed key is refused at once", async () => {
    const key = await createKey(server, acme.owner);
    expect((await server.call("/v1/me", { headers: key.auth })).status).toBe(200);
    expect(
      (await server.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: acme.owner.auth })).status,
    ).toBe(204);
    await expect
      .poll(async () => (await server.call("/v1/me", { headers: key.auth })).status, { timeout: 1000 })
      .toBe(401);
  });

  test("a member sees and removes only their own keys, an admin everyone's", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const ownersKey = await createKey(server, acme.owner);
    const membersKey = await createKey(server, member);
    const seen = await server.call("/v1/api-keys", { headers: member.auth });
    expect(seen.body.items.map((key: { id: string }) => key.id)).toEqual([membersKey.id]);
    const refused = await server.call(`/v1/api-keys/${ownersKey.id}`, {
      method: "DELETE",
      headers: member.auth,
    });
    expect(refused).toMatchObject({ status: 404, body: { error: "api_key_not_found" } });
    const all = await server.call("/v1/api-keys", { headers: acme.owner.auth });
    expect(all.body.items.map((key: { id: string }) => key.id)).toEqual(
      expect.arrayContaining([ownersKey.id, membersKey.id]),
    );
  });
});
