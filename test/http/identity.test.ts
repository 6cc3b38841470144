/** Who is calling: accounts, sessions, cookies, the active organization, and what is kept of all that. */
import { describe, expect, test } from "vitest";
import { sql } from "../../src/platform/db/index.ts";
import { newId } from "../../src/platform/ids.ts";
import { readMails } from "../../src/platform/mail/index.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  type Person,
  signUp,
  type TestServer,
  useServer,
  verifyAddress,
} from "../harness.ts";

const server = useServer();

const signIn = (email: string, password: string, headers: Record<string, string> = {}) =>
  server.call("/api/auth/sign-in/email", { body: { email, password }, headers });
const me = (headers: Record<string, string>) => server.call("/v1/me", { headers });
const readActiveOrganization = async (headers: Record<string, string>) =>
  (await me(headers)).body.activeOrganizationId;

/** The newest mail to somebody that holds such a link, and the token in it. */
async function tokenFromMail(to: string, link: string): Promise<string> {
  const mails = await readMails(server.platform, 100);
  const mail = mails.find((one) => one.to === to && one.text?.includes(link));
  const url = mail?.text?.split("\n").find((line) => line.includes(link));
  expect(url, `a mail to ${to} with ${link}`).toBeDefined();
  return new URL(url!).searchParams.get("token")!;
}

describe("an account", () => {
  test("is created, signed in, used and signed out", async () => {
    const email = `whole-${Date.now()}@example.com`;
    const made = await server.call("/api/auth/sign-up/email", {
      body: { email: email.toUpperCase(), password: "correct horse", name: "  Ada  " },
    });
    expect(made.status).toBe(200);
    expect(made.body.user).toMatchObject({ email, name: "Ada", emailVerified: false });
    expect(made.body.token).toMatch(/^[\w-]{30,}$/);
    const signedIn = await signIn(email, "correct horse");
    expect(signedIn.status).toBe(200);
    expect(signedIn.body.user.id).toBe(made.body.user.id);
    expect(signedIn.body.token).not.toBe(made.body.token);
    const auth = { authorization: `Bearer ${signedIn.body.token}` };
    expect((await me(auth)).body.user.email).toBe(email);
    const out = await server.call("/api/auth/sign-out", { method: "POST", headers: auth });
    expect(out).toMatchObject({ status: 200, body: { ok: true } });
    expect((await me(auth)).status).toBe(401);
    // The other session of the same person is another session.
    expect((await me({ authorization: `Bearer ${made.body.token}` })).status).toBe(200);
  });

  test("is created once, even by two requests at the same moment", async () => {
    const body = { email: `twice-${Date.now()}@example.com`, password: "correct horse", name: "Ada" };
    const replies = await Promise.all(
      [1, 2, 3, 4].map(() => server.call("/api/auth/sign-up/email", { body })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // All replies look the same. Only one of the tokens opens the account.
    const opened = await Promise.all(
      replies.map(async ({ body }) => (await me({ authorization: `Bearer ${body.token}` })).status),
    );
    expect(opened.sort()).toEqual([200, 401, 401, 401]);
  });

  test("with a name of several lines is refused: names go into mails", async () => {
    for (const name of ["Ada\nYour account is locked", "\u0007Ada", "Ada\u2028x"]) {
      const reply = await server.call("/api/auth/sign-up/email", {
        body: { email: `lines-${Date.now()}@example.com`, password: "correct horse", name },
      });
      expect({ name, status: reply.status }).toEqual({ name, status: 400 });
    }
  });

  test("a wrong password and an unknown address are the same 401", async () => {
    const ada = await signUp(server);
    const wrong = await signIn(ada.email, "wrong password");
    const unknown = await signIn(`nobody-${Date.now()}@example.com`, "wrong password");
    for (const reply of [wrong, unknown]) {
      expect(reply).toMatchObject({ status: 401, body: { error: "unauthorized" } });
      expect(Object.keys(reply.body)).toEqual(["error"]);
      expect(reply.headers.get("set-cookie")).toBeNull();
    }
    expect(wrong.headers.get("www-authenticate")).toBe(unknown.headers.get("www-authenticate"));
    expect(wrong.headers.get("www-authenticate")).toBe(
      'Bearer realm="signalbox", error="invalid_credentials", error_description="The e-mail address or the password is wrong."',
    );
  });

  test("an incomplete sign-up or sign-in gets an error for each field", async () => {
    const path = "/api/auth/sign-up/email";
    const bare = await server.call(path, { body: {} });
    expect(bare).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(bare.body.details).toEqual(
      ["email", "password", "name"].map((name) => ({ message: "This field is required.", path: [name] })),
    );
    const wrong = await server.call(path, { body: { email: "ada", password: "short", name: "" } });
    expect(wrong.body.details).toEqual([
      { message: "Must be an e-mail address, such as ada@example.com.", path: ["email"] },
      { message: "A password has at least 8 characters.", path: ["password"] },
      { message: "Must not be empty.", path: ["name"] },
    ]);
    expect(
      (await server.call("/api/auth/sign-in/email", { body: { email: "ada@example.com" } })).body,
    ).toEqual({
      error: "invalid_request",
      details: [{ message: "This field is required.", path: ["password"] }],
    });
  });

  test("a token that a client chose does not become its session", async () => {
    const ada = await signUp(server);
    const chosen = "x".repeat(32);
    const reply = await signIn(ada.email, ada.password, {
      cookie: `signalbox_session=${chosen}; better-auth.session_token=${chosen}`,
      authorization: `Bearer ${chosen}`,
    });
    expect(reply.body.token).not.toBe(chosen);
    expect((await me({ authorization: `Bearer ${chosen}` })).status).toBe(401);
  });
});

describe("guessing passwords", () => {
  test("is refused with 429 at the eleventh try in ten minutes, even with the right password, for this account only", async () => {
    const ada = await signUp(server);
    const other = await signUp(server);
    for (let i = 0; i < 10; i++) expect((await signIn(ada.email, `wrong ${i}`)).status).toBe(401);
    const refused = await signIn(ada.email.toUpperCase(), ada.password);
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(500);
    expect(wait).toBeLessThanOrEqual(600);
    expect((await signIn(other.email, other.password)).status).toBe(200);
    // Sessions that exist go on.
    expect((await me(ada.auth)).status).toBe(200);
  });

  test("is counted correctly for guesses at the same moment", async () => {
    const ada = await signUp(server);
    const replies = await Promise.all(Array.from({ length: 25 }, (_, i) => signIn(ada.email, `wrong ${i}`)));
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(10);
  });

  test("is counted from zero after a successful sign-in", async () => {
    const ada = await signUp(server);
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 8; i++) await signIn(ada.email, "wrong password");
      expect((await signIn(ada.email, ada.password)).status).toBe(200);
    }
  });
});

