import { beforeAll, describe, expect, test } from "vitest";
import {
  createRole,
  createTeam,
  createWorkspace,
  joinWorkspace,
  signIn,
  useServer,
} from "../../../../test/harness.ts";
import { findLeakedSecrets, seedConnection } from "../../../../test/oauth.ts";
import {
  Browser,
  type Company,
  readCode,
  runSignIn,
  setUpCompany,
  signInAs,
  useCompany,
} from "../../../../test/sso.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();
const stage = useCompany(server);
const { createPerson, findMember } = stage;
let provider: (typeof stage)["provider"];
let acme: Company;
beforeAll(() => {
  ({ provider, acme } = stage);
});

const listEndpoints = () => ({
  authorizationEndpoint: `${provider.issuer}/auth`,
  tokenEndpoint: `${provider.issuer}/token`,
  jwksUri: `${provider.issuer}/jwks`,
  userinfoEndpoint: `${provider.issuer}/me`,
});

const start = (company = acme) => `/v1/sso/${company.connector.id}/start`;

describe("a test of a connector", () => {
  const startTest = async (company: Company) =>
    (
      await server.call(`/v1/sso/${company.connector.id}/test`, {
        method: "POST",
        headers: company.owner.auth,
      })
    ).body;
  const read = async (company: Company) =>
    (await server.call(`/v1/sso/${company.connector.id}`, { headers: company.owner.auth })).body.connector;

  test("shows the claims and what they would become, and creates nothing", async () => {
    const company = await setUpCompany(server, provider, await createWorkspace(server), {
      groupMappings: [{ group: "admins", role: "admin" }],
    });
    const { subject, email } = createPerson(company, { groups: ["admins"], name: "<b>Ada</b>" });
    const { startUrl } = await startTest(company);
    const browser = new Browser();
    const page = await runSignIn(server, browser, startUrl, subject);
    expect(page.status).toBe(200);
    for (const text of [email, "admins", "&lt;b&gt;Ada&lt;/b&gt;", "role <b>admin</b>"])
      expect(page.body).toContain(text);
    expect(browser.token).toBeUndefined();
    expect(await findMember(email, company)).toBeUndefined();
    expect((await read(company)).testedAt).toBeNull();
    // The address of a test is for one browser, once.
    expect((await new Browser().open(server, startUrl.replace(server.url, ""))).status).toBe(400);
  });

  test("counts for the person who tests when they sign in as themselves, until the connection changes", async () => {
    const company = await setUpCompany(server, provider, await createWorkspace(server));
    const { subject, email } = createPerson(company);
    await server.platform.db.run(sql`update users set email = ${email} where id = ${company.owner.userId}`);
    await runSignIn(server, new Browser(), (await startTest(company)).startUrl, subject);
    expect(await read(company)).toMatchObject({ testedByUserId: company.owner.userId });
    const path = `/v1/sso/${company.connector.id}`;
    const patch = (body: object) => server.call(path, { method: "PATCH", body, headers: company.owner.auth });
    expect((await patch({ name: "Another name" })).body.connector.testedAt).not.toBeNull();
    expect((await patch({ scopes: ["email"] })).body.connector.testedAt).toBeNull();
  });
});

describe("a client secret", () => {
  test("is rotated with an overlap, and never shown", async () => {
    const company = await setUpCompany(server, provider, await createWorkspace(server));
    const { subject } = createPerson(company);
    const path = `/v1/sso/${company.connector.id}`;
    const rotated = await server.call(`${path}/client-secret`, {
      body: { clientSecret: "seeded-second-secret" },
      headers: company.owner.auth,
    });
    expect(rotated.body.connector.earlierSecretUntil).toBeGreaterThan(Date.now());
    expect(JSON.stringify(rotated.body)).not.toContain("seeded");
    // The provider still has the earlier one.
    await signInAs(server, company, subject);
    await server.platform.db.run(
      sql`update sso_connectors set earlier_secret_until = now() where id = ${company.connector.id}`,
    );
    expect(readCode(await runSignIn(server, new Browser(), start(company), subject))).toBe("invalid_client");
    expect(await findLeakedSecrets(server, ["seeded-second-secret"])).toEqual([]);
  });

  test("is not sent to new endpoints", async () => {
    const company = await setUpCompany(server, provider, await createWorkspace(server));
    const endpoints = {
      authorizationEndpoint: "https://evil.example/authorize",
      tokenEndpoint: "https://evil.example/token",
      jwksUri: "https://evil.example/keys",
    };
    const reply = await server.call(`/v1/sso/${company.connector.id}`, {
      method: "PATCH",
      body: { endpoints },
      headers: company.owner.auth,
    });
    expect(reply.body.details[0].path).toEqual(["clientSecret"]);
  });
});

test("keys that the provider rotates need no change here", async () => {
  const { subject } = createPerson();
  await signInAs(server, acme, subject);
  provider.rotateKeys();
  await signInAs(server, acme, subject);
});

test("a connector with endpoints needs no metadata", async () => {
  const workspace = await createWorkspace(server);
  const company = await setUpCompany(server, provider, workspace, { endpoints: listEndpoints() });
  provider.asked.length = 0;
  await signInAs(server, company, createPerson(company).subject);
  expect(provider.asked).not.toContain("/.well-known/openid-configuration");
});

