/** Who administers an instance, and what administrators can do. */
import { beforeAll, describe, expect, inject, test } from "vitest";
import { adminEnv, callAdmin, createAdmin, restore, suspend } from "../../../test/admin.ts";
import {
  createKey,
  createMcpToken,
  createWorkspace,
  joinWorkspace,
  type Person,
  signIn,
  signUp,
  useServer,
  verifyAddress,
  type Workspace,
} from "../../../test/harness.ts";
import { mailsTo } from "../../../test/notifications.ts";
import { sql } from "../../platform/db/index.ts";
import { verifyChains } from "../audit/index.ts";
import { codeAt, stepAt } from "../auth/two-factor/totp.ts";

const server = useServer({ env: adminEnv });
let admin: Person;
let acme: Workspace;
beforeAll(async () => {
  admin = await createAdmin(server);
  acme = await createWorkspace(server);
});
const ask = (path: string, body?: object, method?: string) => callAdmin(server, admin, path, body, method);
const isAdmin = async (auth: Record<string, string>) =>
  (await server.call("/v1/me", { headers: auth })).body.isInstanceAdmin;

async function turnOnSecondFactor(person: Person): Promise<void> {
  await verifyAddress(server, person);
  const { secret } = (await server.call("/v1/me/two-factor", { method: "POST", headers: person.auth })).body;
  const body = { code: codeAt(secret, stepAt(Date.now())) };
  expect((await server.call("/v1/me/two-factor/confirm", { body, headers: person.auth })).status).toBe(200);
}

/** The newest entry of the instance's log about this target. */
const readLog = async (targetId: string) => (await ask(`audit-events?targetId=${targetId}`)).body.items[0];
const readAudit = async (workspace: Workspace, action: string) =>
  (await server.call(`/v1/audit-events?action=${action}`, { headers: workspace.owner.auth })).body.items[0];

describe("who administers the instance", () => {
  test("is shown in /v1/me, and only sessions of the person count", async () => {
    expect(await isAdmin(admin.auth)).toBe(true);
    expect(await isAdmin(acme.owner.auth)).toBe(false);
    const own = (await server.call("/v1/organizations", { body: { name: "Mine" }, headers: admin.auth }))
      .body;
    const key = await createKey(server, admin);
    const mcp = await createMcpToken(server, admin);
    for (const { auth } of [key, mcp]) expect(await isAdmin(auth)).toBe(false);
    expect(await server.call("/v1/admin/overview", { headers: key.auth })).toMatchObject({
      status: 403,
      body: { reason: "session_required" },
    });
    expect((await server.call("/v1/admin/overview", { headers: mcp.auth })).status).toBe(401);

    // As if the single sign-on of an organization had started the session.
    const session = await signIn(server, admin);
    await server.platform.db.run(sql`
      update sessions set sso_org_id = ${own.organization.id}
      where id = (select id from sessions where user_id = ${admin.userId} order by id desc limit 1)`);
    expect(await isAdmin(session)).toBe(false);
    expect(await server.call("/v1/admin/overview", { headers: session })).toMatchObject({
      status: 403,
      body: { reason: "operator_required" },
    });
  });

  test("nobody else reaches a route, and an unconfirmed address is not enough", async () => {
    expect(await server.call("/v1/admin/users", { headers: acme.owner.auth })).toMatchObject({
      status: 403,
      body: { error: "forbidden", reason: "operator_required" },
    });
    expect((await server.call("/v1/admin/users")).status).toBe(401);
    await server.platform.db.run(sql`update users set email_verified = false where id = ${admin.userId}`);
    expect((await ask("overview")).status).toBe(403);
    await verifyAddress(server, admin);
    expect((await ask("overview")).status).toBe(200);
  });

  test("a change needs a session of the last 15 minutes", async () => {
    const old = await signIn(server, admin);
    await server.platform.db.run(sql`
      update sessions set created_at = now() - interval '16 minutes'
      where id = (select id from sessions where user_id = ${admin.userId} order by id desc limit 1)`);
    const reason = { error: "reauth", reason: "session_too_old" };
    for (const [path, body, method] of [
      [`organizations/${acme.orgId}/suspend`, { reason: "x" }],
      [`organizations/${acme.orgId}/restore`, undefined, "POST"],
      [`organizations/${acme.orgId}/limits`, { limits: {} }, "PUT"],
      [`users/${acme.owner.userId}/sign-out`, undefined, "POST"],
      [`users/${acme.owner.userId}/reset-second-factor`, undefined, "POST"],
    ] as const)
      expect(await callAdmin(server, { auth: old }, path, body, method)).toMatchObject({
        status: 403,
        body: reason,
      });
    expect((await callAdmin(server, { auth: old }, "users")).status).toBe(200);
  });
});

