/** Which member a user of the directory is linked to, what the link gives, and when it is made. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { adminEnv, callAdmin, createAdmin, suspend } from "../../../../test/admin.ts";
import { type DnsRecord, type DnsServer, startDnsServer } from "../../../../test/fixtures/dns-server.ts";
import {
  createDatabase,
  createTeam,
  createWorkspace,
  joinWorkspace,
  signUp,
  startServer,
  type TestDatabase,
  type TestServer,
  verifyAddress,
  type Workspace,
} from "../../../../test/harness.ts";
import { recordStatements } from "../../../../test/plans.ts";
import { connectDirectory, userBody, verifyDomain } from "../../../../test/scim.ts";
import type { OrgId, UserId } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { createVerificationToken } from "../../auth/links.ts";
import { followProvenAddress, linkUsersOfDomain, type VerifiedDomain } from "./service.ts";

const records = new Map<string, DnsRecord>();
let dns: DnsServer;
let database: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  dns = await startDnsServer((name) => records.get(name));
  database = await createDatabase();
  server = await startServer(database, { role: "all", env: adminEnv, nameServers: [dns.address] });
});
afterAll(async () => {
  await server.close();
  await database.drop();
  await dns.close();
});

let number = 0;
async function connect() {
  const workspace = await createWorkspace(server);
  const domain = `l${++number}.example.com`;
  return { ...(await connectDirectory(server, workspace)), workspace, domain };
}
async function connectVerified() {
  const acme = await connect();
  await verifyDomain(server, acme.workspace.orgId, acme.domain);
  return acme;
}
const findMember = async ({ owner }: Workspace, email: string) =>
  (await server.call("/v1/members?limit=100", { headers: owner.auth })).body.items.find(
    (one: { email: string }) => one.email === email,
  );
const post = (path: string, { auth }: Workspace["owner"]) =>
  server.call(path, { method: "POST", headers: auth });
/** Jobs run some time after the change that queued them. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 100 });

describe("a member whose address is not proven", () => {
  const map = async ({ workspace }: Awaited<ReturnType<typeof connect>>) => {
    const team = await createTeam(server, workspace.owner);
    const body = { groupMappings: [{ group: "Admins", role: "admin", teamId: team.id }] };
    await server.call("/v1/scim", { method: "PATCH", body, headers: workspace.owner.auth });
    return team.id as string;
  };

  test("is linked, and gets the mapped role and team when the address is confirmed", async () => {
    const acme = await connect();
    const teamId = await map(acme);
    const { email } = await joinWorkspace(server, acme.workspace, "member");
    const { id } = (await acme.createUser(email)).body;
    await acme.createGroup("Admins", [id]);
    const plain = { managedBy: acme.connectorId, role: "member", managedFields: [], teams: [] };
    expect(await findMember(acme.workspace, email)).toMatchObject(plain);
    await acme.patch(`/Users/${id}`, { op: "replace", path: "title", value: "Engineer" });
    expect(await findMember(acme.workspace, email)).toMatchObject(plain);

    const token = createVerificationToken(server.platform.keyring, email);
    expect((await server.call("/api/auth/verify-email", { body: { token } })).status).toBe(200);
    await eventually(async () =>
      expect(await findMember(acme.workspace, email)).toMatchObject({
        role: "admin",
        managedFields: ["role"],
        teams: [{ id: teamId }],
      }),
    );
  });

  test("gets the mapped role when the organization's provider names the same address", async () => {
    const acme = await connectVerified();
    await map(acme);
    const person = await joinWorkspace(server, acme.workspace, "member");
    const { db } = server.platform;
    const { orgId } = acme.workspace;
    await db.run(sql`
      insert into sso_connectors (id, org_id, name, kind, settings, default_role)
      values (${`sso_${number}`}, ${orgId}, 'Provider', 'oidc', '{}', 'member')`);
    const link = (email: string) =>
      db.run(sql`
        insert into sso_identities (id, org_id, connector_id, subject, user_id, email)
        values (${newId("sid")}, ${orgId}, ${`sso_${number}`}, ${email}, ${person.userId}, ${email})`);
    await link("other@example.com");
    const { id } = (await acme.createUser(person.email)).body;
    const group = (await acme.createGroup("Admins", [id])).body.id;
    expect(await findMember(acme.workspace, person.email)).toMatchObject({ role: "member" });
    await db.run(sql`update sso_identities set email = ${person.email} where user_id = ${person.userId}`);
    await acme.patch(`/Groups/${group}`, { op: "remove", path: "members" });
    await acme.patch(`/Groups/${group}`, { op: "add", path: "members", value: [{ value: id }] });
    expect(await findMember(acme.workspace, person.email)).toMatchObject({ role: "admin" });
  });

  test("loses a mapped role that an earlier version gave", async () => {
    const acme = await connect();
    await map(acme);
    const { email, memberId } = await joinWorkspace(server, acme.workspace, "admin");
    const { id } = (await acme.createUser(email)).body;
    await server.platform.db.run(sql`update members set managed_fields = '{role}' where id = ${memberId}`);
    await acme.createGroup("Admins", [id]);
    expect(await findMember(acme.workspace, email)).toMatchObject({ role: "member", managedFields: [] });
  });

  test("gets nothing while the organization is suspended, and everything when it is restored", async () => {
    const admin = await createAdmin(server);
    const acme = await connectVerified();
    const { orgId } = acme.workspace;
    await map(acme);
    const { email } = await joinWorkspace(server, acme.workspace, "member");
    const person = await signUp(server, "Ada");
    const newcomer = `ada@${acme.domain}`;
    await server.platform.db.run(sql`update users set email = ${newcomer} where id = ${person.userId}`);
    const users = [(await acme.createUser(email)).body.id, (await acme.createUser(newcomer)).body.id];
    await acme.createGroup("Admins", users);
    await suspend(server, admin, orgId);
    const readMembers = async () =>
      (
        await server.platform.db.rows<{ email: string; role: string }>(sql`
          select u.email, m.role from members m join users u on u.id = m.user_id
          where m.org_id = ${orgId} and u.email = any(${[email, newcomer]}::text[]) order by u.email`)
      ).map(({ email, role }) => `${email} ${role}`);
    for (const address of [email, newcomer]) {
      const { userId } = (await server.platform.db.row<{ userId: UserId }>(
        sql`update users set email_verified = true where email = ${address} returning id as "userId"`,
      ))!;
      await followProvenAddress(server.platform, { userId });
    }
    await linkUsersOfDomain(server.platform, { orgId: orgId as OrgId, domain: acme.domain });
    expect(await readMembers()).toEqual([`${email} member`]);
    expect((await callAdmin(server, admin, `organizations/${orgId}/restore`, {})).status).toBe(200);
    await eventually(async () =>
      expect(await readMembers()).toEqual([`${newcomer} admin`, `${email} admin`].sort()),
    );
  });

  test("gets nothing while the connector is disabled, and everything when it is enabled again", async () => {
    const acme = await connectVerified();
    const teamId = await map(acme);
    const { email } = await joinWorkspace(server, acme.workspace, "member");
    const person = await signUp(server, "Ada");
    const newcomer = `ada@${acme.domain}`;
    await server.platform.db.run(sql`update users set email = ${newcomer} where id = ${person.userId}`);
    const users = [(await acme.createUser(email)).body.id, (await acme.createUser(newcomer)).body.id];
    await acme.createGroup("Admins", users);
    const { auth: headers } = acme.workspace.owner;
    const enable = (enabled: boolean) =>
      server.call("/v1/scim", { method: "PATCH", body: { enabled }, headers });
    await enable(false);
    for (const address of [email, newcomer]) {
      const { userId } = (await server.platform.db.row<{ userId: UserId }>(
        sql`update users set email_verified = true where email = ${address} returning id as "userId"`,
      ))!;
      await followProvenAddress(server.platform, { userId });
    }
    expect(await findMember(acme.workspace, email)).toMatchObject({ role: "member", teams: [] });
    expect(await findMember(acme.workspace, newcomer)).toBeUndefined();
    expect((await enable(true)).status).toBe(200);
    await eventually(async () => {
      for (const address of [email, newcomer])
        expect(await findMember(acme.workspace, address)).toMatchObject({
          role: "admin",
          teams: [{ id: teamId }],
        });
    });
  });

  test("who is not a member yet becomes one when the address is confirmed", async () => {
    const acme = await connectVerified();
    const person = await signUp(server, "Ada");
    const email = `ada@${acme.domain}`;
    await server.platform.db.run(sql`update users set email = ${email} where id = ${person.userId}`);
    await acme.createUser(email);
    expect(await findMember(acme.workspace, email)).toBeUndefined();
    const token = createVerificationToken(server.platform.keyring, email);
    await server.call("/api/auth/verify-email", { body: { token } });
    await eventually(async () =>
      expect(await findMember(acme.workspace, email)).toMatchObject({ managedBy: acme.connectorId }),
    );
  });
});

describe("a sign-up with the same address at the same moment", () => {
  /** Sends the request while another transaction has inserted the account and has not committed it yet. */
  async function runDuringSignUp<T>(email: string, call: () => Promise<T>): Promise<T> {
    let reply: Promise<T> | undefined;
    await server.platform.db.transaction(async (tx) => {
      await tx.run(sql`insert into users (id, email, name) values (${newId("usr")}, ${email}, 'Ada')`);
      reply = call();
      await new Promise((resolve) => setTimeout(resolve, 400));
    });
    return reply!;
  }

  test("does not fail a create, a PUT or a PATCH", async () => {
    const acme = await connectVerified();
    const [first, second, third] = [1, 2, 3].map((n) => `ada${n}@${acme.domain}`) as [string, string, string];
    const created = await runDuringSignUp(first, () => acme.createUser(first));
    expect(created).toMatchObject({ status: 201, body: { userName: first } });
    const outside = async () => (await acme.createUser(`u${++number}@elsewhere.example.com`)).body.id;
    const [put, patched] = [await outside(), await outside()];
    const replaced = await runDuringSignUp(second, () =>
      acme.call(`/Users/${put}`, { method: "PUT", body: userBody(second) }),
    );
    expect(replaced).toMatchObject({ status: 200, body: { userName: second } });
    const value = [{ value: third, primary: true }];
    const changed = await runDuringSignUp(third, () =>
      acme.patch(`/Users/${patched}`, { op: "replace", path: "emails", value }),
    );
    expect(changed).toMatchObject({ status: 200, body: { emails: [{ value: third }] } });
    // Nobody has proved these addresses.
    for (const email of [first, second, third])
      expect(await findMember(acme.workspace, email)).toBeUndefined();
  });

  test("leaves one account for each address, whoever is first", async () => {
    const acme = await connectVerified();
    const emails = Array.from({ length: 6 }, (_, n) => `race${n}@${acme.domain}`);
    const replies = await Promise.all(
      emails.flatMap((email) => [
        server.call("/api/auth/sign-up/email", { body: { email, name: "Ada", password: "a long password" } }),
        acme.createUser(email),
      ]),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201]));
  });
});

