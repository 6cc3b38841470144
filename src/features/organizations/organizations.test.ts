import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  claim,
  complete,
  createAutomation,
  createRunner,
  event,
  queueRun,
  report,
} from "../../../test/automations.ts";
import {
  createKey,
  createMcpToken,
  createRole,
  createTeam,
  createWorkspace,
  invite,
  joinWorkspace,
  type Person,
  signUp,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { jobs } from "../../app.ts";
import { sql } from "../../platform/db/index.ts";

const server = useServer();
const create = (person: Person, body: object) =>
  server.call("/v1/organizations", { body, headers: person.auth });
const unique = (name: string) => `${name}-${Math.random().toString(36).slice(2, 8)}`;

describe("creating an organization", () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await signUp(server);
  });

  test("makes the creator its owner, whose session acts in it from then on", async () => {
    const { status, body } = await create(ada, { name: " Acme GmbH ", slug: unique("acme") });
    expect(status).toBe(201);
    expect(body.organization).toMatchObject({
      name: "Acme GmbH",
      allowedEmailDomains: [],
      sessionMaxAgeMinutes: null,
      requireSso: false,
    });
    const me = (await server.call("/v1/me", { headers: ada.auth })).body;
    expect(me.activeOrganizationId).toBe(body.organization.id);
    expect(me.organizations).toContainEqual(
      expect.objectContaining({ organizationId: body.organization.id, role: "owner" }),
    );
  });

  test.each([
    ["Müller & Söhne", /^mu-ller-so-hne|^muller-sohne/],
    ["  ---  ", /^organization/],
    ["日本語", /^organization/],
    ["🚀🚀", /^organization/],
    ["ÅÉÎ", /^a-?e-?i/],
    [`${"x".repeat(47)}---y`, /^x{47}$|^x{41}-/],
    ["A".repeat(120), /^a{48}$|^a{41}-/],
    ["../../etc/passwd", /^etc-passwd/],
  ])("derives a valid slug from %j", async (name, expected) => {
    for (let i = 0; i < 2; i++) {
      const { status, body } = await create(ada, { name });
      expect(status).toBe(201);
      expect(body.organization.slug).toMatch(expected);
      expect(body.organization.slug).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/);
    }
  });

  test.each(["", "-a", "a-", "A", "a b", "a_b", "ä", "x".repeat(49), "a\n", "a."])(
    "the slug %j is refused",
    async (slug) => {
      expect(await create(ada, { name: "Acme", slug })).toMatchObject({
        status: 400,
        body: { details: [{ path: ["slug"] }] },
      });
    },
  );

  test("gives a requested slug once, even for five requests at the same moment", async () => {
    const slug = unique("race");
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => create(ada, { name: "Race", slug })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)!.body.error).toBe("slug_taken");
  });

  test("gives five slugs to five requests with one name at the same moment", async () => {
    const name = unique("Same name");
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => create(ada, { name })));
    expect(new Set(replies.map(({ body }) => body.organization.slug)).size).toBe(5);
  });

  test("leaves nothing when it is refused", async () => {
    const eve = await signUp(server);
    const slug = unique("taken");
    await create(ada, { name: "Taken", slug });
    expect((await create(eve, { name: "Mine", slug })).status).toBe(409);
    const { body } = await server.call("/v1/organizations", { headers: eve.auth });
    expect(body).toEqual({ items: [], nextCursor: null });
  });
});

describe("listing organizations", () => {
  test("shows the caller's organizations, newest first, and to a key only its own", async () => {
    const ada = await signUp(server);
    const first = (await create(ada, { name: "First" })).body.organization.id;
    const key = await createKey(server, ada);
    const second = (await create(ada, { name: "Second" })).body.organization.id;
    await createWorkspace(server, "Somebody else's");
    const ids = async (headers: Record<string, string>, query = "") =>
      (await server.call(`/v1/organizations${query}`, { headers })).body.items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids(ada.auth)).toEqual([second, first]);
    expect(await ids(ada.auth, "?limit=1")).toEqual([second]);
    expect(await ids(key.auth)).toEqual([first]);
  });
});

