import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { claim, createRunner, queueRun } from "../../../../test/automations.ts";
import {
  createKey,
  createMcpToken,
  createWorkspace,
  invite,
  joinWorkspace,
  type Person,
  signIn,
  signUp,
  useServer,
  verifyAddress,
} from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";
import { readMails } from "../../../platform/mail/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { keepAcrossOrganizations } from "../sessions/store.ts";
import { codeAt, stepAt } from "../two-factor/totp.ts";

const server = useServer();
type Auth = Record<string, string>;

const me = (headers: Auth) => server.call("/v1/me", { headers });
const isVerified = async (userId: string) =>
  (await server.platform.db.row<{ verified: boolean }>(
    sql`select email_verified as verified from users where id = ${userId}`,
  ))!.verified;

async function mailedToken(to: string, link: string): Promise<string> {
  const mail = (await readMails(server.platform, 200)).find(
    (one) => one.to === to && one.text?.includes(link),
  );
  const url = mail!.text!.split("\n").find((line) => line.includes(link))!;
  return new URL(url).searchParams.get("token")!;
}

async function reset(email: string, body: object = {}) {
  await server.call("/api/auth/request-password-reset", { body: { email } });
  const token = await mailedToken(email, "/reset-password?token=");
  return server.call("/api/auth/reset-password", {
    body: { token, newPassword: "the owner's password", ...body },
  });
}

/** Creates an unverified account that has everything a person can set up: sessions, keys, tokens, second factor. */
async function createAccountWithCredentials() {
  const { owner, orgId } = await createWorkspace(server, "Squatted");
  await verifyAddress(server, owner);
  const key = await createKey(server, owner);
  const mcp = await createMcpToken(server, owner);
  const runner = await createRunner(server, owner.auth);
  const run = await queueRun(server, owner.auth);
  const { credential } = await claim(server, owner.auth, run.id);
  const ofRun = { headers: { authorization: `Bearer ${credential}` } };
  const second = await signIn(server, owner);
  const { secret } = (await server.call("/v1/me/two-factor", { method: "POST", headers: owner.auth })).body;
  const code = codeAt(secret, stepAt(Date.now()));
  await server.call("/v1/me/two-factor/confirm", { body: { code }, headers: owner.auth });
  await server.platform.db.run(sql`update users set email_verified = false where id = ${owner.userId}`);
  const programs: Record<string, () => Promise<number>> = {
    key: async () => (await me(key.auth)).status,
    mcp: async () => (await me(mcp.auth)).status,
    runner: async () => (await server.call("/v1/automation-runner/work", { headers: runner.auth })).status,
    run: async () => (await server.call(`/v1/automation-runs/${run.id}`, ofRun)).status,
  };
  return { owner, orgId, second, programs };
}

const expectRevoked = async (work: () => Promise<number>) => expect.poll(work, { timeout: 3_000 }).toBe(401);
const audited = (action: string, targetId: string) =>
  server.platform.db.rows<{ after: string }>(sql`
    select after::text as after from audit_events where action = ${action} and target_id = ${targetId}`);

describe("a password reset", () => {
  test("of an unconfirmed account removes everything that a stranger set up, including the second factor", async () => {
    const { owner, second, programs } = await createAccountWithCredentials();
    expect((await reset(owner.email)).status).toBe(200);
    for (const auth of [owner.auth, second]) await expectRevoked(async () => (await me(auth)).status);
    for (const program of Object.values(programs)) await expectRevoked(program);
    const signedIn = await server.call("/api/auth/sign-in/email", {
      body: { email: owner.email, password: "the owner's password" },
    });
    expect(signedIn.status).toBe(200);
    expect(signedIn.body.user.emailVerified).toBe(true);
    const [entry] = await audited("user.email_verified", owner.userId);
    expect(JSON.parse(entry!.after)).toMatchObject({ by: "password_reset", apiKeys: 1, mcpTokens: 1 });
    const { items } = (
      await server.call("/v1/audit-events?action=member.credentials_ended", {
        headers: { authorization: `Bearer ${signedIn.body.token}` },
      })
    ).body;
    expect(items[0].after).toEqual({
      reason: "email_verified",
      apiKeys: 1,
      mcpTokens: 1,
      mcpClients: 0,
      runnerTokens: 1,
      workerRegistrationTokens: 0,
    });
  });

  test("of a confirmed account keeps the second factor, and ends keys and tokens only on request", async () => {
    const { owner, programs } = await createAccountWithCredentials();
    await verifyAddress(server, owner);
    expect((await reset(owner.email)).status).toBe(200);
    await expectRevoked(async () => (await me(owner.auth)).status);
    for (const program of Object.values(programs)) expect(await program()).toBe(200);
    expect((await reset(owner.email, { endKeysAndTokens: true })).status).toBe(200);
    for (const program of Object.values(programs)) await expectRevoked(program);
    const signedIn = await server.call("/api/auth/sign-in/email", {
      body: { email: owner.email, password: "the owner's password" },
    });
    expect(signedIn.status).toBe(202);
  });
});

