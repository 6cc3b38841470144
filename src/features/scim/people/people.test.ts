import { expect, test } from "vitest";
import {
  createRole,
  createTeam,
  createWorkspace,
  invite,
  joinWorkspace,
  signUp,
  useServer,
  verifyAddress,
  type Workspace,
} from "../../../../test/harness.ts";
import { connectDirectory, verifyDomain } from "../../../../test/scim.ts";
import type { OrgId } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/index.ts";
import { listOwners } from "../../auth/break-glass/store.ts";
import { listAdmins } from "../../sso/domains/index.ts";
import { decide } from "../../sso/people/index.ts";
import { callLog } from "../calls/index.ts";

const server = useServer();
let number = 0;

async function connect() {
  const workspace = await createWorkspace(server);
  const domain = `p${++number}.example.com`;
  await verifyDomain(server, workspace.orgId, domain);
  return { ...(await connectDirectory(server, workspace)), workspace, domain };
}

const findMember = async ({ owner }: Workspace, email: string) =>
  (await server.call("/v1/members?limit=100", { headers: owner.auth })).body.items.find(
    (one: { email: string }) => one.email === email,
  );

test("a change that waited uses the mappings and the state of the connector of now", async () => {
  const acme = await connect();
  const { orgId } = acme.workspace;
  const email = `ada@${acme.domain}`;
  const { id } = (await acme.createUser(email)).body;
  const group = (await acme.createGroup("Admins")).body.id;
  const mappings = { groupMappings: [{ group: "Admins", role: "admin" }] };
  await server.call("/v1/scim", { method: "PATCH", body: mappings, headers: acme.workspace.owner.auth });
  const { db } = server.platform;
  const runWhileWaiting = async (change: Parameters<typeof db.run>[0], call: () => Promise<unknown>) => {
    let reply: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.row(sql`select id from organizations where id = ${orgId} for no key update`);
      reply = call();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await tx.run(change);
    });
    return reply;
  };
  await runWhileWaiting(sql`update scim_connectors set group_mappings = '[]' where org_id = ${orgId}`, () =>
    acme.patch(`/Groups/${group}`, { op: "add", path: "members", value: [{ value: id }] }),
  );
  expect(await findMember(acme.workspace, email)).toMatchObject({ role: "member" });
  const late = await runWhileWaiting(
    sql`update scim_connectors set disabled_at = now() where org_id = ${orgId}`,
    () => acme.patch(`/Users/${id}`, { op: "replace", path: "active", value: false }),
  );
  expect(late).toMatchObject({ status: 403 });
  expect(await findMember(acme.workspace, email)).toMatchObject({ deactivatedAt: null });
});

test("somebody who was removed and created again does not have the role and teams of their former groups", async () => {
  const acme = await connect();
  const { auth } = acme.workspace.owner;
  const team = await createTeam(server, acme.workspace.owner);
  const body = { groupMappings: [{ group: "Admins", role: "admin", teamId: team.id }] };
  await server.call("/v1/scim", { method: "PATCH", body, headers: auth });
  const email = `ada@${acme.domain}`;
  const { id } = (await acme.createUser(email)).body;
  await acme.createGroup("Admins", [id]);
  expect(await findMember(acme.workspace, email)).toMatchObject({ role: "admin", teams: [{ id: team.id }] });
  await acme.call(`/Users/${id}`, { method: "DELETE" });
  expect(await findMember(acme.workspace, email)).toMatchObject({ role: "member", teams: [] });
  await acme.createUser(email);
  expect(await findMember(acme.workspace, email)).toMatchObject({
    role: "member",
    teams: [],
    deactivatedAt: null,
  });
});

test("a long name that is cut within a character is given once, and not with each change", async () => {
  const acme = await connect();
  const email = `ada@${acme.domain}`;
  const displayName = `${"a".repeat(119)}😀 Lovelace`;
  const { id } = (await acme.createUser(email, { displayName })).body;
  expect(await findMember(acme.workspace, email)).toMatchObject({ name: "a".repeat(119) });
  for (const title of ["Engineer", "Manager"])
    await acme.patch(`/Users/${id}`, { op: "replace", path: "title", value: title });
  const path = "/v1/audit-events?action=member.renamed";
  expect((await server.call(path, { headers: acme.workspace.owner.auth })).body.items).toEqual([]);
});

