import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createDatabase,
  createWorkspace,
  invite,
  type Reply,
  signUp,
  startServer,
  type TestDatabase,
  type TestServer,
  useServer,
  verifyAddress,
  type Workspace,
} from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";
import { readMails } from "../../../platform/mail/index.ts";

const password = "correct horse battery";
let accountCount = 0;
const newAddress = () => `entry-${++accountCount}-${Date.now()}@example.com`;

const join = (server: TestServer, email: string, more: object = {}) =>
  server.call("/api/auth/sign-up/email", { body: { email, password, name: "Ada", ...more } });
const isSignedIn = async (server: TestServer, { body }: Reply) =>
  (await server.call("/v1/me", { headers: { authorization: `Bearer ${body.token}` } })).status === 200;
const signIn = async (server: TestServer, email: string, given = password) =>
  (await server.call("/api/auth/sign-in/email", { body: { email, password: given } })).status;
const mailsTo = async (server: TestServer, email: string) =>
  (await readMails(server.platform, 200)).filter(({ to }) => to === email).map(({ subject }) => subject);
const countUsers = async (server: TestServer) =>
  (await server.platform.db.row<{ n: number }>(
    sql`select count(*)::int as n from users where not provisional`,
  ))!.n;
const refused = (reason: string) => ({ status: 403, body: { error: "forbidden", reason } });

/** An instance with a public address, and the defaults of SIGNUP and BOOTSTRAP. */
const reachable = { PUBLIC_URL: "https://signalbox.example.com", SIGNUP: "", BOOTSTRAP: "" };

const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

describe("an address that has an account", () => {
  const server = useServer();

  test("gets the same kind of reply as a free one", async () => {
    const ada = await signUp(server);
    const free = newAddress();
    const [taken, fresh] = [
      await join(server, ada.email.toUpperCase(), { password: "another password" }),
      await join(server, free),
    ];
    expect([taken.status, fresh.status]).toEqual([200, 200]);
    const describeShape = ({ body, headers }: Reply) => ({
      fields: Object.keys(body),
      user: Object.entries(body.user).map(([name, value]) => [name, typeof value]),
      token: String(body.token).length,
      id: String(body.user.id).replace(/_.*/, "").length + String(body.user.id).length,
      headers: [...headers.keys()].filter((name) => name !== "content-length"),
      cookie: headers.get("set-cookie")!.replace(body.token, ""),
    });
    expect(describeShape(taken)).toEqual(describeShape(fresh));
    expect(taken.body.user).toMatchObject({ email: ada.email, name: "Ada", emailVerified: false });
    expect(taken.body.user.id).not.toBe(ada.userId);
    expect(Math.abs(Date.now() - taken.body.user.createdAt)).toBeLessThan(60_000);
  });

  test("keeps its account unchanged: the new token is not valid, and the old password still works", async () => {
    const ada = await signUp(server);
    const before = await countUsers(server);
    const taken = await join(server, ada.email, { password: "another password", name: "Eve" });
    expect(await isSignedIn(server, taken)).toBe(false);
    expect(await countUsers(server)).toBe(before);
    expect(await signIn(server, ada.email, "another password")).toBe(401);
    expect(await signIn(server, ada.email)).toBe(200);
    expect((await server.call("/v1/me", { headers: ada.auth })).body.user.name).toBe("Ada");
    const rows = await server.platform.db.rows(sql`select 1 from users where id = ${taken.body.user.id}`);
    expect(rows).toEqual([]);
  });

  test("gets at most five notices an hour, and can still get a reset mail", async () => {
    const ada = await signUp(server);
    for (let i = 0; i < 7; i++) expect((await join(server, ada.email)).status).toBe(200);
    expect(await mailsTo(server, ada.email)).toEqual([
      ...Array(5).fill("You already have an account"),
      "Confirm your e-mail address",
    ]);
    await server.call("/api/auth/request-password-reset", { body: { email: ada.email } });
    expect((await mailsTo(server, ada.email))[0]).toBe("Choose a new password");
  });

  test("is answered in about the same time as a free one", async () => {
    const ada = await signUp(server);
    // Hashing is part of the work. The password of all tests is hashed only once.
    const hashed = { password: "hashed for each account" };
    await join(server, ada.email, hashed);
    const [taken, free]: [number[], number[]] = [[], []];
    for (let i = 0; i < 9; i++) {
      taken.push(await measureTime(() => join(server, ada.email, hashed)));
      free.push(await measureTime(() => join(server, newAddress(), hashed)));
    }
    // Without the work of a new account, the ratio would be about 1/30.
    expect(middle(taken) / middle(free)).toBeGreaterThan(0.3);
  });

  test("does not show in the response time of a reset request, which has a fixed minimum", async () => {
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let i = 0; i < 5; i++) {
      const { email } = await signUp(server);
      const ask = (to: string) => server.call("/api/auth/request-password-reset", { body: { email: to } });
      known.push(await measureTime(() => ask(email)));
      unknown.push(await measureTime(() => ask(newAddress())));
      expect((await mailsTo(server, email))[0]).toBe("Choose a new password");
    }
    expect(Math.min(...known, ...unknown)).toBeGreaterThanOrEqual(145);
  });
});

