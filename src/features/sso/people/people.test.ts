import { beforeAll, describe, expect, test } from "vitest";
import {
  createTeam,
  createWorkspace,
  invite,
  joinWorkspace,
  type Person,
  signUp,
  useServer,
} from "../../../../test/harness.ts";
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
import { newId } from "../../../platform/ids.ts";

const server = useServer();
const stage = useCompany(server);
const { createPerson, findMember, lastEvent, signUpAtCompany } = stage;
let provider: (typeof stage)["provider"];
let acme: Company;
beforeAll(() => {
  ({ provider, acme } = stage);
});

const start = (company = acme) => `/v1/sso/${company.connector.id}/start`;
const me = (headers: Record<string, string>) => server.call("/v1/me", { headers });

describe("a first sign-in", () => {
  test("creates an account and a member with the default role, and a session of this organization", async () => {
    const { subject, email } = createPerson();
    const browser = await signInAs(server, acme, subject);
    const { body } = await me(browser.auth);
    expect(body).toMatchObject({
      user: { email, emailVerified: true },
      activeOrganizationId: acme.orgId,
      credential: "session",
    });
    expect(await findMember(email)).toMatchObject({ role: "member", email });
    const { items } = (await server.call("/v1/me/sessions", { headers: browser.auth })).body;
    expect(items[0]).toMatchObject({ signedInBy: "sso", current: true });
    expect(await lastEvent()).toMatchObject({ outcome: "succeeded", code: "member_added", email, subject });
    // The second sign-in is the same person.
    const again = await signInAs(server, acme, subject);
    expect((await me(again.auth)).body.user.id).toBe(body.user.id);
    const { connector } = (await server.call(`/v1/sso/${acme.connector.id}`, { headers: acme.owner.auth }))
      .body;
    expect(connector.health.signIns).toBeGreaterThanOrEqual(2);
  });

  test("opens the page that was asked for, and no page of another site", async () => {
    const { subject } = createPerson();
    const reply = await runSignIn(server, new Browser(), `${start()}?returnTo=/docs%3Fa%3D1`, subject);
    expect(reply.headers.get("location")).toBe("/docs?a=1");
    for (const bad of [
      "https://evil.example/",
      "//evil.example",
      "/.//evil.example",
      "javascript:alert(1)",
    ]) {
      const refused = await new Browser().open(server, `${start()}?returnTo=${encodeURIComponent(bad)}`);
      expect({ bad, status: refused.status }).toEqual({ bad, status: 400 });
    }
  });

  test("two at the same moment create one member", async () => {
    const { subject, email } = createPerson();
    const replies = await Promise.all(
      [1, 2, 3].map(() => runSignIn(server, new Browser(), start(), subject)),
    );
    expect(replies.map(({ status }) => status)).toEqual([303, 303, 303]);
    const { items } = (
      await server.call(`/v1/members?search=${encodeURIComponent(email)}`, { headers: acme.owner.auth })
    ).body;
    expect(items).toHaveLength(1);
  });

  test("recognizes a person by the subject, whatever address the provider sends later", async () => {
    const { subject, email } = createPerson();
    const first = (await me((await signInAs(server, acme, subject)).auth)).body.user;
    provider.people.set(subject, { email: `renamed-${subject}@elsewhere.example`, name: "Renamed" });
    const second = (await me((await signInAs(server, acme, subject)).auth)).body.user;
    expect(second).toMatchObject({ id: first.id, email });
  });

  test("gives the name of an account that is used for nothing else, and later sign-ins change it", async () => {
    const { subject, email } = createPerson();
    const findName = async () => (await me((await signInAs(server, acme, subject)).auth)).body.user.name;
    expect(await findName()).toMatch(/^Person /);
    provider.people.set(subject, { email, name: " Ada\u0007 Lovelace " });
    expect(await findName()).toBe("Ada  Lovelace");
    const { items } = (
      await server.call("/v1/audit-events?action=member.renamed", { headers: acme.owner.auth })
    ).body;
    expect(items[0]).toMatchObject({ after: { name: "Ada  Lovelace" } });
    provider.people.set(subject, { email, name: " " });
    expect(await findName()).toBe("Ada  Lovelace");
    // A long name that is cut within a character is given once, and not at each sign-in.
    provider.people.set(subject, { email, name: `${"a".repeat(119)}😀` });
    const cut = await findName();
    expect(await findName()).toBe(cut);
    const listRenamed = async () =>
      (await server.call("/v1/audit-events?action=member.renamed", { headers: acme.owner.auth })).body.items;
    expect(await listRenamed()).toHaveLength(items.length + 1);
    provider.people.set(subject, { email, name: "Ada  Lovelace" });
    await findName();
    // The account is used elsewhere now, so one provider alone does not name the person.
    const globex = await createWorkspace(server);
    const member = await joinWorkspace(server, globex, "member");
    await server.platform.db.run(sql`
      update members set user_id = (select id from users where email = ${email}) where id = ${member.memberId}`);
    provider.people.set(subject, { email, name: "Somebody" });
    expect(await findName()).toBe("Ada  Lovelace");
  });

  test.each([
    ["an address of another domain", { email: "somebody@elsewhere.example" }, "domain_not_verified"],
    ["an address of a subdomain", (d: string) => ({ email: `a@sub.${d}` }), "domain_not_verified"],
    ["no address", { email: undefined }, "email_missing"],
    ["an address that is none", { email: "not an address" }, "email_missing"],
    ["two addresses in one", (d: string) => ({ email: `a@evil.example, b@${d}` }), "email_missing"],
    ["an address that the provider did not verify", { email_verified: false }, "email_not_verified"],
    ["the same, as text", { email_verified: "false" }, "email_not_verified"],
  ])("with %s is refused, and creates nothing", async (_, claims, code) => {
    const { subject } = createPerson(acme, typeof claims === "function" ? claims(acme.domain) : claims);
    const browser = new Browser();
    const reply = await runSignIn(server, browser, start(), subject);
    expect(reply.status).toBe(403);
    expect(readCode(reply)).toBe(code);
    expect(browser.token).toBeUndefined();
    expect(await lastEvent()).toMatchObject({ outcome: "refused", code });
    const { count } = (await server.platform.db.row<{ count: number }>(
      sql`select count(*)::int as count from sso_identities where subject = ${subject}`,
    ))!;
    expect(count).toBe(0);
  });

  test("is refused where only members may sign in, and where the settings do not allow the domain", async () => {
    const strict = await setUpCompany(server, provider, await createWorkspace(server), {
      createsMembers: false,
    });
    const { subject } = createPerson(strict);
    expect(readCode(await runSignIn(server, new Browser(), start(strict), subject))).toBe("not_a_member");
    const narrow = await setUpCompany(server, provider, await createWorkspace(server));
    await server.call("/v1/organization", {
      method: "PATCH",
      body: { allowedEmailDomains: ["other.example"] },
      headers: narrow.owner.auth,
    });
    expect(
      readCode(await runSignIn(server, new Browser(), start(narrow), createPerson(narrow).subject)),
    ).toBe("domain_not_allowed");
  });
});

