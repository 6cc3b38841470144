import { beforeAll, describe, expect, test } from "vitest";
import { expectDescribed } from "../../../test/described.ts";
import {
  createKey,
  createRole,
  createTeam,
  createWorkspace,
  invite,
  joinWorkspace,
  type Person,
  signUp,
  useServer,
  verifyAddress,
  type Workspace,
} from "../../../test/harness.ts";
import { recordStatements } from "../../../test/plans.ts";
import { sql } from "../../platform/db/index.ts";
import { readMails } from "../../platform/mail/index.ts";
import { hashSecret } from "../../platform/secrets.ts";
import * as contract from "./contract.ts";

const server = useServer();
type Auth = Record<string, string>;
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
});

const send = (body: object, headers: Auth = acme.owner.auth) =>
  server.call("/v1/invitations", { body: { role: "member", ...body }, headers });
const accept = (token: string, headers: Auth) =>
  server.call("/v1/invitations/accept", { body: { token }, headers });
const act = (id: string, what: "cancel" | "resend", headers: Auth = acme.owner.auth) =>
  server.call(`/v1/invitations/${id}/${what}`, { method: "POST", headers });
const preview = (token: string) => server.call(`/v1/invitations/preview?token=${token}`);
const verified = async ({ auth }: Person) =>
  (await server.call("/v1/me", { headers: auth })).body.user.emailVerified;

async function mailedToken(to: string): Promise<string> {
  const mail = (await readMails(server.platform, 200)).find(
    (one) => one.to === to && one.text?.includes("/invitation?token="),
  );
  return new URL(mail!.text!.match(/http\S+/g)!.find((url) => url.includes("token="))!).searchParams.get(
    "token",
  )!;
}

/** Somebody with an account, and an invitation to their address. */
async function invited(body: object = {}) {
  const person = await signUp(server, "Guest");
  return { person, ...(await invite(server, acme.owner, { email: person.email, ...body })) };
}