describe("sign-up by invitation, the default of an instance with a public address", () => {
  const server = useServer({ env: reachable });
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    await verifyAddress(server, acme.owner);
  });

  test("sign-up without an invitation is refused the same way for free and taken addresses", async () => {
    const free = await join(server, newAddress());
    expect(free).toMatchObject(refused("invitation_required"));
    expect(free.body.message).toMatch(/invitation/);
    expect((await join(server, acme.owner.email)).body).toEqual(free.body);
    expect(free.headers.get("set-cookie")).toBeNull();
    expect(await countUsers(server)).toBe(1);
  });

  test("an invited person signs up with the invited address, and joins", async () => {
    const email = newAddress();
    const { token: invitationToken } = await invite(server, acme.owner, { email });
    for (const [address, token] of [
      [newAddress(), invitationToken],
      [email, `${invitationToken}x`],
      [email, "sbi_nothing"],
    ])
      expect(await join(server, address!, { invitationToken: token })).toMatchObject(
        refused("invitation_not_valid"),
      );
    const joined = await join(server, email.toUpperCase(), { invitationToken });
    expect(joined.status).toBe(200);
    const accepted = await server.call("/v1/invitations/accept", {
      body: { token: invitationToken },
      headers: { authorization: `Bearer ${joined.body.token}` },
    });
    expect(accepted.body.organization.id).toBe(acme.orgId);
    // The invitation is used up.
    expect(await join(server, email, { invitationToken })).toMatchObject(refused("invitation_not_valid"));
  });

  test("the token in the mail works like the token that the inviter was shown", async () => {
    const email = newAddress();
    await invite(server, acme.owner, { email });
    const mail = (await readMails(server.platform, 50)).find(({ to }) => to === email)!;
    const invitationToken = new URL(/http\S+token=\S+/.exec(mail.text!)![0]).searchParams.get("token");
    expect((await join(server, email, { invitationToken })).status).toBe(200);
  });

  test("an invitation that was cancelled, has expired, or whose inviter left is not valid", async () => {
    const changes = [
      sql`cancelled_at = now()`,
      sql`expires_at = now() - interval '1 second'`,
      sql`invited_by = null`,
    ];
    for (const change of changes) {
      const email = newAddress();
      const { token: invitationToken, invitation } = await invite(server, acme.owner, { email });
      await server.platform.db.run(sql`update invitations set ${change} where id = ${invitation.id}`);
      expect(await join(server, email, { invitationToken })).toMatchObject(refused("invitation_not_valid"));
    }
  });

  test("an invited address that has an account is answered as if it had none", async () => {
    const { email } = acme.owner;
    const globex = await createOther(server, acme);
    const { token: invitationToken } = await invite(server, globex, { email });
    const reply = await join(server, email, { invitationToken });
    expect(reply).toMatchObject({ status: 200, body: { user: { email } } });
    expect(await isSignedIn(server, reply)).toBe(false);
  });

  test("agents cannot create workspaces, and the refusal says what to do", async () => {
    const reply = await server.call("/v1/bootstrap/workspace", { body: {} });
    expect(reply).toMatchObject(refused("bootstrap_closed"));
    expect(reply.body.message).toMatch(/Create an account .* BOOTSTRAP=open/);
  });
});

/** Creates the owner of another organization. They signed up with an invitation. */
async function createOther(server: TestServer, acme: Workspace) {
  const email = newAddress();
  const { token: invitationToken } = await invite(server, acme.owner, { email });
  const { body } = await join(server, email, { invitationToken });
  await verifyAddress(server, { userId: body.user.id });
  const auth = { authorization: `Bearer ${body.token}` };
  await server.call("/v1/organizations", { body: { name: "Globex" }, headers: auth });
  return { auth };
}

describe("where sign-up is closed", () => {
  const server = useServer({ env: { SIGNUP: "closed", BOOTSTRAP: "closed" } });

  test("only the first account can be created, even with an invitation", async () => {
    const acme = await createWorkspace(server);
    const email = newAddress();
    const { token: invitationToken } = await invite(server, acme.owner, { email });
    const replies = [await join(server, email, { invitationToken }), await join(server, acme.owner.email)];
    for (const reply of replies) expect(reply).toMatchObject(refused("signup_closed"));
    expect((await server.call("/v1/bootstrap/workspace", { body: {} })).body.reason).toBe("bootstrap_closed");
    expect(await countUsers(server)).toBe(1);
    const page = await server.call(`/invitation?token=${invitationToken}`);
    expect(page.body).toContain("Sign in with");
    expect(page.body).not.toContain('id="toggle"');
  });
});

describe("the first account", () => {
  let database: TestDatabase;
  const servers: TestServer[] = [];
  beforeAll(async () => {
    database = await createDatabase();
    // PostgreSQL serves two replicas. The embedded database has one process.
    for (let i = 0; i < (database.url ? 2 : 1); i++)
      servers.push(
        await startServer(database, { env: { ...reachable, ...(i ? { SIGNUP: "closed" } : {}) } }),
      );
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    await database.drop();
  });

  test("is a single one, even when many people sign up at the same moment", async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => join(servers[i % servers.length]!, newAddress())),
    );
    const signedUp = replies.filter(({ status }) => status === 200);
    expect(signedUp).toHaveLength(1);
    for (const { status, body } of replies)
      if (status !== 200) expect(["invitation_required", "signup_closed"]).toContain(body.reason);
    expect(await isSignedIn(servers[0]!, signedUp[0]!)).toBe(true);
    expect(await countUsers(servers[0]!)).toBe(1);
  });
});
