import { beforeAll, describe, expect, inject, test } from "vitest";
import {
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
import { connectDirectory, type Directory, userBody, useToken, verifyDomain } from "../../../test/scim.ts";
import { sql } from "../../platform/db/index.ts";
import { newToken } from "../../platform/secrets.ts";
import { callLog } from "./calls/index.ts";

type Auth = Record<string, string>;

const server = useServer();
let number = 0;
/** A domain that no other test of this file uses. */
const newDomain = () => `d${++number}.example.com`;
const errorUrn = "urn:ietf:params:scim:api:messages:2.0:Error";

async function connect(): Promise<Directory & { workspace: Workspace; domain: string }> {
  const workspace = await createWorkspace(server);
  const domain = newDomain();
  await verifyDomain(server, workspace.orgId, domain);
  return { ...(await connectDirectory(server, workspace)), workspace, domain };
}

const listMembers = async (headers: Auth, query = "") =>
  (await server.call(`/v1/members?limit=100${query}`, { headers })).body.items;
const findMember = async ({ owner }: Workspace, email: string) =>
  (await listMembers(owner.auth)).find((one: { email: string }) => one.email === email);
const listActions = async ({ owner }: Workspace): Promise<string[]> =>
  (await server.call("/v1/audit-events?limit=100", { headers: owner.auth })).body.items.map(
    ({ action }: { action: string }) => action,
  );
/** Signs in as somebody whom the directory created, as single sign-on would. */
async function createSession(email: string) {
  const { hashSecret } = await import("../../platform/secrets.ts");
  const token = `session-of-${email}-${Math.random()}`;
  await server.platform.db.run(sql`
    insert into sessions (id, user_id, token_hash, signed_in_by, expires_at)
    select 'ses_' || ${token}, id, ${hashSecret(token)}, 'password', now() + interval '1 hour'
    from users where email = ${email}`);
  return { auth: { authorization: `Bearer ${token}` } };
}

describe("a user of the directory", () => {
  let acme: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    acme = await connect();
  });

  test("becomes a member with the default role, and is read and found", async () => {
    const email = `ada@${acme.domain}`;
    const created = await acme.createUser(email, { externalId: "ext-1", title: "Engineer" });
    expect(created.status).toBe(201);
    expect(created.headers.get("content-type")).toBe("application/scim+json");
    const { id, meta } = created.body;
    const location = `${server.url}/scim/v2/Users/${id}`;
    expect(created.headers.get("location")).toBe(location);
    expect(created.headers.get("etag")).toBe('W/"1"');
    expect(meta).toEqual({
      resourceType: "User",
      created: expect.stringMatching(/Z$/),
      lastModified: expect.stringMatching(/Z$/),
      location,
      version: 'W/"1"',
    });
    expect(await findMember(acme.workspace, email)).toMatchObject({
      role: "member",
      name: "Grace Hopper",
      managedBy: acme.connectorId,
      managedFields: ["name"],
      deactivatedAt: null,
    });
    const filter = encodeURIComponent(`userName eq "${email.toUpperCase()}"`);
    expect((await acme.call(`/Users?filter=${filter}`)).body).toMatchObject({
      totalResults: 1,
      startIndex: 1,
      itemsPerPage: 1,
      Resources: [{ id, externalId: "ext-1" }],
    });
    expect((await acme.call(`/Users/${id}?attributes=title`)).body).toEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      id,
      title: "Engineer",
    });
    const again = await acme.createUser(email.toUpperCase());
    expect(again).toMatchObject({
      status: 409,
      body: { schemas: [errorUrn], status: "409", scimType: "uniqueness" },
    });
  });

  test("loses all access when it is deactivated, and has role and teams again afterwards", async () => {
    const email = `bob@${acme.domain}`;
    const { id } = (await acme.createUser(email)).body;
    const member = await findMember(acme.workspace, email);
    const team = await createTeam(server, acme.workspace.owner);
    const { auth } = acme.workspace.owner;
    await server.call(`/v1/teams/${team.id}/members/${member.id}`, { method: "PUT", headers: auth });
    await server.call(`/v1/members/${member.id}`, {
      method: "PATCH",
      body: { role: "admin" },
      headers: auth,
    });
    const bob = await createSession(email);
    const key = await createKey(server, bob as never);
    const mcp = await createMcpToken(server, bob);
    expect((await server.call("/v1/members", { headers: bob.auth })).status).toBe(200);

    const off = await acme.patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" });
    expect(off).toMatchObject({ status: 200, body: { active: false, meta: { version: 'W/"2"' } } });
    expect((await server.call("/v1/members", { headers: bob.auth })).status).toBe(403);
    for (const { auth } of [key, mcp])
      expect((await server.call("/v1/me", { headers: auth })).status).toBe(401);
    // Okta reads deactivated users.
    expect((await acme.call(`/Users/${id}`)).body).toMatchObject({ active: false });

    const on = await acme.patch(`/Users/${id}`, { op: "replace", value: { active: true } });
    expect(on.body.active).toBe(true);
    expect((await server.call("/v1/members", { headers: bob.auth })).status).toBe(200);
    expect(await findMember(acme.workspace, email)).toMatchObject({
      role: "admin",
      teams: [{ id: team.id }],
      deactivatedAt: null,
    });
  });

  test("is not changed by an `active` that is neither true nor false", async () => {
    const email = `carl@${acme.domain}`;
    const { id } = (await acme.createUser(email)).body;
    for (const value of ["nope", 0, 1, null, "", [], {}]) {
      const reply = await acme.patch(`/Users/${id}`, { op: "replace", path: "active", value });
      expect({ value, status: reply.status }).toEqual({ value, status: 400 });
      expect(reply.body).toMatchObject({ schemas: [errorUrn], status: "400", scimType: "invalidValue" });
    }
    expect((await acme.call(`/Users/${id}`)).body.meta.version).toBe('W/"1"');
  });

  test("stays active when a PUT does not mention it, and a second equal PUT or PATCH writes nothing", async () => {
    const email = `dora@${acme.domain}`;
    const { id } = (await acme.createUser(email)).body;
    const { active: _, ...body } = userBody(email);
    const put = () => acme.call(`/Users/${id}`, { method: "PUT", body: { ...body, displayName: "Dora D." } });
    expect((await put()).body).toMatchObject({ active: true, meta: { version: 'W/"2"' } });
    expect(await findMember(acme.workspace, email)).toMatchObject({ name: "Dora D.", deactivatedAt: null });
    const before = await listActions(acme.workspace);
    expect((await put()).body.meta.version).toBe('W/"2"');
    const same = { op: "replace", path: "displayName", value: "Dora D." };
    expect((await acme.patch(`/Users/${id}`, same)).body.meta.version).toBe('W/"2"');
    expect(await listActions(acme.workspace)).toEqual(before);
  });

  test("has a version that changes refer to", async () => {
    const { id } = (await acme.createUser(`eve@${acme.domain}`)).body;
    const patch = (ifMatch: string) =>
      acme.call(`/Users/${id}`, {
        method: "PATCH",
        headers: { "if-match": ifMatch },
        body: { Operations: [{ op: "replace", path: "title", value: `T ${Math.random()}` }] },
      });
    expect((await patch('W/"1"')).headers.get("etag")).toBe('W/"2"');
    expect(await patch('W/"1"')).toMatchObject({ status: 412, body: { schemas: [errorUrn], status: "412" } });
    expect((await patch("*")).status).toBe(200);
    const read = (tag: string) => acme.call(`/Users/${id}`, { headers: { "if-none-match": tag } });
    expect((await read('W/"3"')).status).toBe(304);
    expect((await read('W/"2"')).status).toBe(200);
    const gone = (tag: string) =>
      acme.call(`/Users/${id}`, { method: "DELETE", headers: { "if-match": tag } });
    expect((await gone('W/"2"')).status).toBe(412);
    expect((await gone('W/"3"')).status).toBe(204);
  });

  test("has another version when its groups change, and a group when the name of a member changes", async () => {
    const { id } = (await acme.createUser(`gil@${acme.domain}`)).body;
    const tags: string[] = [];
    const expectNewTag = async () => {
      const { headers, body } = await acme.call(`/Users/${id}`);
      expect(headers.get("etag")).toBe(body.meta.version);
      expect(tags).not.toContain(body.meta.version);
      const known = { "if-none-match": body.meta.version };
      expect((await acme.call(`/Users/${id}`, { headers: known })).status).toBe(304);
      const filter = encodeURIComponent(`id eq "${id}"`);
      const list = await acme.call(`/Users?filter=${filter}&excludedAttributes=groups`);
      expect(list.body.Resources[0].meta.version).toBe(body.meta.version);
      tags.push(body.meta.version);
    };
    await expectNewTag();
    const group = (await acme.createGroup("Tagged", [id])).body;
    await expectNewTag();
    await acme.patch(`/Groups/${group.id}`, { op: "replace", path: "displayName", value: "Tagged 2" });
    await expectNewTag();
    await acme.createGroup("Tagged too", [id]);
    await expectNewTag();
    const stale = { method: "DELETE", headers: { "if-match": tags[0]! } };
    expect((await acme.call(`/Users/${id}`, stale)).status).toBe(412);

    const readGroup = async () => (await acme.call(`/Groups/${group.id}`)).body;
    const before = await readGroup();
    await acme.patch(`/Users/${id}`, { op: "replace", path: "title", value: "Engineer" });
    expect(await readGroup()).toEqual(before);
    await acme.patch(`/Users/${id}`, { op: "replace", path: "displayName", value: "Gil G." });
    const after = await readGroup();
    expect(after.members[0].display).toBe("Gil G.");
    expect(after.meta.version).not.toBe(before.meta.version);
    await acme.call(`/Groups/${group.id}`, { method: "DELETE" });
    await expectNewTag();
  });

  test("that is removed is deprovisioned: it is gone, and only the directory brings the person back", async () => {
    const email = `finn@${acme.domain}`;
    const { id } = (await acme.createUser(email)).body;
    const finn = await createSession(email);
    expect((await acme.call(`/Users/${id}`, { method: "DELETE" })).status).toBe(204);
    expect(await acme.call(`/Users/${id}`)).toMatchObject({ status: 404, body: { status: "404" } });
    expect((await server.call("/v1/members", { headers: finn.auth })).status).toBe(403);
    const member = await findMember(acme.workspace, email);
    expect(member).toMatchObject({ deactivatedAt: expect.any(Number), managedBy: null });
    const { auth } = acme.workspace.owner;
    const invited = await server.call("/v1/invitations", { body: { email, role: "member" }, headers: auth });
    expect(invited).toMatchObject({ status: 409, body: { error: "member_deactivated" } });
    const again = await server.call(`/v1/members/${member.id}/reactivate`, { method: "POST", headers: auth });
    expect(again).toMatchObject({ status: 409, body: { error: "managed_by_scim" } });
    expect((await server.call(`/v1/members/${member.id}`, { method: "DELETE", headers: auth })).status).toBe(
      204,
    );
    expect(
      await server.call("/v1/invitations", { body: { email, role: "member" }, headers: auth }),
    ).toMatchObject({ status: 409, body: { error: "member_deprovisioned" } });
    expect((await acme.createUser(email)).status).toBe(201);
    expect((await server.call("/v1/members", { headers: finn.auth })).status).toBe(200);
  });

  test("links a member who is there already, and manages them from then on", async () => {
    const person = await joinWorkspace(server, acme.workspace, "admin");
    const { id } = (await acme.createUser(person.email)).body;
    // The domain of the address is not verified, so the name stays the person's own.
    expect(await findMember(acme.workspace, person.email)).toMatchObject({
      id: person.memberId,
      role: "admin",
      name: "admin",
      managedBy: acme.connectorId,
      managedFields: [],
    });
    await acme.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    expect((await server.call("/v1/members", { headers: person.auth })).status).toBe(403);
    const rename = { method: "PATCH", body: { name: "Somebody" }, headers: person.auth };
    expect((await server.call("/v1/me", rename)).status).toBe(200);
  });

  test("never deactivates or removes the last owner", async () => {
    const { owner } = acme.workspace;
    const { id } = (await acme.createUser(owner.email)).body;
    const refused = { status: 403, body: { schemas: [errorUrn], status: "403" } };
    const off = { op: "replace", path: "active", value: false };
    const reply = await acme.patch(`/Users/${id}`, off);
    expect(reply).toMatchObject(refused);
    expect(reply.body.detail).toContain("Make somebody else an owner first.");
    expect(await acme.call(`/Users/${id}`, { method: "DELETE" })).toMatchObject(refused);
    expect(
      await acme.call(`/Users/${id}`, { method: "PUT", body: { ...userBody(owner.email), active: false } }),
    ).toMatchObject(refused);
    expect((await acme.call(`/Users/${id}`)).body).toMatchObject({
      active: true,
      meta: { version: 'W/"1"' },
    });
    await joinWorkspace(server, acme.workspace, "owner");
    expect((await acme.patch(`/Users/${id}`, off)).status).toBe(200);
  });
});