test("sending the endpoints of a connector again changes nothing", async () => {
  const endpoints = listEndpoints();
  const company = await setUpCompany(server, provider, await createWorkspace(server), { endpoints });
  const { subject, email } = createPerson(company);
  const { auth: headers, userId } = company.owner;
  await server.platform.db.run(sql`update users set email = ${email} where id = ${userId}`);
  const path = `/v1/sso/${company.connector.id}`;
  const { startUrl } = (await server.call(`${path}/test`, { method: "POST", headers })).body;
  await runSignIn(server, new Browser(), startUrl, subject);
  const reply = await server.call(path, { method: "PATCH", body: { endpoints }, headers });
  expect(reply).toMatchObject({ status: 200, body: { connector: { endpoints, testedByUserId: userId } } });
});

test("another organization's connector, domain and link are not found", async () => {
  const globex = await createWorkspace(server);
  const headers = globex.owner.auth;
  const path = `/v1/sso/${acme.connector.id}`;
  for (const [method, at, body] of [
    ["GET", path, undefined],
    ["PATCH", path, { name: "x" }],
    ["DELETE", path, undefined],
    ["POST", `${path}/test`, undefined],
    ["POST", `${path}/client-secret`, { clientSecret: "x" }],
    ["GET", `${path}/events`, undefined],
    ["GET", `${path}/identities`, undefined],
  ] as const)
    expect({ at, status: (await server.call(at, { method, body, headers })).status }).toEqual({
      at,
      status: 404,
    });
  expect((await server.call("/v1/sso", { headers })).body.items).toEqual([]);
});

test("admins see connectors, and only owners change them", async () => {
  const admin = await joinWorkspace(server, acme, "admin");
  const member = await joinWorkspace(server, acme, "member");
  expect((await server.call("/v1/sso", { headers: admin.auth })).status).toBe(200);
  expect((await server.call("/v1/sso", { headers: member.auth })).status).toBe(403);
  const path = `/v1/sso/${acme.connector.id}`;
  const patch = { method: "PATCH", body: { name: "x" } };
  expect((await server.call(path, { ...patch, headers: admin.auth })).status).toBe(403);
  await server.platform.db.run(
    sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${acme.owner.userId}`,
  );
  const stale = await signIn(server, acme.owner);
  expect((await server.call(path, { ...patch, body: { name: "Acme login" }, headers: stale })).status).toBe(
    200,
  );
});

test("a connector whose mapping names a removed team can be changed and disabled", async () => {
  const workspace = await createWorkspace(server);
  const team = await createTeam(server, workspace.owner);
  const groupMappings = [{ group: "staff", teamId: team.id }];
  const company = await setUpCompany(server, provider, workspace, { groupMappings });
  const headers = workspace.owner.auth;
  expect((await server.call(`/v1/teams/${team.id}`, { method: "DELETE", headers })).status).toBe(204);
  const path = `/v1/sso/${company.connector.id}`;
  const patch = (body: object) => server.call(path, { method: "PATCH", body, headers });
  expect((await patch({ name: "Another name" })).status).toBe(200);
  const body = { clientSecret: "seeded-second-secret" };
  expect((await server.call(`${path}/client-secret`, { body, headers })).status).toBe(200);
  expect((await patch({ enabled: false })).body.connector).toMatchObject({ enabled: false, groupMappings });
  // Only teams that the mappings had before may be missing.
  const other = (await createTeam(server, (await createWorkspace(server)).owner)).id;
  expect(await patch({ groupMappings: [...groupMappings, { group: "x", teamId: other }] })).toMatchObject({
    status: 400,
    body: { details: [{ path: ["groupMappings"] }] },
  });
});

test("a group is mapped to a team only by somebody who may add members to it", async () => {
  const workspace = await createWorkspace(server);
  const { owner } = workspace;
  const own = ["organization:read", "members:read", "sso:read", "sso:manage"];
  const role = await createRole(server, owner, own);
  const company = await setUpCompany(server, provider, workspace, { defaultRole: role.id });
  const person = await joinWorkspace(server, workspace, role.id);
  const team = await createTeam(server, owner);
  const path = `/v1/sso/${company.connector.id}`;
  const change = async (body: object) =>
    (await server.call(path, { method: "PATCH", body, headers: person.auth })).body;
  const groupMappings = [{ group: "staff", teamId: team.id }];
  expect(await change({ groupMappings })).toMatchObject({ connector: { groupMappings } });
  expect(await change({ groupMappings: [] })).toMatchObject({ connector: { groupMappings: [] } });
  const { connectionId } = await seedConnection(server, workspace, { shared: true });
  await server.call(`/v1/oauth-connections/${connectionId}/grants`, {
    method: "PUT",
    body: { everyone: false, memberIds: [], teamIds: [team.id] },
    headers: owner.auth,
  });
  const refused = await change({ groupMappings });
  expect(refused).toMatchObject({ error: "forbidden", reason: "missing_permission" });
  expect(refused.message).toContain("connections:manage");
  const byOwner = { method: "PATCH", body: { groupMappings }, headers: owner.auth };
  expect((await server.call(path, byOwner)).status).toBe(200);
});

test("a role that a connector gives is not removed", async () => {
  const workspace = await createWorkspace(server);
  const [given, mapped] = [
    await createRole(server, workspace.owner),
    await createRole(server, workspace.owner),
  ];
  await setUpCompany(server, provider, workspace, {
    defaultRole: given.id,
    groupMappings: [{ group: "x", role: mapped.id }],
  });
  for (const { id } of [given, mapped]) {
    const reply = await server.call(`/v1/roles/${id}`, { method: "DELETE", headers: workspace.owner.auth });
    expect(reply).toMatchObject({ status: 409, body: { error: "role_in_use", ssoConnectorCount: 1 } });
  }
});
