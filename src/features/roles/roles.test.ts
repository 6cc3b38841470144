import { beforeAll, describe, expect, test } from "vitest";
import {
  createKey,
  createRole,
  createWorkspace,
  invite,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { permissions } from "../permissions/index.ts";

const server = useServer();
type Auth = Record<string, string>;
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server);
});
const create = (body: object, headers: Auth = acme.owner.auth) => server.call("/v1/roles", { body, headers });
const change = (id: string, body: object, headers: Auth = acme.owner.auth) =>
  server.call(`/v1/roles/${id}`, { method: "PATCH", body, headers });
const remove = (id: string, headers: Auth = acme.owner.auth) =>
  server.call(`/v1/roles/${id}`, { method: "DELETE", headers });

describe("permissions", () => {
  test("are listed with their meaning and the built-in roles that have them", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const { status, body } = await server.call("/v1/permissions", { headers: member.auth });
    expect(status).toBe(200);
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(permissions);
    for (const { description, roles } of body.items) {
      expect(description).toMatch(/\.$/);
      expect(roles).toContain("owner");
    }
    const deletes = body.items.find(({ name }: { name: string }) => name === "organization:delete");
    expect(deletes.roles).toEqual(["owner"]);
  });
});

describe("roles", () => {
  test("a list that is longer than all permissions is refused before its names are checked", async () => {
    const { owner } = await createWorkspace(server);
    const role = await createRole(server, owner);
    const attempts = [
      (list: readonly string[]) => create({ name: "Long", permissions: list }, owner.auth),
      (list: readonly string[]) => change(role.id, { permissions: list }, owner.auth),
    ];
    for (const attempt of attempts) {
      const { status, body } = await attempt(Array.from({ length: 2_000 }, (_, i) => `p${i}`));
      expect(status).toBe(400);
      expect(body.details).toEqual([
        { path: ["permissions"], message: `Must have at most ${permissions.length} items.` },
      ]);
      // Not even parsed.
      expect((await attempt(Array.from({ length: 80_000 }, () => "p"))).status).toBe(413);
      expect((await attempt(permissions)).status).toBeLessThan(300);
    }
  });

  test("are listed page by page, custom roles first, with the number of their members", async () => {
    const globex = await createWorkspace(server);
    const [first, second] = [await createRole(server, globex.owner), await createRole(server, globex.owner)];
    await joinWorkspace(server, globex, second.id);
    const all: { id: string; memberCount: number }[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path: string = `/v1/roles?limit=2${cursor ? `&cursor=${cursor}` : ""}`;
      const { body } = await server.call(path, { headers: globex.owner.auth });
      all.push(...body.items);
      cursor = body.nextCursor;
    }
    expect(all.map(({ id, memberCount }) => [id, memberCount])).toEqual([
      [second.id, 1],
      [first.id, 0],
      ["owner", 1],
      ["admin", 0],
      ["member", 0],
    ]);
    const bad = await server.call("/v1/roles?cursor=garbage", { headers: globex.owner.auth });
    expect(bad.status).toBe(400);
    const { nextCursor } = (await server.call("/v1/roles?limit=2", { headers: globex.owner.auth })).body;
    expect((await remove(first.id, globex.owner.auth)).status).toBe(204);
    const rest = await server.call(`/v1/roles?cursor=${nextCursor}`, { headers: globex.owner.auth });
    expect(rest.body.items.map(({ id }: { id: string }) => id)).toEqual(["owner", "admin", "member"]);
  });

  test("have unique names in any case, different from the built-in ones", async () => {
    expect((await create({ name: "Support", permissions: [] })).status).toBe(201);
    for (const name of ["Support", "SUPPORT", "owner", "Admin"]) {
      const reply = await create({ name, permissions: [] });
      expect({ name, ...reply }).toMatchObject({ name, status: 409, body: { error: "role_name_taken" } });
    }
    const other = await createRole(server, acme.owner);
    expect((await change(other.id, { name: "support" })).status).toBe(409);
    expect((await change(other.id, { name: other.name })).status).toBe(200);
    // Another organization's names are its own.
    const globex = await createWorkspace(server);
    expect((await create({ name: "Support", permissions: [] }, globex.owner.auth)).status).toBe(201);
  });

  test("accept permissions of the catalogue, each once", async () => {
    expect((await create({ name: "x", permissions: ["everything"] })).status).toBe(400);
    const { body } = await create({
      name: "Twice",
      permissions: ["usage:read", "members:read", "usage:read"],
    });
    expect(body.role).toMatchObject({ permissions: ["members:read", "usage:read"], builtIn: false });
  });

  test("can be created, changed and removed within the caller's own permissions", async () => {
    const admin = await joinWorkspace(server, acme, "admin");
    const refused = { status: 403, body: { reason: "above_own_rights" } };
    const strong = await createRole(server, acme.owner, ["organization:delete"]);
    expect(await create({ name: "Bomb", permissions: ["organization:delete"] }, admin.auth)).toMatchObject(
      refused,
    );
    expect(await change(strong.id, { permissions: [] }, admin.auth)).toMatchObject(refused);
    expect(await remove(strong.id, admin.auth)).toMatchObject(refused);
    // Who holds a role that may change roles does not widen it.
    const clerk = await createRole(server, acme.owner, ["roles:manage", "members:read"]);
    const ann = await joinWorkspace(server, acme, clerk.id);
    const wider = ["roles:manage", "members:read", "usage:read"];
    expect(await change(clerk.id, { permissions: wider }, ann.auth)).toMatchObject(refused);
    expect((await change(clerk.id, { description: "Keeps roles." }, ann.auth)).status).toBe(200);
    const key = await createKey(server, acme.owner, { permissions: ["roles:manage"] });
    expect(await create({ name: "By key", permissions: ["usage:read"] }, key.auth)).toMatchObject(refused);
  });

  test("with what only owners have are given with a fresh session, and no key is enough", async () => {
    const key = await createKey(server, acme.owner);
    const strong = await createRole(server, acme.owner, ["members:read", "sso:manage"]);
    const weak = await createRole(server, acme.owner, ["members:read"]);
    const bob = await joinWorkspace(server, acme, "member");
    const assign = (role: string, headers: Auth) =>
      server.call(`/v1/members/${bob.memberId}`, { method: "PATCH", body: { role }, headers });
    const sendInvitation = (role: string, headers: Auth) =>
      server.call("/v1/invitations", { body: { email: `${role}@example.com`, role }, headers });
    const widened = { permissions: ["members:read", "organization:delete"] };
    const reauth = { status: 403, body: { error: "reauth", reason: "session_too_old" } };
    expect(await assign(strong.id, key.auth)).toMatchObject(reauth);
    expect(await sendInvitation(strong.id, key.auth)).toMatchObject(reauth);
    expect(await change(weak.id, widened, key.auth)).toMatchObject(reauth);
    const [sent, kept] = [
      await sendInvitation(strong.id, acme.owner.auth),
      await sendInvitation(weak.id, key.auth),
    ];
    expect([sent.status, kept.status]).toEqual([201, 201]);
    const resent = `/v1/invitations/${sent.body.invitation.id}/resend`;
    expect(await server.call(resent, { method: "POST", headers: key.auth })).toMatchObject(reauth);
    // What it has already, and what admins have too, a key may leave or give.
    expect((await change(strong.id, { name: `Strong ${strong.id}` }, key.auth)).status).toBe(200);
    const same = { permissions: ["members:read", "sso:manage", "usage:read"] };
    expect((await change(strong.id, same, key.auth)).status).toBe(200);
    expect((await assign(weak.id, key.auth)).status).toBe(200);
    expect((await change(weak.id, widened)).status).toBe(200);
    expect((await assign(strong.id, acme.owner.auth)).status).toBe(200);
  });

  test("with what only owners have are given back by a reactivation only with a fresh session", async () => {
    const key = await createKey(server, acme.owner);
    const [strong, weak] = [
      await createRole(server, acme.owner, ["members:read", "sso:manage"]),
      await createRole(server, acme.owner, ["members:read"]),
    ];
    const setState = (id: string, verb: string, headers: Auth) =>
      server.call(`/v1/members/${id}/${verb}`, { method: "POST", headers });
    for (const { role, byKey } of [
      { role: strong, byKey: 403 },
      { role: weak, byKey: 200 },
    ]) {
      const { memberId } = await joinWorkspace(server, acme, role.id);
      // Taking rights away needs none.
      expect((await setState(memberId, "deactivate", key.auth)).status).toBe(200);
      const reply = await setState(memberId, "reactivate", key.auth);
      expect(reply.status).toBe(byKey);
      if (byKey === 403) expect(reply.body).toMatchObject({ error: "reauth", reason: "session_too_old" });
      expect((await setState(memberId, "reactivate", acme.owner.auth)).status).toBe(200);
    }
  });

  test("that are changed apply to the next call of their members", async () => {
    const role = await createRole(server, acme.owner, ["organization:read"]);
    const ann = await joinWorkspace(server, acme, role.id);
    const read = () => server.call("/v1/members", { headers: ann.auth });
    expect((await read()).status).toBe(403);
    const changed = await change(role.id, { permissions: ["members:read"] });
    expect(changed.body.role).toMatchObject({ permissions: ["members:read"], memberCount: 1 });
    expect((await read()).status).toBe(200);
    await change(role.id, { permissions: [] });
    expect((await read()).status).toBe(403);
  });

  test("in use cannot be removed, and the error names the members who have them", async () => {
    const role = await createRole(server, acme.owner);
    const ann = await joinWorkspace(server, acme, role.id);
    const { invitation } = await invite(server, acme.owner, { role: role.id });
    const refused = await remove(role.id);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: "role_in_use",
        memberCount: 1,
        invitationCount: 1,
        members: [{ id: ann.memberId, email: ann.email }],
      },
    });
    await server.call(`/v1/members/${ann.memberId}`, {
      method: "PATCH",
      body: { role: "member" },
      headers: acme.owner.auth,
    });
    expect((await remove(role.id)).body).toMatchObject({ memberCount: 0, invitationCount: 1 });
    await server.call(`/v1/invitations/${invitation.id}/cancel`, {
      method: "POST",
      headers: acme.owner.auth,
    });
    expect((await remove(role.id)).status).toBe(204);
    expect((await remove(role.id)).status).toBe(404);
  });

  test("cannot be removed while somebody is being assigned to them", async () => {
    for (let round = 0; round < 5; round++) {
      const role = await createRole(server, acme.owner);
      const ann = await joinWorkspace(server, acme, "member");
      const [given, gone] = await Promise.all([
        server.call(`/v1/members/${ann.memberId}`, {
          method: "PATCH",
          body: { role: role.id },
          headers: acme.owner.auth,
        }),
        remove(role.id),
      ]);
      expect([given.status, gone.status]).toEqual(given.status === 200 ? [200, 409] : [400, 204]);
    }
  });

  test("that are built in cannot be changed", async () => {
    for (const id of ["owner", "admin", "member"]) {
      const refused = { status: 409, body: { error: "built_in_role" } };
      expect(await change(id, { name: "x" })).toMatchObject(refused);
      expect(await remove(id)).toMatchObject(refused);
    }
  });

  test("are recorded in the audit log with each change", async () => {
    const role = await createRole(server, acme.owner, ["usage:read"]);
    await change(role.id, { permissions: ["members:read"] });
    const { items } = (
      await server.call(`/v1/audit-events?targetId=${role.id}`, { headers: acme.owner.auth })
    ).body;
    expect(items).toMatchObject([
      {
        action: "role.changed",
        before: { permissions: ["usage:read"] },
        after: { permissions: ["members:read"] },
      },
      { action: "role.created" },
    ]);
  });
});
