import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  createWorkspace,
  type Person,
  signIn,
  signUp,
  useServer,
  verifyAddress,
} from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { readMails } from "../../../platform/mail/index.ts";
import { resetTwoFactor } from "../second-factor-reset.ts";
import { codeAt, findStep, stepAt } from "./totp.ts";

const server = useServer();
type Auth = Record<string, string>;

const begin = ({ auth }: Person) => server.call("/v1/me/two-factor", { method: "POST", headers: auth });
const confirm = ({ auth }: Person, code: string) =>
  server.call("/v1/me/two-factor/confirm", { body: { code }, headers: auth });
const off = ({ auth }: Person, code: string) =>
  server.call("/v1/me/two-factor", { method: "DELETE", body: { code }, headers: auth });
const firstStep = ({ email, password }: Person) =>
  server.call("/api/auth/sign-in/email", { body: { email, password } });
const secondStep = (twoFactorToken: string, code: string) =>
  server.call("/api/auth/sign-in/two-factor", { body: { twoFactorToken, code } });
const hasTwoFactor = async (headers: Auth) =>
  (await server.call("/v1/me", { headers })).body.twoFactorEnabled;

/** As if the half minutes of the codes used so far were long over. */
const later = ({ userId }: Person) =>
  server.platform.db.run(sql`update two_factors set last_step = 0 where user_id = ${userId}`);
const now = (secret: string) => codeAt(secret, stepAt(Date.now()));
const wrong = (secret: string) => {
  const good = [-2, -1, 0, 1, 2].map((offset) => codeAt(secret, stepAt(Date.now()) + offset));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !good.includes(code))!;
};

async function signUpVerified() {
  const ada = await signUp(server);
  await verifyAddress(server, ada);
  return ada;
}

async function withTwoFactor() {
  const ada = await signUpVerified();
  const { secret } = (await begin(ada)).body;
  const { backupCodes } = (await confirm(ada, now(secret))).body;
  await later(ada);
  return { ada, secret: secret as string, backupCodes: backupCodes as string[] };
}

describe("the code of the test secret", () => {
  // RFC 6238, appendix B, cut to the six digits that apps show.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %d s is %s, as in the standard", (seconds, code) => {
    expect(codeAt(secret, stepAt(seconds * 1000))).toBe(code);
    for (const drift of seconds > 100 ? [-30, 0, 30] : [0, 30])
      expect(findStep(secret, code, (seconds + drift) * 1000)).toBe(stepAt(seconds * 1000));
    for (const drift of seconds > 100 ? [-90, 90] : [90])
      expect(findStep(secret, code, (seconds + drift) * 1000)).toBeUndefined();
  });
});

