/** No other site, and no link of another organization, changes without being noticed who is signed in in a browser. */
import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, signUp, useServer } from "../../../../test/harness.ts";
import {
  answerQuestion,
  Browser,
  type Company,
  runSignIn,
  setUpCompany,
  signInAs,
  useCompany,
} from "../../../../test/sso.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();
const stage = useCompany(server);
const { createPerson, findMember, lastEvent, signUpAtCompany } = stage;
let acme: Company;
let globex: Company;
beforeAll(async () => {
  ({ acme } = stage);
  globex = await setUpCompany(server, stage.provider, await createWorkspace(server, "Globex"));
});

const start = (company = acme) => `/v1/sso/${company.connector.id}/start`;
const findEmail = async ({ auth }: Browser) =>
  (await server.call("/v1/me", { headers: auth })).body.user?.email;
const asks = ({ headers }: { headers: Headers }) =>
  headers.get("location")?.startsWith("/v1/sso/confirm?token=") ?? false;
const fromOtherSite = { headers: { "sec-fetch-site": "cross-site" } };
const readToken = ({ headers }: { headers: Headers }) =>
  new URL(headers.get("location")!, server.url).searchParams.get("token")!;
const countSignIns = async () =>
  (await server.call(`/v1/sso/${acme.connector.id}`, { headers: acme.owner.auth })).body.connector.health;

describe("a sign-in that this browser started", () => {
  test.each([
    ["by typing the address", { "sec-fetch-site": "none" }],
    ["on a page of ours", { "sec-fetch-site": "same-origin" }],
  ])("%s, with nobody signed in, asks nothing", async (_, headers) => {
    const browser = new Browser();
    const reply = await runSignIn(server, browser, start(), createPerson().subject, { headers });
    expect(asks(reply)).toBe(false);
    expect(browser.token).toBeDefined();
  });

  test("by the person who is signed in asks nothing", async () => {
    const ada = await signUpAtCompany();
    await server.platform.db.run(sql`
      insert into sso_identities (id, connector_id, org_id, subject, user_id)
      values (${`sid_${ada.subject}`}, ${acme.connector.id}, ${acme.orgId}, ${ada.subject}, ${ada.userId})`);
    const browser = new Browser();
    browser.cookies.set("signalbox_session", ada.token);
    expect(asks(await runSignIn(server, browser, start(), ada.subject))).toBe(false);
    expect(asks(await runSignIn(server, browser, start(), ada.subject))).toBe(false);
    expect(await findEmail(browser)).toBe(ada.email);
  });

  test("by another person than the one who is signed in asks, and then ends that session", async () => {
    const owner = await signUp(server);
    const { subject, email } = createPerson(globex);
    const browser = new Browser();
    browser.cookies.set("signalbox_session", owner.token);
    const asked = await runSignIn(server, browser, `${start(globex)}?returnTo=/docs`, subject);
    expect(asks(asked)).toBe(true);
    expect(browser.token).toBe(owner.token);
    // Nothing exists before the answer.
    expect(await findMember(email, globex)).toBeUndefined();
    const page = await browser.open(server, asked.headers.get("location")!);
    expect(page.status).toBe(200);
    for (const text of [email, "Globex", "Acme login", owner.email, "Sign in as Person", "Cancel"])
      expect(page.body).toContain(text);
    expect((await answerQuestion(server, browser, asked)).body).toEqual({ location: "/docs" });
    expect(await findEmail(browser)).toBe(email);
    expect((await server.call("/v1/me", { headers: owner.auth })).status).toBe(401);
  });
});

