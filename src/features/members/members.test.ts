import { beforeAll, describe, expect, test } from "vitest";
import { createAutomation, createRunner } from "../../../test/automations.ts";
import {
  createKey,
  createMcpToken,
  createRole,
  createTeam,
  createWorkspace,
  joinWorkspace,
  type Person,
  type Reply,
  signIn,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { sql } from "../../platform/db/index.ts";

type Auth = Record<string, string>;
type Joined = Person & { memberId: string };

const server = useServer();
const change = (id: string, role: string, headers: Auth) =>
  server.call(`/v1/members/${id}`, { method: "PATCH", body: { role }, headers });
const remove = (id: string, headers: Auth) => server.call(`/v1/members/${id}`, { method: "DELETE", headers });
const setState = (id: string, verb: "deactivate" | "reactivate", headers: Auth) =>
  server.call(`/v1/members/${id}/${verb}`, { method: "POST", headers });
const transfer = (id: string, headers: Auth) =>
  server.call(`/v1/members/${id}/transfer-ownership`, { method: "POST", headers });
const findMemberId = async ({ orgId, owner }: Workspace): Promise<string> =>
  (await server.platform.db.row<{ id: string }>(
    sql`select id from members where org_id = ${orgId} and user_id = ${owner.userId}`,
  ))!.id;
const findRole = async (id: string) =>
  (await server.platform.db.row<{ role: string }>(sql`select role from members where id = ${id}`))?.role;
const countOwners = async (orgId: string) =>
  (await server.platform.db.rows(sql`select 1 from members where org_id = ${orgId} and role = 'owner'`))
    .length;
const listStatuses = (replies: Reply[]) => replies.map(({ status }) => status).sort();

describe("members", () => {
  let acme: Workspace;
  let bob: Awaited<ReturnType<typeof joinWorkspace>>;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    bob = await joinWorkspace(server, acme, "member");
  });

  test("are listed newest first, with their person, role and permissions", async () => {
    const { status, body } = await server.call("/v1/members", { headers: bob.auth });
    expect(status).toBe(200);
    expect(body.nextCursor).toBeNull();
    expect(body.items.map(({ userId, role }: { userId: string; role: string }) => [userId, role])).toEqual([
      [bob.userId, "member"],
      [acme.owner.userId, "owner"],
    ]);
    expect(body.items[0]).toEqual({
      id: bob.memberId,
      userId: bob.userId,
      email: bob.email,
      name: "member",
      role: "member",
      roleName: "Member",
      teams: [],
      deactivatedAt: null,
      managedBy: null,
      managedFields: [],
      createdAt: expect.any(Number),
    });
  });

  test("are read by their ids, also with a key", async () => {
    const key = await createKey(server, acme.owner);
    const { status, body } = await server.call(`/v1/members/${bob.memberId}`, { headers: key.auth });
    expect(status).toBe(200);
    expect(body.member).toMatchObject({ id: bob.memberId, email: bob.email });
  });

  test("are not found by the id of a person", async () => {
    expect(await server.call(`/v1/members/${bob.userId}`, { headers: bob.auth })).toMatchObject({
      status: 404,
      body: { error: "member_not_found" },
    });
  });

  test("are hidden from a key that is limited to other permissions", async () => {
    const key = await createKey(server, acme.owner, { permissions: ["organization:read"] });
    expect((await server.call("/v1/organization", { headers: key.auth })).status).toBe(200);
    expect((await server.call("/v1/members", { headers: key.auth })).status).toBe(403);
  });
});