describe("what the directory decides", () => {
  test("is not changed by hand", async () => {
    const acme = await connect();
    const { auth } = acme.workspace.owner;
    const team = await createTeam(server, acme.workspace.owner);
    const email = `ada@${acme.domain}`;
    const { id } = (await acme.createUser(email)).body;
    await acme.createGroup("Admins", [id]);
    const mapping = { groupMappings: [{ group: "admins", role: "admin", teamId: team.id }] };
    const changed = await server.call("/v1/scim", { method: "PATCH", body: mapping, headers: auth });
    expect(changed.status).toBe(200);
    const member = await findMember(acme.workspace, email);
    expect(member).toMatchObject({
      role: "admin",
      managedFields: ["name", "role"],
      teams: [{ id: team.id }],
    });
    const refused = { status: 409, body: { error: "managed_by_scim" } };
    const path = `/v1/members/${member.id}`;
    const attempts = [
      server.call(path, { method: "PATCH", body: { role: "member" }, headers: auth }),
      server.call(path, { method: "DELETE", headers: auth }),
      server.call(`${path}/deactivate`, { method: "POST", headers: auth }),
      server.call(`/v1/teams/${team.id}/members/${member.id}`, { method: "DELETE", headers: auth }),
      server.call("/v1/me", {
        method: "PATCH",
        body: { name: "Another" },
        headers: (await createSession(email)).auth,
      }),
    ];
    for (const reply of await Promise.all(attempts)) expect(reply).toMatchObject(refused);

    // Without the connector, people decide again. The members stay.
    expect((await server.call("/v1/scim", { method: "DELETE", headers: auth })).status).toBe(204);
    expect(await findMember(acme.workspace, email)).toMatchObject({
      role: "admin",
      managedBy: null,
      managedFields: [],
      teams: [{ id: team.id }],
    });
    expect((await acme.call("/Users")).status).toBe(401);
    expect((await server.call(path, { method: "DELETE", headers: auth })).status).toBe(204);
  });
});