describe("an account that exists already", () => {
  const link = (browser: Browser, token: string, headers: Record<string, string> = {}) =>
    server.call("/v1/sso/link", { body: { token }, headers: { ...browser.scripted, ...headers } });

  async function arrive(subject: string): Promise<{ browser: Browser; token: string }> {
    const browser = new Browser();
    const reply = await runSignIn(server, browser, start(), subject);
    const location = reply.headers.get("location")!;
    expect(location).toMatch(/^\/v1\/sso\/link\?token=/);
    expect(browser.token).toBeUndefined();
    return { browser, token: new URL(location, server.url).searchParams.get("token")! };
  }
  const signInHere = async (browser: Browser, { email, password }: Person) =>
    browser.take(await server.call("/api/auth/sign-in/email", { body: { email, password } }));

  test("is linked after its owner signed in to it in the same browser, once", async () => {
    const ada = await signUpAtCompany();
    const { browser, token } = await arrive(ada.subject);
    const page = await browser.open(server, `/v1/sso/link?token=${token}`);
    expect(page.body).toContain(ada.email);
    expect((await link(browser, token)).status).toBe(401);
    await signInHere(browser, ada);
    const proving = browser.auth;
    const linked = await link(browser, token);
    expect(linked).toMatchObject({ status: 200, body: { returnTo: null } });
    browser.take(linked);
    expect((await me(browser.auth)).body).toMatchObject({
      user: { id: ada.userId },
      activeOrganizationId: acme.orgId,
    });
    // The session that proved it has ended, and the link is used up.
    expect((await me(proving)).status).toBe(401);
    await signInHere(browser, ada);
    expect((await link(browser, token)).body).toEqual({ error: "sso_link_not_found" });
    // From now on the provider is enough.
    expect((await me((await signInAs(server, acme, ada.subject)).auth)).body.user.id).toBe(ada.userId);
  });

  test("is not linked by another account, in another browser, or without a confirmed address", async () => {
    const ada = await signUpAtCompany();
    const eve = await signUp(server);
    const { browser, token } = await arrive(ada.subject);
    const other = new Browser();
    await signInHere(other, ada);
    expect((await link(other, token)).status).toBe(404);
    expect((await other.open(server, `/v1/sso/link?token=${token}`)).status).toBe(400);
    await signInHere(browser, eve);
    expect((await link(browser, token)).body).toMatchObject({ reason: "wrong_address" });
    await server.platform.db.run(sql`update users set email_verified = false where id = ${ada.userId}`);
    await signInHere(browser, ada);
    expect((await link(browser, token)).body).toMatchObject({ reason: "email_not_verified" });
    expect(await findMember(ada.email)).toBeUndefined();
  });

  test("is not linked by a session of another organization's single sign-on", async () => {
    const globex = await setUpCompany(server, provider, await createWorkspace(server));
    const { subject } = createPerson(globex);
    const other = await signInAs(server, globex, subject);
    const { id } = (await me(other.auth)).body.user;
    // The person has an address of acme now, and acme's provider sends the same address.
    const ada = createPerson();
    await server.platform.db.run(sql`update users set email = ${ada.email} where id = ${id}`);
    const { browser, token } = await arrive(ada.subject);
    browser.cookies.set("signalbox_session", other.token!);
    expect((await link(browser, token)).body).toMatchObject({ reason: "sso_session" });
  });

  test("that this organization's single sign-on created is linked to a new connector at once", async () => {
    const person = createPerson();
    const first = (await me((await signInAs(server, acme, person.subject)).auth)).body.user;
    const second = await setUpCompany(server, provider, acme);
    const again = { ...second, domain: acme.domain };
    expect((await me((await signInAs(server, again, person.subject)).auth)).body.user.id).toBe(first.id);
  });

  test("with another person at the provider is refused until an owner removes the link", async () => {
    const { subject, email } = createPerson();
    await signInAs(server, acme, subject);
    provider.people.set("recycled", { email });
    const reply = await runSignIn(server, new Browser(), start(), "recycled");
    expect(readCode(reply)).toBe("linked_to_another");
    const path = `/v1/sso/${acme.connector.id}/identities`;
    const { items } = (await server.call(path, { headers: acme.owner.auth })).body;
    const { id } = items.find((one: { subject: string }) => one.subject === subject);
    const removed = await server.call(`${path}/${id}`, { method: "DELETE", headers: acme.owner.auth });
    expect(removed.status).toBe(204);
    expect((await runSignIn(server, new Browser(), start(), "recycled")).status).toBe(303);
  });
});