describe("a session or key that ends", () => {
  const requests = (keyId: string): [string, object][] => [
    ["/v1/api-keys", { name: "late" }],
    [`/v1/api-keys/${keyId}/rotate`, { overlapSeconds: 60 }],
    ["/v1/mcp/token", {}],
    ["/v1/worker-registration-tokens", { name: "late", kind: "local" }],
    ["/v1/automation-runners/token", { runnerId: "late-runner" }],
  ];

  test("while its requests wait for another change leaves no key or token that they create", async () => {
    const { owner, orgId } = await createWorkspace(server);
    const { id } = await createKey(server, owner);
    const { replies } = await server.platform.db.transaction(async (tx) => {
      await tx.row(sql`select id from organizations where id = ${orgId} for no key update`);
      const replies = requests(id).map(([path, body]) => server.call(path, { body, headers: owner.auth }));
      await sleep(500);
      await tx.run(sql`delete from sessions where user_id = ${owner.userId}`);
      return { replies };
    });
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  });

  test("while its requests wait changes nothing in the organization", async () => {
    const { owner, orgId } = await createWorkspace(server);
    const { memberId } = await joinWorkspace(server, { orgId }, "member");
    const changes: [string, string, object][] = [
      ["PATCH", "/v1/organization", { name: "Taken over" }],
      ["PATCH", `/v1/members/${memberId}`, { role: "owner" }],
      ["POST", "/v1/invitations", { email: "thief@example.com", role: "owner" }],
      ["POST", "/v1/roles", { name: "Late", permissions: ["members:read"] }],
      ["POST", "/v1/scim/token", {}],
    ];
    expect((await me(owner.auth)).status).toBe(200);
    const { replies } = await server.platform.db.transaction(async (tx) => {
      await tx.row(sql`select id from organizations where id = ${orgId} for no key update`);
      const replies = changes.map(([method, path, body]) =>
        server.call(path, { method, body, headers: owner.auth }),
      );
      await sleep(500);
      await tx.run(sql`delete from sessions where user_id = ${owner.userId}`);
      return { replies };
    });
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  });

  test("while a request with the key waits leaves no registration token that it creates", async () => {
    const { owner, orgId } = await createWorkspace(server);
    const { id, auth } = await createKey(server, owner);
    await me(auth);
    const { reply } = await server.platform.db.transaction(async (tx) => {
      await tx.row(sql`select id from organizations where id = ${orgId} for no key update`);
      const body = { name: "late", kind: "local" };
      const reply = server.call("/v1/worker-registration-tokens", { body, headers: auth });
      await sleep(500);
      await tx.run(sql`delete from api_keys where id = ${id}`);
      return { reply };
    });
    expect((await reply).status).toBe(401);
  });

  test("while it creates a key waits for it, so that a password reset ends the key too", async () => {
    const { owner, orgId } = await createWorkspace(server);
    await verifyAddress(server, owner);
    const { auth, id, key } = await createKey(server, owner);
    await server.call("/api/auth/request-password-reset", { body: { email: owner.email } });
    const token = await mailedToken(owner.email, "/reset-password?token=");
    const body = { token, newPassword: "the owner's password", endKeysAndTokens: true };
    await server.platform.db.run(sql`delete from api_keys where id = ${id}`);
    const { resetting } = await server.platform.db.transaction(async (tx) => {
      const session = (await tx.row<{ id: string }>(
        sql`select id from sessions where user_id = ${owner.userId}`,
      ))!;
      await keepAcrossOrganizations(tx, session.id);
      // As a request that creates a key.
      await tx.run(sql`
        insert into api_keys (id, org_id, member_id, name, start, key_hash)
        select ${id}, org_id, id, 'late', 'sbx_', ${hashSecret(key)} from members
        where org_id = ${orgId} and user_id = ${owner.userId}`);
      const resetting = server.call("/api/auth/reset-password", { body });
      await sleep(500);
      return { resetting };
    });
    expect((await resetting).status).toBe(200);
    expect((await me(auth)).status).toBe(401);
  });

  test("because the organization requires single sign-on now leaves no key either", async () => {
    const { owner, orgId } = await createWorkspace(server);
    await createKey(server, owner);
    const { reply } = await server.platform.db.transaction(async (tx) => {
      await tx.row(sql`select id from organizations where id = ${orgId} for no key update`);
      const reply = server.call("/v1/api-keys", { body: { name: "late" }, headers: owner.auth });
      await sleep(500);
      await tx.run(sql`
        update organizations set require_sso = true, sso_required_at = now() where id = ${orgId}`);
      return { reply };
    });
    expect(await reply).toMatchObject({ status: 403, body: { error: "reauth", reason: "sso_required" } });
  });
});