describe("a group of the directory", () => {
  let acme: Awaited<ReturnType<typeof connect>>;
  const users: string[] = [];
  beforeAll(async () => {
    acme = await connect();
    for (const name of ["a", "b", "c"]) users.push((await acme.createUser(`${name}@${acme.domain}`)).body.id);
  });
  const listTeams = async (name: string) =>
    (await findMember(acme.workspace, `${name}@${acme.domain}`)).teams.map(({ id }: { id: string }) => id);
  const readRole = async (name: string) => (await findMember(acme.workspace, `${name}@${acme.domain}`)).role;

  test("has members, which are added, removed and replaced as Okta and Entra ID do it", async () => {
    const [a, b, c] = users as [string, string, string];
    const created = await acme.createGroup("Everyone", [a]);
    expect(created).toMatchObject({
      status: 201,
      body: { displayName: "Everyone", members: [{ value: a }] },
    });
    const path = `/Groups/${created.body.id}`;
    const members = async () =>
      ((await acme.call(path)).body.members ?? []).map(({ value }: { value: string }) => value).sort();
    await acme.patch(path, { op: "Add", path: "members", value: [{ value: b, $ref: null }, { value: c }] });
    expect(await members()).toEqual([a, b, c].sort());
    await acme.patch(path, { op: "remove", path: `members[value eq "${a}"]` });
    await acme.patch(path, { op: "Remove", path: "members", value: [{ value: b }] });
    expect(await members()).toEqual([c]);
    await acme.patch(path, { op: "replace", value: { id: created.body.id, displayName: "All" } });
    await acme.patch(path, { op: "replace", value: { members: [{ value: a }] } });
    expect(await members()).toEqual([a]);
    const read = await acme.call(`${path}?excludedAttributes=members`);
    expect(read.body).toMatchObject({ displayName: "All" });
    expect(read.body.members).toBeUndefined();
    const { version } = (await acme.call(path)).body.meta;
    await acme.patch(path, { op: "add", path: "members", value: [{ value: a }] });
    expect((await acme.call(path)).body.meta.version).toBe(version);
    expect((await acme.call(`/Users/${a}`)).body.groups).toMatchObject([{ display: "All", type: "direct" }]);
    expect(await acme.createGroup("ALL")).toMatchObject({ status: 409, body: { scimType: "uniqueness" } });
    const unknown = await acme.patch(path, { op: "add", path: "members", value: [{ value: "scu_none" }] });
    expect(unknown).toMatchObject({ status: 400, body: { scimType: "invalidValue" } });
    expect((await acme.call(path, { method: "DELETE" })).status).toBe(204);
    expect((await acme.call(path)).status).toBe(404);
  });

  test("gives teams and roles by mapping, and takes them away again", async () => {
    const [a, b] = users as [string, string, string];
    const { auth } = acme.workspace.owner;
    const [team, other] = [
      await createTeam(server, acme.workspace.owner),
      await createTeam(server, acme.workspace.owner),
    ];
    const change = (body: object) => server.call("/v1/scim", { method: "PATCH", body, headers: auth });
    const mapped = await change({
      groupMappings: [
        { group: "Engineering", teamId: team.id },
        { group: "ext-admins", role: "admin" },
        { group: "engineering", role: "member" },
      ],
    });
    expect(mapped.status).toBe(200);
    const group = (await acme.createGroup("engineering", [a, b])).body.id;
    const admins = (await acme.createGroup("The admins", [a], { externalId: "ext-admins" })).body.id;
    expect([await listTeams("a"), await listTeams("b"), await listTeams("c")]).toEqual([
      [team.id],
      [team.id],
      [],
    ]);
    expect([await readRole("a"), await readRole("b")]).toEqual(["admin", "member"]);
    // A team that people gave stays.
    const member = await findMember(acme.workspace, `b@${acme.domain}`);
    await server.call(`/v1/teams/${other.id}/members/${member.id}`, { method: "PUT", headers: auth });
    await acme.patch(`/Groups/${group}`, { op: "remove", path: `members[value eq "${b}"]` });
    expect([await listTeams("a"), await listTeams("b")]).toEqual([[team.id], [other.id]]);
    await acme.call(`/Groups/${admins}`, { method: "DELETE" });
    expect(await readRole("a")).toBe("member");
    // Another name has no mapping.
    await acme.patch(`/Groups/${group}`, { op: "replace", path: "displayName", value: "Builders" });
    expect(await listTeams("a")).toEqual([]);
    await change({ groupMappings: [{ group: "builders", teamId: other.id }] });
    expect(await listTeams("a")).toEqual([other.id]);
    await change({ groupMappings: [] });
    expect([await listTeams("a"), await listTeams("b")]).toEqual([[], [other.id]]);
  });

  test("never makes an owner, and does not change one", async () => {
    const { auth, email } = acme.workspace.owner;
    const change = (role: string) =>
      server.call("/v1/scim", {
        method: "PATCH",
        body: { groupMappings: [{ group: "x", role }] },
        headers: auth,
      });
    expect(await change("owner")).toMatchObject({
      status: 400,
      body: { details: [{ path: ["groupMappings", 0, "role"] }] },
    });
    const id = (await acme.createUser(email)).body.id;
    await acme.createGroup("x", [id]);
    expect((await change("member")).status).toBe(200);
    expect((await findMember(acme.workspace, email)).role).toBe("owner");
  });
});