describe("searching members", () => {
  let acme: Workspace;
  let zoe: Joined;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    zoe = await joinWorkspace(server, acme, "admin");
    await server.call("/v1/me", { method: "PATCH", body: { name: "Zoë O'Neil 100%" }, headers: zoe.auth });
    await joinWorkspace(server, acme, "member");
  });
  const idsFor = async (query: string) => {
    const { status, body } = await server.call(`/v1/members?${query}`, { headers: acme.owner.auth });
    expect(status).toBe(200);
    return body.items.map(({ id }: { id: string }) => id);
  };

  test("finds part of a name or an address in any case, and treats no character as a pattern", async () => {
    for (const search of ["zo", "O'NEIL", "100%", zoe.email.toUpperCase()])
      expect(await idsFor(`search=${encodeURIComponent(search)}`)).toEqual([zoe.memberId]);
    for (const search of ["%", "_", "\\", "nobody", "' or 1=1"])
      expect((await idsFor(`search=${encodeURIComponent(search)}`)).length).toBe(search === "%" ? 1 : 0);
  });

  test("filters by role and by team, page by page", async () => {
    const team = await createTeam(server, acme.owner);
    await server.call(`/v1/teams/${team.id}/members/${zoe.memberId}`, {
      method: "PUT",
      headers: acme.owner.auth,
    });
    expect(await idsFor("role=admin")).toEqual([zoe.memberId]);
    expect(await idsFor(`teamId=${team.id}`)).toEqual([zoe.memberId]);
    expect(await idsFor("role=admin&search=nobody")).toEqual([]);
    const first = await server.call("/v1/members?search=example.com&limit=1", { headers: acme.owner.auth });
    const rest = await idsFor(`search=example.com&cursor=${first.body.nextCursor}`);
    expect([first.body.items[0].id, ...rest]).toEqual(await idsFor("search=example.com"));
  });
});