describe("changing an organization", () => {
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });
  const change = (body: object, headers: Record<string, string> = acme.owner.auth) =>
    server.call("/v1/organization", { method: "PATCH", body, headers });
  const read = async () =>
    (await server.call("/v1/organization", { headers: acme.owner.auth })).body.organization;

  test("changes the given fields and keeps the others", async () => {
    const before = await read();
    const { status, body } = await change({
      name: "Renamed",
      allowedEmailDomains: ["Example.COM", "sub.example.org"],
      sessionMaxAgeMinutes: 60,
    });
    expect(status).toBe(200);
    expect(body.organization).toMatchObject({
      id: before.id,
      name: "Renamed",
      slug: before.slug,
      allowedEmailDomains: ["example.com", "sub.example.org"],
      sessionMaxAgeMinutes: 60,
      createdAt: before.createdAt,
    });
    expect(await read()).toEqual(body.organization);
    const less = await change({ sessionMaxAgeMinutes: null, allowedEmailDomains: [] });
    expect(less.body.organization).toMatchObject({
      name: "Renamed",
      sessionMaxAgeMinutes: null,
      allowedEmailDomains: [],
    });
    expect((await change({})).body.organization.name).toBe("Renamed");
  });

  test.each([
    { name: null },
    { name: "  " },
    { name: "a\nb" },
    { name: "x".repeat(121) },
    { slug: null },
    { sessionMaxAgeMinutes: 4 },
    { sessionMaxAgeMinutes: 525_601 },
    { sessionMaxAgeMinutes: 5.5 },
    { sessionMaxAgeMinutes: 1e300 },
    { allowedEmailDomains: ["no domain"] },
    { allowedEmailDomains: ["localhost"] },
    { allowedEmailDomains: ["-a.com"] },
    { allowedEmailDomains: [`${"a".repeat(64)}.com`] },
    { allowedEmailDomains: ["a.com\n"] },
    { allowedEmailDomains: Array.from({ length: 101 }, (_, i) => `d${i}.com`) },
    { requireSso: "yes" },
    { provisionalUntil: 1 },
    { id: "org_x" },
  ])("%j is refused", async (body) => {
    const before = await read();
    expect((await change(body)).status).toBe(400);
    expect(await read()).toEqual(before);
  });

  test("a slug that another organization has is refused", async () => {
    const other = await createWorkspace(server);
    const { slug } = (await server.call("/v1/organization", { headers: other.owner.auth })).body.organization;
    expect(await change({ slug })).toMatchObject({ status: 409, body: { error: "slug_taken" } });
    expect((await change({ slug: (await read()).slug })).status).toBe(200);
  });

  test("is refused to an admin who was demoted while the request waited", async () => {
    const acme = await createWorkspace(server);
    const admin = await joinWorkspace(server, acme, "admin");
    // The caller is known from here on, so the first check of the request does not wait.
    await server.call("/v1/organization", { headers: admin.auth });
    const { request } = await server.platform.db.transaction(async (tx) => {
      await tx.run(sql`select from organizations where id = ${acme.orgId} for update`);
      const body = { allowedEmailDomains: ["elsewhere.example"] };
      const request = server.call("/v1/organization", { method: "PATCH", body, headers: admin.auth });
      await pause(100);
      await tx.run(sql`update members set role = 'member' where id = ${admin.memberId}`);
      return { request };
    });
    expect(await request).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
    const { organization } = (await server.call("/v1/organization", { headers: acme.owner.auth })).body;
    expect(organization.allowedEmailDomains).toEqual([]);
  });

  test("is allowed for admins; members can only read it", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const admin = await joinWorkspace(server, acme, "admin");
    expect((await server.call("/v1/organization", { headers: member.auth })).status).toBe(200);
    expect((await change({ name: "Mine" }, member.auth)).status).toBe(403);
    expect((await change({ name: "Ours" }, admin.auth)).status).toBe(200);
  });
});

describe("requiring single sign-on", () => {
  test("is refused while none is configured, so that nobody is locked out; the value false is accepted", async () => {
    const acme = await createWorkspace(server);
    const change = (requireSso: boolean) =>
      server.call("/v1/organization", { method: "PATCH", body: { requireSso }, headers: acme.owner.auth });
    expect(await change(true)).toMatchObject({ status: 409, body: { error: "sso_not_configured" } });
    expect((await change(false)).body.organization.requireSso).toBe(false);
    expect((await server.call("/v1/members", { headers: acme.owner.auth })).status).toBe(200);
  });
});