describe("an invitation", () => {
  test("is mailed, previewed and accepted, and gives a role and teams", async () => {
    const [role, team] = [await createRole(server, acme.owner), await createTeam(server, acme.owner)];
    const person = await signUp(server, "Guest");
    const reply = await send({
      email: person.email.toUpperCase(),
      role: role.id,
      teamIds: [team.id, team.id],
    });
    expect(reply.status).toBe(201);
    const { invitation, token } = reply.body;
    expect(invitation).toMatchObject({
      email: person.email,
      role: role.id,
      roleName: role.name,
      teamIds: [team.id],
      status: "pending",
      inviterName: "Owner",
    });
    expect(invitation.expiresAt - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    const mailToken = await mailedToken(person.email);
    expect(mailToken).not.toBe(token);
    for (const one of [token, mailToken]) {
      const seen = await preview(one);
      expect(seen.body.invitation).toEqual({
        organizationName: "Acme",
        email: `g•••@example.com`,
        role: role.id,
        roleName: role.name,
        inviterName: "Owner",
        status: "pending",
        expiresAt: invitation.expiresAt,
      });
    }
    const accepted = await accept(mailToken, person.auth);
    expect(accepted.status).toBe(200);
    expect(accepted.body.organization.id).toBe(acme.orgId);
    expect(accepted.body.member).toMatchObject({
      userId: person.userId,
      role: role.id,
      teams: [{ id: team.id, name: team.name }],
    });
    const me = (await server.call("/v1/me", { headers: person.auth })).body;
    expect(me.activeOrganizationId).toBe(acme.orgId);
    expect((await preview(token)).body.invitation.status).toBe("accepted");
    const listed = await server.call("/v1/invitations?status=accepted", { headers: acme.owner.auth });
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toContain(invitation.id);
    expect(JSON.stringify(listed.body)).not.toContain(token);
  });

  test("confirms the address only with the mailed token, because the inviter knows the other one", async () => {
    const [shown, mailed] = [await invited(), await invited()];
    expect((await accept(shown.token, shown.person.auth)).status).toBe(200);
    expect(await verified(shown.person)).toBe(false);
    expect((await accept(await mailedToken(mailed.person.email), mailed.person.auth)).status).toBe(200);
    expect(await verified(mailed.person)).toBe(true);
  });

  test("is accepted once, even by two requests at the same moment, with either token", async () => {
    const { person, token } = await invited();
    const mailToken = await mailedToken(person.email);
    const replies = await Promise.all(
      [token, mailToken, token, mailToken].map((one) => accept(one, person.auth)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    for (const { status, body } of replies)
      if (status === 409) expect(body.error).toBe("invitation_accepted");
    const rows = await server.platform.db.rows(
      sql`select 1 from members where org_id = ${acme.orgId} and user_id = ${person.userId}`,
    );
    expect(rows).toHaveLength(1);
  });

  test("is valid only for its address, in upper or lower case, and only with a session", async () => {
    const { person, token } = await invited();
    const eve = await signUp(server, "Eve");
    const refused = await accept(token, eve.auth);
    expect(refused).toMatchObject({ status: 403, body: { error: "forbidden", reason: "wrong_address" } });
    expectDescribed(contract.accept, refused);
    const globex = await createWorkspace(server);
    const key = await createKey(server, globex.owner);
    expect((await accept(token, key.auth)).body.reason).toBe("session_required");
    await server.platform.db.run(sql`update users set email = upper(email) where id = ${person.userId}`);
    expect((await accept(token, person.auth)).status).toBe(200);
  });

  test("expires after seven days, and is valid again after it is resent", async () => {
    const { person, token, invitation } = await invited();
    await server.platform.db.run(
      sql`update invitations set expires_at = now() - interval '1 second' where id = ${invitation.id}`,
    );
    expect((await preview(token)).body.invitation.status).toBe("expired");
    expect(await accept(token, person.auth)).toMatchObject({
      status: 409,
      body: { error: "invitation_expired" },
    });
    const again = await act(invitation.id, "resend");
    expect(again.body.invitation).toMatchObject({ id: invitation.id, status: "pending" });
    expect((await accept(token, person.auth)).status).toBe(404);
    expect((await accept(again.body.token, person.auth)).status).toBe(200);
    expect((await act(invitation.id, "resend")).body.error).toBe("already_member");
  });

  test("can be cancelled twice with the same reply, and not after it was accepted", async () => {
    const { person, token, invitation } = await invited();
    for (let i = 0; i < 2; i++)
      expect((await act(invitation.id, "cancel")).body.invitation.status).toBe("cancelled");
    expect((await accept(token, person.auth)).body.error).toBe("invitation_cancelled");
    expect((await act(invitation.id, "resend")).body.error).toBe("invitation_cancelled");
    const second = await invited();
    await accept(second.token, second.person.auth);
    expect((await act(second.invitation.id, "cancel")).body.error).toBe("invitation_accepted");
  });

  test("is either cancelled or accepted when both happen at the same moment", async () => {
    for (let round = 0; round < 5; round++) {
      const { person, token, invitation } = await invited();
      const [taken, accepted] = await Promise.all([act(invitation.id, "cancel"), accept(token, person.auth)]);
      expect([taken.status, accepted.status].sort()).toEqual([200, 409]);
    }
  });

  test("to the same address replaces the earlier one", async () => {
    const { person, token } = await invited();
    const second = await invite(server, acme.owner, { email: person.email, role: "admin" });
    expect((await accept(token, person.auth)).body.error).toBe("invitation_cancelled");
    expect((await accept(second.token, person.auth)).body.member.role).toBe("admin");
  });

  test("is the only open one when five are sent to one address at the same moment", async () => {
    const email = `many-${Date.now()}@example.com`;
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => send({ email })));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const { items } = (await server.call("/v1/invitations?status=pending", { headers: acme.owner.auth }))
      .body;
    expect(items.filter((one: { email: string }) => one.email === email)).toHaveLength(1);
  });

  test("to a member, or with unknown teams or roles, is refused", async () => {
    const member = await joinWorkspace(server, acme, "member");
    expect(await send({ email: member.email })).toMatchObject({
      status: 409,
      body: { error: "already_member" },
    });
    const globex = await createWorkspace(server);
    const theirs = await createTeam(server, globex.owner);
    expect(await send({ email: "a@example.com", teamIds: [theirs.id] })).toMatchObject({
      status: 400,
      body: { details: [{ path: ["teamIds"] }] },
    });
    expect((await send({ email: "a@example.com", role: "boss" })).status).toBe(400);
    expect((await send({ email: "nobody" })).status).toBe(400);
  });

  test("gives no more permissions than the inviter has", async () => {
    const admin = await joinWorkspace(server, acme, "admin");
    const clerk = await joinWorkspace(
      server,
      acme,
      (await createRole(server, acme.owner, ["members:invite", "members:read"])).id,
    );
    const email = `above-${Date.now()}@example.com`;
    expect(await send({ email, role: "owner" }, admin.auth)).toMatchObject({
      status: 403,
      body: { reason: "owner_required" },
    });
    expect((await send({ email, role: "admin" }, admin.auth)).status).toBe(201);
    expect(await send({ email, role: "member" }, clerk.auth)).toMatchObject({
      status: 403,
      body: { reason: "above_own_rights" },
    });
    expect((await send({ email, role: "owner" })).status).toBe(201);
  });

  test("to become an owner needs a fresh session of an owner, also when it is sent again", async () => {
    const key = await createKey(server, acme.owner);
    const email = `owner-${Date.now()}@example.com`;
    const reauth = { status: 403, body: { error: "reauth", reason: "session_too_old" } };
    expect(await send({ email, role: "owner" }, key.auth)).toMatchObject(reauth);
    const { id } = (await send({ email, role: "owner" })).body.invitation;
    const again = { method: "POST", headers: key.auth };
    expect(await server.call(`/v1/invitations/${id}/resend`, again)).toMatchObject(reauth);
  });

  test("can name teams only when the inviter may manage teams", async () => {
    const team = await createTeam(server, acme.owner);
    const [host, guide] = [
      await createRole(server, acme.owner, ["members:invite", "members:read"]),
      await createRole(server, acme.owner, ["members:invite", "members:read", "teams:manage"]),
    ];
    const inviter = await joinWorkspace(server, acme, host.id);
    const person = await signUp(server, "Guest");
    const wanted = { email: person.email, role: host.id, teamIds: [team.id] };
    expect(await send(wanted, inviter.auth)).toMatchObject({
      status: 403,
      body: { reason: "missing_permission" },
    });
    const { invitation } = await invite(server, acme.owner, wanted);
    expect((await act(invitation.id, "resend", inviter.auth)).status).toBe(403);
    const become = (role: string) =>
      server.call(`/v1/members/${inviter.memberId}`, {
        method: "PATCH",
        body: { role },
        headers: acme.owner.auth,
      });
    await become(guide.id);
    const { token } = await invite(server, inviter, wanted);
    await become(host.id);
    expect(await accept(token, person.auth)).toMatchObject({
      status: 409,
      body: { error: "invitation_withdrawn" },
    });
    await become(guide.id);
    expect((await accept(token, person.auth)).body.member.teams).toMatchObject([{ id: team.id }]);
  });

  test("is withdrawn when its sender loses the right to invite, until another member resends it", async () => {
    const admin = await joinWorkspace(server, acme, "admin");
    const person = await signUp(server, "Guest");
    const { invitation, token } = await invite(server, admin, { email: person.email, role: "admin" });
    await server.call(`/v1/members/${admin.memberId}`, {
      method: "PATCH",
      body: { role: "member" },
      headers: acme.owner.auth,
    });
    expect(await accept(token, person.auth)).toMatchObject({
      status: 409,
      body: { error: "invitation_withdrawn" },
    });
    await server.call(`/v1/members/${admin.memberId}`, { method: "DELETE", headers: acme.owner.auth });
    expect((await accept(token, person.auth)).body.error).toBe("invitation_withdrawn");
    const again = await act(invitation.id, "resend");
    expect((await accept(again.body.token, person.auth)).body.member.role).toBe("admin");
  });

  test("must match the allowed domains of the organization, when it is sent and when it is accepted", async () => {
    const strict = await createWorkspace(server, "Strict");
    const domains = (allowedEmailDomains: string[]) =>
      server.call("/v1/organization", {
        method: "PATCH",
        body: { allowedEmailDomains },
        headers: strict.owner.auth,
      });
    await domains(["corp.example"]);
    const person = await signUp(server, "Guest");
    expect(await send({ email: person.email }, strict.owner.auth)).toMatchObject({
      status: 409,
      body: { error: "email_domain_not_allowed", domains: ["corp.example"] },
    });
    for (const email of ["a@sub.corp.example", "a@notcorp.example", "corp.example@evil.example"])
      expect((await send({ email }, strict.owner.auth)).status).toBe(409);
    expect((await send({ email: "A@CORP.example" }, strict.owner.auth)).status).toBe(201);
    await domains([]);
    const { token } = (await send({ email: person.email }, strict.owner.auth)).body;
    await domains(["corp.example"]);
    expect((await accept(token, person.auth)).body.error).toBe("email_domain_not_allowed");
  });

  test("is not revealed by an invalid token", async () => {
    const person = await signUp(server);
    for (const token of ["x", "sbi_000000000000000000000000000000000000"]) {
      expect(await preview(token)).toMatchObject({ status: 404, body: { error: "invitation_not_found" } });
      expect((await accept(token, person.auth)).status).toBe(404);
    }
  });

  test("is stored with hashes of its tokens only", async () => {
    const { person, token } = await invited();
    const mailToken = await mailedToken(person.email);
    const rows = await server.platform.db.rows<{ row: string }>(
      sql`select i::text as row from invitations i`,
    );
    const text = rows.map(({ row }) => row).join();
    expect(text).toContain(person.email);
    for (const one of [token, mailToken]) expect(text).not.toContain(one);
  });
});

describe("names in mails", () => {
  const mailTo = async (to: string) => (await readMails(server.platform, 200)).find((one) => one.to === to)!;

  test("never become a link, neither in the subject nor in the text", async () => {
    const evil = await createWorkspace(server, "http://evil.example click");
    const { invitation } = await invite(server, evil.owner);
    const mail = await mailTo(invitation.email);
    expect(mail.subject).toBe("Owner invites you to an organization");
    expect(mail.text).toContain("http[:]//evil[.]example click");
    expect(mail.text!.match(/https?:\/\/\S+/g)!.every((url) => url.startsWith(server.url))).toBe(true);
    const plain = await invite(server, acme.owner);
    expect((await mailTo(plain.invitation.email)).subject).toBe("Owner invites you to Acme");
  });

  test.each([
    ["a direction override", "Acme \u202egnp.exe"],
    ["a zero-width space", "Ac\u200bme"],
    ["an invisible letter", "\u3164"],
    ["a line break", "Acme\nBcc: x"],
  ])("cannot contain %s", async (_, name) => {
    const { auth } = acme.owner;
    const paths = ["/v1/organizations", "/v1/teams", "/v1/api-keys"];
    for (const path of paths)
      expect((await server.call(path, { body: { name }, headers: auth })).status, path).toBe(400);
    const role = { name, permissions: ["organization:read"] };
    expect((await server.call("/v1/roles", { body: role, headers: auth })).status).toBe(400);
    expect((await server.call("/v1/me", { method: "PATCH", body: { name }, headers: auth })).status).toBe(
      400,
    );
  });

  test.each(["José Ñandú", "علی‌رضا", "क्‍षत्रिय", "👩‍👩‍👧 Team", "日本語・テスト", "Søn & O’Neil"])(
    "are accepted in any language: %s",
    async (name) => {
      const reply = await server.call("/v1/me", {
        method: "PATCH",
        body: { name },
        headers: acme.owner.auth,
      });
      expect(reply.body.user?.name).toBe(name);
    },
  );

  test("that are older than the rule are still shown, without invisible characters in mails", async () => {
    const old = await createWorkspace(server, "Old");
    const name = "Ol\u202ed\u200b";
    await server.platform.db.run(sql`update organizations set name = ${name} where id = ${old.orgId}`);
    const read = await server.call("/v1/organization", { headers: old.owner.auth });
    expect(read.body.organization.name).toBe(name);
    const { invitation } = await invite(server, old.owner);
    expect((await mailTo(invitation.email)).subject).toBe("Owner invites you to Old");
  });
});

test("an organization with allowed domains accepts only people with a verified address", async () => {
  const corp = await createWorkspace(server, "Corp");
  await server.call("/v1/organization", {
    method: "PATCH",
    body: { allowedEmailDomains: ["example.com"] },
    headers: corp.owner.auth,
  });
  const [shown, mailed] = [await signUp(server, "Guest"), await signUp(server, "Guest")];
  const { token } = await invite(server, corp.owner, { email: shown.email });
  const refused = await accept(token, shown.auth);
  expect(refused).toMatchObject({ status: 403, body: { reason: "email_not_verified" } });
  await verifyAddress(server, shown);
  expect((await accept(token, shown.auth)).status).toBe(200);
  await invite(server, corp.owner, { email: mailed.email });
  expect((await accept(await mailedToken(mailed.email), mailed.auth)).status).toBe(200);
});

describe("on an instance that sends mails", () => {
  const sending = useServer({ env: { SMTP_URL: "smtp://127.0.0.1:1" } });
  const offer = (headers: Auth, email: string) =>
    sending.call("/v1/invitations", { body: { email, role: "member" }, headers });

  test("only a person with a confirmed address can invite, by session or by key", async () => {
    const { owner } = await createWorkspace(sending);
    const key = await createKey(sending, owner);
    for (const headers of [owner.auth, key.auth] as Auth[])
      expect(await offer(headers, "grace@example.com")).toMatchObject({
        status: 403,
        body: { error: "forbidden", reason: "email_not_verified" },
      });
    await verifyAddress(sending, owner);
    const sent = await offer(owner.auth, "grace@example.com");
    expect(sent.status).toBe(201);
    await sending.platform.db.run(sql`update users set email_verified = false where id = ${owner.userId}`);
    const resent = await sending.call(`/v1/invitations/${sent.body.invitation.id}/resend`, {
      method: "POST",
      headers: owner.auth,
    });
    expect(resent.body.reason).toBe("email_not_verified");
  });

  test("a person can cause at most 500 mails a day, a network 3,000", async () => {
    const { owner } = await createWorkspace(sending);
    await verifyAddress(sending, owner);
    const spend = (key: string, count: number) =>
      sending.platform.db.run(sql`
        insert into rate_limits (key, count, resets_at) values (${hashSecret(key)}, ${count}, now() + interval '1 hour')
        on conflict (key) do update set count = excluded.count`);
    await spend(`mails ${owner.userId}`, 499);
    expect((await offer(owner.auth, "one@example.com")).status).toBe(201);
    expect(await offer(owner.auth, "two@example.com")).toMatchObject({
      status: 429,
      body: { error: "rate_limited" },
    });
    await spend(`mails ${owner.userId}`, 0);
    await spend("mails from 127.0.0.1", 3_000);
    expect((await offer(owner.auth, "three@example.com")).status).toBe(429);
    const reset = await sending.call("/api/auth/request-password-reset", { body: { email: owner.email } });
    expect(reset.status).toBe(429);
    const again = { method: "POST", headers: owner.auth };
    expect((await sending.call("/api/auth/send-verification-email", again)).status).toBe(429);
    await sending.platform.db.run(sql`delete from rate_limits`);
    expect((await offer(owner.auth, "three@example.com")).status).toBe(201);
  });

  test("a mailbox gets five reset mails an hour; the sixth request gets the same reply and sends nothing", async () => {
    const ada = await signUp(sending);
    for (let i = 0; i < 7; i++) {
      const body = { email: i % 2 ? ada.email : ada.email.toUpperCase() };
      expect((await sending.call("/api/auth/request-password-reset", { body })).body).toEqual({ ok: true });
    }
    const mails = (await readMails(sending.platform, 200)).filter(
      ({ to, subject }) => to === ada.email && subject === "Choose a new password",
    );
    expect(mails).toHaveLength(5);
  });
});

describe("the page behind an invitation", () => {
  const open = (token: string, person?: { token: string }) =>
    server.call(`/invitation?token=${token}`, {
      headers: person ? { cookie: `signalbox_session=${person.token}` } : {},
    });

  test("locks nothing, because everybody with the link can open it", async () => {
    const acme = await createWorkspace(server);
    const team = await createTeam(server, acme.owner);
    const ada = await signUp(server);
    const { token } = (await send({ email: ada.email, teamIds: [team.id] }, acme.owner.auth)).body;
    const statements = await recordStatements(server.engine, async () => {
      for (const visitor of [undefined, ada]) expect((await open(token, visitor)).status).toBe(200);
      expect((await preview(token)).status).toBe(200);
    });
    expect(
      statements.map(({ text }) => text).filter((text) => /\bfor (no key )?(update|share)\b/.test(text)),
    ).toEqual([]);
  });

  test("shows who invites to which organization, and who is signed in", async () => {
    const acme = await createWorkspace(server, '<i>Acme</i> & "Sons"');
    const ada = await signUp(server);
    const { token } = (await send({ email: ada.email }, acme.owner.auth)).body;
    const page = await open(token);
    expect(page.status).toBe(200);
    for (const named of [
      "&lt;i&gt;Acme&lt;/i&gt; &amp; &quot;Sons&quot;",
      "Owner",
      "Member",
      "a•••@example.com",
    ])
      expect(page.body).toContain(named);
    expect(page.body).not.toContain(ada.email);
    expect(page.body).not.toContain(token);
    expect((await open(token, ada)).body).toContain("Accept the invitation");
    const bob = await signUp(server, "Bob");
    const wrong = await open(token, bob);
    expect(wrong.body).toContain(bob.email);
    expect(wrong.body).toContain("This invitation is for a•••@example.com.");
    expect(wrong.body).not.toContain("Accept the invitation");
    expect((await accept(token, ada.auth)).status).toBe(200);
    expect((await open(token, ada)).body).toContain("There is nothing left to accept.");
    expect((await open(token)).status).toBe(400);
  });

  test("refuses every invalid link as HTML, before it shows a form", async () => {
    const acme = await createWorkspace(server);
    const { invitation, token } = (await send({ email: "over@example.com" }, acme.owner.auth)).body;
    const { db } = server.platform;
    const states = {
      "was taken back": sql`update invitations set cancelled_at = now() where id = ${invitation.id}`,
      "was accepted already": sql`update invitations set cancelled_at = null, accepted_at = now() where id = ${invitation.id}`,
      "older than 7 days": sql`update invitations set accepted_at = null, expires_at = now() where id = ${invitation.id}`,
      "may no longer give this role": sql`update invitations set expires_at = now() + interval '1 day', invited_by = null where id = ${invitation.id}`,
    };
    for (const [words, change] of Object.entries(states)) {
      await db.run(change);
      const page = await open(token);
      expect(page, words).toMatchObject({ status: 400, body: expect.stringContaining(words) });
      expect(page.body).not.toContain('id="email"');
    }
    for (const bad of ["", "x", `${token}x`, `sbi_${"a".repeat(36)}`]) {
      const page = await open(bad);
      expect(page.status).toBe(400);
      expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    }
  });
});