describe("a forgotten password", () => {
  const forgot = (email: string) => server.call("/api/auth/request-password-reset", { body: { email } });
  const reset = (token: string, newPassword = "a new password") =>
    server.call("/api/auth/reset-password", { body: { token, newPassword } });

  test("is replaced by the link in the mail; every session ends, and the old password is refused", async () => {
    const ada = await signUp(server);
    await verifyAddress(server, ada);
    const second = (await signIn(ada.email, ada.password)).body.token;
    const key = await createOwnKey(ada);
    expect(await forgot(ada.email)).toMatchObject({ status: 200, body: { ok: true } });
    const token = await tokenFromMail(ada.email, "/reset-password?token=");
    const page = await server.call(`/reset-password?token=${token}`);
    expect(page.status).toBe(200);
    expect(page.body).toContain("Choose a new password");
    expect(page.body).not.toContain(token);
    for (const auth of [ada.auth, { authorization: `Bearer ${second}` }]) {
      expect((await me(auth)).status).toBe(200);
    }
    expect(await reset(token)).toMatchObject({ status: 200, body: { ok: true } });
    for (const auth of [ada.auth, { authorization: `Bearer ${second}` }]) {
      await expect.poll(async () => (await me(auth)).status, { timeout: 5_000 }).toBe(401);
    }
    expect((await signIn(ada.email, ada.password)).status).toBe(401);
    expect((await signIn(ada.email, "a new password")).status).toBe(200);
    expect((await me(key.auth)).status).toBe(200);
  });

  test("the page names the account, and says when a link is no longer valid", async () => {
    const ada = await signUp(server);
    await forgot(ada.email);
    const token = await tokenFromMail(ada.email, "/reset-password?token=");
    const page = (query: string) => server.call(`/reset-password${query}`);
    const good = await page(`?token=${token}&utm_source=mail`);
    expect(good.status).toBe(200);
    expect(good.body).toContain(ada.email);
    expect((await page(`?token=${token}`)).body).toContain('id="password"');
    expect((await reset(token)).status).toBe(200);
    for (const query of [
      `?token=${token}`,
      "?token=x",
      `?token=${"x".repeat(3_000)}`,
      "?token=%22%3E%3Cb%3E",
    ]) {
      const bad = await page(query);
      expect(bad.status).toBe(400);
      expect(bad.headers.get("content-type")).toMatch(/^text\/html/);
      expect(bad.body).not.toContain('id="password"');
      expect(bad.body).not.toContain(ada.email);
      expect(bad.body).toContain("Send me a link");
    }
    for (const query of ["", "?token=", "?other=1"]) {
      const none = await page(query);
      expect(none.status).toBe(200);
      expect(none.headers.get("content-type")).toMatch(/^text\/html/);
      expect(none.body).toContain("Forgot your password?");
    }
  });

  test("a link is valid once, even for two requests at the same moment", async () => {
    const ada = await signUp(server);
    await forgot(ada.email);
    const token = await tokenFromMail(ada.email, "/reset-password?token=");
    const replies = await Promise.all([1, 2, 3].map((i) => reset(token, `new password ${i}`)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const refused = await reset(token);
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: ["token"] }] } });
  });

  test("an older link is invalid after the password was changed", async () => {
    const ada = await signUp(server);
    await forgot(ada.email);
    const first = await tokenFromMail(ada.email, "/reset-password?token=");
    await forgot(ada.email);
    const second = await tokenFromMail(ada.email, "/reset-password?token=");
    expect(second).not.toBe(first);
    expect((await reset(second)).status).toBe(200);
    expect((await reset(first, "somebody else's")).status).toBe(400);
  });

  test("a link is invalid after an hour", async () => {
    const ada = await signUp(server);
    await forgot(ada.email);
    await server.platform.db.run(
      sql`update verifications set expires_at = now() - interval '1 second' where value = ${ada.userId}`,
    );
    expect((await reset(await tokenFromMail(ada.email, "/reset-password?token="))).status).toBe(400);
    expect((await signIn(ada.email, ada.password)).status).toBe(200);
  });

  test("a request for an address without an account gets the same reply and sends no mail", async () => {
    const email = `nobody-${Date.now()}@example.com`;
    expect(await forgot(email)).toMatchObject({ status: 200, body: { ok: true } });
    expect((await readMails(server.platform, 100)).filter(({ to }) => to === email)).toEqual([]);
  });

  test("a password that is too short is refused, and the link stays valid", async () => {
    const ada = await signUp(server);
    await forgot(ada.email);
    const token = await tokenFromMail(ada.email, "/reset-password?token=");
    expect(await reset(token, "short")).toMatchObject({
      status: 400,
      body: { details: [{ path: ["newPassword"] }] },
    });
    expect((await reset(token)).status).toBe(200);
  });
});