describe("deleting an organization", () => {
  const remove = (confirm: string, headers: Record<string, string>) =>
    server.call("/v1/organization", { method: "DELETE", body: { confirm }, headers });
  const readSlug = async ({ owner }: Workspace) =>
    (await server.call("/v1/organization", { headers: owner.auth })).body.organization.slug;

  /** Tables that say whose their rows are, and how many are this organization's. */
  async function countRows(orgId: string): Promise<Record<string, number>> {
    const { db } = server.platform;
    const tables = await db.rows<{ name: string }>(sql`
      select c.relname::text as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'org_id' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace = 'public'::regnamespace order by 1`);
    const found: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await db.queryWithDriverTypes(
        `select count(*)::int as n from ${name} where org_id = $1`,
        [orgId],
      );
      if (rows[0]!.n) found[name] = rows[0]!.n as number;
    }
    return found;
  }

  test("deletes everything in it: members, keys, runs and their events", async () => {
    const acme = await createWorkspace(server);
    const { owner } = acme;
    const bob = await joinWorkspace(server, acme, "member");
    const [key, mcp, runner] = [
      await createKey(server, bob),
      await createMcpToken(server, bob),
      await createRunner(server, bob.auth),
    ];
    await createRole(server, owner);
    await createTeam(server, owner);
    await invite(server, owner);
    const ended = await queueRun(server, owner.auth);
    await claim(server, owner.auth, ended.id);
    await report(server, owner.auth, ended.id, event(0));
    await complete(server, owner.auth, ended.id, {
      attempt: 1,
      status: "succeeded",
      usage: { inputTokens: 1, outputTokens: 1, costMicros: 1 },
    });
    const waiting = await queueRun(server, owner.auth);
    await createAutomation(server, bob.auth);
    const before = await countRows(acme.orgId);
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining([
        "api_keys",
        "automation_runs",
        "automation_usage",
        "invitations",
        "mcp_tokens",
        "teams",
      ]),
    );
    const { no } = (await server.platform.db.row<{ no: number }>(
      sql`select no from automation_runs where id = ${ended.id}`,
    ))!;
    const slug = await readSlug(acme);
    expect((await remove(slug, owner.auth)).status).toBe(204);
    for (const auth of [key.auth, mcp.auth])
      expect((await server.call("/v1/me", { headers: auth })).status).toBe(401);
    expect((await server.call("/v1/automation-runner/work", { headers: runner.auth })).status).toBe(401);
    for (const { auth } of [owner, bob]) {
      expect((await server.call("/v1/me", { headers: auth })).body.organizations).toEqual([]);
      expect((await server.call("/v1/organization", { headers: auth })).status).toBe(403);
    }
    // What was large is left for later, and nobody can do anything with it meanwhile.
    const left = await countRows(acme.orgId);
    expect(Object.keys(left).sort()).toEqual([
      "automation_event_leftovers",
      "automation_events",
      "automation_runs",
      "automation_usage",
      "llm_spend",
      "organization_leftovers",
    ]);
    const { rows } = await server.platform.db.queryWithDriverTypes(
      "select id from automation_runs where org_id = $1",
      [acme.orgId],
    );
    expect(rows).toEqual([{ id: ended.id }]);
    expect(waiting.status).toBe("queued");
    await server.platform.db.run(
      sql`update organization_leftovers set deleted_at = deleted_at - interval '11 minutes'`,
    );
    for (const job of ["platform.remove_leftovers", "automations.prune"])
      await jobs.find(({ name }) => name === job)!.handle(server.platform, {});
    expect(await countRows(acme.orgId)).toEqual({});
    const events = await server.platform.db.rows(sql`select 1 from automation_events where run_no = ${no}`);
    expect(events).toEqual([]);
    // The slug is free again, and the instance remembers that it was there.
    expect((await create(owner, { name: "Again", slug })).status).toBe(201);
    const noted = await server.platform.db.rows(
      sql`select 1 from audit_events where scope = 'instance' and action = 'organization.deleted' and target_id = ${acme.orgId}`,
    );
    expect(noted).toHaveLength(1);
  });

  test("needs an owner and its slug, and does not affect other organizations", async () => {
    const [acme, globex] = [await createWorkspace(server), await createWorkspace(server)];
    const admin = await joinWorkspace(server, acme, "admin");
    const slug = await readSlug(acme);
    for (const confirm of ["", "yes", slug.toUpperCase(), await readSlug(globex)])
      expect(await remove(confirm, acme.owner.auth)).toMatchObject({
        status: 400,
        body: { details: [{ path: ["confirm"] }] },
      });
    expect((await remove(slug, admin.auth)).body.reason).toBe("missing_permission");
    expect((await remove(slug, acme.owner.auth)).status).toBe(204);
    expect((await server.call("/v1/organization", { headers: globex.owner.auth })).status).toBe(200);
  });

  test("while others use it ends their calls without a server error", async () => {
    for (let round = 0; round < 3; round++) {
      const acme = await createWorkspace(server);
      const bob = await joinWorkspace(server, acme, "admin");
      const slug = await readSlug(acme);
      const calls = Array.from({ length: 12 }, (_, i) =>
        [
          () => server.call("/v1/api-keys", { body: { name: "late" }, headers: bob.auth }),
          () => server.call("/v1/teams", { body: { name: `late ${i}` }, headers: bob.auth }),
          () =>
            server.call("/v1/invitations", {
              body: { email: `l${i}@example.com`, role: "member" },
              headers: bob.auth,
            }),
          () =>
            server.call("/v1/automations", {
              body: { name: "late", instructions: "x", schedule: { kind: "manual" } },
              headers: bob.auth,
            }),
        ][i % 4]!(),
      );
      const [gone, ...replies] = await Promise.all([remove(slug, acme.owner.auth), ...calls]);
      expect(gone!.status).toBe(204);
      for (const { status, body } of replies)
        expect([201, 401, 403, 404, 503], JSON.stringify(body)).toContain(status);
    }
  });
});