describe.skipIf(inject("engine") === "postgres")("an embedded instance without ADMIN_EMAILS", () => {
  const embedded = useServer();
  test("is administered by its first account, and by nobody after that account is deleted", async () => {
    const first = await signUp(embedded, "First");
    const second = await signUp(embedded, "Second");
    const check = async ({ auth }: Person) =>
      (await embedded.call("/v1/me", { headers: auth })).body.isInstanceAdmin as boolean;
    expect([await check(first), await check(second)]).toEqual([true, false]);
    const body = { confirm: first.email };
    expect((await embedded.call("/v1/me", { method: "DELETE", body, headers: first.auth })).status).toBe(204);
    const third = await signUp(embedded, "Third");
    expect([await check(second), await check(third)]).toEqual([false, false]);
  });

  test("an account that others can reach needs a confirmed address", async () => {
    const { isOperator } = await import("../auth/index.ts");
    const { db } = embedded.platform;
    const person = await signUp(embedded, "Reachable");
    await db.run(sql`update first_account set user_id = ${person.userId}`);
    const config = { ...embedded.platform.config, host: "0.0.0.0" };
    const decide = () => isOperator({ db, config }, person.userId as `usr_${string}`);
    expect(await decide()).toBe(false);
    await verifyAddress(embedded, person);
    expect(await decide()).toBe(true);
  });
});

describe("accounts", () => {
  test("are listed newest first or by address, with what an administrator needs to help", async () => {
    const person = await joinWorkspace(server, acme, "member");
    await turnOnSecondFactor(person);
    const [found] = (await ask(`users?email=${encodeURIComponent(person.email)}`)).body.items;
    expect(found).toMatchObject({
      id: person.userId,
      email: person.email,
      emailVerified: true,
      memberships: 1,
      sessions: 1,
      lastSeenAt: expect.any(Number),
      secondFactors: ["authenticator"],
    });
    const readAll = async (query: string) => {
      const found: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const { body } = await ask(`users?limit=2&${query}${cursor && `&cursor=${cursor}`}`);
        found.push(...body.items.map(({ email }: { email: string }) => email));
        cursor = body.nextCursor;
      }
      return found;
    };
    const rows = await server.platform.db.rows<{ id: string; email: string }>(
      sql`select id, email from users where not provisional`,
    );
    const newest = rows.toSorted((a, b) => (a.id < b.id ? 1 : -1)).map(({ email }) => email);
    expect(await readAll("sort=newest")).toEqual(newest);
    expect(await readAll("sort=email")).toEqual(newest.toSorted());
    const owners = newest.filter((email) => email.startsWith("owner-"));
    expect(owners.length).toBeGreaterThan(0);
    expect(await readAll("sort=newest&email=OWNER-")).toEqual(owners);
    expect(await readAll("sort=email&email=owner-")).toEqual(owners.toSorted());
    expect(await readAll("sort=email&email=%25")).toEqual([]);
    expect((await ask("users?cursor=bm90aGluZw&sort=email")).status).toBe(400);
  });

  test("signing out ends every session and is logged; keys stay", async () => {
    const person = await signUp(server, "Elsewhere");
    await server.call("/v1/organizations", { body: { name: "Own" }, headers: person.auth });
    const key = await createKey(server, person);
    const second = await signIn(server, person);
    expect((await ask(`users/${person.userId}/sign-out`, undefined, "POST")).body).toEqual({
      sessionsEnded: 2,
    });
    for (const headers of [person.auth, second])
      expect((await server.call("/v1/me", { headers })).status).toBe(401);
    expect((await server.call("/v1/me", { headers: key.auth })).status).toBe(200);
    expect(await readLog(person.userId)).toMatchObject({
      action: "user.signed_out",
      actor: { userId: admin.userId },
      after: { sessionsEnded: 2 },
    });
    expect((await ask("users/usr_00000000000000000000000000/sign-out", undefined, "POST")).status).toBe(404);
    expect((await ask("users/nonsense/sign-out", undefined, "POST")).status).toBe(404);
  });

  test("a second factor is removed with all sessions, logged in both logs, and reported by mail", async () => {
    const globex = await createWorkspace(server, "Globex");
    const person = await joinWorkspace(server, globex, "member");
    const path = `users/${person.userId}/reset-second-factor`;
    expect(await ask(path, undefined, "POST")).toMatchObject({
      status: 409,
      body: { error: "no_second_factor" },
    });
    await turnOnSecondFactor(person);
    expect((await ask(path, undefined, "POST")).body).toEqual({ sessionsEnded: 1, passkeysRemoved: 0 });
    expect((await server.call("/v1/me", { headers: person.auth })).status).toBe(401);
    // The password is enough again.
    expect(
      (await server.call("/v1/me", { headers: await signIn(server, person) })).body.twoFactorEnabled,
    ).toBe(false);
    expect(await readLog(person.userId)).toMatchObject({
      action: "user.two_factor_reset",
      actor: { userId: admin.userId },
    });
    expect(await readAudit(globex, "user.two_factor_reset")).toMatchObject({
      actor: { userId: null, credential: "system" },
    });
    expect((await mailsTo(server, person.email)).at(-1)!.text).toContain("second factor");
    expect(await ask(`users/${admin.userId}/reset-second-factor`, undefined, "POST")).toMatchObject({
      status: 409,
      body: { error: "own_account" },
    });
  });
});