describe("keeps organizations apart", () => {
  let acme: Awaited<ReturnType<typeof connect>>;
  let globex: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    [acme, globex] = [await connect(), await connect()];
  });

  test("another directory's users and groups are not found, listed, changed or joined", async () => {
    const user = (await globex.createUser(`ada@${globex.domain}`)).body.id;
    const group = (await globex.createGroup("Staff", [user])).body.id;
    const own = (await acme.createGroup("Staff")).body.id;
    for (const path of [`/Users/${user}`, `/Groups/${group}`]) {
      expect((await acme.call(path)).status).toBe(404);
      expect((await acme.call(path, { method: "DELETE" })).status).toBe(404);
      expect(
        (await acme.call(path, { method: "PUT", body: { userName: "x", displayName: "x" } })).status,
      ).toBe(404);
      expect((await acme.patch(path, { op: "replace", path: "externalId", value: "x" })).status).toBe(404);
    }
    for (const filter of [
      `id eq "${user}"`,
      `userName eq "ada@${globex.domain}"`,
      `groups.value eq "${group}"`,
    ])
      expect((await acme.call(`/Users?filter=${encodeURIComponent(filter)}`)).body.totalResults).toBe(0);
    const add = { op: "add", path: "members", value: [{ value: user }] };
    expect((await acme.patch(`/Groups/${own}`, add)).status).toBe(400);
    expect((await acme.call("/Groups")).body.totalResults).toBe(1);
  });

  test("a person of another organization is not linked or ended, whatever the directory says", async () => {
    const email = `bob@${globex.domain}`;
    await globex.createUser(email);
    const bob = await createSession(email);
    expect((await server.call("/v1/members", { headers: bob.auth })).status).toBe(200);
    const created = await acme.createUser(email);
    expect(created.status).toBe(201);
    expect(await findMember(acme.workspace, email)).toBeUndefined();
    await acme.patch(`/Users/${created.body.id}`, { op: "replace", path: "active", value: false });
    await acme.call(`/Users/${created.body.id}`, { method: "DELETE" });
    expect((await server.call("/v1/members", { headers: bob.auth })).status).toBe(200);
    expect(await findMember(globex.workspace, email)).toMatchObject({ deactivatedAt: null });
  });

  test("an account that somebody made with an address of the domain is linked only after its owner proved it", async () => {
    const squatter = await signUp(server, "Squatter");
    const email = `victim@${acme.domain}`;
    await server.platform.db.run(sql`update users set email = ${email} where id = ${squatter.userId}`);
    const { id } = (await acme.createUser(email)).body;
    expect(await findMember(acme.workspace, email)).toBeUndefined();
    expect((await server.call("/v1/members", { headers: squatter.auth })).status).toBe(403);
    await verifyAddress(server, squatter);
    await acme.call(`/Users/${id}`, { method: "PUT", body: userBody(email) });
    expect(await findMember(acme.workspace, email)).toMatchObject({ managedBy: acme.connectorId });
  });
});

