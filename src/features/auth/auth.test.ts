import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { askOnce, signUp, useServer } from "../../../test/harness.ts";
import { createApp, jobs } from "../../app.ts";
import { sql } from "../../platform/db/index.ts";
import { readMails } from "../../platform/mail/index.ts";
import { cookieName, createSessionCookie } from "./cookie.ts";

// What people see of accounts is in test/http/identity.test.ts; this is what only this room knows.
describe("sessions", () => {
  const server = useServer();
  const readSession = (userId: string) =>
    server.platform.db.row<{ expiresAt: number; lastUsedAt: number; address: string; agent: string }>(sql`
      select expires_at as "expiresAt", last_used_at as "lastUsedAt", ip_address as address, user_agent as agent
      from sessions where user_id = ${userId}`);

  test("record the address and user agent of their sign-in", async () => {
    const email = `from-${Date.now()}@example.com`;
    const { body } = await server.call("/api/auth/sign-up/email", {
      body: { email, password: "correct horse", name: "Ada" },
      headers: { "user-agent": "Testing/1.0", "x-client-address": "6.6.6.6" },
    });
    expect(await readSession(body.user.id)).toMatchObject({ address: "127.0.0.1", agent: "Testing/1.0" });
  });

  test("are extended when they are used, and no request waits for that write", async () => {
    const ada = await signUp(server);
    await server.platform.db.run(sql`
      update sessions set expires_at = now() + interval '1 hour', last_used_at = now() - interval '1 day'
      where user_id = ${ada.userId}`);
    const app = createApp(server.platform, { role: "api" });
    expect((await askOnce(app, "/v1/me", ada.auth)).status).toBe(200);
    expect((await readSession(ada.userId))!.expiresAt).toBeLessThan(Date.now() + 2 * 3_600_000);
    await app.close();
    const used = (await readSession(ada.userId))!;
    expect(used.expiresAt).toBeGreaterThan(Date.now() + 6 * 24 * 3_600_000);
    expect(used.lastUsedAt).toBeGreaterThan(Date.now() - 60_000);
  });

  test("that have expired are not extended by a use just before", async () => {
    const ada = await signUp(server);
    const app = createApp(server.platform, { role: "api" });
    await askOnce(app, "/v1/me", ada.auth);
    await server.platform.db.run(
      sql`update sessions set expires_at = now() - interval '1 second' where user_id = ${ada.userId}`,
    );
    await app.close();
    expect((await readSession(ada.userId))!.expiresAt).toBeLessThan(Date.now());
  });

  test("that have expired are deleted after a while, and others are not", async () => {
    const gone = await signUp(server);
    const here = await signUp(server);
    await server.platform.db.run(
      sql`update sessions set expires_at = now() - interval '1 second' where user_id = ${gone.userId}`,
    );
    await jobs.find(({ name }) => name === "auth.tidy")!.handle(server.platform, {});
    expect(await readSession(gone.userId)).toBeUndefined();
    expect(await readSession(here.userId)).toBeDefined();
  });
});

test("a cookie over TLS is bound to its host", () => {
  const url = "https://signalbox.example.com";
  expect(cookieName(url)).toBe("__Host-signalbox_session");
  // The prefix demands exactly this: Secure, the root path and no Domain.
  expect(createSessionCookie(url, "t")).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  expect(createSessionCookie(url, "t")).not.toMatch(/domain/i);
});

describe("passwords", () => {
  const server = useServer();
  const findHash = async (userId: string) =>
    (await server.platform.db.row<{ password: string }>(
      sql`select password from accounts where user_id = ${userId}`,
    ))!.password;

  test("hashed by an earlier version still work, and get the current hash at the next sign-in", async () => {
    const ada = await signUp(server);
    const earlier =
      "0f67ecbbf0ab9f2a017a58543e70c5eb:38ab0c967017fd0281e822f448998cf951779ee22bea4526429457e790024b1cb932c22467c75b9235db5390ac81fe5980628246116e7e444a895fe7145c61b4";
    await server.platform.db.run(
      sql`update accounts set password = ${earlier} where user_id = ${ada.userId}`,
    );
    const signIn = async (password: string) =>
      (await server.call("/api/auth/sign-in/email", { body: { email: ada.email, password } })).status;
    expect(await signIn("another password")).toBe(401);
    expect(await findHash(ada.userId)).toBe(earlier);
    expect(await signIn("correct horse battery")).toBe(200);
    const current = await findHash(ada.userId);
    expect(current).toMatch(/^\$argon2id\$/);
    expect(await signIn("correct horse battery")).toBe(200);
    expect(await findHash(ada.userId)).toBe(current);
  });

  test("a link to reset a password works once, even for two requests at the same moment", async () => {
    const ada = await signUp(server);
    await server.call("/api/auth/request-password-reset", { body: { email: ada.email } });
    const mail = (await readMails(server.platform, 50)).find(
      ({ to, subject }) => to === ada.email && subject === "Choose a new password",
    );
    const token = new URL(/http\S+token=\S+/.exec(mail!.text!)![0]).searchParams.get("token");
    const replies = await Promise.all(
      ["first password", "second password"].map((newPassword) =>
        server.call("/api/auth/reset-password", { body: { token, newPassword } }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test("an earlier password does not sign in while a new one is being stored", async () => {
    const ada = await signUp(server);
    const sent = server.platform.db.transaction(async (tx) => {
      await tx.run(sql`update accounts set password = 'another' where user_id = ${ada.userId}`);
      const reply = server.call("/api/auth/sign-in/email", {
        body: { email: ada.email, password: ada.password },
      });
      // Others still see the old password, so the check succeeds. The reply must wait until the change is committed.
      await Promise.race([reply, setTimeout(1_000)]);
      return { reply };
    });
    expect((await (await sent).reply).status).toBe(401);
  });
});
