import { describe, expect, test } from "vitest";
import { Authenticator, type AuthenticatorSettings } from "../../../../test/fixtures/authenticator.ts";
import {
  createKey,
  createWorkspace,
  type Person,
  signUp,
  useServer,
  verifyAddress,
} from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";
import { readMails } from "../../../platform/mail/index.ts";
import { resetTwoFactor } from "../second-factor-reset.ts";
import { codeAt, stepAt } from "../two-factor/totp.ts";

const origin = "https://signalbox.example.com";
const server = useServer({ env: { PUBLIC_URL: origin } });
type Auth = Record<string, string>;

const createAuthenticator = (settings: Partial<AuthenticatorSettings> = {}) =>
  new Authenticator({ origin, ...settings });

async function signUpVerified(): Promise<Person> {
  const ada = await signUp(server);
  await verifyAddress(server, ada);
  return ada;
}

const begin = (headers: Auth) => server.call("/v1/me/passkeys/options", { method: "POST", headers });
const create = (headers: Auth, body: object) => server.call("/v1/me/passkeys", { body, headers });
const list = async (headers: Auth) => (await server.call("/v1/me/passkeys", { headers })).body.items;

async function addPasskey(person: Person, settings: Partial<AuthenticatorSettings> = {}, name = "Laptop") {
  const authenticator = createAuthenticator(settings);
  const { options } = (await begin(person.auth)).body;
  const added = await create(person.auth, { name, credential: authenticator.register(options) });
  expect(added.status).toBe(201);
  return {
    authenticator,
    passkey: added.body.passkey as { id: string; name: string },
    backupCodes: added.body.backupCodes as string[] | null,
  };
}

const getOptions = async (body: object = {}) =>
  (await server.call("/api/auth/passkey/options", { body })).body.options;
const sendSignIn = (body: object) => server.call("/api/auth/sign-in/passkey", { body });
const signInWith = async (authenticator: Authenticator) =>
  sendSignIn({ credential: authenticator.signIn(await getOptions()) });
const sendPassword = ({ email, password }: Person) =>
  server.call("/api/auth/sign-in/email", { body: { email, password } });
const refused = { status: 401, body: { error: "unauthorized" } };