describe("the connector", () => {
  test("rotates its token with an overlap, and is disabled and enabled", async () => {
    const acme = await connect();
    const { auth } = acme.workspace.owner;
    const token = (body: object = {}) => server.call("/v1/scim/token", { body, headers: auth });
    const second = await token({ name: "Okta" });
    expect(second).toMatchObject({
      status: 201,
      body: {
        connector: {
          id: acme.connectorId,
          name: "Okta",
          tokens: [{ expiresAt: null }, { expiresAt: expect.any(Number) }],
        },
        baseUrl: `${server.url}/scim/v2`,
      },
    });
    const list = (given: string) => useToken(server, given).call("/Users?count=1");
    expect([(await list(acme.token)).status, (await list(second.body.token)).status]).toEqual([200, 200]);
    const third = (await token({ endEarlierTokens: true })).body.token;
    expect([(await list(acme.token)).status, (await list(second.body.token)).status]).toEqual([401, 401]);
    expect((await list(third)).status).toBe(200);
    const change = (body: object) => server.call("/v1/scim", { method: "PATCH", body, headers: auth });
    expect((await change({ enabled: false })).body.connector.health.status).toBe("disabled");
    expect(await list(third)).toMatchObject({ status: 403, body: { schemas: [errorUrn], status: "403" } });
    expect((await change({ enabled: true })).status).toBe(200);
    expect((await list(third)).status).toBe(200);
    expect((await list(newToken("sbs_"))).body).toMatchObject({ schemas: [errorUrn], status: "401" });
  });

  // The embedded engine does one thing after the other by itself.
  test.runIf(inject("engine") === "postgres")(
    "refuses a call that waited while its token was ended (PostgreSQL only)",
    async () => {
      const acme = await connect();
      const { db } = server.platform;
      const countWaiting = async () =>
        (
          await db.rows(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        ).length;
      const rotate = () =>
        server.call("/v1/scim/token", {
          body: { endEarlierTokens: true },
          headers: acme.workspace.owner.auth,
        });
      const { replies } = await db.transaction(async (tx) => {
        await tx.rows(sql`select from organizations where id = ${acme.workspace.orgId} for update`);
        const replies: Promise<{ status: number }>[] = [];
        for (const request of [rotate, () => acme.createUser(`late@${acme.domain}`)]) {
          replies.push(request());
          await expect.poll(countWaiting, { timeout: 10_000, interval: 20 }).toBe(replies.length);
        }
        return { replies };
      });
      expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([201, 401]);
      expect(await findMember(acme.workspace, `late@${acme.domain}`)).toBeUndefined();
    },
  );

  test("shows its health and its last calls, without tokens", async () => {
    const acme = await connect();
    const { auth } = acme.workspace.owner;
    const read = async () => (await server.call("/v1/scim", { headers: auth })).body.connector;
    expect(await read()).toMatchObject({ health: { status: "never_called", calls: 0 }, groupMappings: [] });
    await acme.createUser(`ada@${acme.domain}`);
    await acme.call(`/Users?filter=${encodeURIComponent('userName eq "x"')}`);
    await acme.call("/Users?filter=userName");
    await server.platform.state.get(callLog).flush();
    expect(await read()).toMatchObject({
      tokens: [{ lastUsedAt: expect.any(Number) }],
      health: {
        status: "failing",
        calls: 3,
        errors: 1,
        users: 1,
        activeUsers: 1,
        linkedUsers: 1,
        groups: 0,
        lastError: expect.any(String),
      },
    });
    const { items } = (await server.call("/v1/scim/calls", { headers: auth })).body;
    expect(items).toMatchObject([
      { method: "GET", path: "/scim/v2/Users?filter=userName", status: 400, error: expect.any(String) },
      { method: "GET", path: '/scim/v2/Users?filter=userName eq "x"', status: 200, error: null },
      { method: "POST", path: "/scim/v2/Users", status: 201, error: null },
    ]);
    expect(JSON.stringify(items)).not.toContain("sbs_");
  });

  test("is named by the audit entries of what it changes", async () => {
    const acme = await connect();
    await acme.createUser(`ada@${acme.domain}`);
    const { items } = (await server.call("/v1/audit-events?limit=10", { headers: acme.workspace.owner.auth }))
      .body;
    const entries = items.filter(
      ({ actor }: { actor: { credential: string } }) => actor.credential === "scim",
    );
    expect(entries.map(({ action }: { action: string }) => action).sort()).toEqual([
      "member.provisioned",
      "scim_user.created",
    ]);
    for (const { actor } of entries)
      expect(actor).toMatchObject({ userId: null, name: null, credentialId: acme.connectorId });
  });

  test("belongs to owners, and admins see it", async () => {
    const acme = await connect();
    const admin = await joinWorkspace(server, acme.workspace, "admin");
    expect((await server.call("/v1/scim", { headers: admin.auth })).status).toBe(200);
    const reply = await server.call("/v1/scim/token", { body: {}, headers: admin.auth });
    expect(reply).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
  });
});

describe("lists", () => {
  test("have pages by index and by cursor, an order, and chosen attributes", async () => {
    const acme = await connect();
    for (const name of ["c", "a", "e", "b", "d"]) await acme.createUser(`${name}@${acme.domain}`);
    const names = ({ body }: Awaited<ReturnType<typeof acme.call>>) =>
      body.Resources.map(({ userName }: { userName: string }) => userName[0]).join("");
    const sorted = await acme.call("/Users?sortBy=userName&sortOrder=descending&count=2&startIndex=2");
    expect(names(sorted)).toBe("dc");
    expect(sorted.body).toMatchObject({ totalResults: 5, startIndex: 2, itemsPerPage: 2 });
    let cursor: string | undefined = "";
    let all = "";
    for (let page = 0; cursor !== undefined && page < 9; page++) {
      const reply = await acme.call(`/Users?cursor=${cursor}&count=2`);
      expect(reply.body.totalResults).toBe(5);
      expect(reply.body.startIndex).toBeUndefined();
      all += names(reply);
      cursor = reply.body.nextCursor;
    }
    expect(all).toBe("caebd");
    expect(await acme.call("/Users?cursor=bogus")).toMatchObject({
      status: 400,
      body: { scimType: "invalidCursor" },
    });
    // The cursor of such a page could not be used.
    for (const path of ["/Users?cursor=&count=2&sortBy=userName", "/Groups?cursor=&sortBy=displayName"])
      expect(await acme.call(path)).toMatchObject({ status: 400, body: { scimType: "invalidValue" } });
    expect(names(await acme.call("/Users?cursor=&count=2&sortBy=id"))).toBe("ca");
    expect(await acme.call("/Users?startIndex=x")).toMatchObject({
      status: 400,
      body: { scimType: "invalidValue" },
    });
    expect((await acme.call("/Users?count=0")).body).toMatchObject({
      totalResults: 5,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await acme.call("/Users?count=-4&startIndex=-3")).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 0,
    });
    const searched = await acme.call("/Users/.search", {
      body: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
        filter: `emails[type eq "work" and value eq "b@${acme.domain}"]`,
        attributes: ["userName"],
        startIndex: 1,
        count: 10,
      },
    });
    expect(searched.body).toMatchObject({ totalResults: 1, Resources: [{ userName: `b@${acme.domain}` }] });
    expect(Object.keys(searched.body.Resources[0]).sort()).toEqual(["id", "schemas", "userName"]);
    // Entra ID tests a connection like this.
    const test = await acme.call(
      `/Users?filter=${encodeURIComponent('userName eq "none"')}&aadOptscim062020`,
    );
    expect(test).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
  });
});

