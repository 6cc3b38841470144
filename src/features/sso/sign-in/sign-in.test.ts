import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, signUp, useServer } from "../../../../test/harness.ts";
import {
  answerQuestion,
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
const { createPerson, signUpAtCompany } = stage;
let provider: (typeof stage)["provider"];
let acme: Company;
beforeAll(() => {
  ({ provider, acme } = stage);
});

const start = (company = acme) => `/v1/sso/${company.connector.id}/start`;
const me = (headers: Record<string, string>) => server.call("/v1/me", { headers });

describe("a session of single sign-on", () => {
  test("acts in its organization only, and does not govern the account", async () => {
    const ada = await signUpAtCompany();
    const { body } = await server.call("/v1/organizations", { body: { name: "Own" }, headers: ada.auth });
    const own = body.organization.id;
    // As if she had proved the account before.
    await server.platform.db.run(sql`
      insert into sso_identities (id, connector_id, org_id, subject, user_id)
      values (${`sid_${ada.subject}`}, ${acme.connector.id}, ${acme.orgId}, ${ada.subject}, ${ada.userId})`);
    const browser = await signInAs(server, acme, ada.subject);
    const read = (orgId: string) =>
      server.call("/v1/organization", { headers: { ...browser.auth, "x-organization-id": orgId } });
    expect((await read(acme.orgId)).status).toBe(200);
    expect((await read(own)).body).toMatchObject({ reason: "no_active_organization" });
    expect(
      (await me(browser.auth)).body.organizations.map(
        (one: { organizationId: string }) => one.organizationId,
      ),
    ).toEqual([acme.orgId]);
    const listed = await server.call("/v1/organizations", { headers: browser.auth });
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([acme.orgId]);
    const refused: [string, string, unknown][] = [
      ["POST", "/v1/me/active-organization", { organizationId: own }],
      ["POST", "/v1/organizations", { name: "Another" }],
      ["POST", "/v1/me/two-factor", undefined],
      ["PATCH", "/v1/me", { name: "Chosen by the provider" }],
      ["DELETE", "/v1/me", { confirm: ada.email }],
    ];
    for (const [method, path, sent] of refused) {
      const reply = await server.call(path, { method, body: sent, headers: browser.auth });
      expect({ path, body: reply.body }).toMatchObject({ path, body: { reason: "sso_session" } });
    }
    // Nor by a key that such a session creates.
    const { key } = (await server.call("/v1/api-keys", { body: { name: "x" }, headers: browser.auth })).body;
    const renamed = await server.call("/v1/me", {
      method: "PATCH",
      body: { name: "Chosen by the provider" },
      headers: { "x-api-key": key },
    });
    expect(renamed).toMatchObject({ status: 403, body: { reason: "session_required" } });
    const reauth = { body: { password: ada.password }, headers: browser.auth };
    expect((await server.call("/api/auth/reauthenticate", reauth)).body.error).toBe("sso_session");
    // The other sessions of the person are neither seen nor ended.
    const sessions = (await server.call("/v1/me/sessions", { headers: browser.auth })).body.items;
    expect(sessions.every(({ signedInBy }: { signedInBy: string }) => signedInBy === "sso")).toBe(true);
    await server.call("/v1/me/sessions/end-others", { method: "POST", headers: browser.auth });
    expect((await me(ada.auth)).status).toBe(200);
    // An invitation of another organization is not accepted with it.
    const globex = await createWorkspace(server);
    const { token } = (
      await server.call("/v1/invitations", {
        body: { email: ada.email, role: "member" },
        headers: globex.owner.auth,
      })
    ).body;
    const accepted = await server.call("/v1/invitations/accept", { body: { token }, headers: browser.auth });
    expect(accepted.body).toMatchObject({ reason: "sso_session" });
  });

  test("neither sees, renames nor removes passkeys: they protect the account in every organization", async () => {
    const ada = await signUpAtCompany();
    const id = `psk_${ada.userId.slice(4)}`;
    await server.platform.db.run(sql`
      insert into passkeys (id, user_id, credential_id, public_key, synced, name)
      values (${id}, ${ada.userId}, ${ada.userId}, 'seeded', false, 'Laptop')`);
    // As if she had proved the account before.
    await server.platform.db.run(sql`
      insert into sso_identities (id, connector_id, org_id, subject, user_id)
      values (${`sid_${ada.subject}`}, ${acme.connector.id}, ${acme.orgId}, ${ada.subject}, ${ada.userId})`);
    const { auth } = await signInAs(server, acme, ada.subject);
    const calls: [string, string, unknown][] = [
      ["GET", "/v1/me/passkeys", undefined],
      ["PATCH", `/v1/me/passkeys/${id}`, { name: "Mine" }],
      ["DELETE", `/v1/me/passkeys/${id}`, undefined],
    ];
    for (const [method, path, body] of calls)
      expect(await server.call(path, { method, body, headers: auth })).toMatchObject({
        status: 403,
        body: { reason: "sso_session" },
      });
    const { items } = (await server.call("/v1/me/passkeys", { headers: ada.auth })).body;
    expect(items).toMatchObject([{ id, name: "Laptop" }]);
  });

  test("ends with its connector, and when the connector is disabled", async () => {
    const company = await setUpCompany(server, provider, await createWorkspace(server));
    const { subject } = createPerson(company);
    const browser = await signInAs(server, company, subject);
    const path = `/v1/sso/${company.connector.id}`;
    const patch = (body: object) => server.call(path, { method: "PATCH", body, headers: company.owner.auth });
    expect((await patch({ enabled: false })).body.connector.enabled).toBe(false);
    expect((await me(browser.auth)).status).toBe(401);
    expect((await runSignIn(server, new Browser(), start(company), subject)).status).toBe(409);
    await patch({ enabled: true });
    const again = await signInAs(server, company, subject);
    expect((await server.call(path, { method: "DELETE", headers: company.owner.auth })).status).toBe(204);
    expect((await me(again.auth)).status).toBe(401);
    expect((await new Browser().open(server, `${path}/start`)).status).toBe(400);
  });

  test("does not start when the connector was disabled while its provider was asked", async () => {
    const company = await setUpCompany(server, provider, await createWorkspace(server));
    const { subject } = createPerson(company);
    const path = `/v1/sso/${company.connector.id}`;
    const disable = () =>
      server.call(path, { method: "PATCH", body: { enabled: false }, headers: company.owner.auth });
    provider.intercept = ({ url }, response) => {
      if (url !== "/jwks") return false;
      provider.intercept = undefined;
      void disable()
        .then(() => fetch(`${provider.issuer}/jwks`))
        .then(async (keys) =>
          response.writeHead(200, { "content-type": "application/json" }).end(await keys.text()),
        );
      return true;
    };
    const browser = new Browser();
    const reply = await runSignIn(server, browser, start(company), subject);
    expect(provider.intercept).toBeUndefined();
    expect(readCode(reply)).toBe("sso_disabled");
    expect(browser.token).toBeUndefined();
    expect(await stage.findMember(`${subject}@${company.domain}`, company)).toBeUndefined();
  });

  test("is renewed by signing in at the provider again, by the same person only", async () => {
    const [ada, bob] = [createPerson(), createPerson()];
    const browser = await signInAs(server, acme, ada.subject);
    const token = browser.token;
    await server.platform.db.run(sql`
      update sessions set created_at = now() - interval '2 hours', reauthenticated_at = now() - interval '2 hours'
      where sso_connector_id = ${acme.connector.id}`);
    const signedInAt = async () =>
      (await server.call("/v1/me/sessions", { headers: browser.auth })).body.items[0].signedInAt;
    const again = `${start()}?reauthenticate=true&returnTo=/docs`;
    const refused = await runSignIn(server, browser, again, bob.subject);
    expect(readCode(refused)).toBe("other_person");
    expect(Date.now() - (await signedInAt())).toBeGreaterThan(3_600_000);
    const reply = await runSignIn(server, browser, again, ada.subject);
    expect(reply.headers.get("location")).toBe("/docs");
    expect(browser.token).toBe(token);
    expect(Date.now() - (await signedInAt())).toBeLessThan(120_000);
  });
});

describe("the way to sign in", () => {
  const resolve = (email: string) => server.call(`/v1/sso/resolve?email=${encodeURIComponent(email)}`);

  test("depends on the domain and not on accounts", async () => {
    const known = await signUpAtCompany();
    const found = await resolve(known.email);
    expect(found.body).toEqual({ method: "sso", startUrl: `${server.url}${start()}` });
    expect((await resolve(`nobody@${acme.domain.toUpperCase()}`)).body).toEqual(found.body);
    const { email } = await signUp(server);
    for (const other of [email, "nobody@elsewhere.example", "nonsense", `a@b@${acme.domain}x`, "@"])
      expect((await resolve(other)).body).toEqual({ method: "password" });
  });

  test("is the password while the connector is disabled", async () => {
    const company = await setUpCompany(server, provider, await createWorkspace(server));
    expect((await resolve(`x@${company.domain}`)).body.method).toBe("sso");
    await server.call(`/v1/sso/${company.connector.id}`, {
      method: "PATCH",
      body: { enabled: false },
      headers: company.owner.auth,
    });
    expect((await resolve(`x@${company.domain}`)).body).toEqual({ method: "password" });
  });

  test("can be started by the provider, for pages of this site", async () => {
    const { subject } = createPerson();
    const open = (browser: Browser, query: Record<string, string>) =>
      runSignIn(server, browser, `${start()}?${new URLSearchParams(query)}`, subject);
    for (const [target, location] of [
      [`${server.url}/docs`, "/docs"],
      ["https://evil.example/docs", "/"],
    ] as const) {
      const browser = new Browser();
      const asked = await open(browser, { iss: provider.issuer, target_link_uri: target });
      expect(browser.token).toBeUndefined();
      expect((await answerQuestion(server, browser, asked)).body).toEqual({ location });
      expect((await me(browser.auth)).status).toBe(200);
    }
    expect((await open(new Browser(), { iss: "https://evil.example" })).status).toBe(400);
  });
});
