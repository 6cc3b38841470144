import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createAutomation } from "../../../test/automations.ts";
import {
  createKey,
  createRole,
  createWorkspace,
  invite,
  joinWorkspace,
  type Person,
  signUp,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { sql } from "../../platform/db/index.ts";
import { permissions } from "../permissions/index.ts";

const server = useServer();

describe("/v1/me", () => {
  test("returns the person, the organization and the permissions", async () => {
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
      // The first account administers an embedded instance.
      isInstanceAdmin: server.platform.db.kind === "pglite",
    });
  });

  test("lists the permissions of an owner, of a member and of a limited key", async () => {
    const acme = await createWorkspace(server);
    const member = await joinWorkspace(server, acme, "member");
    const key = await createKey(server, acme.owner, { permissions: ["members:read"] });
    const listPermissions = async (headers: Record<string, string>) =>
      (await server.call("/v1/me", { headers })).body.permissions;
    expect(await listPermissions(acme.owner.auth)).toEqual([...permissions].sort());
    expect(await listPermissions(member.auth)).not.toContain("organization:update");
    expect(await listPermissions(key.auth)).toEqual(["members:read"]);
  });

  test("names the role of each organization, built in or the organization's own", async () => {
    const acme = await createWorkspace(server);
    const role = await createRole(server, acme.owner);
    const member = await joinWorkspace(server, acme, role.id);
    const readRole = async ({ auth }: Pick<Person, "auth">) => {
      const { role, roleName, isDemo } = (await server.call("/v1/me", { headers: auth })).body
        .organizations[0];
      expect(isDemo).toBe(false);
      return { role, roleName };
    };
    expect(await readRole(acme.owner)).toEqual({ role: "owner", roleName: "Owner" });
    expect(await readRole(member)).toEqual({ role: role.id, roleName: role.name });
  });

  test("with a key shows only the organization of the key", async () => {
    const acme = await createWorkspace(server, "Acme");
    const key = await createKey(server, acme.owner);
    await server.call("/v1/organizations", { body: { name: "Private" }, headers: acme.owner.auth });
    const { body } = await server.call("/v1/me", { headers: key.auth });
    expect(body.credential).toBe("key");
    expect(
      body.organizations.map(({ organizationId }: { organizationId: string }) => organizationId),
    ).toEqual([acme.orgId]);
  });

  test("changes only the caller's own name", async () => {
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
  });

  test("changes the name with an API key, unless another organization shows the name too", async () => {
    const acme = await createWorkspace(server);
    const { owner } = acme;
    const { auth: headers } = await createKey(server, owner);
    const change = (name: string) => server.call("/v1/me", { method: "PATCH", body: { name }, headers });
    expect(await change("Key")).toMatchObject({ status: 200, body: { user: { name: "Key" } } });
    expect((await server.call("/v1/me", { headers: owner.auth })).body.user.name).toBe("Key");
    await server.call("/v1/organizations", { body: { name: "Another one" }, headers: owner.auth });
    expect(await change("Elsewhere")).toMatchObject({
      status: 403,
      body: { error: "forbidden", reason: "session_required" },
    });
    expect((await server.call("/v1/me", { headers: owner.auth })).body.user.name).toBe("Key");
  });

  test("refuses keys on routes that manage sessions, the second factor or the account", async () => {
    const { owner } = await createWorkspace(server);
    const { auth: headers } = await createKey(server, owner);
    const [session] = (await server.call("/v1/me/sessions", { headers: owner.auth })).body.items;
    for (const [method, path, body] of [
      ["GET", "/v1/me/sessions"],
      ["DELETE", `/v1/me/sessions/${session.id}`],
      ["POST", "/v1/me/sessions/end-others"],
      ["GET", "/v1/me/two-factor"],
      ["POST", "/v1/me/two-factor"],
      ["DELETE", "/v1/me/two-factor", { code: "123456" }],
      ["POST", "/api/auth/reauthenticate", { password: owner.password }],
      ["DELETE", "/v1/me", { confirm: owner.email }],
    ] as const) {
      const reply = await server.call(path, { method, headers, ...(body ? { body } : {}) });
      expect({ path, status: reply.status, body: reply.body }).toMatchObject({
        path,
        status: 403,
        body: { error: "forbidden", reason: "session_required" },
      });
    }
    expect((await server.call("/v1/me", { headers: owner.auth })).status).toBe(200);
  });
});