describe("at the same moment", () => {
  test("a user or group is created once, and each change is made", async () => {
    const acme = await connect();
    const four = [1, 2, 3, 4];
    const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();
    const email = `ada@${acme.domain}`;
    expect(statuses(await Promise.all(four.map(() => acme.createUser(email))))).toEqual([201, 409, 409, 409]);
    expect(statuses(await Promise.all(four.map(() => acme.createGroup("Staff"))))).toEqual([
      201, 409, 409, 409,
    ]);
    const group = (await acme.call("/Groups")).body.Resources[0].id;
    const users = await Promise.all(
      four.map(async (n) => (await acme.createUser(`u${n}@${acme.domain}`)).body.id),
    );
    await Promise.all(
      users.map((value) =>
        acme.patch(`/Groups/${group}`, { op: "add", path: "members", value: [{ value }] }),
      ),
    );
    const { members, meta } = (await acme.call(`/Groups/${group}`)).body;
    expect(members.map(({ value }: { value: string }) => value).sort()).toEqual([...users].sort());
    expect(meta.version).toBe('W/"5"');
  });

  test("two directories that deactivate the two owners leave one of them", async () => {
    const acme = await connect();
    const second = await joinWorkspace(server, acme.workspace, "owner");
    const ids = await Promise.all(
      [acme.workspace.owner.email, second.email].map(async (email) => (await acme.createUser(email)).body.id),
    );
    const replies = await Promise.all(
      ids.map((id) => acme.patch(`/Users/${id}`, { op: "replace", path: "active", value: false })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
  });
});

test("a user beyond the quota is refused, and no member is made", async () => {
  const acme = await connect();
  const { orgId } = acme.workspace;
  await server.platform.db.run(
    sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'scim_users', 1), (${orgId}, 'scim_groups', 0)`,
  );
  expect((await acme.createUser(`a@${acme.domain}`)).status).toBe(201);
  const refused = { status: 403, body: { schemas: [errorUrn], status: "403" } };
  expect(await acme.createUser(`b@${acme.domain}`)).toMatchObject(refused);
  expect(await acme.createGroup("Staff")).toMatchObject(refused);
  expect(await findMember(acme.workspace, `b@${acme.domain}`)).toBeUndefined();
});

test("unknown parameters are ignored by every operation", async () => {
  const acme = await connect();
  const { id } = (await acme.createUser(`ada@${acme.domain}`)).body;
  const tenantFlag = "?aadOptscim062020=1";
  const found = await acme.call(`/Users/.search${tenantFlag}`, { method: "POST", body: {} });
  expect(found).toMatchObject({ status: 200, body: { totalResults: 1 } });
  expect((await acme.call(`/Users/${id}${tenantFlag}`, { method: "DELETE" })).status).toBe(204);
  expect((await acme.call(`/Me${tenantFlag}`)).status).toBe(501);
});

test("a body that is not a SCIM message is `invalidSyntax`", async () => {
  const acme = await connect();
  const { id } = (await acme.createUser(`ada@${acme.domain}`)).body;
  const contentType = { "content-type": "application/scim+json" };
  for (const [path, method] of [
    ["/Users", "POST"],
    ["/Users/.search", "POST"],
    [`/Users/${id}`, "PUT"],
    [`/Users/${id}`, "PATCH"],
  ] as const)
    for (const body of ["", "{", "null", "[]", '"x"']) {
      const reply = await acme.call(path, { method, body, headers: contentType });
      expect({ path, sent: body, ...reply }).toMatchObject({
        status: 400,
        body: { schemas: [errorUrn], scimType: "invalidSyntax" },
      });
    }
});

describe("the documents about the service", () => {
  let acme: Directory;
  beforeAll(async () => {
    acme = await connect();
  });

  test("declare what is supported", async () => {
    expect((await acme.call("/ServiceProviderConfig")).body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      etag: { supported: true },
      pagination: { cursor: true, index: true },
      meta: { resourceType: "ServiceProviderConfig" },
    });
    const types = (await acme.call("/ResourceTypes")).body.Resources;
    expect(types.map(({ id }: { id: string }) => id)).toEqual(["User", "Group"]);
    expect((await acme.call("/ResourceTypes/User")).body).toEqual(types[0]);
    const schemas = (await acme.call("/Schemas")).body.Resources;
    expect(schemas).toHaveLength(3);
    for (const schema of schemas) expect((await acme.call(`/Schemas/${schema.id}`)).body).toEqual(schema);
    for (const path of ["/ResourceTypes/Robot", "/Schemas/urn:x", "/Robots"])
      expect(await acme.call(path)).toMatchObject({ status: 404, body: { schemas: [errorUrn] } });
  });

  test("ignore parameters of lists, and refuse a filter", async () => {
    for (const path of ["/ServiceProviderConfig", "/ResourceTypes", "/ResourceTypes/User", "/Schemas"]) {
      const { status, body } = await acme.call(path);
      const other = await acme.call(`${path}?startIndex=1&count=1&sortBy=id&attributes=id&other=1`);
      expect(other).toMatchObject({ status, body });
      expect(await acme.call(`${path}?filter=id%20eq%20%22User%22`)).toMatchObject({
        status: 403,
        body: { schemas: [errorUrn], status: "403" },
      });
    }
  });

  test("what is not supported gets 501 in the form of SCIM", async () => {
    const refused = { status: 501, body: { schemas: [errorUrn], status: "501" } };
    for (const path of ["/Bulk", "/.search"])
      expect(await acme.call(path, { method: "POST" })).toMatchObject(refused);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
      expect(await acme.call("/Me", { method })).toMatchObject(refused);
  });
});

test("an invitation does not bring somebody back whom the directory deactivated", async () => {
  const acme = await connect();
  const email = `ada@${acme.domain}`;
  const { token } = await invite(server, acme.workspace.owner, { email });
  const { id } = (await acme.createUser(email)).body;
  await acme.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
  const ada = await createSession(email);
  const reply = await server.call("/v1/invitations/accept", { body: { token }, headers: ada.auth });
  expect(reply).toMatchObject({ status: 409, body: { error: "member_deactivated" } });
});