describe("a member whom an admin deactivated", () => {
  async function deactivate(acme: Awaited<ReturnType<typeof connect>>) {
    const person = await joinWorkspace(server, acme.workspace, "member");
    await verifyAddress(server, person);
    const { owner } = acme.workspace;
    expect((await post(`/v1/members/${person.memberId}/deactivate`, owner)).status).toBe(200);
    return person;
  }
  const isActive = async ({ workspace }: Awaited<ReturnType<typeof connect>>, email: string) =>
    (await findMember(workspace, email)).deactivatedAt === null;

  test("stays deactivated when the directory first calls them active, and the directory reads that", async () => {
    const acme = await connect();
    const { email, memberId } = await deactivate(acme);
    const created = await acme.createUser(email);
    expect(created).toMatchObject({ status: 201, body: { active: false } });
    const path = `/Users/${created.body.id}`;
    expect(await isActive(acme, email)).toBe(false);
    // Okta repeats `active: true` with every change of the profile.
    const put = await acme.call(path, { method: "PUT", body: { ...userBody(email), title: "Engineer" } });
    expect(put.body).toMatchObject({ active: false, title: "Engineer" });
    const count = async (filter: string) =>
      (await acme.call(`/Users?filter=${encodeURIComponent(filter)}`)).body.totalResults;
    expect(await count("active eq true")).toBe(0);
    expect(await count(`userName eq "${email}" and active eq false`)).toBe(1);
    const { health } = (await server.call("/v1/scim", { headers: acme.workspace.owner.auth })).body.connector;
    expect(health).toMatchObject({ users: 1, activeUsers: 0, linkedUsers: 1 });

    const { version } = put.body.meta;
    const again = await post(`/v1/members/${memberId}/reactivate`, acme.workspace.owner);
    expect(again).toMatchObject({ status: 200, body: { member: { deactivatedAt: null } } });
    expect((await acme.call(path)).body).toMatchObject({ active: true });
    expect(await count("active eq true")).toBe(1);
    await eventually(async () => expect((await acme.call(path)).body.meta.version).not.toBe(version));
    // From here on the directory decides.
    const refused = await post(`/v1/members/${memberId}/deactivate`, acme.workspace.owner);
    expect(refused).toMatchObject({ status: 409, body: { error: "managed_by_scim" } });
  });

  test("is active again when the directory changes them from inactive to active", async () => {
    const acme = await connect();
    const { email, memberId } = await deactivate(acme);
    const path = `/Users/${(await acme.createUser(email)).body.id}`;
    const set = async (value: boolean) =>
      (await acme.patch(path, { op: "replace", path: "active", value })).body.active;
    expect(await set(true)).toBe(false);
    expect(await set(false)).toBe(false);
    const reply = await post(`/v1/members/${memberId}/reactivate`, acme.workspace.owner);
    expect(reply).toMatchObject({ status: 409, body: { error: "managed_by_scim" } });
    expect(await set(true)).toBe(true);
    expect(await isActive(acme, email)).toBe(true);
  });

  test("stays deactivated when the directory removes the user and creates it again", async () => {
    const acme = await connect();
    const { email, memberId } = await deactivate(acme);
    const { id } = (await acme.createUser(email)).body;
    await acme.call(`/Users/${id}`, { method: "DELETE" });
    expect((await acme.createUser(email)).body.active).toBe(false);
    expect((await post(`/v1/members/${memberId}/reactivate`, acme.workspace.owner)).status).toBe(200);
    expect(await isActive(acme, email)).toBe(true);
  });
});

