import { beforeAll, describe, expect, test } from "vitest";
import { claim, createAutomation, createRunner, queueRun, readRun } from "../../../test/automations.ts";
import { expectDescribed } from "../../../test/described.ts";
import {
  type CallOptions,
  createKey,
  createMcpToken,
  createTeam,
  createWorkspace,
  invite,
  joinWorkspace,
  signUp,
  useServer,
  verifyAddress,
  type Workspace,
} from "../../../test/harness.ts";
import { openSse } from "../../../test/sse.ts";
import type { OrgId } from "../../platform/context.ts";
import { sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";
import { startDueAutomations } from "../automations/jobs.ts";
import * as invitations from "../invitations/contract.ts";
import { listAdmins } from "../notifications/settings/store.ts";

type Auth = Record<string, string>;

const server = useServer();
const call = (path: string, options: CallOptions) => server.call(path, options);
const post = (path: string, headers: Auth, body?: object) =>
  call(path, { method: "POST", headers, ...(body && { body }) });
const deactivate = (id: string, headers: Auth) => post(`/v1/members/${id}/deactivate`, headers);
const reactivate = (id: string, headers: Auth) => post(`/v1/members/${id}/reactivate`, headers);
const get = (path: string, headers: Auth) => call(path, { headers });

describe("a deactivated member", () => {
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });

  test("has no access with any credential, and has role and teams again after reactivation", async () => {
    const bob = await joinWorkspace(server, acme, "admin");
    const team = await createTeam(server, acme.owner);
    await call(`/v1/teams/${team.id}/members/${bob.memberId}`, { method: "PUT", headers: acme.owner.auth });
    const key = await createKey(server, bob);
    const mcp = await createMcpToken(server, bob);
    const runner = await createRunner(server, bob.auth);
    const work = () => get("/v1/automation-runner/work", runner.auth);
    expect((await get("/v1/members", key.auth)).status).toBe(200);
    expect((await work()).status).toBe(200);

    const done = await deactivate(bob.memberId, acme.owner.auth);
    expect(done).toMatchObject({
      status: 200,
      body: { member: { role: "admin", teams: [{ id: team.id }], deactivatedAt: expect.any(Number) } },
    });
    for (const auth of [key.auth, mcp.auth]) expect((await get("/v1/me", auth)).status).toBe(401);
    expect((await work()).status).toBe(401);
    expect(await get("/v1/members", bob.auth)).toMatchObject({
      status: 403,
      body: { reason: "no_active_organization" },
    });
    const named = { ...bob.auth, "x-organization-id": acme.orgId };
    expect((await get("/v1/members", named)).status).toBe(403);
    expect((await get("/v1/organizations", bob.auth)).body.items).toEqual([]);
    expect((await get("/v1/me", bob.auth)).body).toMatchObject({ activeOrganizationId: null });
    const choice = await post("/v1/me/active-organization", bob.auth, { organizationId: acme.orgId });
    expect(choice.status).toBeGreaterThanOrEqual(400);

    expect((await reactivate(bob.memberId, acme.owner.auth)).body.member).toMatchObject({
      role: "admin",
      teams: [{ id: team.id }],
      deactivatedAt: null,
    });
    expect((await get("/v1/members", bob.auth)).status).toBe(200);
    // Keys and tokens ended for good.
    expect((await get("/v1/me", key.auth)).status).toBe(401);
    const { items } = (await get("/v1/audit-events?action=member", acme.owner.auth)).body;
    expect(items.slice(0, 2)).toMatchObject([
      { action: "member.reactivated", target: { id: bob.memberId } },
      { action: "member.deactivated", after: { reason: "manual", apiKeys: 1, mcpTokens: 1 } },
    ]);
  });

  test("does not get a key to work that was stored after the deactivation", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const key = await createKey(server, bob);
    await deactivate(bob.memberId, acme.owner.auth);
    const { hashSecret } = await import("../../platform/secrets.ts");
    await server.platform.db.run(sql`
      insert into api_keys (id, org_id, member_id, name, start, key_hash)
      values ('key_late', ${acme.orgId}, ${bob.memberId}, 'late', 'sbx_', ${hashSecret(key.key)})`);
    expect((await get("/v1/me", key.auth)).status).toBe(401);
    await reactivate(bob.memberId, acme.owner.auth);
    expect((await get("/v1/me", key.auth)).status).toBe(401);
  });

  test("loses open streams and the credentials of running runs", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const run = await queueRun(server, bob.auth);
    const stream = await openSse(`${server.url}/v1/automation-runs/${run.id}/stream`, bob.auth);
    await stream.find(({ event }) => event === "run");
    const { credential } = await claim(server, bob.auth, run.id);
    const headers = { authorization: `Bearer ${credential}` };
    const read = async () => (await get(`/v1/templates/tpl_none`, headers)).status;
    expect(await read()).toBe(404);
    await deactivate(bob.memberId, acme.owner.auth);
    await stream.ended;
    expect(await read()).toBe(401);
    await reactivate(bob.memberId, acme.owner.auth);
    expect(await read()).toBe(401);
  });

  test("owns queued runs that nobody's runner gets, because a run acts for its owner", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const runs = [await queueRun(server, bob.auth), await queueRun(server, bob.auth)];
    await deactivate(bob.memberId, acme.owner.auth);
    expect(await claim(server, acme.owner.auth, runs[0]!.id)).toBeNull();
    expect((await readRun(server, acme.owner.auth, runs[0]!.id)).run).toMatchObject({
      status: "failed",
      reason: "resource_missing",
      reasonDetail: "The member who owns the run is deactivated.",
    });
    // A run that nobody claimed meanwhile starts after the reactivation.
    await reactivate(bob.memberId, acme.owner.auth);
    expect(await claim(server, acme.owner.auth, runs[1]!.id)).toMatchObject({ runId: runs[1]!.id });
  });

  test("gets no mails, and is not asked about the organization's events", async () => {
    const admin = await joinWorkspace(server, acme, "admin");
    await verifyAddress(server, admin);
    const listed = async () =>
      (await listAdmins(server.platform.db, acme.orgId as OrgId, 1_000)).map(({ id }) => id);
    expect(await listed()).toContain(admin.memberId);
    await deactivate(admin.memberId, acme.owner.auth);
    expect(await listed()).not.toContain(admin.memberId);
  });

  test("is listed, and can be left out of the list", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    await deactivate(bob.memberId, acme.owner.auth);
    const list = async (query: string) =>
      (await get(`/v1/members?limit=100&${query}`, acme.owner.auth)).body.items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await list("")).toContain(bob.memberId);
    expect(await list("status=deactivated")).toContain(bob.memberId);
    expect(await list("status=active")).not.toContain(bob.memberId);
  });

  test("does not count as an owner, and the last active owner cannot be deactivated", async () => {
    const own = await createWorkspace(server);
    const second = await joinWorkspace(server, own, "owner");
    const { items } = (await get("/v1/members", own.owner.auth)).body;
    const first = items.find(({ userId }: { userId: string }) => userId === own.owner.userId).id;
    expect(await deactivate(first, own.owner.auth)).toMatchObject({
      status: 409,
      body: { error: "own_membership" },
    });
    expect((await deactivate(second.memberId, own.owner.auth)).status).toBe(200);
    expect(await post("/v1/organization/leave", own.owner.auth)).toMatchObject({
      status: 409,
      body: { error: "last_owner" },
    });
    expect(await post(`/v1/members/${second.memberId}/transfer-ownership`, own.owner.auth)).toMatchObject({
      status: 409,
      body: { error: "member_deactivated" },
    });
    // Another member than the owner can be removed or changed while deactivated.
    const change = { method: "PATCH", body: { role: "member" }, headers: own.owner.auth };
    expect((await call(`/v1/members/${second.memberId}`, change)).status).toBe(200);
  });

  test("two owners who deactivate each other at the same moment: one stays active", async () => {
    for (let round = 0; round < 5; round++) {
      const own = await createWorkspace(server);
      const [ann, bob] = [
        await joinWorkspace(server, own, "owner"),
        await joinWorkspace(server, own, "owner"),
      ];
      await server.platform.db.run(
        sql`delete from members where org_id = ${own.orgId} and user_id = ${own.owner.userId}`,
      );
      const replies = await Promise.all([
        deactivate(bob.memberId, ann.auth),
        deactivate(ann.memberId, bob.auth),
      ]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  test("needs the rights that a removal needs", async () => {
    const [admin, member] = [
      await joinWorkspace(server, acme, "admin"),
      await joinWorkspace(server, acme, "member"),
    ];
    const globex = await createWorkspace(server, "Globex");
    expect((await deactivate(admin.memberId, member.auth)).status).toBe(403);
    expect((await deactivate(member.memberId, globex.owner.auth)).status).toBe(404);
    const owner = await joinWorkspace(server, acme, "owner");
    expect((await deactivate(owner.memberId, admin.auth)).body.reason).toBe("owner_required");
    expect((await deactivate(member.memberId, admin.auth)).status).toBe(200);
  });

  test("owns automations that do not start, and start again after reactivation", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const schedule = { kind: "daily", hour: 2, minute: 30, timezone: "UTC" };
    const automation = await createAutomation(server, bob.auth, { schedule });
    await deactivate(bob.memberId, acme.owner.auth);
    const makeDue = async () => {
      await server.platform.db.run(
        sql`update automations set next_run_at = now() where id = ${automation.id}`,
      );
      await startDueAutomations(server.platform);
    };
    const runs = async () =>
      (await get(`/v1/automation-runs?automationId=${automation.id}`, acme.owner.auth)).body.items.length;
    await makeDue();
    expect(await runs()).toBe(0);
    expect(await post(`/v1/automations/${automation.id}/run`, acme.owner.auth)).toMatchObject({
      status: 409,
      body: { error: "owner_deactivated" },
    });
    const handed = { method: "PATCH", body: { memberId: bob.memberId }, headers: acme.owner.auth };
    expect((await call(`/v1/automations/${automation.id}`, handed)).status).toBe(400);
    await reactivate(bob.memberId, acme.owner.auth);
    await makeDue();
    expect(await runs()).toBe(1);
  });
});

describe("an invitation", () => {
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });
  const accept = (token: string, headers: Auth) => post("/v1/invitations/accept", headers, { token });
  const tryInvite = (email: string) => post("/v1/invitations", acme.owner.auth, { email, role: "member" });

  test("does not bring a deactivated member back", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const { memberId } = bob;
    // Sent while the person was not a member.
    await server.platform.db.run(sql`delete from members where id = ${memberId}`);
    const { token } = await invite(server, acme.owner, { email: bob.email });
    await server.platform.db.run(sql`
      insert into members (id, org_id, user_id, role, deactivated_at)
      values (${memberId}, ${acme.orgId}, ${bob.userId}, 'member', now())`);
    for (const [spec, reply] of [
      [invitations.accept, await accept(token, bob.auth)],
      [invitations.create, await tryInvite(bob.email)],
    ] as const) {
      expect(reply).toMatchObject({ status: 409, body: { error: "member_deactivated" } });
      expectDescribed(spec, reply);
    }
  });

  test("from before a removal is void, and a new one brings the person back", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    await server.platform.db.run(sql`delete from members where id = ${bob.memberId}`);
    const { token } = await invite(server, acme.owner, { email: bob.email });
    await server.platform.db.run(sql`
      insert into members (id, org_id, user_id, role) values (${bob.memberId}, ${acme.orgId}, ${bob.userId}, 'member')`);
    const gone = await call(`/v1/members/${bob.memberId}`, { method: "DELETE", headers: acme.owner.auth });
    expect(gone.status).toBe(204);
    expect(await accept(token, bob.auth)).toMatchObject({
      status: 409,
      body: { error: "invitation_withdrawn" },
    });
    const again = await tryInvite(bob.email);
    expect(again.status).toBe(201);
    expect((await accept(again.body.token, bob.auth)).status).toBe(200);
  });

  test("from before a removal or deactivation is void, also for a new account with the same address", async () => {
    for (const [method, path] of [
      ["DELETE", ""],
      ["POST", "/deactivate"],
    ] as const) {
      const bob = await signUp(server, "Bob");
      const { token } = await invite(server, acme.owner, { email: bob.email });
      const memberId = newId("mem");
      await server.platform.db.run(sql`
        insert into members (id, org_id, user_id, role) values (${memberId}, ${acme.orgId}, ${bob.userId}, 'member')`);
      await call(`/v1/members/${memberId}${path}`, { method, headers: acme.owner.auth });
      const confirmed = { method: "DELETE", body: { confirm: bob.email }, headers: bob.auth };
      expect((await call("/v1/me", confirmed)).status).toBe(204);
      const { email, password } = bob;
      const created = (await call("/api/auth/sign-up/email", { body: { email, password, name: "Bob" } }))
        .body;
      const auth = { authorization: `Bearer ${created.token}` };
      expect(await accept(token, auth)).toMatchObject({
        status: 409,
        body: { error: "invitation_withdrawn" },
      });
      const again = await tryInvite(email);
      expect((await accept(again.body.token, auth)).status).toBe(200);
    }
  });

  test("is refused for somebody whom the directory removed", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const { token } = await (async () => {
      await server.platform.db.run(sql`delete from members where id = ${bob.memberId}`);
      return invite(server, acme.owner, { email: bob.email });
    })();
    await server.platform.db.run(sql`
      insert into former_members (org_id, email, reason) values (${acme.orgId}, ${bob.email}, 'deprovisioned')`);
    const refused = { status: 409, body: { error: "member_deprovisioned" } };
    expect(await accept(token, bob.auth)).toMatchObject(refused);
    expect(await tryInvite(bob.email)).toMatchObject(refused);
  });
});

