import { beforeAll, describe, expect, test } from "vitest";
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
  type Workspace,
} from "../../../test/harness.ts";
import { sql } from "../../platform/db/index.ts";
import { readMails } from "../../platform/mail/index.ts";

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
  test("is mailed, previewed, accepted, and gives role and teams", async () => {
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

  test("confirms the address only of who came by the mail: the inviter knows the other token", async () => {
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

  test("is for its address alone, in any case, and not for a key", async () => {
    const { person, token } = await invited();
    const eve = await signUp(server, "Eve");
    expect(await accept(token, eve.auth)).toMatchObject({
      status: 403,
      body: { error: "forbidden", reason: "wrong_address" },
    });
    const globex = await createWorkspace(server);
    const key = await createKey(server, globex.owner);
    expect((await accept(token, key.auth)).body.reason).toBe("session_required");
    await server.platform.db.run(sql`update users set email = upper(email) where id = ${person.userId}`);
    expect((await accept(token, person.auth)).status).toBe(200);
  });

  test("is over after seven days, until it is sent again", async () => {
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

  test("is taken back, twice if need be, and not once it was accepted", async () => {
    const { person, token, invitation } = await invited();
    for (let i = 0; i < 2; i++)
      expect((await act(invitation.id, "cancel")).body.invitation.status).toBe("cancelled");
    expect((await accept(token, person.auth)).body.error).toBe("invitation_cancelled");
    expect((await act(invitation.id, "resend")).body.error).toBe("invitation_cancelled");
    const second = await invited();
    await accept(second.token, second.person.auth);
    expect((await act(second.invitation.id, "cancel")).body.error).toBe("invitation_accepted");
  });

  test("taken back while it is accepted is one or the other", async () => {
    for (let round = 0; round < 5; round++) {
      const { person, token, invitation } = await invited();
      const [taken, accepted] = await Promise.all([act(invitation.id, "cancel"), accept(token, person.auth)]);
      expect([taken.status, accepted.status].sort()).toEqual([200, 409]);
    }
  });

  test("to the same address replaces the one before", async () => {
    const { person, token } = await invited();
    const second = await invite(server, acme.owner, { email: person.email, role: "admin" });
    expect((await accept(token, person.auth)).body.error).toBe("invitation_cancelled");
    expect((await accept(second.token, person.auth)).body.member.role).toBe("admin");
  });

  test("five to one address at the same moment leave one open", async () => {
    const email = `many-${Date.now()}@example.com`;
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => send({ email })));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const { items } = (await server.call("/v1/invitations?status=pending", { headers: acme.owner.auth }))
      .body;
    expect(items.filter((one: { email: string }) => one.email === email)).toHaveLength(1);
  });

  test("to who belongs already, or with teams or roles that are none, is refused", async () => {
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

  test("gives no more than the inviter has", async () => {
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

  test("puts people into teams only for who may say who is in them", async () => {
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

  test("stands and falls with who sent it, until another sends it again", async () => {
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

  test("follows the organization's domains, when it is sent and when it is accepted", async () => {
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

  test("with a token that is none tells nothing", async () => {
    const person = await signUp(server);
    for (const token of ["x", "sbi_000000000000000000000000000000000000"]) {
      expect(await preview(token)).toMatchObject({ status: 404, body: { error: "invitation_not_found" } });
      expect((await accept(token, person.auth)).status).toBe(404);
    }
  });

  test("is kept as hashes only", async () => {
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
