import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createRunner } from "../../../../test/automations.ts";
import {
  type AuthorizationServer,
  clientSecret,
  startAuthorizationServer,
} from "../../../../test/fixtures/authorization-server.ts";
import {
  createDatabase,
  createKey,
  createWorkspace,
  joinWorkspace,
  type Person,
  startServer,
  type TestDatabase,
  type TestServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  connectAccount,
  expireToken,
  findLeakedSecrets,
  getToken,
  putClient,
  readConnectionStatus,
  readTokenRow,
  runJob,
  setUpProvider,
} from "../../../../test/oauth.ts";
import { openProxy } from "../../../../test/process/proxy.ts";
import { sql } from "../../../platform/db/index.ts";
import { newKey, publicJwk } from "../../../platform/oauth/index.ts";

describe("tokens", () => {
  let database: TestDatabase;
  let server: TestServer;
  /** A second process on the same database, where the engine allows one; else the same. */
  let replica: TestServer;
  let as: AuthorizationServer;
  let acme: Workspace;
  let ada: Person & { memberId: string };
  let connectionId: string;
  const id = "acme-id";
  const methods = { post: "client_secret_post", public: "none", jwt: "private_key_jwt" };
  const key = newKey();

  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer(database);
    replica = database.kind === "postgres" ? await startServer(database) : server;
    const callback = (provider: string) => `${server.url}/v1/oauth-providers/${provider}/connect/callback`;
    as = await startAuthorizationServer({
      redirectUris: [callback(id), ...Object.keys(methods).map((name) => callback(`by-${name}`))],
      jwk: publicJwk(key, "k1"),
    });
    acme = await createWorkspace(server);
    await setUpProvider(server, acme.owner.auth, as);
    ada = await joinWorkspace(server, acme, "member");
    await connectAccount(server, ada, id);
    connectionId = (await readConnectionStatus(server, ada.auth, id)).connections[0].id;
  });
  afterAll(async () => {
    // Whatever happened above, none of it wrote down what nobody may read.
    expect(await findLeakedSecrets(server, [...as.secrets, clientSecret, key.slice(40, 100)])).toEqual([]);
    if (replica !== server) await replica.close();
    await server.close();
    await as.close();
    await database.drop();
  });

  /** Makes the next answers of the token endpoint something else. */
  const answer = (status: number, body: object | null, headers: Record<string, string> = {}) => {
    as.intercept = (request, response) => {
      if (request.url !== "/token") return false;
      if (body === null) response.destroy();
      else
        response
          .writeHead(status, { "content-type": "application/json", ...headers })
          .end(JSON.stringify(body));
      return true;
    };
  };
  const answerWell = () => {
    as.intercept = undefined;
    return server.platform.db.run(sql`update oauth_tokens set next_refresh_at = null`);
  };
  const health = async () => (await readConnectionStatus(server, ada.auth, id)).connections[0].health;
  /** The reasons for which a connection was announced. */
  const announced = async (connectionId: string) =>
    (
      await server.platform.db.rows<{ reason: string }>(sql`
        select data ->> 'reason' as reason from notification_events
        where data ->> 'connectionId' = ${connectionId} order by id`)
    ).map(({ reason }) => reason);
  /** A connection of its own for a test that ends it. */
  const freshConnection = async () => {
    const person = await joinWorkspace(server, acme, "member");
    await connectAccount(server, person, id);
    return {
      person,
      connectionId: (await readConnectionStatus(server, person.auth, id)).connections[0].id as string,
    };
  };

  test("a fresh token is returned unchanged, and its use is recorded", async () => {
    const agent = await createKey(server, ada, { permissions: ["connections:use"] });
    const before = as.refreshes.length;
    const first = await getToken(server, agent.auth, id);
    expect(first).toMatchObject({
      status: 200,
      body: { tokenType: "Bearer", account: "default", connectionId },
    });
    expect(first.body.expiresAt).toBeGreaterThan(Date.now() + 3_000_000);
    expect((await getToken(server, agent.auth, id)).body.accessToken).toBe(first.body.accessToken);
    expect(as.refreshes.length).toBe(before);
    const events = await server.call(`/v1/oauth-connections/${connectionId}/events`, { headers: ada.auth });
    expect(events.body.items.slice(0, 2)).toMatchObject([
      { type: "token_issued", memberId: ada.memberId, credential: "key", credentialId: agent.id },
      { type: "token_issued" },
    ]);
    expect(JSON.stringify(events.body)).not.toContain(first.body.accessToken);
  });

  test("an agent's key needs the permission, and a runner gets the token of its own member", async () => {
    const narrow = await createKey(server, ada, { permissions: ["automations:create"] });
    expect((await getToken(server, narrow.auth, id)).status).toBe(403);
    const runner = await createRunner(server, ada.auth);
    expect((await getToken(server, runner.auth, id)).status).toBe(200);
    const others = await createRunner(server, acme.owner.auth);
    expect((await getToken(server, others.auth, id)).status).toBe(404);
  });

  test("of requests that arrive together, each gets and records the token of its own caller", async () => {
    const bob = await freshConnection();
    const stranger = await createWorkspace(server);
    const tokens = {
      ada: (await getToken(server, ada.auth, id)).body.accessToken,
      bob: (await getToken(server, bob.person.auth, id)).body.accessToken,
    };
    expect(tokens.ada).not.toBe(tokens.bob);
    const countIssues = async (connection: string) =>
      (await server.platform.db.row<{ count: number }>(sql`
        select count(*)::int as count from oauth_connection_events
        where connection_id = ${connection} and type = 'token_issued'`))!.count;
    const before = [await countIssues(connectionId), await countIssues(bob.connectionId)];
    const callers = [ada.auth, bob.person.auth, stranger.owner.auth, acme.owner.auth];
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) => getToken(server, callers[i % 4]!, id)),
    );
    expect(replies.map(({ body }) => body.accessToken ?? body.error)).toEqual(
      Array.from(
        { length: 40 },
        (_, i) => [tokens.ada, tokens.bob, "oauth_provider_not_found", "connection_not_found"][i % 4],
      ),
    );
    expect([await countIssues(connectionId), await countIssues(bob.connectionId)]).toEqual(
      before.map((count) => count + 10),
    );
  });

  test("no request that arrives after a disconnect was answered gets the token, while others are asking", async () => {
    const { person } = await freshConnection();
    let isEnded = false;
    let isOver = false;
    const late: number[] = [];
    const ask = async () => {
      while (!isOver) {
        const wasEnded = isEnded;
        const { status } = await getToken(server, person.auth, id);
        if (wasEnded) late.push(status);
      }
    };
    const asking = Array.from({ length: 12 }, ask);
    await getToken(server, person.auth, id);
    const path = `/v1/oauth-providers/${id}/disconnect`;
    expect((await server.call(path, { method: "POST", headers: person.auth })).status).toBe(200);
    isEnded = true;
    while (late.length < 60) await getToken(server, ada.auth, id);
    isOver = true;
    await Promise.all(asking);
    expect(new Set(late)).toEqual(new Set([404]));
  });

  // The embedded database has one connection, so nothing is in between.
  test.runIf(inject("engine") === "postgres")(
    "a connection that is being removed gives no token, and no record of one is left",
    async () => {
      const { person, connectionId: removed } = await freshConnection();
      let asking!: ReturnType<typeof getToken>;
      await server.platform.db.transaction(async (tx) => {
        await tx.run(sql`delete from oauth_connections where id = ${removed}`);
        asking = getToken(server, person.auth, id);
        await sleep(300);
      });
      expect((await asking).status).toBe(404);
      expect(
        await server.platform.db.rows(sql`
          select type from oauth_connection_events where connection_id = ${removed}`),
      ).toEqual([]);
    },
  );

  test.runIf(inject("engine") === "postgres")(
    "a connection that ends while its token is requested gives none, and a changed one does",
    async () => {
      const { person, connectionId: changed } = await freshConnection();
      const askDuring = async (set: ReturnType<typeof sql>) => {
        let asking!: ReturnType<typeof getToken>;
        await server.platform.db.transaction(async (tx) => {
          await tx.run(sql`select from oauth_connections where id = ${changed} for update`);
          await tx.run(sql`update oauth_connections set ${set} where id = ${changed}`);
          asking = getToken(server, person.auth, id);
          await sleep(300);
        });
        return asking;
      };
      expect((await askDuring(sql`label = label`)).status).toBe(200);
      expect((await askDuring(sql`status = 'ended', ended_at = now()`)).status).toBe(404);
    },
  );

  test.runIf(inject("engine") === "postgres")(
    "a connection that is connected again meanwhile gives a token, and no other connection does",
    async () => {
      const { db } = server.platform;
      const { person, connectionId: own } = await freshConnection();
      await connectAccount(server, acme.owner, id, { account: "team", query: "?shared=true" });
      const shared = (await readConnectionStatus(server, acme.owner.auth, id)).connections[0].id;
      await server.call(`/v1/oauth-connections/${shared}/grants`, {
        ...{ method: "PUT", headers: acme.owner.auth },
        body: { everyone: true, memberIds: [], teamIds: [] },
      });
      const { connecting, asking } = await db.transaction(async (tx) => {
        // Connecting again retires the token before it commits, so it waits here.
        await tx.rows(sql`
          select from oauth_tokens where id = (select token_id from oauth_connections where id = ${own}) for update`);
        const connecting = connectAccount(server, person, id);
        await expect
          .poll(
            () =>
              tx.rows(sql`
                select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`),
            { timeout: 10_000 },
          )
          .toHaveLength(1);
        const asking = ["default", undefined].map((account) =>
          getToken(server, person.auth, id, { account }),
        );
        await Promise.race([Promise.all(asking), sleep(500)]);
        return { connecting, asking };
      });
      await connecting;
      for (const { status, body } of await Promise.all(asking))
        expect([status, body.connectionId]).toEqual([200, own]);
      await server.call(`/v1/oauth-connections/${shared}`, { method: "DELETE", headers: acme.owner.auth });
    },
  );

  test("an expired token is refreshed, and the old refresh token is never sent again", async () => {
    const old = (await getToken(server, ada.auth, id)).body.accessToken;
    await expireToken(server, connectionId);
    const { status, body } = await getToken(server, ada.auth, id);
    expect(status).toBe(200);
    expect(body.accessToken).not.toBe(old);
    await expireToken(server, connectionId);
    expect((await getToken(server, ada.auth, id)).status).toBe(200);
    expect(as.reuses).toBe(0);
  });

  test("fifty callers in two processes cause one refresh, without reuse of a refresh token", async () => {
    for (let round = 0; round < 3; round++) {
      await expireToken(server, connectionId);
      const before = as.refreshes.length;
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, i) => getToken(i % 2 ? server : replica, ada.auth, id)),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(replies.map(({ body }) => body.accessToken)).size).toBe(1);
      expect(as.refreshes.length - before).toBe(1);
    }
    expect(as.reuses).toBe(0);
  });

  test.each(Object.entries(methods))(
    "the client may authenticate as %s",
    async (name, tokenEndpointAuthMethod) => {
      const provider = await setUpProvider(server, acme.owner.auth, as, {
        id: `by-${name}`,
        client: {
          clientId: name,
          tokenEndpointAuthMethod,
          ...(name === "post" ? { clientSecret } : {}),
          ...(name === "jwt" ? { privateKey: key, keyId: "k1" } : {}),
        },
      });
      await connectAccount(server, ada, provider);
      const [connection] = (await readConnectionStatus(server, ada.auth, provider)).connections;
      await expireToken(server, connection.id);
      expect((await getToken(server, ada.auth, provider)).status).toBe(200);
    },
  );

  test("a reply without a refresh token keeps the old one", async () => {
    const before = await readTokenRow(server, connectionId);
    await expireToken(server, connectionId);
    answer(200, { access_token: "at-without-refresh", token_type: "Bearer", expires_in: 100 });
    const { body } = await getToken(server, ada.auth, id);
    await answerWell();
    expect(body.accessToken).toBe("at-without-refresh");
    expect((await readTokenRow(server, connectionId))!.refresh_hash).toBe(before!.refresh_hash);
    await expireToken(server, connectionId);
    expect((await getToken(server, ada.auth, id)).status).toBe(200);
  });

  test.each([
    ["a 500 of the provider", 500, { error: "server_error" }, {}],
    ["a 429 of the provider", 429, {}, { "retry-after": "7" }],
    ["a refused client", 401, { error: "invalid_client" }, {}],
    ["a reply without a token", 200, { hello: 1 }, {}],
    ["a missing reply", 0, null, {}],
  ])(
    "%s does not end the connection: 503 with Retry-After, and it works afterwards",
    async (what, status, body, headers) => {
      await expireToken(server, connectionId);
      answer(status, body, headers as Record<string, string>);
      const refused = await getToken(server, ada.auth, id);
      expect(refused).toMatchObject({ status: 503, body: { error: "provider_unavailable" } });
      const retryAfter = Number(refused.headers.get("retry-after"));
      expect(retryAfter).toBeGreaterThan(0);
      if (what === "a 429 of the provider") expect(retryAfter).toBe(7);
      expect(await health()).toMatchObject({
        status: "connected",
        reason: what === "a refused client" ? "client_rejected" : "provider_unavailable",
      });
      if (what === "a 500 of the provider") expect(await announced(connectionId)).toEqual([]);
      if (what === "a refused client") expect(await announced(connectionId)).toEqual(["client_rejected"]);
      // While it waits, nobody else is sent to the provider either.
      const calls = as.refreshes.length;
      expect((await getToken(server, ada.auth, id)).status).toBe(503);
      expect(as.refreshes.length).toBe(calls);
      await answerWell();
      expect((await getToken(server, ada.auth, id)).status).toBe(200);
      expect(await health()).toMatchObject({ status: "connected", reason: null });
    },
  );

  test("a token that is still valid is returned while the provider fails", async () => {
    await expireToken(server, connectionId, 40);
    answer(500, {});
    const reply = await getToken(server, ada.auth, id);
    expect(reply.status).toBe(200);
    expect(reply.body.expiresAt).toBeLessThan(Date.now() + 41_000);
    await answerWell();
    expect((await getToken(server, ada.auth, id)).body.expiresAt).toBeGreaterThan(Date.now() + 1_000_000);
  });

  test("only invalid_grant ends the connection, and reconnecting repairs it", async () => {
    const { person, connectionId } = await freshConnection();
    await expireToken(server, connectionId);
    answer(400, { error: "invalid_grant" });
    const refused = await getToken(server, person.auth, id);
    await answerWell();
    expect(refused).toMatchObject({
      status: 409,
      body: { error: "reconnect_required", reason: "revoked_at_provider", connectionId },
    });
    const [connection] = (await readConnectionStatus(server, person.auth, id)).connections;
    expect(connection.health).toMatchObject({ status: "needs_reconnect", reason: "revoked_at_provider" });
    expect(await announced(connectionId)).toEqual(["revoked_at_provider"]);
    expect(await readTokenRow(server, connectionId)).toMatchObject({
      access_token: null,
      refresh_token: null,
    });
    await connectAccount(server, person, id);
    expect(await getToken(server, person.auth, id)).toMatchObject({ status: 200, body: { connectionId } });
  });

  test("a stolen and used refresh token ends the connection, without a loop of refreshes", async () => {
    const { person, connectionId } = await freshConnection();
    await expireToken(server, connectionId);
    // The provider ends the whole grant when a spent token comes again; here the thief was first.
    const row = await readTokenRow(server, connectionId);
    const stolen = server.platform.keyring.open(String(row!.refresh_token), {
      table: "oauth_tokens",
      row: String(row!.id),
      column: "refresh_token",
      organization: String(row!.org_id),
      address: new URL(as.issuer).origin,
    });
    const theft = await fetch(`${as.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`basic:${clientSecret}`).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: stolen }),
    });
    expect(theft.status).toBe(200);
    expect((await getToken(server, person.auth, id)).body).toMatchObject({ error: "reconnect_required" });
    const calls = as.refreshes.length;
    expect((await getToken(server, person.auth, id)).status).toBe(409);
    expect(as.refreshes.length).toBe(calls);
    as.reuses = 0;
  });

  describe("when a process dies between the provider's reply and the commit", () => {
    const vanish = (connectionId: string) =>
      server.platform.db.run(sql`
        update oauth_tokens set refresh_state = 'refreshing', holder = 'gone', consumed_hash = refresh_hash,
          lease_expires_at = now() - interval '1 second'
        where id = (select token_id from oauth_connections where id = ${connectionId})`);

    test("the used refresh token is never sent again, and the connection is uncertain until a reconnect", async () => {
      const { person, connectionId } = await freshConnection();
      await expireToken(server, connectionId, 30);
      await vanish(connectionId);
      const calls = as.refreshes.length;
      // What is still good is handed out; then it says what to do.
      expect((await getToken(server, person.auth, id)).status).toBe(200);
      await expireToken(server, connectionId);
      expect(await getToken(server, person.auth, id)).toMatchObject({
        status: 409,
        body: { error: "reconnect_required", reason: "refresh_uncertain" },
      });
      await runJob(server, "oauth.keep-fresh");
      const [connection] = (await readConnectionStatus(server, person.auth, id)).connections;
      expect(connection.health).toMatchObject({ status: "uncertain", reason: "refresh_uncertain" });
      expect(as.refreshes.length).toBe(calls);
      await connectAccount(server, person, id);
      expect((await getToken(server, person.auth, id)).status).toBe(200);
    });

    test("the refresh is repeated where refresh tokens may be used twice, but not after a second death", async () => {
      const { person, connectionId } = await freshConnection();
      await expireToken(server, connectionId);
      await vanish(connectionId);
      const reusable = (refresh: string) =>
        server.platform.db.run(
          sql`update oauth_client_credentials set server = jsonb_set(server, '{refresh}', to_jsonb(${refresh}::text))
            where provider_id = ${id}`,
        );
      await reusable("reusable");
      expect((await getToken(server, person.auth, id)).status).toBe(200);
      // The second death in a row: the refresh itself may be what kills the process.
      await expireToken(server, connectionId);
      await vanish(connectionId);
      await server.platform.db.run(sql`update oauth_tokens set refresh_deaths = 1 where holder = 'gone'`);
      const calls = as.refreshes.length;
      expect((await getToken(server, person.auth, id)).body).toMatchObject({ reason: "refresh_uncertain" });
      expect(as.refreshes.length).toBe(calls);
      await reusable("rotating");
    });

    test("a late reply makes the connection certain again", async () => {
      const { person, connectionId } = await freshConnection();
      await expireToken(server, connectionId);
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const arrived = new Promise<void>((resolve) => {
        as.intercept = (request, response, body) => {
          if (request.url !== "/token" || !body.includes("refresh_token")) return false;
          resolve();
          void held.then(() =>
            response
              .writeHead(200, { "content-type": "application/json" })
              .end(JSON.stringify({ access_token: "late-but-true", token_type: "bearer", expires_in: 3600 })),
          );
          return true;
        };
      });
      const waiting = getToken(server, person.auth, id);
      await arrived;
      await server.platform.db.run(sql`
        update oauth_tokens set lease_expires_at = now() - interval '1 second'
        where id = (select token_id from oauth_connections where id = ${connectionId})`);
      await runJob(server, "oauth.keep-fresh");
      expect((await readTokenRow(server, connectionId))!.refresh_state).toBe("uncertain");
      release();
      expect(await waiting).toMatchObject({ status: 200, body: { accessToken: "late-but-true" } });
      as.intercept = undefined;
    });

    test("a connection that ends during a refresh leaves the new token to be revoked", async () => {
      const { person, connectionId } = await freshConnection();
      await expireToken(server, connectionId);
      as.intercept = (request, response, body) => {
        if (request.url !== "/token" || !body.includes("refresh_token")) return false;
        void server
          .call(`/v1/oauth-connections/${connectionId}`, { method: "DELETE", headers: person.auth })
          .then(() =>
            response
              .writeHead(200, { "content-type": "application/json" })
              .end(JSON.stringify({ access_token: "born-too-late", token_type: "bearer", expires_in: 3600 })),
          );
        return true;
      };
      expect((await getToken(server, person.auth, id)).status).toBe(404);
      as.intercept = undefined;
      await runJob(server, "oauth.revoke");
      expect(as.revocations).toContain("born-too-late");
    });
  });

  test.skipIf(inject("engine") === "pglite")(
    "new tokens are stored when the database can be reached again, because the provider sends them once",
    async () => {
      const { person, connectionId } = await freshConnection();
      await expireToken(server, connectionId);
      const target = new URL(database.url!);
      const proxy = await openProxy(target.hostname, Number(target.port || 5432));
      const url = Object.assign(new URL(target), { hostname: "127.0.0.1", port: String(proxy.port) }).href;
      const behind = await startServer({ ...database, url });
      as.intercept = (request, _response, body) => {
        if (request.url === "/token" && body.includes("refresh_token")) {
          proxy.cut();
          setTimeout(proxy.mend, 1_000);
        }
        return false;
      };
      const calls = as.refreshes.length;
      expect(await getToken(behind, person.auth, id)).toMatchObject({ status: 200 });
      expect(as.refreshes.length).toBe(calls + 1);
      as.intercept = undefined;
      expect(await getToken(server, person.auth, id)).toMatchObject({ status: 200 });
      await behind.close();
      await proxy.close();
    },
  );

  test("a used token that expires soon is refreshed in advance", async () => {
    await expireToken(server, connectionId, 120);
    const before = as.refreshes.length;
    await runJob(server, "oauth.keep-fresh");
    expect(as.refreshes.length).toBe(before + 1);
    await runJob(server, "oauth.keep-fresh");
    expect(as.refreshes.length).toBe(before + 1);
    // Not for who has not asked in days.
    await expireToken(server, connectionId, 120);
    await server.platform.db.run(sql`update oauth_tokens set last_used_at = now() - interval '2 days'`);
    await runJob(server, "oauth.keep-fresh");
    expect(as.refreshes.length).toBe(before + 1);
  });

  test("a token without a refresh token first gives a warning, then needs a reconnect", async () => {
    const { person, connectionId } = await freshConnection();
    await server.platform.db.run(sql`
      update oauth_tokens set refresh_token = null where id = (select token_id from oauth_connections where id = ${connectionId})`);
    await expireToken(server, connectionId, 600);
    const look = async () => (await readConnectionStatus(server, person.auth, id)).connections[0].health;
    expect(await look()).toMatchObject({ status: "expiring", reason: "no_refresh" });
    expect((await getToken(server, person.auth, id, { minTtlSeconds: 3000 })).status).toBe(200);
    await expireToken(server, connectionId);
    expect(await getToken(server, person.auth, id)).toMatchObject({
      status: 409,
      body: { reason: "expired" },
    });
    expect(await look()).toMatchObject({ status: "needs_reconnect", reason: "expired" });
  });

  test("a minTtlSeconds longer than the provider's tokens causes one refresh", async () => {
    await expireToken(server, connectionId, 600);
    const before = as.refreshes.length;
    expect((await getToken(server, ada.auth, id, { minTtlSeconds: 86_400 })).status).toBe(200);
    expect(as.refreshes.length).toBe(before + 1);
  });

  test("connections work again after a rotated client secret is saved", async () => {
    await expireToken(server, connectionId);
    expect((await putClient(server, acme.owner.auth, id, { clientSecret: "wrong" })).status).toBe(200);
    expect((await getToken(server, ada.auth, id)).status).toBe(503);
    expect(await health()).toMatchObject({ status: "connected", reason: "client_rejected" });
    expect((await putClient(server, acme.owner.auth, id)).status).toBe(200);
    await answerWell();
    expect((await getToken(server, ada.auth, id)).status).toBe(200);
  });
});