test("a member whom the directory manages is not removed, deactivated or changed by hand", async () => {
  const acme = await createWorkspace(server);
  const bob = await joinWorkspace(server, acme, "member");
  await server.platform.db.run(
    sql`update members set managed_by = 'scm_1', managed_fields = '{role}' where id = ${bob.memberId}`,
  );
  const refused = {
    status: 409,
    body: { error: "managed_by_scim", message: expect.stringContaining("directory") },
  };
  const { auth } = acme.owner;
  expect(await deactivate(bob.memberId, auth)).toMatchObject(refused);
  expect(await reactivate(bob.memberId, auth)).toMatchObject(refused);
  expect(await call(`/v1/members/${bob.memberId}`, { method: "DELETE", headers: auth })).toMatchObject(
    refused,
  );
  expect(await post("/v1/organization/leave", bob.auth)).toMatchObject(refused);
  const change = (role: string) =>
    call(`/v1/members/${bob.memberId}`, { method: "PATCH", body: { role }, headers: auth });
  expect(await change("admin")).toMatchObject(refused);
  expect((await change("member")).status).toBe(200);
  expect(await post(`/v1/members/${bob.memberId}/transfer-ownership`, auth)).toMatchObject(refused);
  // Without a mapping, people give roles.
  await server.platform.db.run(sql`update members set managed_fields = '{}' where id = ${bob.memberId}`);
  expect((await change("admin")).status).toBe(200);
});