describe("organizations", () => {
  test("are listed with members, state, storage and limits, and found by name, slug and state", async () => {
    const wanted = await createWorkspace(server, "Zeta Works");
    await joinWorkspace(server, wanted, "admin");
    const find = async (query: string) =>
      (await ask(`organizations?${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect((await ask("organizations?search=zeta%20w")).body.items).toMatchObject([
      {
        ...{ id: wanted.orgId, name: "Zeta Works", slug: "zeta-works", state: "active", members: 2, runs: 0 },
        ...{ failures: 0, costMicros: 0, limits: {}, suspendedAt: null, suspendedReason: null },
      },
    ]);
    expect(await find("search=zeta-w")).toEqual([wanted.orgId]);
    expect(await find("search=%25")).toEqual([]);
    expect(await find("state=suspended&search=zeta")).toEqual([]);
    await suspend(server, admin, wanted.orgId);
    expect(await find("state=suspended&search=zeta")).toEqual([wanted.orgId]);
    const all = await find("limit=100");
    expect(all).toEqual(all.toSorted().reverse());
    expect((await ask(`organizations/${wanted.orgId}`)).body).toMatchObject({
      organization: { id: wanted.orgId, state: "suspended", suspendedReason: "Not paid" },
      quotas: expect.arrayContaining([expect.objectContaining({ name: "members", used: 2 })]),
    });
    expect((await ask("organizations/org_00000000000000000000000000")).status).toBe(404);
    expect((await ask("organizations/nonsense")).status).toBe(404);
  });

  test("suspending and restoring are logged in both logs, and are refused when nothing would change", async () => {
    const globex = await createWorkspace(server, "Globex");
    expect((await restore(server, admin, globex.orgId)).body.error).toBe("organization_not_suspended");
    const at = Date.now();
    const { organization } = (await suspend(server, admin, globex.orgId)).body;
    expect(organization).toMatchObject({ state: "suspended", suspendedReason: "Not paid" });
    expect(organization.suspendedAt).toBeGreaterThan(at - 60_000);
    expect(await suspend(server, admin, globex.orgId)).toMatchObject({
      status: 409,
      body: { error: "organization_suspended" },
    });
    expect(await readLog(globex.orgId)).toMatchObject({
      action: "organization.suspended",
      actor: { userId: admin.userId },
      after: { reason: "Not paid" },
    });
    expect((await restore(server, admin, globex.orgId)).body.organization).toMatchObject({
      ...{ state: "active", suspendedAt: null, suspendedReason: null },
    });
    expect(await readLog(globex.orgId)).toMatchObject({ action: "organization.restored" });
    for (const action of ["organization.suspended", "organization.restored"])
      expect(await readAudit(globex, action)).toMatchObject({
        actor: { userId: null, credential: "system" },
      });
    for (const body of [{}, { reason: "" }, { reason: "a\nb" }, { reason: "x".repeat(501) }])
      expect((await ask(`organizations/${globex.orgId}/suspend`, body)).status).toBe(400);
  });

  test("a change locks the log of the organization before that of the instance, like changes of accounts", async () => {
    const globex = await createWorkspace(server, "Globex");
    const { db } = server.platform;
    const lockLog = (tx: typeof db, scope: string) =>
      tx.run(sql`select from audit_chains where scope = ${scope} for update`);
    const isWaiting = () =>
      db.row(sql`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%from audit_chains%' and datname = current_database()`);
    let suspending: ReturnType<typeof suspend> | undefined;
    await db.transaction(async (tx) => {
      await lockLog(tx, globex.orgId);
      suspending = suspend(server, admin, globex.orgId);
      // The embedded database has one connection: there the change waits for the whole transaction.
      if (db.kind !== "pglite") await expect.poll(isWaiting, { timeout: 5_000 }).toBeDefined();
      await lockLog(tx, "instance");
    });
    expect((await suspending)?.status).toBe(200);
  });

  test("limits replace those of the instance at once, and are logged in both logs", async () => {
    const globex = await createWorkspace(server, "Globex");
    const put = (limits: object) => ask(`organizations/${globex.orgId}/limits`, { limits }, "PUT");
    const { quotas } = (await put({ teams: 1, members: 50 })).body;
    expect(quotas).toContainEqual(expect.objectContaining({ name: "teams", limit: 1, overridden: true }));
    const createTeam = (name: string) =>
      server.call("/v1/teams", { body: { name }, headers: globex.owner.auth });
    expect((await createTeam("One")).status).toBe(201);
    expect(await createTeam("Two")).toMatchObject({ status: 409, body: { error: "quota_exceeded" } });
    await put({ members: 60 });
    expect((await createTeam("Two")).status).toBe(201);
    const change = {
      action: "organization.limits_changed",
      before: { teams: 1, members: 50 },
      after: { members: 60 },
    };
    expect(await readLog(globex.orgId)).toMatchObject(change);
    expect(await readAudit(globex, "organization.limits_changed")).toMatchObject(change);
    expect((await ask(`organizations/${globex.orgId}`)).body.organization.limits).toEqual({ members: 60 });
    expect(await put({ unicorns: 1 })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["limits", "unicorns"] }] },
    });
    for (const wrong of [{ teams: -1 }, { teams: 1.5 }, { teams: null }])
      expect((await put(wrong)).status).toBe(400);
    expect((await ask(`organizations/${globex.orgId}`)).body.organization.limits).toEqual({ members: 60 });
  });
});