test("users are linked when the domain of their address is verified", async () => {
  const acme = await connect();
  const { auth } = acme.workspace.owner;
  const emails = ["a", "b", "c"].map((name) => `${name}@${acme.domain}`);
  for (const email of emails) await acme.createUser(email);
  await acme.createUser(`off@${acme.domain}`, { active: false });
  await acme.createUser("someone@elsewhere.example.com");
  const squatter = await signUp(server, "Squatter");
  await server.platform.db.run(
    sql`update users set email = ${`d@${acme.domain}`} where id = ${squatter.userId}`,
  );
  await acme.createUser(`d@${acme.domain}`);
  const health = async () =>
    (await server.call("/v1/scim", { headers: auth })).body.connector.health.linkedUsers;
  expect(await health()).toBe(0);
  const { domain } = (await server.call("/v1/sso/domains", { body: { domain: acme.domain }, headers: auth }))
    .body;
  records.set(domain.txtName, { texts: [domain.txtValue] });
  expect((await post(`/v1/sso/domains/${domain.id}/verify`, acme.workspace.owner)).status).toBe(200);
  await eventually(async () => expect(await health()).toBe(3));
  for (const email of emails)
    expect(await findMember(acme.workspace, email)).toMatchObject({ managedBy: acme.connectorId });
  const { items } = (await server.call("/v1/audit-events?limit=50", { headers: auth })).body;
  const entries = items.filter(({ action }: { action: string }) => action === "member.provisioned");
  expect(entries).toHaveLength(3);
  for (const { actor } of entries)
    expect(actor).toMatchObject({ credential: "scim", credentialId: acme.connectorId, userId: null });
});

