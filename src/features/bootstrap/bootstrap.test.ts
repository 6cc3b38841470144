import { describe, expect, test } from "vitest";
import {
  claim as claimRun,
  complete,
  createRunner,
  event,
  queueRun,
  report,
} from "../../../test/automations.ts";
import { bootstrap, createKey, createWorkspace, signUp, useServer } from "../../../test/harness.ts";
import { jobs } from "../../app.ts";
import { sql } from "../../platform/db/index.ts";

const server = useServer();
type Auth = Record<string, string>;
const accept = (token: string, headers: Auth) =>
  server.call("/v1/bootstrap/claims/accept", { body: { token }, headers });
const createLink = (headers: Auth) => server.call("/v1/bootstrap/claims", { method: "POST", headers });
const tidy = () => jobs.find(({ name }) => name === "bootstrap.tidy")!.handle(server.platform, {});
const expire = (orgId: string) =>
  server.platform.db.run(
    sql`update organizations set provisional_until = now() - interval '1 second' where id = ${orgId}`,
  );

describe("a workspace without an account", () => {
  test("is created by one call, for seven days, with a key that can read it and report runs", async () => {
    const agent = await bootstrap(server);
    const { organization } = (await server.call("/v1/organization", { headers: agent.auth })).body;
    expect(organization).toMatchObject({ id: agent.orgId, name: "Provisional workspace" });
    expect(Math.round((organization.provisionalUntil - Date.now()) / 86_400_000)).toBe(7);
    expect(agent.claim.url).toBe(`${server.url}/claim?token=${agent.claim.token}`);
    expect(Math.round((agent.claim.expiresAt - Date.now()) / 3_600_000)).toBe(24);
    const run = await queueRun(server, agent.auth);
    const runner = await createRunner(server, agent.auth);
    await claimRun(server, runner.auth, run.id);
    expect((await report(server, runner.auth, run.id, event(0))).status).toBe(200);
    expect((await complete(server, runner.auth, run.id, { attempt: 1, status: "succeeded" })).status).toBe(
      200,
    );
  });

  test("its key can invite nobody, create no key, and change nothing of the organization", async () => {
    const { auth } = await bootstrap(server);
    const calls: [string, string, object?][] = [
      ["POST", "/v1/invitations", { email: "a@example.com", role: "member" }],
      ["GET", "/v1/members"],
      ["POST", "/v1/api-keys", { name: "more" }],
      ["PATCH", "/v1/organization", { name: "Mine" }],
      ["POST", "/v1/roles", { name: "x", permissions: [] }],
      ["POST", "/v1/mcp/token", {}],
      ["POST", "/v1/mcp-connections/discover", { url: "https://example.com/" }],
      ["GET", "/v1/audit-events"],
    ];
    for (const [method, path, body] of calls) {
      const reply = await server.call(path, { method, headers: auth, ...(body ? { body } : {}) });
      expect({ path, status: reply.status }).toEqual({ path, status: 403 });
    }
  });

  test("has a user as whom nobody can sign in", async () => {
    const { auth } = await bootstrap(server);
    const { user } = (await server.call("/v1/me", { headers: auth })).body;
    expect(user.email).toMatch(/@provisional\.invalid$/);
    const mails = async () =>
      (await server.platform.db.row<{ n: number }>(sql`select count(*)::int as n from mails`))!.n;
    const before = await mails();
    expect(
      (await server.call("/api/auth/request-password-reset", { body: { email: user.email } })).status,
    ).toBe(200);
    expect(await mails()).toBe(before);
    const taken = { email: user.email, password: "correct horse", name: "Eve" };
    const { token } = (await server.call("/api/auth/sign-up/email", { body: taken })).body;
    expect((await server.call("/v1/me", { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    expect(await mails()).toBe(before);
  });

  test("is refused after five in an hour from one address", async () => {
    await server.platform.db.run(sql`delete from rate_limits`);
    const make = () => server.call("/v1/bootstrap/workspace", { body: {} });
    for (let i = 0; i < 5; i++) expect((await make()).status).toBe(201);
    const refused = await make();
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_000);
  });

  test("is refused while a thousand of them are unclaimed", async () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => `org_many_${i}`);
    await server.platform.db.run(sql`insert into organizations (id, name, slug, provisional_until)
      select id, 'Many', id, now() + interval '1 day' from unnest(${ids}::text[]) as id`);
    await server.platform.db.run(sql`delete from rate_limits`);
    const refused = await server.call("/v1/bootstrap/workspace", { body: {} });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("3600");
    await server.platform.db.run(sql`delete from organizations where name = 'Many'`);
  });
});

describe("claiming a workspace", () => {
  test("makes a person its owner and keeps everything in it; the key still works with the same permissions", async () => {
    const agent = await bootstrap(server);
    const run = await queueRun(server, agent.auth);
    const runner = await createRunner(server, agent.auth);
    const ada = await signUp(server);
    const { status, body } = await accept(agent.claim.token, ada.auth);
    expect(status).toBe(200);
    expect(body.organization).toMatchObject({ id: agent.orgId, provisionalUntil: null });
    expect(body.member).toMatchObject({ userId: ada.userId, role: "owner", email: ada.email });
    const me = (await server.call("/v1/me", { headers: ada.auth })).body;
    expect(me.activeOrganizationId).toBe(agent.orgId);
    const read = await server.call(`/v1/automation-runs/${run.id}`, { headers: ada.auth });
    expect(read.body.run.memberId).toBe(body.member.id);
    const { items } = (await server.call("/v1/members", { headers: ada.auth })).body;
    expect(items).toHaveLength(1);
    // The same key, now hers, as narrow as it was.
    const byKey = (await server.call("/v1/me", { headers: agent.auth })).body;
    expect(byKey).toMatchObject({
      user: { id: ada.userId },
      permissions: ["automations:create", "organization:read"],
    });
    expect((await server.call("/v1/members", { headers: agent.auth })).status).toBe(403);
    expect(
      (await server.call("/v1/automation-runner/work", { headers: runner.auth })).body.items,
    ).toHaveLength(1);
    const keys = (await server.call("/v1/api-keys", { headers: ada.auth })).body.items;
    expect(keys).toMatchObject([{ name: "bootstrap", memberId: body.member.id }]);
    expect((await createLink(agent.auth)).body.error).toBe("already_claimed");
    expect((await createKey(server, ada)).key).toMatch(/^sbx_/);
    const nobody = await server.platform.db.rows(sql`
      select 1 from users u where u.provisional and not exists (select 1 from members m where m.user_id = u.id)`);
    expect(nobody).toEqual([]);
  });

  test("is done once, even by five people at the same moment", async () => {
    const agent = await bootstrap(server);
    const people = await Promise.all([1, 2, 3, 4, 5].map(() => signUp(server)));
    const replies = await Promise.all(people.map(({ auth }) => accept(agent.claim.token, auth)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    for (const { status, body } of replies) if (status === 409) expect(body.error).toBe("already_claimed");
    const members = await server.platform.db.rows<{ role: string }>(
      sql`select role from members where org_id = ${agent.orgId}`,
    );
    expect(members).toEqual([{ role: "owner" }]);
  });

  test("needs a session and the newest link, within a day", async () => {
    const agent = await bootstrap(server);
    const ada = await signUp(server);
    const second = (await createLink(agent.auth)).body.claim;
    expect(await accept(agent.claim.token, ada.auth)).toMatchObject({
      status: 404,
      body: { error: "claim_not_found" },
    });
    await server.platform.db.run(
      sql`update claim_links set expires_at = now() - interval '1 second' where org_id = ${agent.orgId}`,
    );
    expect((await accept(second.token, ada.auth)).body.error).toBe("claim_expired");
    const third = (await createLink(agent.auth)).body.claim;
    const acme = await createWorkspace(server);
    const key = await createKey(server, acme.owner);
    expect((await accept(third.token, key.auth)).body.reason).toBe("session_required");
    expect((await accept("garbage", ada.auth)).status).toBe(404);
    expect((await accept(third.token, acme.owner.auth)).status).toBe(200);
  });

  test("is not possible for an organization that has an owner", async () => {
    const acme = await createWorkspace(server);
    expect(await createLink(acme.owner.auth)).toMatchObject({
      status: 409,
      body: { error: "already_claimed" },
    });
  });

  test("stores links and keys as hashes only", async () => {
    const agent = await bootstrap(server);
    const rows = [
      ...(await server.platform.db.rows<{ row: string }>(sql`select c::text as row from claim_links c`)),
      ...(await server.platform.db.rows<{ row: string }>(sql`select k::text as row from api_keys k`)),
    ];
    const text = rows.map(({ row }) => row).join();
    expect(text).toContain(agent.orgId);
    for (const secret of [agent.claim.token, agent.key]) expect(text).not.toContain(secret);
  });
});

describe("a workspace that nobody claims", () => {
  test("is deleted with its key when it expires, and a claimed one is kept", async () => {
    const [agent, claimed, young] = [
      await bootstrap(server),
      await bootstrap(server),
      await bootstrap(server),
    ];
    const ada = await signUp(server);
    await accept(claimed.claim.token, ada.auth);
    await expire(agent.orgId);
    expect((await accept(agent.claim.token, ada.auth)).status).toBe(404);
    await tidy();
    expect((await server.call("/v1/me", { headers: agent.auth })).status).toBe(401);
    for (const { auth } of [claimed, young])
      expect((await server.call("/v1/me", { headers: auth })).status).toBe(200);
    const left = await server.platform.db.rows(sql`
      select 1 from users u where u.provisional and not exists (select 1 from members m where m.user_id = u.id)`);
    expect(left).toEqual([]);
  });

  test("is either claimed or deleted when both happen at the same moment", async () => {
    for (let round = 0; round < 5; round++) {
      const agent = await bootstrap(server);
      const ada = await signUp(server);
      await server.platform.db.run(
        sql`update organizations set provisional_until = clock_timestamp() + interval '15 milliseconds' where id = ${agent.orgId}`,
      );
      const [claimed] = await Promise.all([accept(agent.claim.token, ada.auth), tidy()]);
      await tidy();
      const there = await server.platform.db.rows(sql`select 1 from organizations where id = ${agent.orgId}`);
      expect([claimed.status, there.length]).toEqual(claimed.status === 200 ? [200, 1] : [404, 0]);
    }
  });
});

test("the new owner can revoke or keep the agent's key, and the page says what the key can do", async () => {
  const [ended, kept] = [await bootstrap(server), await bootstrap(server)];
  const page = await server.call(ended.claim.url.slice(server.url.length));
  expect(page.body).toContain("read the organization, make automations and report their runs");
  const ada = await signUp(server);
  const claim = (token: string, endKey: boolean) =>
    server.call("/v1/bootstrap/claims/accept", { body: { token, endKey }, headers: ada.auth });
  expect((await claim(ended.claim.token, true)).status).toBe(200);
  expect((await claim(kept.claim.token, false)).status).toBe(200);
  const read = async (headers: Record<string, string>) => (await server.call("/v1/me", { headers })).status;
  await expect.poll(() => read(ended.auth), { timeout: 3_000 }).toBe(401);
  expect(await read(kept.auth)).toBe(200);
  expect((await server.call("/v1/members", { headers: kept.auth })).status).toBe(403);
});

test("the page of a claim link names the workspace, and refuses an invalid link before asking for anything", async () => {
  const agent = await bootstrap(server);
  const open = (token: string, person?: { token: string }) =>
    server.call(`/claim?token=${token}`, {
      headers: person ? { cookie: `signalbox_session=${person.token}` } : {},
    });
  const { token } = agent.claim;
  expect(await open(token)).toMatchObject({
    status: 200,
    body: expect.stringContaining("Claim Provisional workspace"),
  });
  const ada = await signUp(server);
  expect((await open(token, ada)).body).toContain(ada.email);
  for (const bad of ["", "x", `${token}x`, "%22%3E%3Cb%3E"]) {
    const page = await open(bad);
    expect(page.status).toBe(400);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(page.body).not.toContain('id="email"');
  }
  await server.platform.db.run(sql`update claim_links set expires_at = now() where org_id = ${agent.orgId}`);
  expect(await open(token)).toMatchObject({
    status: 400,
    body: expect.stringContaining("older than 24 hours"),
  });
  const fresh = (await createLink(agent.auth)).body.claim.token;
  expect((await open(token)).status).toBe(400);
  expect((await accept(fresh, ada.auth)).status).toBe(200);
  expect((await open(fresh, ada)).body).toContain("There is nothing left to claim.");
  const other = await open(fresh);
  expect(other).toMatchObject({
    status: 400,
    body: expect.stringContaining("Somebody owns this workspace already"),
  });
  expect(other.body).not.toContain("Provisional workspace");
});