describe("a second factor", () => {
  test("is enabled once a code confirms it, and sign-in then takes two steps", async () => {
    const ada = await signUpVerified();
    const begun = await begin(ada);
    expect(begun.status).toBe(201);
    const { secret, uri } = begun.body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(uri).searchParams.get("secret")).toBe(secret);
    expect(decodeURIComponent(uri)).toContain(ada.email);
    expect(await hasTwoFactor(ada.auth)).toBe(false);
    expect((await firstStep(ada)).status).toBe(200);
    expect(await confirm(ada, wrong(secret))).toMatchObject({
      status: 400,
      body: { details: [{ path: ["code"] }] },
    });
    const confirmed = await confirm(ada, now(secret));
    expect(confirmed.body.backupCodes).toHaveLength(10);
    expect(await hasTwoFactor(ada.auth)).toBe(true);
    expect((await begin(ada)).body.error).toBe("two_factor_on");
    await later(ada);

    const step = await firstStep(ada);
    expect(step.status).toBe(202);
    expect(Object.keys(step.body).sort()).toEqual(["expiresAt", "twoFactorToken"]);
    expect(step.headers.get("set-cookie")).toBeNull();
    const halfway = { authorization: `Bearer ${step.body.twoFactorToken}` };
    expect((await server.call("/v1/me", { headers: halfway })).status).toBe(401);
    expect((await secondStep(step.body.twoFactorToken, wrong(secret))).status).toBe(401);
    const done = await secondStep(step.body.twoFactorToken, now(secret));
    expect(done.status).toBe(200);
    expect(done.body.user.id).toBe(ada.userId);
    expect(done.headers.get("set-cookie")).toContain(done.body.token);
    const auth = { authorization: `Bearer ${done.body.token}` };
    expect((await server.call("/v1/me", { headers: auth })).status).toBe(200);
    // Only those sessions exist that somebody was given: from signing up, before it was on, and this one.
    const { items } = (await server.call("/v1/me/sessions", { headers: auth })).body;
    expect(items).toHaveLength(3);
    const mails = (await readMails(server.platform, 100)).filter(({ to }) => to === ada.email);
    expect(mails.map(({ subject }) => subject)).toContain("Two-factor sign-in is on");
  });

  test("a code is valid once, even for requests at the same moment, and older codes are invalid afterwards", async () => {
    const { ada, secret } = await withTwoFactor();
    const tokens = await Promise.all([1, 2, 3].map(async () => (await firstStep(ada)).body.twoFactorToken));
    const code = now(secret);
    const replies = await Promise.all(tokens.map((token) => secondStep(token, code)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const older = codeAt(secret, stepAt(Date.now()) - 1);
    expect((await secondStep((await firstStep(ada)).body.twoFactorToken, older)).status).toBe(401);
  });

  test("the first step is valid for one sign-in, for ten minutes, and for five tries", async () => {
    const { ada, secret } = await withTwoFactor();
    const used = (await firstStep(ada)).body.twoFactorToken;
    expect((await secondStep(used, now(secret))).status).toBe(200);
    await later(ada);
    expect((await secondStep(used, now(secret))).status).toBe(401);
    const late = (await firstStep(ada)).body.twoFactorToken;
    await server.platform.db.run(
      sql`update sign_in_challenges set expires_at = now() - interval '1 second' where user_id = ${ada.userId}`,
    );
    expect((await secondStep(late, now(secret))).status).toBe(401);
    const tried = (await firstStep(ada)).body.twoFactorToken;
    for (let i = 0; i < 5; i++) expect((await secondStep(tried, wrong(secret))).status).toBe(401);
    expect((await secondStep(tried, now(secret))).status).toBe(401);
  });

  test("guesses are refused after twenty codes, counted over all first steps", async () => {
    const { ada, secret } = await withTwoFactor();
    let refused = 0;
    for (let i = 0; i < 5 && !refused; i++) {
      const token = (await firstStep(ada)).body.twoFactorToken;
      for (let j = 0; j < 5; j++)
        if ((await secondStep(token, wrong(secret))).status === 429) refused = i * 5 + j + 1;
    }
    expect(refused).toBeGreaterThan(20);
  });

  test("each backup code signs in once, in upper or lower case, with dashes or spaces", async () => {
    const { ada, backupCodes } = await withTwoFactor();
    const [first, second] = backupCodes;
    expect(first).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    const by = async (code: string) => secondStep((await firstStep(ada)).body.twoFactorToken, code);
    expect((await by(first!)).status).toBe(200);
    expect((await by(first!)).status).toBe(401);
    expect((await by(second!.toUpperCase().replaceAll("-", " "))).status).toBe(200);
    const renewed = await server.call("/v1/me/two-factor/backup-codes", {
      body: { code: backupCodes[2] },
      headers: ada.auth,
    });
    expect(renewed.body.backupCodes).toHaveLength(10);
    expect((await by(backupCodes[3]!)).status).toBe(401);
    expect((await by(renewed.body.backupCodes[0])).status).toBe(200);
  });

  test("shows how many backup codes are left; each use is audited and sends a mail", async () => {
    const { ada, backupCodes } = await withTwoFactor();
    const read = async () => (await server.call("/v1/me/two-factor", { headers: ada.auth })).body.twoFactor;
    expect(await read()).toMatchObject({ enabled: true, backupCodesLeft: 10 });
    const token = (await firstStep(ada)).body.twoFactorToken;
    expect((await secondStep(token, backupCodes[0]!)).status).toBe(200);
    expect(await read()).toMatchObject({ backupCodesLeft: 9 });
    const used = await server.platform.db.rows<{ after: string }>(sql`
      select after::text as after from audit_events where action = 'user.backup_code_used' and target_id = ${ada.userId}`);
    expect(used.map(({ after }) => JSON.parse(after))).toEqual([{ left: 9 }]);
    const mail = (await readMails(server.platform, 100)).find(
      ({ to, subject }) => to === ada.email && subject === "A backup code was used",
    );
    expect(mail!.text).toContain("You have 9 left.");
    await server.call("/v1/me/two-factor/backup-codes", {
      body: { code: backupCodes[1] },
      headers: ada.auth,
    });
    expect(await read()).toMatchObject({ backupCodesLeft: 10 });
    const grace = await signUp(server);
    expect((await server.call("/v1/me/two-factor", { headers: grace.auth })).body.twoFactor).toEqual({
      enabled: false,
      enabledAt: null,
      authenticator: false,
      passkeys: 0,
      backupCodesLeft: 0,
    });
  });

  test("needs a confirmed address to begin and to confirm, and the refusal says how to confirm it", async () => {
    const ada = await signUp(server);
    const refused = await begin(ada);
    expect(refused).toMatchObject({
      status: 403,
      body: { error: "forbidden", reason: "email_not_verified" },
    });
    expect(refused.body.message).toContain("POST /api/auth/send-verification-email");
    expect(refused.body.message).toContain("signalbox mail");
    await verifyAddress(server, ada);
    const { secret } = (await begin(ada)).body;
    await server.platform.db.run(sql`update users set email_verified = false where id = ${ada.userId}`);
    expect((await confirm(ada, now(secret))).body.reason).toBe("email_not_verified");
    expect(await hasTwoFactor(ada.auth)).toBe(false);
  });

  test("can be removed by the operator: sessions end, the person gets a mail, each organization an audit entry", async () => {
    const { owner: ada, orgId } = await createWorkspace(server);
    await verifyAddress(server, ada);
    const second = await server.call("/v1/organizations", { body: { name: "Two" }, headers: ada.auth });
    const { secret } = (await begin(ada)).body;
    await confirm(ada, now(secret));
    const done = await resetTwoFactor(server.platform, ada.email.toUpperCase());
    const organizations = [orgId, second.body.organization.id].sort();
    expect(done).toMatchObject({ email: ada.email, sessionsEnded: 1, organizations });
    await expect
      .poll(async () => (await server.call("/v1/me", { headers: ada.auth })).status, { timeout: 3_000 })
      .toBe(401);
    const auth = await signIn(server, ada);
    for (const organization of organizations) {
      const headers = { ...auth, "x-organization-id": organization };
      const { items } = (await server.call("/v1/audit-events?action=user.two_factor_reset", { headers }))
        .body;
      expect(items).toHaveLength(1);
      expect(items[0]).toMatchObject({ target: { id: ada.userId }, actor: { credential: "system" } });
    }
    const mails = (await readMails(server.platform, 100)).filter(({ to }) => to === ada.email);
    expect(mails.map(({ subject }) => subject)).toContain("Your second factor was removed");
    await expect(resetTwoFactor(server.platform, ada.email)).rejects.toThrow("no second factor");
    await expect(resetTwoFactor(server.platform, "nobody@example.com")).rejects.toThrow("no account");
  });

  test("is disabled with a valid code, and stays enabled with a wrong one", async () => {
    const { ada, secret } = await withTwoFactor();
    expect((await off(ada, wrong(secret))).status).toBe(400);
    expect(await hasTwoFactor(ada.auth)).toBe(true);
    expect((await off(ada, now(secret))).status).toBe(204);
    expect(await hasTwoFactor(ada.auth)).toBe(false);
    expect((await firstStep(ada)).status).toBe(200);
    expect((await off(ada, "123456")).body.error).toBe("two_factor_off");
  });

  test("a new password invalidates first steps made with the old one, and keeps the second factor", async () => {
    const { ada, secret } = await withTwoFactor();
    const { twoFactorToken } = (await firstStep(ada)).body;
    await server.call("/api/auth/request-password-reset", { body: { email: ada.email } });
    const mail = (await readMails(server.platform, 100)).find(
      ({ to, subject }) => to === ada.email && subject === "Choose a new password",
    );
    const token = new URL(mail!.text!.match(/http\S+token=\S+/)![0]).searchParams.get("token");
    await server.call("/api/auth/reset-password", { body: { token, newPassword: "another password" } });
    expect((await secondStep(twoFactorToken, now(secret))).status).toBe(401);
    expect((await firstStep({ ...ada, password: "another password" })).status).toBe(202);
  });

  test("has ten backup codes after two requests for new ones at the same moment", async () => {
    const { ada } = await withTwoFactor();
    const { db } = server.platform;
    // Without an app, no code is needed.
    await db.run(sql`delete from two_factors where user_id = ${ada.userId}`);
    await db.run(sql`
      insert into passkeys (id, user_id, credential_id, public_key, synced, name)
      values (${newId("psk")}, ${ada.userId}, ${ada.userId}, '', false, 'Laptop')`);
    const renew = () => server.call("/v1/me/two-factor/backup-codes", { body: {}, headers: ada.auth });
    const { replies } = await db.transaction(async (tx) => {
      await tx.rows(sql`select from backup_codes where user_id = ${ada.userId} for update`);
      const replies = [renew(), renew()];
      await sleep(500);
      return { replies };
    });
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200]);
    const { twoFactor } = (await server.call("/v1/me/two-factor", { headers: ada.auth })).body;
    expect(twoFactor.backupCodesLeft).toBe(10);
  });

  test("is stored sealed, and its backup codes are stored as hashes", async () => {
    const { ada, secret, backupCodes } = await withTwoFactor();
    const { db } = server.platform;
    const rows = [
      ...(await db.rows<{ row: string }>(sql`select t::text as row from two_factors t`)),
      ...(await db.rows<{ row: string }>(sql`select b::text as row from backup_codes b`)),
    ];
    const text = rows.map(({ row }) => row).join();
    expect(text).toContain(ada.userId);
    for (const one of [secret, ...backupCodes, backupCodes[0]!.replaceAll("-", "")])
      expect(text).not.toContain(one);
  });

  test("cannot be set up, confirmed or disabled by a session that is not fresh", async () => {
    const { ada, secret } = await withTwoFactor();
    await server.platform.db.run(
      sql`update sessions set created_at = now() - interval '16 minutes' where user_id = ${ada.userId}`,
    );
    await expect
      .poll(async () => (await off(ada, now(secret))).body, { timeout: 3_000 })
      .toMatchObject({ error: "reauth", reason: "session_too_old" });
  });
});