test("the log of the instance is a chain that can be verified, and can be filtered", async () => {
  const { items } = (await ask("audit-events?limit=100")).body;
  for (const [i, entry] of items.slice(0, -1).entries()) expect(entry.previousHash).toBe(items[i + 1].hash);
  const own = (await ask(`audit-events?actorId=${admin.userId}&action=organization.suspended`)).body.items;
  expect(own.length).toBeGreaterThan(0);
  expect((await ask("audit-events?action=organization&limit=100")).body.items.length).toBeGreaterThan(
    own.length,
  );
  const verdicts = [];
  for await (const { faults } of verifyChains(server.platform.db, { only: "instance" }))
    verdicts.push(faults);
  expect(verdicts).toEqual([[]]);
});

test("an entry of the log of the instance is read by its id, and entries of organizations are not", async () => {
  const [entry] = (await ask("audit-events?limit=1")).body.items;
  expect((await ask(`audit-events/${entry.id}`)).body).toEqual({ auditEvent: entry });
  const { items } = (await server.call("/v1/audit-events?limit=1", { headers: acme.owner.auth })).body;
  for (const id of [items[0].id, "aud_00000000000000000000000000", "nothing"])
    expect(await ask(`audit-events/${id}`)).toMatchObject({
      status: 404,
      body: { error: "audit_event_not_found" },
    });
  const { status } = await server.call(`/v1/admin/audit-events/${entry.id}`, { headers: acme.owner.auth });
  expect(status).toBe(403);
});
