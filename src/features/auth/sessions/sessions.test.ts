import fc from "fast-check";
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
import { codeAt, stepAt } from "../two-factor/totp.ts";
import { describeDevice } from "./device.ts";

const server = useServer();
type Auth = Record<string, string>;
const me = async (headers: Auth) => (await server.call("/v1/me", { headers })).status;
const list = async (headers: Auth) => (await server.call("/v1/me/sessions", { headers })).body.items;

describe("my sessions", () => {
  test("are listed newest first, with device and address, and the current one is marked", async () => {
    const ada = await signUp(server);
    const { body } = await server.call("/api/auth/sign-in/email", {
      body: { email: ada.email, password: ada.password },
      headers: {
        "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
      },
    });
    const second = { authorization: `Bearer ${body.token}` };
    const items = await list(ada.auth);
    expect(items).toHaveLength(2);
    expect(items[0]).toMatchObject({
      current: false,
      device: "Firefox on Windows",
      address: "127.0.0.1",
      signedInBy: "password",
    });
    expect(items[1].current).toBe(true);
    expect((await list(second))[0].current).toBe(true);
    expect(JSON.stringify(items)).not.toContain(body.token);
    const first = await server.call("/v1/me/sessions?limit=1", { headers: second });
    expect(first.body.nextCursor).toBeTypeOf("string");
  });

  test("can be ended one by one, or all others at once", async () => {
    const ada = await signUp(server);
    const [second, third] = [await signIn(server, ada), await signIn(server, ada)];
    const [newest] = await list(ada.auth);
    const end = (id: string, headers: Auth) =>
      server.call(`/v1/me/sessions/${id}`, { method: "DELETE", headers });
    expect((await end(newest.id, ada.auth)).status).toBe(204);
    expect([await me(ada.auth), await me(second), await me(third)]).toEqual([200, 200, 401]);
    expect((await end(newest.id, ada.auth)).body).toEqual({ error: "session_not_found" });
    const others = await server.call("/v1/me/sessions/end-others", { method: "POST", headers: second });
    expect(others.body).toEqual({ ended: 1 });
    expect([await me(ada.auth), await me(second)]).toEqual([401, 200]);
    const own = (await list(second))[0].id;
    expect((await end(own, second)).status).toBe(204);
    expect(await me(second)).toBe(401);
  });

  test("of somebody else are not found", async () => {
    const [ada, eve] = [await signUp(server), await signUp(server)];
    const [session] = await list(ada.auth);
    const reply = await server.call(`/v1/me/sessions/${session.id}`, { method: "DELETE", headers: eve.auth });
    expect(reply.status).toBe(404);
    expect(await me(ada.auth)).toBe(200);
  });
});