test("somebody who comes back as another user with the same address has access again", async () => {
  const acme = await connect();
  const email = `ada@${acme.domain}`;
  const emails = [{ value: email, primary: true }];
  const body = { groupMappings: [{ group: "Admins", role: "admin" }] };
  await server.call("/v1/scim", { method: "PATCH", body, headers: acme.workspace.owner.auth });
  const earlier = (await acme.createUser(`ada.old@${acme.domain}`, { emails })).body.id;
  await acme.createGroup("Admins", [earlier]);
  const setActive = (id: string, value: boolean) =>
    acme.patch(`/Users/${id}`, { op: "replace", path: "active", value });
  await setActive(earlier, false);
  expect(await findMember(acme.workspace, email)).toMatchObject({ deactivatedAt: expect.any(Number) });
  const later = (await acme.createUser(`ada.new@${acme.domain}`, { emails })).body.id;
  const active = { deactivatedAt: null, role: "member" };
  expect(await findMember(acme.workspace, email)).toMatchObject(active);
  // The earlier user decides nothing any more, whether it is changed or removed.
  await acme.patch(`/Users/${earlier}`, { op: "replace", path: "title", value: "Former" });
  await setActive(earlier, true);
  await setActive(earlier, false);
  await acme.call(`/Users/${earlier}`, { method: "DELETE" });
  expect(await findMember(acme.workspace, email)).toMatchObject(active);
  await setActive(later, false);
  expect(await findMember(acme.workspace, email)).toMatchObject({ deactivatedAt: expect.any(Number) });
});

test("a member stays when one of two active users with the same address is removed", async () => {
  const acme = await connect();
  const email = `ada@${acme.domain}`;
  const first = (await acme.createUser(email)).body.id;
  // The address that counts is another one.
  const other = [{ value: `grace@${acme.domain}`, primary: true }, { value: email }];
  await acme.createUser("grace", { emails: other });
  await acme.createUser("ada-inactive", { emails: [{ value: email }], active: false });
  const second = (await acme.createUser("ada-2", { emails: [{ value: email }] })).body.id;
  const { id } = await findMember(acme.workspace, email);
  expect((await acme.call(`/Users/${first}`, { method: "DELETE" })).status).toBe(204);
  expect(await findMember(acme.workspace, email)).toMatchObject({ id, deactivatedAt: null });
  expect((await acme.call(`/Users/${second}`, { method: "DELETE" })).status).toBe(204);
  expect(await findMember(acme.workspace, email)).toMatchObject({ id, deactivatedAt: expect.any(Number) });
  expect(await findMember(acme.workspace, `grace@${acme.domain}`)).toMatchObject({ deactivatedAt: null });
});

test("a mapping to a team that was removed gives nothing, and the audit log says nothing about it", async () => {
  const acme = await connect();
  const { owner } = acme.workspace;
  const headers = owner.auth;
  const [team, removed] = [await createTeam(server, owner), await createTeam(server, owner)];
  const groupMappings = [team, removed].map(({ id }) => ({ group: "Staff", teamId: id }));
  await server.call("/v1/scim", { method: "PATCH", body: { groupMappings }, headers });
  await server.call(`/v1/teams/${removed.id}`, { method: "DELETE", headers });
  const email = `ada@${acme.domain}`;
  const { id } = (await acme.createUser(email)).body;
  await acme.createGroup("Staff", [id]);
  await acme.createGroup("Others", [id]);
  expect(await findMember(acme.workspace, email)).toMatchObject({ teams: [{ id: team.id }] });
  const path = "/v1/audit-events?action=scim_connector.mappings_applied";
  expect((await server.call(path, { headers })).body.items).toMatchObject([
    { after: { teamsJoined: 1, teamsLeft: 0 } },
  ]);
});

test("an invitation does not make somebody a member whom the directory calls inactive", async () => {
  const acme = await connect();
  const email = `ada@${acme.domain}`;
  const { token } = await invite(server, acme.workspace.owner, { email });
  await acme.createUser(email, { active: false });
  const refused = { status: 409, body: { error: "member_deprovisioned" } };
  const again = { body: { email, role: "member" }, headers: acme.workspace.owner.auth };
  expect(await server.call("/v1/invitations", again)).toMatchObject(refused);
  const ada = await signUp(server, "Ada");
  await server.platform.db.run(sql`update users set email = ${email} where id = ${ada.userId}`);
  await verifyAddress(server, ada);
  const accept = () => server.call("/v1/invitations/accept", { body: { token }, headers: ada.auth });
  expect(await accept()).toMatchObject(refused);
  // Another user of the directory with this address is active.
  await acme.createUser("ada-2", { emails: [{ value: email }] });
  expect(await findMember(acme.workspace, email)).toMatchObject({ deactivatedAt: null });
});

test("an earlier invitation does not bring back a removed person who made their account anew", async () => {
  const acme = await connect();
  const email = `ada@${acme.domain}`;
  const { token } = await invite(server, acme.workspace.owner, { email });
  const { id } = (await acme.createUser(email)).body;
  await acme.call(`/Users/${id}`, { method: "DELETE" });
  await server.platform.db.run(sql`delete from users where email = ${email}`);
  const ada = await signUp(server, "Ada");
  await server.platform.db.run(sql`update users set email = ${email} where id = ${ada.userId}`);
  const reply = await server.call("/v1/invitations/accept", { body: { token }, headers: ada.auth });
  expect(reply).toMatchObject({ status: 409, body: { error: "invitation_cancelled" } });
});

