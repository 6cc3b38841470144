import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectDescribed } from "../../../../test/described.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../../../../test/fixtures/openid-provider.ts";
import {
  createKey,
  createMcpToken,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  verifyAddress,
  type Workspace,
} from "../../../../test/harness.ts";
import { Browser, type Company, runSignIn, setUpCompany } from "../../../../test/sso.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { readMails } from "../../../platform/mail/index.ts";
import { codeAt, stepAt } from "../../auth/two-factor/totp.ts";
import * as members from "../../members/contract.ts";
import * as users from "../../users/contract.ts";

const server = useServer();
let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await startOpenIdProvider();
});
afterAll(() => provider.close());

let people = 0;

/** Gives a person an address of the company, and the same person at the provider. */
async function moveTo(company: { domain: string }, { userId }: Pick<Person, "userId">) {
  const subject = `staff-${++people}`;
  const email = `${subject}@${company.domain}`;
  provider.people.set(subject, { email });
  await server.platform.db.run(
    sql`update users set email = ${email}, email_verified = true where id = ${userId}`,
  );
  return { subject, email };
}

async function turnOnSecondFactor(person: Person): Promise<string> {
  await verifyAddress(server, person);
  const { secret } = (await server.call("/v1/me/two-factor", { method: "POST", headers: person.auth })).body;
  const body = { code: codeAt(secret, stepAt(Date.now())) };
  const { status } = await server.call("/v1/me/two-factor/confirm", { body, headers: person.auth });
  expect(status).toBe(200);
  return secret;
}

const findMemberId = async ({ orgId }: Workspace, { userId }: Pick<Person, "userId">) =>
  (await server.platform.db.row<{ id: string }>(
    sql`select id from members where org_id = ${orgId} and user_id = ${userId}`,
  ))!.id;

const patch = (headers: Record<string, string>, body: object) =>
  server.call("/v1/organization", { method: "PATCH", body, headers });

/** The owner signs in at the provider as themselves, in a test of the connector. */
async function testConnector(company: Company, subject: string): Promise<void> {
  const { startUrl } = (
    await server.call(`/v1/sso/${company.connector.id}/test`, { method: "POST", headers: company.owner.auth })
  ).body;
  const page = await runSignIn(server, new Browser(), startUrl, subject);
  expect(page.body).toContain("<dt>Counts as your test</dt><dd>yes</dd>");
}

/** A company that requires single sign-on, and its owner with a second factor. */
async function createStrictCompany() {
  const company = await setUpCompany(server, provider, await createWorkspace(server));
  const { subject, email } = await moveTo(company, company.owner);
  const secret = await turnOnSecondFactor(company.owner);
  await testConnector(company, subject);
  const breakGlassMemberId = await findMemberId(company, company.owner);
  const reply = await patch(company.owner.auth, { requireSso: true, breakGlassMemberId });
  expect(reply).toMatchObject({
    status: 200,
    body: { organization: { requireSso: true, breakGlassMemberId } },
  });
  return { ...company, owner: { ...company.owner, email }, subject, secret, breakGlassMemberId };
}

/** Signs in with password and a code. */
async function signInWithCode({ owner, secret }: { owner: Person; secret: string }) {
  await server.platform.db.run(sql`update two_factors set last_step = 0 where user_id = ${owner.userId}`);
  const { email, password } = owner;
  const first = await server.call("/api/auth/sign-in/email", { body: { email, password } });
  expect(first.status).toBe(202);
  const { twoFactorToken } = first.body;
  const body = { twoFactorToken, code: codeAt(secret, stepAt(Date.now())) };
  const { token } = (await server.call("/api/auth/sign-in/two-factor", { body })).body;
  return { authorization: `Bearer ${token}` };
}