describe("changing a member's role", () => {
  test("takes effect for the next call of sessions and keys", async () => {
    const acme = await createWorkspace(server);
    const bob = await joinWorkspace(server, acme, "member");
    const key = await createKey(server, bob);
    const rename = (headers: Auth) =>
      server.call("/v1/organization", { method: "PATCH", body: { name: "Renamed" }, headers });
    for (const headers of [bob.auth, key.auth]) expect((await rename(headers)).status).toBe(403);
    const reply = await change(bob.memberId, "admin", acme.owner.auth);
    expect(reply.body.member).toMatchObject({ role: "admin", roleName: "Admin" });
    for (const headers of [bob.auth, key.auth]) expect((await rename(headers)).status).toBe(200);
    await change(bob.memberId, "member", acme.owner.auth);
    for (const headers of [bob.auth, key.auth]) expect((await rename(headers)).status).toBe(403);
  });

  test("is allowed for owners by an owner, and not by an admin", async () => {
    const acme = await createWorkspace(server);
    const owner = await findMemberId(acme);
    const admin = await joinWorkspace(server, acme, "admin");
    const bob = await joinWorkspace(server, acme, "member");
    const refused = { status: 403, body: { error: "forbidden", reason: "owner_required" } };
    expect(await change(bob.memberId, "owner", admin.auth)).toMatchObject(refused);
    expect(await change(admin.memberId, "owner", admin.auth)).toMatchObject(refused);
    expect(await change(owner, "member", admin.auth)).toMatchObject(refused);
    expect(await remove(owner, admin.auth)).toMatchObject(refused);
    expect((await change(bob.memberId, "owner", acme.owner.auth)).status).toBe(200);
    expect((await change(bob.memberId, "member", acme.owner.auth)).status).toBe(200);
  });

  test("to owner needs a fresh session, and no key is enough", async () => {
    const acme = await createWorkspace(server);
    const bob = await joinWorkspace(server, acme, "member");
    const reauth = { status: 403, body: { error: "reauth", reason: "session_too_old" } };
    const key = await createKey(server, acme.owner);
    expect(await change(bob.memberId, "owner", key.auth)).toMatchObject(reauth);
    expect((await change(bob.memberId, "admin", key.auth)).status).toBe(200);
    const old = await signIn(server, acme.owner);
    await server.platform.db.run(
      sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${acme.owner.userId}`,
    );
    expect(await change(bob.memberId, "owner", old)).toMatchObject(reauth);
    const fresh = await signIn(server, acme.owner);
    expect((await change(bob.memberId, "owner", fresh)).status).toBe(200);
  });

  test.each([
    ["to a lower role", (id: string, headers: Auth) => change(id, "admin", headers)],
    ["by removing them", (id: string, headers: Auth) => remove(id, headers)],
    ["by deactivating them", (id: string, headers: Auth) => setState(id, "deactivate", headers)],
    ["by reactivating them", (id: string, headers: Auth) => setState(id, "reactivate", headers)],
  ])("of an owner %s needs a fresh session, and no key is enough", async (_, act) => {
    const acme = await createWorkspace(server);
    const bob = await joinWorkspace(server, acme, "owner");
    const reauth = { status: 403, body: { error: "reauth", reason: "session_too_old" } };
    const key = await createKey(server, acme.owner);
    const old = await signIn(server, acme.owner);
    await server.platform.db.run(
      sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${acme.owner.userId}`,
    );
    for (const headers of [key.auth, old]) expect(await act(bob.memberId, headers)).toMatchObject(reauth);
    expect(await findRole(bob.memberId)).toBe("owner");
    expect((await act(bob.memberId, await signIn(server, acme.owner))).status).toBeLessThan(300);
  });

  test("of oneself as an owner needs a fresh session, and leaving does not", async () => {
    const acme = await createWorkspace(server);
    const bob = await joinWorkspace(server, acme, "owner");
    const reauth = { status: 403, body: { error: "reauth", reason: "session_too_old" } };
    const key = await createKey(server, bob);
    expect(await change(bob.memberId, "admin", key.auth)).toMatchObject(reauth);
    expect(await remove(bob.memberId, key.auth)).toMatchObject(reauth);
    const old = await signIn(server, bob);
    await server.platform.db.run(
      sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${bob.userId}`,
    );
    expect(await change(bob.memberId, "admin", old)).toMatchObject(reauth);
    expect((await remove(bob.memberId, old)).status).toBe(204);
  });

  test("cannot give permissions that the caller lacks: not to others, not to oneself, not with a limited key", async () => {
    const acme = await createWorkspace(server);
    const helpdesk = await createRole(server, acme.owner, ["members:read", "members:manage"]);
    const wide = await createRole(server, acme.owner, ["members:manage", "usage:read"]);
    const narrow = await createRole(server, acme.owner, ["members:read"]);
    const ann = await joinWorkspace(server, acme, helpdesk.id);
    const bob = await joinWorkspace(server, acme, narrow.id);
    const refused = { status: 403, body: { error: "forbidden", reason: "above_own_rights" } };
    for (const id of [ann.memberId, bob.memberId])
      for (const role of ["admin", "member", wide.id]) {
        expect(await change(id, role, ann.auth)).toMatchObject(refused);
      }
    expect((await change(bob.memberId, helpdesk.id, ann.auth)).status).toBe(200);
    const key = await createKey(server, acme.owner, { permissions: ["members:manage"] });
    expect(await change(bob.memberId, "member", key.auth)).toMatchObject(refused);
    // Nor do they decide about somebody who has more than they have.
    const admin = await joinWorkspace(server, acme, "admin");
    expect(await change(admin.memberId, narrow.id, ann.auth)).toMatchObject(refused);
    expect(await remove(admin.memberId, ann.auth)).toMatchObject(refused);
  });

  test("to an unknown role is refused", async () => {
    const acme = await createWorkspace(server);
    const globex = await createWorkspace(server);
    const theirs = await createRole(server, globex.owner);
    const bob = await joinWorkspace(server, acme, "member");
    for (const role of ["boss", "OWNER", theirs.id, "role_zzz"])
      expect(await change(bob.memberId, role, acme.owner.auth)).toMatchObject({
        status: 400,
        body: { details: [{ path: ["role"] }] },
      });
  });
});

describe("removing a member", () => {
  test("ends their sessions here, keys, tokens and runners at once; their automations stay and do not run", async () => {
    const acme = await createWorkspace(server);
    const bob = await joinWorkspace(server, acme, "member");
    const key = await createKey(server, bob);
    const mcp = await createMcpToken(server, bob);
    const runner = await createRunner(server, bob.auth);
    const automation = await createAutomation(server, bob.auth);
    const work = (headers: Auth) => server.call("/v1/automation-runner/work", { headers });
    expect((await work(runner.auth)).status).toBe(200);
    for (const { auth } of [bob, key, mcp])
      expect((await server.call("/v1/me", { headers: auth })).body.activeOrganizationId).toBe(acme.orgId);
    expect((await remove(bob.memberId, acme.owner.auth)).status).toBe(204);
    for (const { auth } of [key, mcp])
      expect((await server.call("/v1/me", { headers: auth })).status).toBe(401);
    expect((await work(runner.auth)).status).toBe(401);
    expect((await server.call("/v1/organization", { headers: bob.auth })).status).toBe(403);
    // The account is theirs and goes on.
    expect((await server.call("/v1/me", { headers: bob.auth })).body.activeOrganizationId).toBeNull();
    const left = await server.call(`/v1/automations/${automation.id}`, { headers: acme.owner.auth });
    expect(left.body.automation.memberId).toBeNull();
    expect((await remove(bob.memberId, acme.owner.auth)).status).toBe(404);
    const { items } = (
      await server.call("/v1/audit-events?action=member.removed", { headers: acme.owner.auth })
    ).body;
    expect(items).toMatchObject([{ target: { id: bob.memberId }, before: { email: bob.email } }]);
  });

  test("is refused when a limited key would remove its own member", async () => {
    const admin = await joinWorkspace(server, await createWorkspace(server), "admin");
    const { auth } = await createKey(server, admin, { permissions: ["members:manage"] });
    expect(await remove(admin.memberId, auth)).toMatchObject({
      status: 403,
      body: { reason: "above_own_rights" },
    });
    expect((await server.call("/v1/members", { headers: admin.auth })).status).toBe(200);
  });

  test("members can leave by themselves, but not the last owner", async () => {
    const acme = await createWorkspace(server);
    const bob = await joinWorkspace(server, acme, "member");
    const leave = (headers: Auth) => server.call("/v1/organization/leave", { method: "POST", headers });
    expect((await leave(bob.auth)).status).toBe(204);
    expect(await findRole(bob.memberId)).toBeUndefined();
    const refused = { status: 409, body: { error: "last_owner" } };
    const id = await findMemberId(acme);
    expect(await leave(acme.owner.auth)).toMatchObject(refused);
    expect(await remove(id, acme.owner.auth)).toMatchObject(refused);
    expect(await change(id, "admin", acme.owner.auth)).toMatchObject(refused);
    const carl = await joinWorkspace(server, acme, "owner");
    expect((await leave(acme.owner.auth)).status).toBe(204);
    expect(await leave(carl.auth)).toMatchObject(refused);
  });
});

describe("transferring ownership", () => {
  test("makes the other member owner and the caller admin, only when the caller is an owner and names somebody else", async () => {
    const acme = await createWorkspace(server);
    const mine = await findMemberId(acme);
    const bob = await joinWorkspace(server, acme, "member");
    const admin = await joinWorkspace(server, acme, "admin");
    expect(await transfer(bob.memberId, admin.auth)).toMatchObject({
      status: 403,
      body: { reason: "owner_required" },
    });
    expect(await transfer(mine, acme.owner.auth)).toMatchObject({
      status: 409,
      body: { error: "already_owner" },
    });
    const done = await transfer(bob.memberId, acme.owner.auth);
    expect(done).toMatchObject({
      status: 200,
      body: { member: { id: bob.memberId, role: "owner" }, previousOwner: { id: mine, role: "admin" } },
    });
    expect((await transfer(mine, acme.owner.auth)).body.reason).toBe("owner_required");
  });
});

describe("requests at the same moment", () => {
  test("two transfers by one owner: one succeeds, one owner is left", async () => {
    for (let round = 0; round < 5; round++) {
      const acme = await createWorkspace(server);
      const [bob, carl] = [
        await joinWorkspace(server, acme, "member"),
        await joinWorkspace(server, acme, "member"),
      ];
      const replies = await Promise.all(
        [bob, carl].map(({ memberId }) => transfer(memberId, acme.owner.auth)),
      );
      expect(listStatuses(replies)).toEqual([200, 403]);
      expect(await countOwners(acme.orgId)).toBe(1);
    }
  });

  /** What two owners can do to each other, or each to themselves. */
  const ways: Record<string, (me: Joined, other: Joined) => Promise<Reply>> = {
    "demote each other": (me, other) => change(other.memberId, "member", me.auth),
    "remove each other": (me, other) => remove(other.memberId, me.auth),
    "step down": (me) => change(me.memberId, "admin", me.auth),
    leave: (me) => server.call("/v1/organization/leave", { method: "POST", headers: me.auth }),
  };

  test.each(Object.entries(ways))("two owners %s: one of them stays an owner", async (_, act) => {
    for (let round = 0; round < 5; round++) {
      const acme = await createWorkspace(server);
      const ann = { ...acme.owner, memberId: await findMemberId(acme) };
      const bob = await joinWorkspace(server, acme, "owner");
      const replies = await Promise.all([act(ann, bob), act(bob, ann)]);
      expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(replies.every(({ status }) => status < 500)).toBe(true);
      expect(await countOwners(acme.orgId)).toBe(1);
    }
  });

  test("a member who is removed during a call is answered or refused, without a server error", async () => {
    const acme = await createWorkspace(server);
    for (let round = 0; round < 5; round++) {
      const bob = await joinWorkspace(server, acme, "admin");
      const calls = Array.from({ length: 8 }, (_, i) =>
        i % 2
          ? server.call("/v1/api-keys", { body: { name: "late" }, headers: bob.auth })
          : server.call("/v1/automation-runners/token", {
              body: { runnerId: `late-${round}-${i}` },
              headers: bob.auth,
            }),
      );
      const [gone, ...replies] = await Promise.all([remove(bob.memberId, acme.owner.auth), ...calls]);
      expect(gone!.status).toBe(204);
      for (const { status, body } of replies)
        expect([200, 201, 401, 403, 503], JSON.stringify(body)).toContain(status);
      // Whatever got through before is over too.
      for (const { status, body } of replies) {
        if (status === 201) {
          const auth = { "x-api-key": body.key };
          expect((await server.call("/v1/me", { headers: auth })).status).toBe(401);
        }
      }
    }
  });

  test("an admin who is demoted while inviting and promoting gives no permissions afterwards", async () => {
    const acme = await createWorkspace(server);
    for (let round = 0; round < 5; round++) {
      const [admin, bob] = [
        await joinWorkspace(server, acme, "admin"),
        await joinWorkspace(server, acme, "member"),
      ];
      const [demoted, promoted] = await Promise.all([
        change(admin.memberId, "member", acme.owner.auth),
        change(bob.memberId, "admin", admin.auth),
      ]);
      expect(demoted.status).toBe(200);
      expect([200, 403]).toContain(promoted.status);
      expect(await findRole(bob.memberId)).toBe(promoted.status === 200 ? "admin" : "member");
      expect((await change(bob.memberId, "admin", admin.auth)).status).toBe(403);
    }
  });

  test("a session that signed in again before its member was removed has no access", async () => {
    const acme = await createWorkspace(server);
    const bob = await joinWorkspace(server, acme, "member");
    const second = await signIn(server, bob);
    await remove(bob.memberId, acme.owner.auth);
    for (const headers of [bob.auth, second])
      expect((await server.call("/v1/members", { headers })).status).toBe(403);
  });
});