describe("deleting my account", () => {
  const remove = ({ auth, email }: Person, body: object = {}) =>
    server.call("/v1/me", { method: "DELETE", body: { confirm: email, ...body }, headers: auth });
  const exists = async ({ userId }: Person) =>
    (await server.platform.db.row(sql`select 1 from users where id = ${userId}`)) !== undefined;
  const readSlug = async ({ owner }: Workspace) =>
    (await server.call("/v1/organization", { headers: owner.auth })).body.organization.slug as string;

  test("ends every session and key, and the address is free again", async () => {
    const acme = await createWorkspace(server);
    const bob = await joinWorkspace(server, acme, "member");
    const key = await createKey(server, bob);
    const automation = await createAutomation(server, bob.auth);
    expect(await remove({ ...bob, email: "other@example.com" })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["confirm"] }] },
    });
    const gone = await remove({ ...bob, email: bob.email.toUpperCase() });
    expect(gone.status).toBe(204);
    expect(gone.headers.get("set-cookie")).toMatch(/Max-Age=0/);
    for (const { auth } of [bob, key])
      expect((await server.call("/v1/me", { headers: auth })).status).toBe(401);
    expect(await exists(bob)).toBe(false);
    const left = await server.call(`/v1/automations/${automation.id}`, { headers: acme.owner.auth });
    expect(left.body.automation.memberId).toBeNull();
    const { items } = (await server.call("/v1/audit-events?action=member.left", { headers: acme.owner.auth }))
      .body;
    expect(items).toMatchObject([{ target: { id: bob.memberId }, before: { email: bob.email } }]);
    const again = await server.call("/api/auth/sign-up/email", {
      body: { email: bob.email, password: "correct horse", name: "Bob" },
    });
    expect(again.status).toBe(200);
  });

  test("is refused when the session ends while the request waits for a change of an organization", async () => {
    const acme = await createWorkspace(server);
    const bob = await joinWorkspace(server, acme, "member");
    expect((await server.call("/v1/me", { headers: bob.auth })).status).toBe(200);
    const { reply } = await server.platform.db.transaction(async (tx) => {
      await tx.row(sql`select id from organizations where id = ${acme.orgId} for no key update`);
      const reply = remove(bob);
      await sleep(500);
      await tx.run(sql`delete from sessions where user_id = ${bob.userId}`);
      return { reply };
    });
    expect((await reply).status).toBe(401);
    expect(await exists(bob)).toBe(true);
  });

  test("is refused to the only owner of an organization with other members, and the error names it", async () => {
    const acme = await createWorkspace(server, "Acme");
    const bob = await joinWorkspace(server, acme, "member");
    const refused = await remove(acme.owner, { deleteOrganizations: [await readSlug(acme)] });
    expect(refused).toMatchObject({
      status: 409,
      body: { error: "sole_owner", organizations: [{ id: acme.orgId, name: "Acme" }] },
    });
    expect(await exists(acme.owner)).toBe(true);
    await server.call(`/v1/members/${bob.memberId}/transfer-ownership`, {
      method: "POST",
      headers: acme.owner.auth,
    });
    expect((await remove(acme.owner)).status).toBe(204);
    expect((await server.call("/v1/organization", { headers: bob.auth })).status).toBe(200);
  });

  test("deletes organizations without other members, if they are named", async () => {
    const acme = await createWorkspace(server, "Alone");
    const slug = await readSlug(acme);
    expect(await remove(acme.owner)).toMatchObject({
      status: 409,
      body: { error: "organizations_would_be_deleted", organizations: [{ slug, name: "Alone" }] },
    });
    expect((await remove(acme.owner, { deleteOrganizations: ["another"] })).status).toBe(409);
    expect((await remove(acme.owner, { deleteOrganizations: [slug] })).status).toBe(204);
    const rows = await server.platform.db.rows(sql`select 1 from organizations where id = ${acme.orgId}`);
    expect(rows).toEqual([]);
  });

  test("at the moment when somebody joins leaves no organization without an owner", async () => {
    for (let round = 0; round < 4; round++) {
      const acme = await createWorkspace(server);
      const guest = await joinWorkspace(server, await createWorkspace(server), "member");
      const { token } = await invite(server, acme.owner, { email: guest.email });
      const slug = await readSlug(acme);
      const [gone, joined] = await Promise.all([
        remove(acme.owner, { deleteOrganizations: [slug] }),
        server.call("/v1/invitations/accept", { body: { token }, headers: guest.auth }),
      ]);
      expect([gone.status, joined.status]).toEqual(gone.status === 204 ? [204, 404] : [409, 200]);
    }
  });

  test("at the moment when an organization is created leaves no organization without a member", async () => {
    for (let round = 0; round < 4; round++) {
      const ada = await signUp(server);
      const name = `Behind ${round} ${Date.now()}`;
      const [gone, made] = await Promise.all([
        remove(ada),
        server.call("/v1/organizations", { body: { name }, headers: ada.auth }),
      ]);
      expect(gone.status === 204 || made.status === 201).toBe(true);
      expect([201, 401, 503]).toContain(made.status);
      const orphans = await server.platform.db.rows(sql`
        select 1 from organizations o where o.name = ${name}
          and not exists (select 1 from members m where m.org_id = o.id)`);
      expect(orphans).toEqual([]);
    }
  });
});
