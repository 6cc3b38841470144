import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAutomation } from "../../../../test/automations.ts";
import type { Body } from "../../../../test/body.ts";
import {
  type AuthorizationServer,
  approve,
  clientSecret,
  startAuthorizationServer,
} from "../../../../test/fixtures/authorization-server.ts";
import {
  createKey,
  createTeam,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  connectAccount,
  findLeakedSecrets,
  getToken,
  openCallback,
  putClient,
  readConnectionStatus,
  readTokenRow,
  requestAuthorizeUrl,
  runJob,
  seedConnection,
  setUpProvider,
  startConnection,
} from "../../../../test/oauth.ts";
import { createWorker } from "../../../../test/workers.ts";
import { removeLeftovers } from "../../../app.ts";
import type { OrgId } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/index.ts";
import { endConnectionsOfMember } from "../index.ts";

describe("connections", () => {
  const server = useServer();
  let as: AuthorizationServer;
  let acme: Workspace;
  let ada: Person & { memberId: string };
  let bob: Person & { memberId: string };
  const id = "acme-id";

  beforeAll(async () => {
    as = await startAuthorizationServer({
      redirectUris: [`${server.url}/v1/oauth-providers/${id}/connect/callback`],
    });
    acme = await createWorkspace(server);
    await setUpProvider(server, acme.owner.auth, as);
    ada = await joinWorkspace(server, acme, "member");
    bob = await joinWorkspace(server, acme, "member");
  });
  afterAll(async () => {
    expect(await findLeakedSecrets(server, [...as.secrets, clientSecret])).toEqual([]);
    await as.close();
  });

  const connected = async (person: Person) => {
    await connectAccount(server, person, id);
    return (await readConnectionStatus(server, person.auth, id)).connections[0].id as string;
  };
  const readAs = (person: Person, connectionId: string) =>
    server.call(`/v1/oauth-connections/${connectionId}`, { headers: person.auth });
  /** The tokens of a connection, as the provider knows them. */
  const listSecrets = async (connectionId: string) => {
    const row = (await readTokenRow(server, connectionId))!;
    return (["access_token", "refresh_token"] as const).map((column) =>
      server.platform.keyring.open(String(row[column]), {
        table: "oauth_tokens",
        row: String(row.id),
        column,
        organization: String(row.org_id),
        address: new URL(as.issuer).origin,
      }),
    );
  };
  const isGood = async (accessToken: string) =>
    (await fetch(`${as.issuer}/me`, { headers: { authorization: `Bearer ${accessToken}` } })).status === 200;

  describe("ending a connection", () => {
    test("a disconnect revokes both tokens at the provider, and shows the result", async () => {
      const connectionId = await connected(ada);
      const [access, refresh] = await listSecrets(connectionId);
      expect(await isGood(access!)).toBe(true);
      const reply = await server.call(`/v1/oauth-providers/${id}/disconnect`, {
        method: "POST",
        headers: ada.auth,
      });
      expect(reply).toMatchObject({
        status: 200,
        body: {
          connection: {
            id: connectionId,
            health: { status: "ended", reason: "disconnected" },
            revocation: { status: "pending", attempts: 0 },
          },
        },
      });
      expect((await getToken(server, ada.auth, id)).status).toBe(404);
      await runJob(server, "oauth.revoke");
      expect(as.revocations).toEqual(expect.arrayContaining([access, refresh]));
      expect(await isGood(access!)).toBe(false);
      const after = await readAs(ada, connectionId);
      expect(after.body.connection.revocation).toMatchObject({ status: "revoked", attempts: 1 });
      expect(await readTokenRow(server, connectionId)).toMatchObject({
        access_token: null,
        refresh_token: null,
      });
      const events = await server.call(`/v1/oauth-connections/${connectionId}/events`, { headers: ada.auth });
      expect(events.body.items.map(({ type }: { type: string }) => type)).toEqual([
        "revoked",
        "disconnected",
        "connected",
      ]);
    });

    test("the token of a removed member is revoked, even when the row was deleted by a statement", async () => {
      const carl = await joinWorkspace(server, acme, "member");
      const connectionId = await connected(carl);
      const [access] = await listSecrets(connectionId);
      await server.platform.db.run(sql`delete from members where id = ${carl.memberId}`);
      await runJob(server, "oauth.revoke");
      expect(await isGood(access!)).toBe(false);
      const shown = await readAs(acme.owner, connectionId);
      expect(shown.body.connection).toMatchObject({
        memberId: null,
        health: { status: "ended", reason: "member_removed" },
        revocation: { status: "revoked" },
      });
    });

    test("the event for a removed member has the address of the request", async () => {
      const dora = await joinWorkspace(server, acme, "member");
      const connectionId = await connected(dora);
      const { platform } = server;
      const ctx = {
        ...platform,
        requestId: "r",
        caller: undefined,
        address: "192.0.2.7",
        userAgent: "console",
      };
      await platform.db.transaction(async (tx) => {
        expect(await endConnectionsOfMember(ctx, tx, acme.orgId as OrgId, dora.memberId)).toBe(1);
        await tx.run(sql`delete from members where id = ${dora.memberId}`);
      });
      const events = await server.call(`/v1/oauth-connections/${connectionId}/events`, {
        headers: acme.owner.auth,
      });
      expect(events.body.items[0]).toMatchObject({
        type: "disconnected",
        address: "192.0.2.7",
        detail: { reason: "member_removed" },
      });
    });

    test("the tokens of a deleted organization are revoked, and then erased", async () => {
      const gone = await createWorkspace(server, "Gone");
      await setUpProvider(server, gone.owner.auth, as);
      const connectionId = await connected(gone.owner);
      const [access] = await listSecrets(connectionId);
      const { db } = server.platform;
      await db.run(sql`delete from organizations where id = ${gone.orgId}`);
      expect(await isGood(access!)).toBe(true);
      await runJob(server, "oauth.revoke");
      expect(await isGood(access!)).toBe(false);
      await db.run(sql`update oauth_client_credentials set created_at = now() - interval '2 hours'`);
      await runJob(server, "oauth.tidy");
      for (const table of [sql`oauth_tokens`, sql`oauth_client_credentials`]) {
        expect(await db.rows(sql`select 1 from ${table} where org_id = ${gone.orgId}`)).toEqual([]);
      }
    });

    test("the events of a connection are removed with it, and all others with their organization", async () => {
      const gone = await createWorkspace(server, "Gone");
      const { db } = server.platform;
      await setUpProvider(server, gone.owner.auth, as);
      const connectionId = await connected(gone.owner);
      const other = await connected(ada);
      const listOwners = () =>
        db.rows<{ owner: string }>(sql`
          select distinct coalesce(connection_id, 'the organization') as owner from oauth_connection_events
          where org_id = ${gone.orgId} or connection_id = ${other} order by 1`);
      const owner = (name: string) => ({ owner: name });
      const sorted = [connectionId, other].toSorted().map(owner);
      expect(await listOwners()).toEqual([...sorted, owner("the organization")]);
      await db.run(sql`delete from oauth_connections where id = ${connectionId}`);
      expect(await listOwners()).toEqual([owner(other), owner("the organization")]);
      await db.run(sql`delete from organizations where id = ${gone.orgId}`);
      await removeLeftovers(server.platform, Date.now() + 20_000);
      expect(await listOwners()).toEqual([owner(other)]);
    });

    test("issued tokens are recorded for 90 days, and other events for 400", async () => {
      const { db } = server.platform;
      const connectionId = await connected(ada);
      const insertEvent = (days: number, type: string) =>
        db.run(sql`
          insert into oauth_connection_events (id, org_id, provider_id, connection_id, type, created_at)
          select 'oce_' || id_digits_at(at) || ${type.padEnd(16, "0").slice(0, 16)}, ${acme.orgId}, ${id}, ${connectionId},
            ${type}, at
          from (select now() - make_interval(days => ${days}::int) as at) made`);
      for (const days of [89, 91, 399, 401]) {
        await insertEvent(days, "token_issued");
        await insertEvent(days, "refreshed");
      }
      await runJob(server, "oauth.tidy-events");
      const left = await db.rows(sql`
        select type, extract(day from now() - created_at)::int as days from oauth_connection_events
        where connection_id = ${connectionId} and created_at < now() - interval '1 day' order by days desc, type`);
      expect(left).toEqual([
        { type: "refreshed", days: 399 },
        { type: "refreshed", days: 91 },
        { type: "refreshed", days: 89 },
        { type: "token_issued", days: 89 },
      ]);
    });

    test("all old records of issued tokens are removed at once, however many there are", async () => {
      const { db } = server.platform;
      const connectionId = await connected(ada);
      await db.run(sql`
        insert into oauth_connection_events (id, org_id, provider_id, connection_id, type, created_at)
        select 'oce_' || id_digits_at(now() - interval '91 days') || lpad(n::text, 16, '0'), ${acme.orgId}, ${id},
          ${connectionId}, 'token_issued', now() - interval '91 days'
        from generate_series(1, 25000) n`);
      await runJob(server, "oauth.tidy-events");
      const left = await db.row<{ n: number }>(sql`
        select count(*)::int as n from oauth_connection_events
        where connection_id = ${connectionId} and created_at < now() - interval '90 days' and type = 'token_issued'`);
      expect(left!.n).toBe(0);
    });

    test("the tokens of a changed client are revoked with the old client credentials", async () => {
      const connectionId = await connected(ada);
      const [access] = await listSecrets(connectionId);
      await putClient(server, acme.owner.auth, id, { clientId: "other", endConnections: true });
      await runJob(server, "oauth.revoke");
      expect(await isGood(access!)).toBe(false);
      await putClient(server, acme.owner.auth, id, { endConnections: true });
    });

    test("a failing revocation is tried for a day, then the token is erased and the failure is shown", async () => {
      const connectionId = await connected(ada);
      await server.call(`/v1/oauth-connections/${connectionId}`, { method: "DELETE", headers: ada.auth });
      as.intercept = (request, response) => {
        if (!request.url?.includes("revocation")) return false;
        response.writeHead(503).end();
        return true;
      };
      for (let attempt = 1; attempt <= 8; attempt++) {
        await runJob(server, "oauth.revoke");
        // Until its pause is over nothing more is tried.
        await runJob(server, "oauth.revoke");
        const { revocation } = (await readAs(ada, connectionId)).body.connection;
        expect(revocation).toMatchObject({ attempts: attempt, status: attempt < 8 ? "pending" : "failed" });
        expect(revocation.message).toContain("http_503");
        await server.platform.db.run(
          sql`update oauth_tokens set revoke_due_at = now() where revoke_state = 'pending'`,
        );
      }
      as.intercept = undefined;
      expect(await readTokenRow(server, connectionId)).toMatchObject({
        access_token: null,
        refresh_token: null,
      });
    });

    test("a revocation whose process died twice is shown as failed", async () => {
      const connectionId = await connected(ada);
      await server.call(`/v1/oauth-connections/${connectionId}`, { method: "DELETE", headers: ada.auth });
      const told = as.revocations.length;
      // As if two processes were killed during the request to the provider.
      await server.platform.db.run(sql`
        update oauth_tokens set revoke_running = true, revoke_deaths = 1, revoke_due_at = now()
        where revoke_state = 'pending'`);
      await runJob(server, "oauth.revoke");
      const { revocation } = (await readAs(ada, connectionId)).body.connection;
      expect(revocation).toMatchObject({ status: "failed", message: expect.stringContaining("worker_died") });
      expect(as.revocations.length).toBe(told);
      expect(await readTokenRow(server, connectionId)).toMatchObject({
        access_token: null,
        refresh_token: null,
      });
    });

    test("a provider without revocation is shown as such", async () => {
      const { providerId, connectionId } = await seedConnection(server, acme);
      await server.call(`/v1/oauth-providers/${providerId}/disconnect`, {
        method: "POST",
        headers: acme.owner.auth,
      });
      await runJob(server, "oauth.revoke");
      const shown = await readAs(acme.owner, connectionId);
      expect(shown.body.connection.revocation).toMatchObject({ status: "not_offered" });
      expect(shown.body.connection.revocation.message).toContain("settings there");
    });

    test("reconnecting the same account revokes nothing; connecting another account revokes the old one", async () => {
      const connectionId = await connected(ada);
      const [first] = await listSecrets(connectionId);
      await connectAccount(server, ada, id);
      await runJob(server, "oauth.revoke");
      expect(as.revocations).not.toContain(first);
      const [second] = await listSecrets(connectionId);
      await connectAccount(server, ada, id, { account: "somebody-else" });
      await runJob(server, "oauth.revoke");
      expect(as.revocations).toContain(second);
    });
  });

  describe("the visibility of connections", () => {
    test("a member sees their own; an admin sees the health of all; nobody sees a token", async () => {
      const connectionId = await connected(bob);
      expect((await readAs(ada, connectionId)).status).toBe(404);
      expect(
        (await server.call(`/v1/oauth-connections/${connectionId}/events`, { headers: ada.auth })).status,
      ).toBe(404);
      expect((await readAs(acme.owner, connectionId)).body.connection.health.status).toBe("connected");
      const mine = await server.call("/v1/oauth-connections?limit=100", { headers: bob.auth });
      expect(mine.body.items.every(({ memberId }: { memberId: string }) => memberId === bob.memberId)).toBe(
        true,
      );
      const all = await server.call("/v1/oauth-connections?limit=100", { headers: acme.owner.auth });
      expect(all.body.items.map((one: { id: string }) => one.id)).toContain(connectionId);
      // Seeing is not using.
      expect((await getToken(server, acme.owner.auth, id, { connectionId })).status).toBe(404);
      for (const secret of await listSecrets(connectionId))
        expect(JSON.stringify(all.body)).not.toContain(secret);
    });

    test("a key that is limited to other permissions sees none", async () => {
      const own = await connected(ada);
      const { auth } = await createKey(server, ada, { permissions: ["organization:read"] });
      for (const path of ["oauth-connections", `oauth-connections/${own}`, `oauth-providers/${id}/status`]) {
        const reply = await server.call(`/v1/${path}`, { headers: auth });
        expect(reply, path).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
      }
    });

    test("what uses a connection is counted for everybody, and listed for those who may read it", async () => {
      const { connectionId } = await seedConnection(server, acme, { shared: true });
      await server.call(`/v1/oauth-connections/${connectionId}/grants`, {
        method: "PUT",
        body: { everyone: true, memberIds: [], teamIds: [] },
        headers: acme.owner.auth,
      });
      const connectionIds = [connectionId];
      const own = await createAutomation(server, ada.auth, { connectionIds });
      const owners = await createAutomation(server, acme.owner.auth, { connectionIds });
      const archived = await createAutomation(server, acme.owner.auth, { connectionIds });
      await server.call(`/v1/automations/${archived.id}/archive`, {
        method: "POST",
        headers: acme.owner.auth,
      });
      const worker = await createWorker(server, acme.owner.auth, { connectionIds });
      const read = async (auth: Record<string, string>) =>
        (await server.call(`/v1/oauth-connections/${connectionId}/uses`, { headers: auth })).body.uses;
      const workers = [{ id: worker.id, name: expect.any(String) }];
      const toUse = ({ id, name, status }: Body) => ({ id, name, status });
      expect(await read(acme.owner.auth)).toEqual({
        ...{ automationCount: 2, automations: [toUse(owners), toUse(own)], workerCount: 1, workers },
      });
      expect(await read(ada.auth)).toEqual({
        ...{ automationCount: 2, automations: [toUse(own)], workerCount: 1, workers },
      });
      const other = await createWorkspace(server, "Other");
      const path = `/v1/oauth-connections/${connectionId}/uses`;
      expect((await server.call(path, { headers: other.owner.auth })).status).toBe(404);
    });

    test("an admin may end the connection of another member, and a member may not", async () => {
      const connectionId = await connected(bob);
      const end = (person: Person) =>
        server.call(`/v1/oauth-connections/${connectionId}`, { method: "DELETE", headers: person.auth });
      expect((await end(ada)).status).toBe(404);
      expect((await end(acme.owner)).status).toBe(204);
      expect((await getToken(server, bob.auth, id)).status).toBe(404);
      const events = await server.call(`/v1/oauth-connections/${connectionId}/events`, { headers: bob.auth });
      expect(events.body.items[0]).toMatchObject({ type: "disconnected", credential: "session" });
    });
  });

  describe("a connection that the organization shares", () => {
    let sharedId: string;
    const grant = (body: object, person: Person = acme.owner) =>
      server.call(`/v1/oauth-connections/${sharedId}/grants`, { method: "PUT", body, headers: person.auth });

    test("can be connected by an admin, and not by a member", async () => {
      expect((await startConnection(server, ada.auth, id, "?shared=true")).status).toBe(403);
      await connectAccount(server, acme.owner, id, {
        account: "company",
        query: "?shared=true&account=team",
      });
      const shared = (await readConnectionStatus(server, acme.owner.auth, id)).connections.find(
        (one: { shared: boolean }) => one.shared,
      );
      expect(shared).toMatchObject({
        account: "team",
        memberId: null,
        outsideAccount: { subject: "company" },
      });
      sharedId = shared.id;
      expect((await getToken(server, acme.owner.auth, id, { account: "team" })).status).toBe(200);
    });

    test("is not completed when the person stops being an admin before the callback", async () => {
      const eve = await joinWorkspace(server, acme, "admin");
      const back = await approve(
        await requestAuthorizeUrl(server, eve.auth, id, "?shared=true&account=coup"),
      );
      await server.platform.db.run(sql`update members set role = 'member' where id = ${eve.memberId}`);
      expect((await openCallback(server, back, eve)).body).toContain("not_allowed");
    });

    test("can be used by members with a grant, only while they have it", async () => {
      const ask = () => getToken(server, ada.auth, id, { account: "team" });
      expect((await ask()).status).toBe(404);
      expect((await readAs(ada, sharedId)).status).toBe(404);
      expect((await grant({ everyone: false, memberIds: [ada.memberId] }, ada)).status).toBe(403);
      expect(await grant({ everyone: false, memberIds: [ada.memberId] })).toMatchObject({
        status: 200,
        body: { grants: { everyone: false, memberIds: [ada.memberId], teamIds: [] } },
      });
      expect(await ask()).toMatchObject({ status: 200, body: { connectionId: sharedId } });
      expect((await getToken(server, bob.auth, id, { account: "team" })).status).toBe(404);
      // Let in is not put in charge.
      const ended = await server.call(`/v1/oauth-connections/${sharedId}`, {
        method: "DELETE",
        headers: ada.auth,
      });
      expect(ended.status).toBe(403);
      await grant({ everyone: false, memberIds: [] });
      expect((await ask()).status).toBe(404);
      await grant({ everyone: true, memberIds: [] });
      expect((await getToken(server, bob.auth, id, { account: "team" })).status).toBe(200);
    });

    test("can be used by the members of a team with a grant, while they are in it", async () => {
      const { auth } = acme.owner;
      const [team, other] = [await createTeam(server, acme.owner), await createTeam(server, acme.owner)];
      const place = (teamId: string) => `/v1/teams/${teamId}/members/${bob.memberId}`;
      const ask = async () => (await getToken(server, bob.auth, id, { connectionId: sharedId })).status;
      await server.call(place(other.id), { method: "PUT", headers: auth });
      const grants = { everyone: false, memberIds: [], teamIds: [team.id] };
      expect(await grant({ ...grants, teamIds: [team.id, team.id] })).toMatchObject({
        status: 200,
        body: { grants },
      });
      const read = await server.call(`/v1/oauth-connections/${sharedId}/grants`, { headers: auth });
      expect(read.body).toEqual({ grants });
      expect(await ask()).toBe(404);
      await server.call(place(team.id), { method: "PUT", headers: auth });
      expect(await ask()).toBe(200);
      expect((await readAs(bob, sharedId)).status).toBe(200);
      await server.call(place(team.id), { method: "DELETE", headers: auth });
      expect(await ask()).toBe(404);
      await server.call(place(team.id), { method: "PUT", headers: auth });
      await server.call(`/v1/teams/${team.id}`, { method: "DELETE", headers: auth });
      expect(await ask()).toBe(404);
      const theirs = await createTeam(server, (await createWorkspace(server, "Initech")).owner);
      for (const teamId of [theirs.id, "team_x", team.id]) {
        expect(await grant({ ...grants, teamIds: [teamId] })).toMatchObject({
          status: 400,
          body: { details: [{ path: ["teamIds"] }] },
        });
      }
      await grant({ everyone: true, memberIds: [] });
    });

    test("is used only when the member has no connection of their own", async () => {
      const own = await connected(bob);
      expect((await getToken(server, bob.auth, id)).body.connectionId).toBe(own);
      expect((await getToken(server, bob.auth, id, { connectionId: sharedId })).body.connectionId).toBe(
        sharedId,
      );
    });

    test("cannot be granted to strangers, and a member's own connection cannot be granted", async () => {
      const globex = await createWorkspace(server, "Globex");
      const stranger = await joinWorkspace(server, globex, "member");
      expect((await grant({ everyone: false, memberIds: [stranger.memberId] })).status).toBe(400);
      const own = (await readConnectionStatus(server, bob.auth, id)).connections.find(
        (one: { shared: boolean }) => !one.shared,
      );
      const reply = await server.call(`/v1/oauth-connections/${own.id}/grants`, { headers: acme.owner.auth });
      expect(reply).toMatchObject({ status: 409, body: { error: "connection_not_shared" } });
    });

    test("can be the only one allowed: members' own connections end after a warning, and no new ones start", async () => {
      const put = (more: object) =>
        putClient(server, acme.owner.auth, id, { connectionMode: "organization", ...more });
      expect(await put({})).toMatchObject({ status: 409, body: { error: "connections_would_end" } });
      // The shared one is not among those that end.
      expect((await put({})).body.connections).toBe(
        (
          await server.call("/v1/oauth-connections?limit=100", { headers: acme.owner.auth })
        ).body.items.filter(
          (one: { shared: boolean; providerId: string }) => !one.shared && one.providerId === id,
        ).length,
      );
      const late = await approve(await requestAuthorizeUrl(server, ada.auth, id));
      expect((await put({ endConnections: true })).status).toBe(200);
      expect((await openCallback(server, late, ada)).status).toBe(400);
      const refused = await startConnection(server, ada.auth, id);
      expect(refused).toMatchObject({ status: 400, body: { error: "invalid_request" } });
      expect(refused.body.details[0].message).toContain("whole organization");
    });
  });
});