describe("a repeated proof of identity", () => {
  const again = (headers: Auth, body: object) => server.call("/api/auth/reauthenticate", { body, headers });
  const age = ({ userId }: Person) =>
    server.platform.db.run(
      sql`update sessions set created_at = now() - interval '1 hour', reauthenticated_at = null where user_id = ${userId}`,
    );
  const makeKey = (headers: Auth) => server.call("/v1/api-keys", { body: { name: "fresh" }, headers });
  const stale = (headers: Auth) =>
    expect
      .poll(() => makeKey(headers), { timeout: 3_000 })
      .toMatchObject({ status: 403, body: { error: "reauth", reason: "session_too_old" } });

  test("by password makes this session fresh for the next call, and no other session", async () => {
    const { owner } = await createWorkspace(server);
    const other = await signIn(server, owner);
    await age(owner);
    await stale(owner.auth);
    const wrong = await again(owner.auth, { password: "not it" });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: ["password"] }] } });
    expect((await makeKey(owner.auth)).status).toBe(403);
    const { status, body } = await again(owner.auth, { password: owner.password });
    expect(status).toBe(200);
    expect(Math.abs(body.signedInAt - Date.now())).toBeLessThan(60_000);
    expect((await makeKey(owner.auth)).status).toBe(201);
    await stale(other);
  });

  test("also satisfies an organization that limits the age of sessions", async () => {
    const { owner } = await createWorkspace(server);
    await server.call("/v1/organization", {
      method: "PATCH",
      body: { sessionMaxAgeMinutes: 5 },
      headers: owner.auth,
    });
    await age(owner);
    const members = () => server.call("/v1/members", { headers: owner.auth });
    await expect.poll(async () => (await members()).status, { timeout: 3_000 }).toBe(403);
    await again(owner.auth, { password: owner.password });
    expect((await members()).status).toBe(200);
  });

  test("needs a code, not the password, when the account has a second factor", async () => {
    const { owner } = await createWorkspace(server);
    await verifyAddress(server, owner);
    const { secret } = (await server.call("/v1/me/two-factor", { method: "POST", headers: owner.auth })).body;
    const code = () => codeAt(secret, stepAt(Date.now()));
    expect((await again(owner.auth, { code: code() })).body.details[0].path).toEqual(["password"]);
    await server.call("/v1/me/two-factor/confirm", { body: { code: code() }, headers: owner.auth });
    await server.platform.db.run(sql`update two_factors set last_step = 0 where user_id = ${owner.userId}`);
    await age(owner);
    await stale(owner.auth);
    expect((await again(owner.auth, { password: owner.password })).body.details[0].path).toEqual(["code"]);
    expect((await makeKey(owner.auth)).status).toBe(403);
    expect((await again(owner.auth, { code: code() })).status).toBe(200);
    expect((await makeKey(owner.auth)).status).toBe(201);
  });

  test("is counted in the same limit as sign-in attempts", async () => {
    const ada = await signUp(server);
    for (let i = 0; i < 10; i++) await again(ada.auth, { password: `wrong ${i}` });
    expect((await again(ada.auth, { password: ada.password })).status).toBe(429);
    const { email, password } = ada;
    expect((await server.call("/api/auth/sign-in/email", { body: { email, password } })).status).toBe(429);
    expect(await me(ada.auth)).toBe(200);
  });

  test("needs exactly one kind of proof", async () => {
    const ada = await signUp(server);
    for (const body of [{}, { password: ada.password, code: "123456" }])
      expect((await again(ada.auth, body)).status).toBe(400);
  });

  test("of a session from single sign-on is done there, even if the account has a password", async () => {
    const ada = await signUp(server);
    await server.platform.db.run(sql`update sessions set signed_in_by = 'sso' where user_id = ${ada.userId}`);
    await expect
      .poll(() => again(ada.auth, { password: ada.password }), { timeout: 3_000 })
      .toMatchObject({ status: 409, body: { error: "sso_session" } });
    await server.platform.db.run(
      sql`update sessions set signed_in_by = 'password' where user_id = ${ada.userId}`,
    );
    await server.platform.db.run(sql`delete from accounts where user_id = ${ada.userId}`);
    await expect
      .poll(() => again(ada.auth, { password: ada.password }), { timeout: 3_000 })
      .toMatchObject({ status: 409, body: { error: "no_password" } });
  });
});

describe("a user agent", () => {
  const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
  test.each([
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`,
      "Edge on Windows",
    ],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/141.0.0.0 Safari/537.36`,
      "Chrome on macOS",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
      "Safari on macOS",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0 Mobile/15E148 Safari/604.1",
      "Chrome on iOS",
    ],
    [
      `Mozilla/5.0 (Linux; Android 15; Pixel 9) ${webkit} Chrome/141.0.0.0 Mobile Safari/537.36`,
      "Chrome on Android",
    ],
    [
      `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/141.0.0.0 Safari/537.36`,
      "Chrome on ChromeOS",
    ],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    ["curl/8.5.0", "curl 8.5.0"],
    ["signalbox", "signalbox"],
    ["node", "node"],
    ["Mozilla/5.0 (compatible)", "Unknown device"],
    ["", "Unknown device"],
  ])("%j is shown as %j", (agent, device) => {
    expect(describeDevice(agent)).toBe(device);
  });

  test("with any text gives a short line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (agent) => {
        expect(describeDevice(agent)).toMatch(/^[\w .()-]{1,80}$/);
      }),
    );
  });
});
