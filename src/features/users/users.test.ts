import { describe, expect, test } from "vitest";
import { createKey, createWorkspace, joinWorkspace, signUp, useServer } from "../../../test/harness.ts";
import { permissions } from "../permissions/index.ts";

describe("me", () => {
  const server = useServer();

  test("says who, where, and what I may do", async () => {
    const ada = await signUp(server);
    const { body } = await server.call("/v1/me", { headers: ada.auth });
    expect(body).toEqual({
      user: {
        id: ada.userId,
        email: ada.email,
        emailVerified: false,
        name: "Ada",
        createdAt: expect.any(Number),
      },
      twoFactorEnabled: false,
      credential: "session",
      scopes: null,
      activeOrganizationId: null,
      permissions: [],
      organizations: [],
    });
  });

  test("lists an owner's permissions, a member's fewer, a limited key's own", async () => {
    const acme = await createWorkspace(server);
    const member = await joinWorkspace(server, acme, "member");
    const key = await createKey(server, acme.owner, { permissions: ["members:read"] });
    const permissionsOf = async (headers: Record<string, string>) =>
      (await server.call("/v1/me", { headers })).body.permissions;
    expect(await permissionsOf(acme.owner.auth)).toEqual([...permissions].sort());
    expect(await permissionsOf(member.auth)).not.toContain("organization:update");
    expect(await permissionsOf(key.auth)).toEqual(["members:read"]);
  });

  test("with a key shows its organization and none of the person's others", async () => {
    const acme = await createWorkspace(server, "Acme");
    const key = await createKey(server, acme.owner);
    await server.call("/v1/organizations", { body: { name: "Private" }, headers: acme.owner.auth });
    const { body } = await server.call("/v1/me", { headers: key.auth });
    expect(body.credential).toBe("key");
    expect(
      body.organizations.map(({ organizationId }: { organizationId: string }) => organizationId),
    ).toEqual([acme.orgId]);
  });

  test("changes my name, for me only, and not by key", async () => {
    const ada = await signUp(server);
    const eve = await signUp(server);
    const change = (body: object, headers: Record<string, string>) =>
      server.call("/v1/me", { method: "PATCH", body, headers });
    expect((await change({ name: " Countess " }, ada.auth)).body.user.name).toBe("Countess");
    expect((await server.call("/v1/me", { headers: eve.auth })).body.user.name).toBe("Ada");
    for (const body of [
      {},
      { name: "" },
      { name: "\t" },
      { name: "a\u0085b" },
      { email: "x@example.com" },
      { emailVerified: true },
    ]) {
      expect((await change(body, ada.auth)).status).toBe(400);
    }
    const acme = await createWorkspace(server);
    const key = await createKey(server, acme.owner);
    expect((await change({ name: "Key" }, key.auth)).body.reason).toBe("session_required");
  });
});