test("the log of calls keeps calls whose address or error has characters that a column cannot store", async () => {
  const [acme, globex] = [await connect(), await connect()];
  await acme.call("/Users/%00");
  await acme.call("/Users/%F0%9F%98%80");
  const filter = `userName eq "${"a".repeat(999 - '/scim/v2/Users?filter=userName eq "'.length)}😀"`;
  await acme.call(`/Users?filter=${encodeURIComponent(filter)}`);
  await acme.call(`/Users?filter=${encodeURIComponent(`x "${"😀".repeat(300)}`)}`);
  await globex.call("/Users");
  await server.platform.state.get(callLog).flush();
  const list = async ({ workspace }: typeof acme) =>
    (await server.call("/v1/scim/calls", { headers: workspace.owner.auth })).body.items;
  expect(await list(globex)).toHaveLength(1);
  expect(await list(acme)).toHaveLength(4);
});

test("a deactivated owner gets no mails about single sign-on", async () => {
  const { orgId, owner } = await createWorkspace(server);
  const second = await joinWorkspace(server, { orgId, owner } as Workspace, "owner");
  const path = `/v1/members/${second.memberId}/deactivate`;
  expect((await server.call(path, { method: "POST", headers: owner.auth })).status).toBe(200);
  const { db } = server.platform;
  for (const list of [listAdmins, listOwners])
    expect((await list(db, orgId as OrgId)).map(({ email }) => email)).toEqual([owner.email]);
});

test("a token is made only by somebody who may give the roles of the mappings", async () => {
  const acme = await connect();
  const { owner } = acme.workspace;
  const own = ["organization:read", "members:read", "scim:read", "scim:manage"];
  const role = await createRole(server, owner, own);
  const person = await joinWorkspace(server, acme.workspace, role.id);
  const makeToken = async () =>
    (await server.call("/v1/scim/token", { body: {}, headers: person.auth })).body.reason ?? "made";
  const map = (given: string) =>
    server.call("/v1/scim", {
      method: "PATCH",
      body: { defaultRole: given, groupMappings: [] },
      headers: owner.auth,
    });
  expect((await map(role.id)).status).toBe(200);
  expect(await makeToken()).toBe("made");
  const body = { groupMappings: [{ group: "Admins", role: "admin" }] };
  expect((await server.call("/v1/scim", { method: "PATCH", body, headers: owner.auth })).status).toBe(200);
  expect(await makeToken()).toBe("above_own_rights");
});

test("a role that the connector gives is not removed", async () => {
  const { workspace } = await connect();
  const { auth: headers } = workspace.owner;
  const [given, mapped] = [
    await createRole(server, workspace.owner),
    await createRole(server, workspace.owner),
  ];
  const body = { defaultRole: given.id, groupMappings: [{ group: "x", role: mapped.id }] };
  expect((await server.call("/v1/scim", { method: "PATCH", body, headers })).status).toBe(200);
  const remove = (id: string) => server.call(`/v1/roles/${id}`, { method: "DELETE", headers });
  for (const { id } of [given, mapped])
    expect(await remove(id)).toMatchObject({
      status: 409,
      body: { error: "role_in_use", scimConnectorCount: 1 },
    });
  const without = { defaultRole: "member", groupMappings: [] };
  expect((await server.call("/v1/scim", { method: "PATCH", body: without, headers })).status).toBe(200);
  for (const { id } of [given, mapped]) expect((await remove(id)).status).toBe(204);
});

test("the log of calls has no token, also when the directory sends it in the address", async () => {
  const acme = await connect();
  expect((await acme.call(`/Users?access_token=${acme.token}`)).status).toBe(200);
  expect((await acme.call(`/Users?filter=${acme.token}`)).status).toBe(400);
  expect((await acme.call(`/Users/${acme.token}`)).status).toBe(404);
  await server.platform.state.get(callLog).flush();
  const { auth } = acme.workspace.owner;
  const { items } = (await server.call("/v1/scim/calls", { headers: auth })).body;
  expect(items).toHaveLength(3);
  expect(JSON.stringify(items)).not.toContain(acme.token);
  expect(JSON.stringify((await server.call("/v1/scim", { headers: auth })).body)).not.toContain(acme.token);
});

test("single sign-on does not make somebody a member whom the directory calls inactive", async () => {
  const acme = await connect();
  const email = `ada@${acme.domain}`;
  const connector = { orgId: acme.workspace.orgId, id: "sso_none", createsMembers: true };
  const identity = { subject: "ada", email, emailVerified: true, name: "Ada", groups: [] };
  const sign = () =>
    decide(server.platform.db, connector as never, { ...identity, authenticatedAt: undefined });
  expect(await sign()).toMatchObject({ kind: "new" });
  await acme.createUser(email, { active: false });
  expect(await sign()).toMatchObject({ kind: "refused", code: "member_deactivated" });
});