describe("a confirmation link", () => {
  const open = (token: string, headers: Auth = {}) =>
    server.call(`/api/auth/verify-email?token=${token}`, { headers });
  const findLink = ({ email }: Person) => mailedToken(email, "/verify-email?token=");

  test("does not confirm without a session of the account, because mail programs open links too", async () => {
    const ada = await signUp(server);
    const token = await findLink(ada);
    const page = await open(token);
    expect(page.status).toBe(200);
    expect(page.body).toContain(ada.email);
    expect(page.body).not.toContain(token);
    expect(await isVerified(ada.userId)).toBe(false);
    const other = await signUp(server, "Other");
    await open(token, { cookie: `signalbox_session=${other.token}` });
    expect(await isVerified(ada.userId)).toBe(false);
  });

  test("confirms at once in the browser that is signed in to the account, and ends nothing", async () => {
    const ada = await signUp(server);
    const page = await open(await findLink(ada), { cookie: `signalbox_session=${ada.token}` });
    expect(page.body).toContain("is confirmed");
    expect(await isVerified(ada.userId)).toBe(true);
    expect((await me(ada.auth)).status).toBe(200);
    expect(await audited("user.email_verified", ada.userId)).toHaveLength(1);
  });

  test("is not confirmed by HEAD, also in the browser that is signed in to the account", async () => {
    const ada = await signUp(server);
    const head = await server.call(`/api/auth/verify-email?token=${await findLink(ada)}`, {
      method: "HEAD",
      headers: { cookie: `signalbox_session=${ada.token}` },
    });
    expect(head.status).toBe(405);
    expect(await isVerified(ada.userId)).toBe(false);
  });

  test("confirms the address when its recipient says that the account is theirs, and keeps everything", async () => {
    const { owner, programs } = await createAccountWithCredentials();
    const token = await findLink(owner);
    const confirm = () => server.call("/api/auth/verify-email", { body: { token } });
    for (let i = 0; i < 2; i++) expect(await confirm()).toMatchObject({ status: 200, body: { ok: true } });
    expect(await isVerified(owner.userId)).toBe(true);
    for (const program of Object.values(programs)) expect(await program()).toBe(200);
    expect((await server.call("/api/auth/disown-account", { body: { token } })).body.reason).toBe(
      "email_verified",
    );
  });

  test("lets its recipient end a stranger's access to the account, and take it over", async () => {
    const { owner, second, programs } = await createAccountWithCredentials();
    const token = await findLink(owner);
    expect((await server.call("/api/auth/disown-account", { body: { token } })).status).toBe(200);
    for (const auth of [owner.auth, second]) await expectRevoked(async () => (await me(auth)).status);
    for (const program of Object.values(programs)) await expectRevoked(program);
    const { email, password } = owner;
    expect((await server.call("/api/auth/sign-in/email", { body: { email, password } })).status).toBe(401);
    expect(await audited("user.disowned", owner.userId)).toHaveLength(1);
    expect(await isVerified(owner.userId)).toBe(false);
    await reset(email);
    await signIn(server, { email, password: "the owner's password" });
    expect(await isVerified(owner.userId)).toBe(true);
  });

  test.each(["verify-email", "disown-account"])(
    "%s refuses a token that this instance did not sign",
    async (name) => {
      expect(await server.call(`/api/auth/${name}`, { body: { token: "x.y.z" } })).toMatchObject({
        status: 400,
        body: { details: [{ path: ["token"] }] },
      });
    },
  );
});

describe("an invitation accepted by the mailed token", () => {
  test("of an unconfirmed account ends the other sessions, keys and tokens", async () => {
    const { owner, second, programs } = await createAccountWithCredentials();
    const host = await createWorkspace(server, "Host");
    await invite(server, host.owner, { email: owner.email });
    const token = await mailedToken(owner.email, "/invitation?token=");
    const accepted = await server.call("/v1/invitations/accept", { body: { token }, headers: second });
    expect(accepted.status).toBe(200);
    await expectRevoked(async () => (await me(owner.auth)).status);
    for (const program of Object.values(programs)) await expectRevoked(program);
    expect((await me(second)).body.user.emailVerified).toBe(true);
  });

  test("of a confirmed account ends nothing", async () => {
    const { owner, second, programs } = await createAccountWithCredentials();
    await verifyAddress(server, owner);
    const host = await createWorkspace(server, "Host");
    await invite(server, host.owner, { email: owner.email });
    const token = await mailedToken(owner.email, "/invitation?token=");
    await server.call("/v1/invitations/accept", { body: { token }, headers: second });
    expect((await me(owner.auth)).status).toBe(200);
    for (const program of Object.values(programs)) expect(await program()).toBe(200);
  });
});