describe("an e-mail address", () => {
  test("is confirmed by the link in the mail, which may be opened twice", async () => {
    const ada = await signUp(server);
    const token = await tokenFromMail(ada.email, "/verify-email?token=");
    expect((await me(ada.auth)).body.user.emailVerified).toBe(false);
    const headers = { cookie: `signalbox_session=${ada.token}` };
    for (let i = 0; i < 2; i++) {
      const page = await server.call(`/api/auth/verify-email?token=${token}`, { headers });
      expect(page.status).toBe(200);
      expect(page.headers.get("content-type")).toMatch(/^text\/html/);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    expect((await me(ada.auth)).body.user.emailVerified).toBe(true);
    // Confirming signs nobody in.
    expect((await server.call(`/api/auth/verify-email?token=${token}`)).headers.get("set-cookie")).toBeNull();
  });

  test("the mail can be requested again, and a request for a confirmed address changes nothing", async () => {
    const ada = await signUp(server);
    const again = () =>
      server.call("/api/auth/send-verification-email", { method: "POST", headers: ada.auth });
    const mailsTo = async () =>
      (await readMails(server.platform, 200)).filter(({ to }) => to === ada.email).length;
    expect(await mailsTo()).toBe(1);
    expect((await again()).status).toBe(200);
    expect(await mailsTo()).toBe(2);
    const token = await tokenFromMail(ada.email, "/verify-email?token=");
    await server.call("/api/auth/verify-email", { body: { token } });
    expect((await again()).status).toBe(200);
    expect(await mailsTo()).toBe(2);
  });

  test("an invalid or changed token shows a page that says so", async () => {
    const ada = await signUp(server);
    const token = await tokenFromMail(ada.email, "/verify-email?token=");
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${token.split(".")[1]}.`;
    for (const bad of ["", "x", `${token}x`, token.slice(0, -4), unsigned]) {
      const page = await server.call(`/api/auth/verify-email?token=${encodeURIComponent(bad)}`);
      expect(page.status).toBe(400);
      expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    }
    expect((await me(ada.auth)).body.user.emailVerified).toBe(false);
  });
});

describe("a cookie", () => {
  const signInWithCookie = async () => {
    const ada = await signUp(server);
    const reply = await signIn(ada.email, ada.password);
    const header = reply.headers.get("set-cookie")!;
    return { ada, header, token: reply.body.token as string, cookie: header.split(";")[0]! };
  };
  const change = (headers: Record<string, string>) =>
    server.call("/v1/me", { method: "PATCH", body: { name: "Changed" }, headers });
  const ownOrigin = () => new URL(server.url).origin;

  test("is set by sign-in, hidden from scripts and other sites, and removed by sign-out", async () => {
    const { header, cookie, token } = await signInWithCookie();
    expect(cookie).toBe(`signalbox_session=${token}`);
    expect(header).toMatch(/; HttpOnly/);
    expect(header).toMatch(/; SameSite=Lax/);
    expect(header).toMatch(/; Path=\//);
    const out = await server.call("/api/auth/sign-out", {
      method: "POST",
      headers: { cookie, "sec-fetch-site": "same-origin" },
    });
    expect(out.status).toBe(200);
    expect(out.headers.get("set-cookie")).toMatch(/^signalbox_session=; Max-Age=0/);
    expect((await me({ cookie })).status).toBe(401);
  });

  test("is removed by sign-out, even when its session has ended", async () => {
    const { cookie, token } = await signInWithCookie();
    const signOut = (headers: Record<string, string>) =>
      server.call("/api/auth/sign-out", { method: "POST", headers });
    const ours = { "sec-fetch-site": "same-origin" };
    await signOut({ authorization: `Bearer ${token}` });
    for (const dead of [cookie, "signalbox_session=nobody"]) {
      const out = await signOut({ cookie: dead, ...ours });
      expect(out).toMatchObject({ status: 401, body: { error: "unauthorized" } });
      expect(out.headers.get("set-cookie")).toMatch(/^signalbox_session=; Max-Age=0/);
    }
    // No other request removes the cookie: not from another site, and not with another credential.
    const others: [Record<string, string>, number][] = [
      [{}, 401],
      [ours, 401],
      [{ "sec-fetch-site": "cross-site" }, 401],
      [{ cookie, "sec-fetch-site": "cross-site" }, 403],
      [{ cookie, authorization: "Bearer nobody", ...ours }, 401],
      [{ cookie, "x-api-key": "nobody", ...ours }, 401],
    ];
    for (const [headers, status] of others) {
      const out = await signOut(headers);
      expect(out.status, JSON.stringify(headers)).toBe(status);
      expect(out.headers.get("set-cookie"), JSON.stringify(headers)).toBeNull();
    }
    expect((await me({ cookie })).headers.get("set-cookie")).toBeNull();
  });

  test("can read, from any origin", async () => {
    const { cookie } = await signInWithCookie();
    expect((await me({ cookie })).status).toBe(200);
    expect((await me({ cookie, "sec-fetch-site": "cross-site" })).status).toBe(200);
    expect((await me({ cookie: `theme=dark; ${cookie}; a=b` })).status).toBe(200);
  });

  test("cannot change anything unless the browser says that the request is from our own page", async () => {
    const { cookie } = await signInWithCookie();
    const refused: Record<string, string>[] = [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "cross-site", origin: ownOrigin() },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `${ownOrigin()}.evil.example` },
    ];
    for (const headers of refused) {
      const reply = await change({ cookie, ...headers });
      expect({ headers, status: reply.status }).toEqual({ headers, status: 403 });
      expect(reply.body).toMatchObject({ error: "forbidden", reason: "cross_site_request" });
    }
    expect((await me({ cookie })).body.user.name).not.toBe("Changed");
    expect((await change({ cookie, origin: ownOrigin() })).status).toBe(200);
    expect((await change({ cookie, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  test("is ignored when the request also has a token", async () => {
    const { cookie } = await signInWithCookie();
    const eve = await signUp(server, "Eve");
    expect((await me({ cookie, ...eve.auth })).body.user.id).toBe(eve.userId);
    expect((await me({ cookie, authorization: "Bearer garbage" })).status).toBe(401);
    // A token is sent on purpose, so where the request comes from does not matter.
    expect((await change({ ...eve.auth, origin: "https://evil.example" })).status).toBe(200);
  });
});

describe("the active organization", () => {
  test("is that of the key when a request has a key and a session", async () => {
    const acme = await createWorkspace(server, "Acme");
    const key = await createKey(server, acme.owner);
    const globex = await createWorkspace(server, "Globex");
    const both = await me({ ...globex.owner.auth, ...key.auth, "x-organization-id": globex.orgId });
    expect(both.body).toMatchObject({
      credential: "key",
      user: { id: acme.owner.userId },
      activeOrganizationId: acme.orgId,
    });
  });

  test("is the one that the header names, else that of the session, else the only one", async () => {
    const acme = await createWorkspace(server, "Acme");
    const globex = await createWorkspace(server, "Globex");
    const ada = await joinWorkspace(server, acme, "member");
    expect(await readActiveOrganization(ada.auth)).toBe(acme.orgId);
    await join(globex.orgId, ada.userId);
    // Two, and none chosen: nothing is guessed.
    const fresh = { authorization: `Bearer ${(await signIn(ada.email, ada.password)).body.token}` };
    expect(await readActiveOrganization(fresh)).toBeNull();
    expect(await server.call("/v1/organization", { headers: fresh })).toMatchObject({
      status: 403,
      body: { error: "forbidden", reason: "no_active_organization" },
    });
    const named = { ...fresh, "x-organization-id": globex.orgId };
    expect((await server.call("/v1/organization", { headers: named })).body.organization.id).toBe(
      globex.orgId,
    );
    const chosen = await server.call("/v1/me/active-organization", {
      body: { organizationId: acme.orgId },
      headers: fresh,
    });
    expect(chosen).toMatchObject({ status: 200, body: { activeOrganizationId: acme.orgId } });
    expect(await readActiveOrganization(fresh)).toBe(acme.orgId);
    expect(await readActiveOrganization(named)).toBe(globex.orgId);
    // The choice is the session's, not the person's.
    const other = { authorization: `Bearer ${(await signIn(ada.email, ada.password)).body.token}` };
    expect(await readActiveOrganization(other)).toBeNull();
  });

  test("is none, and not another one, when the person has left the chosen one", async () => {
    const acme = await createWorkspace(server, "Acme");
    const globex = await createWorkspace(server, "Globex");
    const ada = await joinWorkspace(server, acme, "member");
    await join(globex.orgId, ada.userId);
    await server.call("/v1/me/active-organization", {
      body: { organizationId: acme.orgId },
      headers: ada.auth,
    });
    expect(await readActiveOrganization(ada.auth)).toBe(acme.orgId);
    await server.platform.db.run(
      sql`delete from members where user_id = ${ada.userId} and org_id = ${acme.orgId}`,
    );
    await expect.poll(() => readActiveOrganization(ada.auth), { timeout: 5_000 }).toBeNull();
  });

  test("cannot be an organization that the person does not belong to", async () => {
    const acme = await createWorkspace(server, "Acme");
    const stranger = await signUp(server);
    for (const organizationId of [acme.orgId, newId("org"), "garbage"]) {
      const reply = await server.call("/v1/me/active-organization", {
        body: { organizationId },
        headers: stranger.auth,
      });
      expect(reply).toMatchObject({ status: 404, body: { error: "organization_not_found" } });
    }
  });

  test("is set for the next request after an organization was created", async () => {
    const ada = await signUp(server);
    for (let i = 0; i < 10; i++) {
      // Asked before, so that an answer is remembered.
      await me(ada.auth);
      const made = await server.call("/v1/organizations", { body: { name: `Org ${i}` }, headers: ada.auth });
      expect(await readActiveOrganization(ada.auth)).toBe(made.body.organization.id);
    }
  });
});

describe("an organization's rules for sessions", () => {
  test("sessionMaxAgeMinutes requires older sessions to sign in again, and does not affect keys", async () => {
    const acme = await createWorkspace(server);
    const key = await createKey(server, acme.owner);
    const set = await server.call("/v1/organization", {
      method: "PATCH",
      body: { sessionMaxAgeMinutes: 5 },
      headers: acme.owner.auth,
    });
    expect(set.body.organization.sessionMaxAgeMinutes).toBe(5);
    expect((await server.call("/v1/members", { headers: acme.owner.auth })).status).toBe(200);
    await age(acme.owner, "6 minutes");
    await expect
      .poll(() => server.call("/v1/members", { headers: acme.owner.auth }), { timeout: 5_000 })
      .toMatchObject({ status: 403, body: { error: "reauth", reason: "session_too_old" } });
    expect((await server.call("/v1/members", { headers: key.auth })).status).toBe(200);
    // What is not the organization's business still works.
    expect((await me(acme.owner.auth)).status).toBe(200);
    const again = await signIn(acme.owner.email, acme.owner.password);
    const headers = { authorization: `Bearer ${again.body.token}` };
    expect((await server.call("/v1/members", { headers })).status).toBe(200);
  });

  test("requireSso requires sessions from a password to sign in by single sign-on", async () => {
    const acme = await createWorkspace(server);
    const { db } = server.platform;
    await db.run(sql`update organizations set require_sso = true where id = ${acme.orgId}`);
    await expect
      .poll(() => server.call("/v1/members", { headers: acme.owner.auth }), { timeout: 5_000 })
      .toMatchObject({ status: 403, body: { error: "reauth", reason: "sso_required" } });
    await db.run(sql`
      update sessions set signed_in_by = 'sso', sso_org_id = ${acme.orgId} where user_id = ${acme.owner.userId}`);
    await expect
      .poll(async () => (await server.call("/v1/members", { headers: acme.owner.auth })).status, {
        timeout: 5_000,
      })
      .toBe(200);
  });

  test("are checked after the role", async () => {
    const acme = await createWorkspace(server);
    const member = await joinWorkspace(server, acme, "member");
    await server.platform.db.run(sql`update organizations set require_sso = true where id = ${acme.orgId}`);
    const reply = await server.call("/v1/organization", {
      method: "PATCH",
      body: { name: "Mine" },
      headers: member.auth,
    });
    expect(reply).toMatchObject({ status: 403, body: { error: "forbidden", reason: "missing_permission" } });
  });
});

describe("the stored form", () => {
  test("of tokens, keys, passwords and links gives no access", async () => {
    const acme = await createWorkspace(server);
    const key = await createKey(server, acme.owner);
    await server.call("/api/auth/request-password-reset", { body: { email: acme.owner.email } });
    const secrets = {
      session: acme.owner.token,
      key: key.key,
      password: acme.owner.password,
      "reset link": await tokenFromMail(acme.owner.email, "/reset-password?token="),
      "confirmation link": await tokenFromMail(acme.owner.email, "/verify-email?token="),
    };
    const rows = await everyRow(server);
    expect(rows).toContain(acme.owner.email);
    for (const [what, secret] of Object.entries(secrets)) {
      expect(rows.includes(secret), `the ${what} is in the database as it is`).toBe(false);
    }
    // And what is in the database does not sign anybody in.
    const { db } = server.platform;
    const session = await db.row<{ hash: string }>(
      sql`select token_hash as hash from sessions where user_id = ${acme.owner.userId}`,
    );
    const stored = await db.row<{ hash: string }>(
      sql`select key_hash as hash from api_keys where id = ${key.id}`,
    );
    expect((await me({ authorization: `Bearer ${session!.hash}` })).status).toBe(401);
    expect((await me({ "x-api-key": stored!.hash })).status).toBe(401);
  });
});

const join = (orgId: string, userId: string) =>
  server.platform.db.run(
    sql`insert into members (id, org_id, user_id, role) values (${newId("mem")}, ${orgId}, ${userId}, 'member')`,
  );

const age = ({ userId }: Person, by: string) =>
  server.platform.db.run(
    sql`update sessions set created_at = now() - ${by}::interval where user_id = ${userId}`,
  );

async function createOwnKey(person: Person) {
  await server.call("/v1/organizations", { body: { name: "Own" }, headers: person.auth });
  return createKey(server, person);
}

/** The whole database as one text. */
async function everyRow({ platform: { db } }: TestServer): Promise<string> {
  const tables = await db.rows<{ name: string }>(sql`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`);
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.queryWithDriverTypes(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => String(row)));
  }
  return texts.join("\n");
}