describe("a member who is gone", () => {
  test("cannot sign in again without a new invitation", async () => {
    const { subject, email } = createPerson();
    const browser = await signInAs(server, acme, subject);
    const { id } = await findMember(email);
    await server.call(`/v1/members/${id}`, { method: "DELETE", headers: acme.owner.auth });
    expect((await server.call("/v1/members", { headers: browser.auth })).status).toBe(403);
    expect(readCode(await runSignIn(server, new Browser(), start(), subject))).toBe("member_removed");
    await server.call("/v1/invitations", { body: { email, role: "member" }, headers: acme.owner.auth });
    expect((await runSignIn(server, new Browser(), start(), subject)).status).toBe(303);
  });

  test("and was deactivated cannot sign in", async () => {
    const { subject, email } = createPerson();
    await signInAs(server, acme, subject);
    const { id } = await findMember(email);
    const path = `/v1/members/${id}/deactivate`;
    expect((await server.call(path, { method: "POST", headers: acme.owner.auth })).status).toBe(200);
    expect(readCode(await runSignIn(server, new Browser(), start(), subject))).toBe("member_deactivated");
  });

  test("and was removed before their first sign-in cannot sign in either", async () => {
    const ada = await signUpAtCompany();
    const member = await joinWorkspace(server, acme, "member");
    await server.platform.db.run(
      sql`update members set user_id = ${ada.userId} where id = ${member.memberId}`,
    );
    await server.call(`/v1/members/${member.memberId}`, { method: "DELETE", headers: acme.owner.auth });
    expect(readCode(await runSignIn(server, new Browser(), start(), ada.subject))).toBe("member_removed");
  });

  test("cannot come back with a new account either: not after a removal, not after a deactivation", async () => {
    for (const [method, path] of [
      ["DELETE", ""],
      ["POST", "/deactivate"],
    ] as const) {
      const ada = await signUpAtCompany();
      const { memberId } = await joinWorkspace(server, acme, "member");
      await server.platform.db.run(sql`update members set user_id = ${ada.userId} where id = ${memberId}`);
      await server.call(`/v1/members/${memberId}${path}`, { method, headers: acme.owner.auth });
      const body = { confirm: ada.email };
      expect((await server.call("/v1/me", { method: "DELETE", body, headers: ada.auth })).status).toBe(204);
      const signIn = () => runSignIn(server, new Browser(), start(), ada.subject);
      expect(readCode(await signIn())).toBe("member_removed");
      await server.call("/v1/invitations", {
        body: { email: ada.email, role: "member" },
        headers: acme.owner.auth,
      });
      expect((await signIn()).status).toBe(303);
    }
  });
});