test("at the quota of members, users who are members already are still linked", async () => {
  const acme = await connect();
  const { orgId } = acme.workspace;
  const { db } = server.platform;
  const emails = ["a", "b", "c"].map((name) => `${name}@${acme.domain}`);
  for (const email of emails) await acme.createUser(email);
  const person = await joinWorkspace(server, acme.workspace, "member");
  await db.run(sql`update users set email = ${emails[2]}, email_verified = true where id = ${person.userId}`);
  await db.run(sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'members', 2)`);
  await verifyDomain(server, orgId, acme.domain);
  const statements = await recordStatements(server.engine, () =>
    linkUsersOfDomain(server.platform, { orgId: orgId as OrgId, domain: acme.domain }),
  );
  expect(await findMember(acme.workspace, emails[2]!)).toMatchObject({ managedBy: acme.connectorId });
  expect(await findMember(acme.workspace, emails[0]!)).toBeUndefined();
  // After the first refusal, nobody else is tried who would need a place.
  expect(statements.filter(({ text }) => text.includes("insert into users"))).toHaveLength(1);
});

test("a large domain is linked in batches, so that the jobs of other organizations run between them", async () => {
  const acme = await connect();
  const { db } = server.platform;
  const { orgId } = acme.workspace;
  const seed = { active: false, userName: "seed" };
  await db.run(sql`
    insert into scim_users (id, org_id, connector_id, user_name, user_name_key, active, resource, search)
    select 'scu_' || ${orgId} || n, ${orgId}, ${acme.connectorId}, n::text, n::text, false,
      ${JSON.stringify(seed)}::text::jsonb, ${JSON.stringify(seed)}::text::jsonb
    from generate_series(100, 349) n`);
  const batches: VerifiedDomain[] = [];
  let next: VerifiedDomain | undefined = { orgId: orgId as OrgId, domain: acme.domain };
  while (next) {
    next = await linkUsersOfDomain(server.platform, next);
    if (next) batches.push(next);
  }
  const start = { orgId, domain: acme.domain };
  expect(batches).toEqual([
    { ...start, after: `scu_${orgId}199` },
    { ...start, after: `scu_${orgId}299` },
  ]);
});

test("deactivated members do not count towards the quota of members, and reactivation needs a free place", async () => {
  const acme = await connectVerified();
  const { orgId, owner } = acme.workspace;
  await server.platform.db.run(
    sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'members', 2)`,
  );
  const used = async () =>
    (await server.call("/v1/organization/quotas", { headers: owner.auth })).body.items.find(
      ({ name }: { name: string }) => name === "members",
    ).used;
  const [a, b] = [`a@${acme.domain}`, `b@${acme.domain}`];
  const { id } = (await acme.createUser(a)).body;
  expect(await used()).toBe(2);
  expect((await acme.createUser(b)).status).toBe(403);
  const set = (value: boolean) => acme.patch(`/Users/${id}`, { op: "replace", path: "active", value });
  expect((await set(false)).status).toBe(200);
  expect(await used()).toBe(1);
  expect((await acme.createUser(b)).status).toBe(201);
  const refused = await set(true);
  expect(refused).toMatchObject({ status: 403 });
  expect(refused.body.detail).toContain("quota members");
  expect((await acme.call(`/Users/${id}`)).body.active).toBe(false);
});