describe("a passkey", () => {
  test("signs in without a password, and its use is recorded", async () => {
    const ada = await signUpVerified();
    const { authenticator, passkey, backupCodes } = await addPasskey(ada);
    expect(backupCodes).toHaveLength(10);
    expect(await list(ada.auth)).toEqual([
      { id: passkey.id, name: "Laptop", synced: false, createdAt: expect.any(Number), lastUsedAt: null },
    ]);
    const reply = await signInWith(authenticator);
    expect(reply).toMatchObject({ status: 200, body: { user: { id: ada.userId } } });
    expect(reply.headers.get("set-cookie")).toContain(reply.body.token);
    const auth = { authorization: `Bearer ${reply.body.token}` };
    const { items } = (await server.call("/v1/me/sessions", { headers: auth })).body;
    expect(items[0]).toMatchObject({ current: true, signedInBy: "passkey" });
    expect((await list(auth))[0].lastUsedAt).toEqual(expect.any(Number));
    const subjects = (await readMails(server.platform, 100)).filter(({ to }) => to === ada.email);
    expect(subjects.map(({ subject }) => subject)).toContain("A passkey was added");
  });

  test("makes a second step follow the password, and takes that step", async () => {
    const ada = await signUpVerified();
    expect((await sendPassword(ada)).status).toBe(200);
    const { authenticator } = await addPasskey(ada, { verifiesUser: false });
    const { status, body } = await sendPassword(ada);
    expect(status).toBe(202);
    const { twoFactorToken } = body;
    const options = await getOptions({ twoFactorToken });
    expect(options.allowCredentials).toEqual([
      { type: "public-key", id: authenticator.credentialId.toString("base64url"), transports: ["internal"] },
    ]);
    const done = await sendSignIn({ twoFactorToken, credential: authenticator.signIn(options) });
    expect(done).toMatchObject({ status: 200, body: { user: { id: ada.userId } } });
    // The first step is used up.
    const again = authenticator.signIn(await getOptions());
    expect(await sendSignIn({ twoFactorToken, credential: again })).toMatchObject(refused);
  });

  test("that does not verify its user does not sign in alone", async () => {
    const { authenticator } = await addPasskey(await signUpVerified(), { verifiesUser: false });
    expect(await signInWith(authenticator)).toMatchObject(refused);
    authenticator.settings.verifiesUser = true;
    expect((await signInWith(authenticator)).status).toBe(200);
  });

  test("of another person does not complete the second step", async () => {
    const [ada, eve] = [await signUpVerified(), await signUpVerified()];
    await addPasskey(ada);
    const { authenticator } = await addPasskey(eve);
    const { twoFactorToken } = (await sendPassword(ada)).body;
    const options = await getOptions({ twoFactorToken });
    expect(await sendSignIn({ twoFactorToken, credential: authenticator.signIn(options) })).toMatchObject(
      refused,
    );
  });

  test("can be lost: a backup code signs in, and an operator can remove every second factor", async () => {
    const ada = await signUpVerified();
    const { backupCodes, authenticator } = await addPasskey(ada);
    const { twoFactorToken } = (await sendPassword(ada)).body;
    const reply = await server.call("/api/auth/sign-in/two-factor", {
      body: { twoFactorToken, code: backupCodes![0] },
    });
    expect(reply.status).toBe(200);
    await resetTwoFactor(server.platform, ada.email);
    expect(await signInWith(authenticator)).toMatchObject(refused);
    expect((await sendPassword(ada)).status).toBe(200);
  });

  test("is renamed and removed by its owner only; without the last one the password is enough again", async () => {
    const [ada, eve] = [await signUpVerified(), await signUpVerified()];
    const { passkey, authenticator } = await addPasskey(ada);
    const path = `/v1/me/passkeys/${passkey.id}`;
    const change = (headers: Auth) =>
      server.call(path, { method: "PATCH", body: { name: "Phone" }, headers });
    const remove = (headers: Auth) => server.call(path, { method: "DELETE", headers });
    expect(await change(eve.auth)).toMatchObject({ status: 404, body: { error: "passkey_not_found" } });
    expect((await remove(eve.auth)).status).toBe(404);
    expect((await change(ada.auth)).body.passkey.name).toBe("Phone");
    expect((await sendPassword(ada)).status).toBe(202);
    expect((await remove(ada.auth)).status).toBe(204);
    expect((await remove(ada.auth)).status).toBe(404);
    expect(await signInWith(authenticator)).toMatchObject(refused);
    expect((await sendPassword(ada)).status).toBe(200);
    const { rows } = {
      rows: await server.platform.db.rows(sql`select 1 from backup_codes where user_id = ${ada.userId}`),
    };
    expect(rows).toEqual([]);
  });

  test("stays when the account has no password and no other passkey", async () => {
    const ada = await signUpVerified();
    const { passkey, authenticator } = await addPasskey(ada);
    await server.platform.db.run(sql`update accounts set password = null where user_id = ${ada.userId}`);
    const reply = await server.call(`/v1/me/passkeys/${passkey.id}`, { method: "DELETE", headers: ada.auth });
    expect(reply).toMatchObject({ status: 409, body: { error: "no_other_way_in" } });
    expect((await signInWith(authenticator)).status).toBe(200);
  });

  test("and an authenticator app are independent; backup codes end with the last of them", async () => {
    const ada = await signUpVerified();
    const { backupCodes, passkey } = await addPasskey(ada);
    expect(backupCodes).not.toBeNull();
    expect((await addPasskey(ada, {}, "Phone")).backupCodes).toBeNull();
    const { secret } = (await server.call("/v1/me/two-factor", { method: "POST", headers: ada.auth })).body;
    const code = codeAt(secret, stepAt(Date.now()));
    const confirmed = await server.call("/v1/me/two-factor/confirm", { body: { code }, headers: ada.auth });
    expect(confirmed.body.backupCodes).toHaveLength(10);
    const state = async () => (await server.call("/v1/me/two-factor", { headers: ada.auth })).body.twoFactor;
    expect(await state()).toMatchObject({
      enabled: true,
      authenticator: true,
      passkeys: 2,
      backupCodesLeft: 10,
    });
    const off = {
      method: "DELETE",
      body: { code: confirmed.body.backupCodes[0] },
      headers: ada.auth,
    } as const;
    expect((await server.call("/v1/me/two-factor", off)).status).toBe(204);
    expect(await state()).toMatchObject({
      enabled: true,
      authenticator: false,
      passkeys: 2,
      backupCodesLeft: 9,
    });
    const renewed = await server.call("/v1/me/two-factor/backup-codes", { body: {}, headers: ada.auth });
    expect(renewed.body.backupCodes).toHaveLength(10);
    for (const { id } of await list(ada.auth))
      await server.call(`/v1/me/passkeys/${id}`, { method: "DELETE", headers: ada.auth });
    expect(passkey.id).toMatch(/^psk_/);
    expect(await state()).toEqual({
      enabled: false,
      enabledAt: null,
      authenticator: false,
      passkeys: 0,
      backupCodesLeft: 0,
    });
  });

  test("is not replaced by an authenticator app that nobody confirmed, nor does a backup code confirm one", async () => {
    const ada = await signUpVerified();
    const { backupCodes } = await addPasskey(ada);
    const begun = await server.call("/v1/me/two-factor", { method: "POST", headers: ada.auth });
    // Whoever has a session for a moment could begin without a mail, and would keep a second factor.
    const code = () => codeAt(begun.body.secret, stepAt(Date.now()));
    const again = { body: { code: code() }, headers: ada.auth };
    expect(await server.call("/api/auth/reauthenticate", again)).toMatchObject({
      status: 400,
      body: { details: [{ path: ["code"] }] },
    });
    const { twoFactorToken } = (await sendPassword(ada)).body;
    const second = { body: { twoFactorToken, code: code() } };
    expect(await server.call("/api/auth/sign-in/two-factor", second)).toMatchObject(refused);
    const renewed = { body: { code: code() }, headers: ada.auth };
    expect((await server.call("/v1/me/two-factor/backup-codes", renewed)).status).toBe(400);
    const confirm = (sent: string) =>
      server.call("/v1/me/two-factor/confirm", { body: { code: sent }, headers: ada.auth });
    expect((await confirm(backupCodes![0]!)).status).toBe(400);
    expect((await confirm(code())).status).toBe(200);
  });

  test("makes a session fresh again", async () => {
    const { owner } = await createWorkspace(server);
    await verifyAddress(server, owner);
    const { authenticator } = await addPasskey(owner);
    await server.platform.db.run(
      sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${owner.userId}`,
    );
    await expect.poll(async () => (await begin(owner.auth)).status, { timeout: 3_000 }).toBe(403);
    const again = (body: object) => server.call("/api/auth/reauthenticate", { body, headers: owner.auth });
    expect(await again({ password: owner.password })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["code"] }] },
    });
    const other = (await addPasskeyOfSomebody()).signIn(await getOptions());
    expect(await again({ passkey: other })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["passkey"] }] },
    });
    expect((await again({ passkey: authenticator.signIn(await getOptions()) })).status).toBe(200);
    expect((await begin(owner.auth)).status).toBe(201);
  });
});

const addPasskeyOfSomebody = async () => (await addPasskey(await signUpVerified())).authenticator;

describe("adding a passkey is refused", () => {
  test("without a confirmed address, with an API key, and in a session of single sign-on", async () => {
    const ada = await signUp(server);
    expect(await begin(ada.auth)).toMatchObject({ status: 403, body: { reason: "email_not_verified" } });
    const { owner, orgId } = await createWorkspace(server);
    await verifyAddress(server, owner);
    expect((await begin((await createKey(server, owner)).auth)).status).toBe(403);
    await server.platform.db.run(
      sql`update sessions set signed_in_by = 'sso', sso_org_id = ${orgId} where user_id = ${owner.userId}`,
    );
    await expect
      .poll(() => begin(owner.auth), { timeout: 3_000 })
      .toMatchObject({ status: 403, body: { reason: "sso_session" } });
  });

  test("when the answer is for another site, another challenge, another person, late, or sent twice", async () => {
    const [ada, eve] = [await signUpVerified(), await signUpVerified()];
    const bad = { status: 400, body: { details: [{ path: ["credential"] }] } };
    const optionsFor = async (person: Person) => (await begin(person.auth)).body.options;
    const authenticator = createAuthenticator();
    const foreign = createAuthenticator({ origin: "https://evil.example.com" });
    expect(await create(ada.auth, { credential: foreign.register(await optionsFor(ada)) })).toMatchObject(
      bad,
    );
    const elsewhere = { ...(await optionsFor(ada)), rp: { id: "evil.example.com" } };
    expect(await create(ada.auth, { credential: authenticator.register(elsewhere) })).toMatchObject(bad);
    const made = { ...(await optionsFor(ada)), challenge: "bWFkZS11cA" };
    expect(await create(ada.auth, { credential: authenticator.register(made) })).toMatchObject(bad);
    expect(
      await create(ada.auth, { credential: authenticator.register(await optionsFor(eve)) }),
    ).toMatchObject(bad);
    const late = authenticator.register(await optionsFor(ada));
    await server.platform.db.run(sql`update passkey_challenges set expires_at = now() - interval '1 second'`);
    expect(await create(ada.auth, { credential: late })).toMatchObject(bad);
    const good = authenticator.register(await optionsFor(ada));
    expect((await create(ada.auth, { credential: good })).status).toBe(201);
    expect(await create(ada.auth, { credential: good })).toMatchObject(bad);
    const known = authenticator.register(await optionsFor(eve));
    expect(await create(eve.auth, { credential: known })).toMatchObject({
      status: 409,
      body: { error: "passkey_known" },
    });
    expect(await list(eve.auth)).toEqual([]);
  });

  test("beyond twenty passkeys", async () => {
    const ada = await signUpVerified();
    await server.platform.db.run(sql`
      insert into passkeys (id, user_id, credential_id, public_key, synced, name)
      select 'psk_' || n, ${ada.userId}, ${ada.userId} || n, '', false, 'x' from generate_series(1, 20) n`);
    expect(await begin(ada.auth)).toMatchObject({ status: 409, body: { error: "too_many_passkeys" } });
  });
});

describe("a sign-in is refused", () => {
  test("when its challenge was used, is not ours, or was issued for adding a passkey", async () => {
    const ada = await signUpVerified();
    const { authenticator } = await addPasskey(ada);
    const credential = authenticator.signIn(await getOptions());
    const replies = await Promise.all([1, 2, 3].map(() => sendSignIn({ credential })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const made = authenticator.signIn({ challenge: "bWFkZS11cA", rpId: "signalbox.example.com" });
    expect(await sendSignIn({ credential: made })).toMatchObject(refused);
    const { challenge } = (await begin(ada.auth)).body.options;
    const other = authenticator.signIn({ challenge, rpId: "signalbox.example.com" });
    expect(await sendSignIn({ credential: other })).toMatchObject(refused);
  });

  test("for another site, a changed signature, an unknown passkey, and another person's handle", async () => {
    const { authenticator } = await addPasskey(await signUpVerified());
    authenticator.settings.origin = "https://evil.example.com";
    expect(await signInWith(authenticator)).toMatchObject(refused);
    authenticator.settings.origin = origin;
    const elsewhere = authenticator.signIn({ ...(await getOptions()), rpId: "evil.example.com" });
    expect(await sendSignIn({ credential: elsewhere })).toMatchObject(refused);
    const credential = authenticator.signIn(await getOptions());
    const signature = `${credential.response.signature.slice(0, -4)}AAAA`;
    expect(
      await sendSignIn({ credential: { ...credential, response: { ...credential.response, signature } } }),
    ).toMatchObject(refused);
    expect(await signInWith(createAuthenticator())).toMatchObject(refused);
    const right = authenticator.signIn(await getOptions());
    const userHandle = Buffer.from("usr_01jz8q2d9xf4vvh0tbq8k3m5na").toString("base64url");
    expect(
      await sendSignIn({ credential: { ...right, response: { ...right.response, userHandle } } }),
    ).toMatchObject(refused);
    expect((await signInWith(authenticator)).status).toBe(200);
  });

  test("when the counter goes back, because then the key was copied", async () => {
    const { authenticator } = await addPasskey(await signUpVerified());
    expect((await signInWith(authenticator)).status).toBe(200);
    authenticator.rewindCounter();
    expect(await signInWith(authenticator)).toMatchObject(refused);
    // Many authenticators do not count. Their counter is always zero.
    const { authenticator: silent } = await addPasskey(await signUpVerified(), { counts: false });
    for (let i = 0; i < 2; i++) expect((await signInWith(silent)).status).toBe(200);
  });

  test("after a password reset that confirms the address, because a stranger may have added the passkey", async () => {
    const ada = await signUpVerified();
    const { authenticator } = await addPasskey(ada);
    await server.platform.db.run(sql`update users set email_verified = false where id = ${ada.userId}`);
    await server.call("/api/auth/request-password-reset", { body: { email: ada.email } });
    const mail = (await readMails(server.platform, 20)).find(
      ({ to, subject }) => to === ada.email && subject === "Choose a new password",
    );
    const token = new URL(/https:\S+token=\S+/.exec(mail!.text!)![0]).searchParams.get("token");
    const newPassword = "another good one";
    expect((await server.call("/api/auth/reset-password", { body: { token, newPassword } })).status).toBe(
      200,
    );
    expect(await signInWith(authenticator)).toMatchObject(refused);
  });
});

describe("options to sign in", () => {
  test("are the same for everybody without a valid first step", async () => {
    const shape = { rpId: "signalbox.example.com", userVerification: "required", allowCredentials: [] };
    expect(await getOptions()).toMatchObject(shape);
    expect(await getOptions({ twoFactorToken: "sbc_unknown" })).toMatchObject(shape);
  });
});

describe("at an address where browsers have no passkeys", () => {
  const plain = useServer();

  test("the reply says what to set", async () => {
    const reply = await plain.call("/api/auth/passkey/options", { body: {} });
    expect(reply).toMatchObject({ status: 409, body: { error: "passkeys_unavailable" } });
    expect(reply.body.message).toContain("PUBLIC_URL");
  });
});