describe("a sign-in that another site started", () => {
  test("asks, although nobody is signed in, and counts as one sign-in", async () => {
    const { subject, email } = createPerson();
    const before = await countSignIns();
    const browser = new Browser();
    const asked = await runSignIn(server, browser, start(), subject, fromOtherSite);
    expect(asks(asked)).toBe(true);
    expect(browser.token).toBeUndefined();
    expect(await lastEvent()).toMatchObject({ code: "confirmation_needed", subject });
    const page = await browser.open(server, asked.headers.get("location")!);
    expect(page.body).toContain("nobody");
    await answerQuestion(server, browser, asked);
    expect(await findEmail(browser)).toBe(email);
    expect(await lastEvent()).toMatchObject({ purpose: "sign_in", code: "member_added", subject });
    expect(await countSignIns()).toMatchObject({ signIns: before.signIns + 1, failures: before.failures });
  });

  test("asks nothing if the browser keeps its session of this organization", async () => {
    const { subject } = createPerson();
    const browser = await signInAs(server, acme, subject);
    const { token } = browser;
    expect(asks(await runSignIn(server, browser, start(), subject, fromOtherSite))).toBe(false);
    expect(browser.token).toBe(token);
  });

  test("that is refused says so at once", async () => {
    const { subject } = createPerson(acme, { email: "somebody@elsewhere.example" });
    expect((await runSignIn(server, new Browser(), start(), subject, fromOtherSite)).status).toBe(403);
  });

  test("leads to the page that links an account, which asks by itself", async () => {
    const ada = await signUpAtCompany();
    const reply = await runSignIn(server, new Browser(), start(), ada.subject, fromOtherSite);
    expect(reply.headers.get("location")).toMatch(/^\/v1\/sso\/link\?token=/);
  });

  test("and that is cancelled is dropped", async () => {
    const { subject, email } = createPerson();
    const before = await countSignIns();
    const browser = new Browser();
    const asked = await runSignIn(server, browser, start(), subject, fromOtherSite);
    expect((await answerQuestion(server, browser, asked, "cancel")).body).toEqual({ location: "/" });
    expect(await lastEvent()).toMatchObject({ code: "cancelled", outcome: "refused", subject });
    expect(await answerQuestion(server, browser, asked)).toMatchObject({
      status: 404,
      body: { error: "sso_confirmation_not_found" },
    });
    expect((await browser.open(server, asked.headers.get("location")!)).status).toBe(400);
    expect(browser.token).toBeUndefined();
    expect(await findMember(email)).toBeUndefined();
    expect(await countSignIns()).toMatchObject({ signIns: before.signIns, failures: before.failures });
  });
});

describe("the answer", () => {
  const ask = async () => {
    const person = createPerson();
    const browser = new Browser();
    const asked = await runSignIn(server, browser, start(), person.subject, fromOtherSite);
    return { ...person, browser, asked, token: readToken(asked) };
  };
  const send = (token: string, headers: Record<string, string>) =>
    server.call("/v1/sso/confirm", { body: { token, answer: "sign_in" }, headers });

  test("counts once, even from two requests at the same moment", async () => {
    const { browser, asked } = await ask();
    const replies = await Promise.all([1, 2].map(() => answerQuestion(server, browser, asked)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  test("counts only from a page of ours, in the same browser", async () => {
    const { browser, token, asked } = await ask();
    for (const site of ["cross-site", "same-site", "none"])
      expect(await send(token, { ...browser.headers, "sec-fetch-site": site })).toMatchObject({
        status: 403,
        body: { reason: "cross_site_request" },
      });
    expect((await send(token, browser.headers)).status).toBe(403);
    const other = new Browser();
    await other.open(server, start());
    expect((await send(token, other.scripted)).status).toBe(404);
    expect((await other.open(server, `/v1/sso/confirm?token=${token}`)).status).toBe(400);
    expect((await answerQuestion(server, browser, asked)).status).toBe(200);
  });

  test("does not count after ten minutes", async () => {
    const { browser, asked } = await ask();
    await server.platform.db.run(
      sql`update sso_attempts set expires_at = now() - interval '1 second' where purpose = 'confirm' and used_at is null`,
    );
    expect((await answerQuestion(server, browser, asked)).status).toBe(404);
  });

  test("does not sign in a person whom the organization has refused in the meantime", async () => {
    const { browser, asked, subject } = await ask();
    const path = `/v1/sso/${acme.connector.id}`;
    const patch = (createsMembers: boolean) =>
      server.call(path, { method: "PATCH", body: { createsMembers }, headers: acme.owner.auth });
    await patch(false);
    expect(await answerQuestion(server, browser, asked)).toMatchObject({
      status: 409,
      body: { error: "not_a_member" },
    });
    expect(await lastEvent()).toMatchObject({ code: "not_a_member", subject });
    await patch(true);
    expect(browser.token).toBeUndefined();
  });

  test("is no other kind of token, and other tokens are no answer", async () => {
    const { browser, token } = await ask();
    expect((await browser.open(server, `/v1/sso/link?token=${token}`)).status).toBe(400);
    expect(
      (await browser.open(server, `${start().replace("start", "callback")}?state=${token}`)).status,
    ).toBe(400);
    const ada = await signUpAtCompany();
    const linking = await runSignIn(server, browser, start(), ada.subject);
    expect((await send(readToken(linking), browser.scripted)).status).toBe(404);
  });
});