describe("groups", () => {
  test("give role and teams at each sign-in, and take away only what they gave", async () => {
    const workspace = await createWorkspace(server);
    const [mapped, manual] = [
      await createTeam(server, workspace.owner),
      await createTeam(server, workspace.owner),
    ];
    const company = await setUpCompany(server, provider, workspace, {
      groupMappings: [
        { group: "admins", role: "admin" },
        { group: "staff", role: "member", teamId: mapped.id },
        { group: "both", teamId: manual.id },
      ],
    });
    const { subject, email } = createPerson(company, { groups: ["admins", "staff", "unknown"] });
    const listTeamIds = async () =>
      (await findMember(email, company)).teams.map(({ id }: { id: string }) => id);
    await signInAs(server, company, subject);
    expect(await findMember(email, company)).toMatchObject({ role: "admin" });
    expect(await listTeamIds()).toEqual([mapped.id]);
    const { id } = await findMember(email, company);
    await server.call(`/v1/teams/${manual.id}/members/${id}`, { method: "PUT", headers: company.owner.auth });
    provider.people.set(subject, { email, groups: ["staff", "both"] });
    await signInAs(server, company, subject);
    expect(await findMember(email, company)).toMatchObject({ role: "member" });
    expect((await listTeamIds()).sort()).toEqual([mapped.id, manual.id].sort());
    provider.people.set(subject, { email, groups: [] });
    await signInAs(server, company, subject);
    // The team that somebody gave by hand stays, although a group named it too.
    expect(await listTeamIds()).toEqual([manual.id]);
    expect(await findMember(email, company)).toMatchObject({ role: "member" });
    provider.people.set(subject, { email, groups: ["admins"] });
    await signInAs(server, company, subject);
    expect(await findMember(email, company)).toMatchObject({ role: "admin" });
  });

  test("do not take away what somebody gave by hand in a new invitation after a removal", async () => {
    const workspace = await createWorkspace(server);
    const team = await createTeam(server, workspace.owner);
    const company = await setUpCompany(server, provider, workspace, {
      groupMappings: [{ group: "admins", role: "admin", teamId: team.id }],
    });
    const ada = await stage.signUpAtCompany(company);
    const { email, subject } = ada;
    // As if the account had been proved before.
    await server.platform.db.run(sql`
      insert into sso_identities (id, connector_id, org_id, subject, user_id)
      values (${newId("sid")}, ${company.connector.id}, ${company.orgId}, ${subject}, ${ada.userId})`);
    provider.people.set(subject, { email, groups: ["admins"] });
    await signInAs(server, company, subject);
    const given = { role: "admin", teams: [{ id: team.id }] };
    const { id, ...first } = await findMember(email, company);
    expect(first).toMatchObject(given);
    const { auth } = company.owner;
    expect((await server.call(`/v1/members/${id}`, { method: "DELETE", headers: auth })).status).toBe(204);
    const { token } = await invite(server, company.owner, { email, role: "admin", teamIds: [team.id] });
    const accepted = await server.call("/v1/invitations/accept", { body: { token }, headers: ada.auth });
    expect(accepted.status).toBe(200);
    provider.people.set(subject, { email, groups: [] });
    await signInAs(server, company, subject);
    expect(await findMember(email, company)).toMatchObject(given);
  });

  test("never give the role of an owner, and never change one", async () => {
    const workspace = await createWorkspace(server);
    for (const body of [{ defaultRole: "owner" }, { groupMappings: [{ group: "x", role: "owner" }] }]) {
      const reply = await server.call("/v1/sso/oidc", {
        body: { name: "x", issuer: provider.issuer, clientId: "x", ...body },
        headers: workspace.owner.auth,
      });
      expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    }
    const company = await setUpCompany(server, provider, workspace, {
      groupMappings: [{ group: "staff", role: "member" }],
    });
    const { subject, email } = createPerson(company, { groups: ["staff"] });
    await signInAs(server, company, subject);
    const { id } = await findMember(email, company);
    await server.call(`/v1/members/${id}`, {
      method: "PATCH",
      body: { role: "owner" },
      headers: company.owner.auth,
    });
    await signInAs(server, company, subject);
    expect(await findMember(email, company)).toMatchObject({ role: "owner" });
  });
});