describe("requiring single sign-on", () => {
  test("is refused step by step until nobody can be locked out", async () => {
    const workspace = await createWorkspace(server);
    expect((await patch(workspace.owner.auth, { requireSso: true })).body.error).toBe("sso_not_configured");
    const company = await setUpCompany(server, provider, workspace);
    const { subject } = await moveTo(company, company.owner);
    expect((await patch(company.owner.auth, { requireSso: true })).body.error).toBe("sso_not_tested");
    await testConnector(company, subject);
    expect((await patch(company.owner.auth, { requireSso: true })).body.error).toBe("break_glass_required");
    const breakGlassMemberId = await findMemberId(company, company.owner);
    const admin = await joinWorkspace(server, company, "admin");
    const elsewhere = await createWorkspace(server);
    const wrong = [
      breakGlassMemberId,
      admin.memberId,
      await findMemberId(elsewhere, elsewhere.owner),
      "mem_x",
    ];
    for (const id of wrong) {
      const reply = await patch(company.owner.auth, { requireSso: true, breakGlassMemberId: id });
      expect(reply.body.details?.[0].path).toEqual(["breakGlassMemberId"]);
    }
    // An admin may change the organization, but not this.
    const byAdmin = await patch(admin.auth, { requireSso: true, breakGlassMemberId });
    expect(byAdmin.body).toMatchObject({ error: "forbidden", reason: "missing_permission" });
    await turnOnSecondFactor(company.owner);
    await server.platform.db.run(
      sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${company.owner.userId}`,
    );
    // Sessions are cached for a moment. A call that changes nothing shows when this one is known to be old.
    const old = { error: "reauth", reason: "session_too_old" };
    await expect
      .poll(() => server.call("/v1/sso/domains/none", { method: "DELETE", headers: company.owner.auth }), {
        timeout: 5_000,
      })
      .toMatchObject({ status: 403, body: old });
    const late = await patch(company.owner.auth, { requireSso: true, breakGlassMemberId });
    expect(late.body).toMatchObject(old);
  });

  test("refuses other sessions, takes those of this organization's provider, and no other's", async () => {
    const company = await createStrictCompany();
    const colleague = await joinWorkspace(server, company, "member");
    const read = (headers: Record<string, string>) => server.call("/v1/members", { headers });
    for (const person of [company.owner, colleague])
      expect((await read(person.auth)).body).toMatchObject({ error: "reauth", reason: "sso_required" });
    const { subject } = await moveTo(company, colleague);
    // As if the colleague had proved the account before.
    await server.platform.db.run(sql`
      insert into sso_identities (id, connector_id, org_id, subject, user_id)
      values (${`sid_${subject}`}, ${company.connector.id}, ${company.orgId}, ${subject}, ${colleague.userId})`);
    const browser = new Browser();
    await runSignIn(server, browser, `/v1/sso/${company.connector.id}/start`, subject);
    expect((await read(browser.auth)).status).toBe(200);
    // The same person belongs to another organization too, and signs in with its provider.
    const other = await setUpCompany(server, provider, await createWorkspace(server));
    await server.platform.db.run(sql`
      insert into sso_identities (id, connector_id, org_id, subject, user_id)
      values (${`sid_o${subject}`}, ${other.connector.id}, ${other.orgId}, ${subject}, ${colleague.userId})`);
    const stranger = new Browser();
    await runSignIn(server, stranger, `/v1/sso/${other.connector.id}/start`, subject);
    const headers = { ...stranger.auth, "x-organization-id": company.orgId };
    expect((await read(headers)).body).toMatchObject({ reason: "no_active_organization" });
  });

  test("lets the named owner in with password and second factor, and tells all owners", async () => {
    const company = await createStrictCompany();
    const second = await joinWorkspace(server, company, "owner");
    const headers = await signInWithCode(company);
    expect((await server.call("/v1/members", { headers })).status).toBe(200);
    const mails = (await readMails(server.platform, 50)).filter(({ subject }) =>
      /without single sign-on/.test(subject),
    );
    const told = mails.map(({ to }) => to);
    expect(told).toEqual(expect.arrayContaining([company.owner.email, second.email]));
    const { items } = (await server.call("/v1/audit-events?limit=20", { headers })).body;
    expect(items.map(({ action }: { action: string }) => action)).toContain("organization.break_glass_used");
    // A session from before is not enough: its use would alarm nobody.
    expect((await server.call("/v1/members", { headers: company.owner.auth })).status).toBe(403);
    expect((await server.call("/v1/members", { headers: second.auth })).body.reason).toBe("sso_required");
  });

  test("lets that owner remove one of several second factors, whichever, and keeps the last one", async () => {
    const company = await createStrictCompany();
    const { owner, secret } = company;
    const headers = await signInWithCode(company);
    const removeApp = async () => {
      await server.platform.db.run(sql`update two_factors set last_step = 0 where user_id = ${owner.userId}`);
      const body = { code: codeAt(secret, stepAt(Date.now())) };
      const { status, body: reply } = await server.call("/v1/me/two-factor", {
        method: "DELETE",
        body,
        headers,
      });
      return status === 204 ? "removed" : reply.error;
    };
    expect(await removeApp()).toBe("break_glass_owner");
    const id = newId("psk");
    await server.platform.db.run(sql`
      insert into passkeys (id, user_id, credential_id, public_key, synced, name, created_at)
      values (${id}, ${owner.userId}, ${id}, '', false, 'Laptop', now() - interval '1 day')`);
    expect(await removeApp()).toBe("removed");
    expect(await server.call(`/v1/me/passkeys/${id}`, { method: "DELETE", headers })).toMatchObject({
      status: 409,
      body: { error: "break_glass_owner" },
    });
    const { twoFactor } = (await server.call("/v1/me/two-factor", { headers })).body;
    expect(twoFactor.enabled).toBe(true);
  });

  test("accepts a passkey as the second factor of that owner, and keeps the last one", async () => {
    const company = await setUpCompany(server, provider, await createWorkspace(server));
    const { subject } = await moveTo(company, company.owner);
    await testConnector(company, subject);
    const { owner } = company;
    const id = newId("psk");
    await server.platform.db.run(sql`
      insert into passkeys (id, user_id, credential_id, public_key, synced, name)
      values (${id}, ${owner.userId}, ${id}, '', false, 'Laptop')`);
    const breakGlassMemberId = await findMemberId(company, owner);
    expect((await patch(owner.auth, { requireSso: true, breakGlassMemberId })).status).toBe(200);
    const read = async () => (await server.call("/v1/members", { headers: owner.auth })).status;
    await expect.poll(read, { timeout: 3_000 }).toBe(403);
    // As if the owner had signed in with the passkey now.
    await server.platform.db.run(
      sql`update sessions set created_at = now(), signed_in_by = 'passkey' where user_id = ${owner.userId}`,
    );
    await expect.poll(read, { timeout: 3_000 }).toBe(200);
    const removed = await server.call(`/v1/me/passkeys/${id}`, { method: "DELETE", headers: owner.auth });
    expect(removed).toMatchObject({ status: 409, body: { error: "break_glass_owner" } });
  });

  test("does not let another owner in with a session from before they were named: its use would alarm nobody", async () => {
    const company = await createStrictCompany();
    const second = await joinWorkspace(server, company, "owner");
    const secret = await turnOnSecondFactor(second);
    const earlier = await signInWithCode({ owner: second, secret });
    const read = (headers: Record<string, string>) =>
      server.call("/v1/members", { headers: { ...headers, "x-organization-id": company.orgId } });
    expect((await read(earlier)).body.reason).toBe("sso_required");
    const headers = await signInWithCode(company);
    expect((await patch(headers, { breakGlassMemberId: second.memberId })).status).toBe(200);
    expect((await read(earlier)).body.reason).toBe("sso_required");
    const later = await signInWithCode({ owner: second, secret });
    expect((await read(later)).status).toBe(200);
  });

  test("keeps that owner: not removed, demoted, deactivated or without a second factor", async () => {
    const company = await createStrictCompany();
    const second = await joinWorkspace(server, company, "owner");
    const headers = await signInWithCode(company);
    const path = `/v1/members/${company.breakGlassMemberId}`;
    const call = (method: string, at: string, body?: object) =>
      server.call(at, { method, ...(body ? { body } : {}), headers });
    const refused = async (...request: Parameters<typeof call>) => (await call(...request)).body.error;
    for (const [spec, method, at, body] of [
      [members.remove, "DELETE", path],
      [members.change, "PATCH", path, { role: "admin" }],
      [members.leave, "POST", "/v1/organization/leave"],
      [members.transferOwnership, "POST", `/v1/members/${second.memberId}/transfer-ownership`],
      [users.removeMe, "DELETE", "/v1/me", { confirm: company.owner.email }],
    ] as const) {
      const reply = await call(method, at, body);
      expect(reply).toMatchObject({ status: 409, body: { error: "break_glass_owner" } });
      expectDescribed(spec, reply);
    }
    await server.platform.db.run(
      sql`update two_factors set last_step = 0 where user_id = ${company.owner.userId}`,
    );
    const code = codeAt(company.secret, stepAt(Date.now()));
    expect(await refused("DELETE", "/v1/me/two-factor", { code })).toBe("break_glass_owner");
    const connector = `/v1/sso/${company.connector.id}`;
    expect(await refused("PATCH", connector, { enabled: false })).toBe("sso_required");
    expect(await refused("DELETE", connector)).toBe("sso_required");
    expect((await patch(headers, { requireSso: false })).body.organization).toMatchObject({
      requireSso: false,
      breakGlassMemberId: null,
    });
    expect((await server.call(connector, { method: "DELETE", headers })).status).toBe(204);
    expect((await server.call("/v1/members", { headers: company.owner.auth })).status).toBe(200);
  });

  test("ends keys and tokens of members who can no longer sign in, and of nobody else", async () => {
    const company = await setUpCompany(server, provider, await createWorkspace(server));
    const { subject } = await moveTo(company, company.owner);
    await turnOnSecondFactor(company.owner);
    await testConnector(company, subject);
    const [outside, inside] = [
      await joinWorkspace(server, company, "member"),
      await joinWorkspace(server, company, "member"),
    ];
    await moveTo(company, inside);
    const keys = [
      await createKey(server, outside),
      await createKey(server, inside),
      await createKey(server, company.owner),
    ];
    const token = await createMcpToken(server, outside);
    const breakGlassMemberId = await findMemberId(company, company.owner);
    await patch(company.owner.auth, { requireSso: true, breakGlassMemberId });
    const statuses = await Promise.all(
      [...keys, token].map(async ({ auth }) => (await server.call("/v1/me", { headers: auth })).status),
    );
    expect(statuses).toEqual([401, 200, 200, 401]);
  });

  test("ends the keys of the named owner when another one is named and they can no longer sign in", async () => {
    const company = await createStrictCompany();
    const second = await joinWorkspace(server, company, "owner");
    const secret = await turnOnSecondFactor(second);
    const headers = await signInWithCode(company);
    const name = async (auth: Record<string, string>, breakGlassMemberId: string) =>
      (await patch(auth, { breakGlassMemberId })).status;
    expect(await name(headers, second.memberId)).toBe(200);
    const key = await createKey(server, {
      ...second,
      auth: (await signInWithCode({ owner: second, secret })) as Person["auth"],
    });
    // As if the first owner had proved the account before.
    await server.platform.db.run(sql`
      insert into sso_identities (id, connector_id, org_id, subject, user_id)
      values (${newId("sid")}, ${company.connector.id}, ${company.orgId}, ${company.subject}, ${company.owner.userId})`);
    const browser = new Browser();
    await runSignIn(server, browser, `/v1/sso/${company.connector.id}/start`, company.subject);
    const readMe = async () => (await server.call("/v1/me", { headers: key.auth })).status;
    expect(await readMe()).toBe(200);
    expect(await name(browser.auth, company.breakGlassMemberId)).toBe(200);
    expect(await readMe()).toBe(401);
  });
});
