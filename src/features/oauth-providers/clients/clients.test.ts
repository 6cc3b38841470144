import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  type AuthorizationServer,
  clientSecret,
  startAuthorizationServer,
} from "../../../../test/fixtures/authorization-server.ts";
import {
  createWorkspace,
  joinWorkspace,
  type Person,
  type Reply,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  connectAccount,
  findLeakedSecrets,
  getToken,
  putClient,
  readConnectionStatus,
  setUpProvider,
  startConnection,
} from "../../../../test/oauth.ts";
import { sql } from "../../../platform/db/index.ts";

describe("OAuth clients", () => {
  const server = useServer();
  let as: AuthorizationServer;
  let acme: Workspace;
  let ada: Person & { memberId: string };
  const id = "acme-id";

  beforeAll(async () => {
    as = await startAuthorizationServer({
      redirectUris: [`${server.url}/v1/oauth-providers/${id}/connect/callback`],
    });
    acme = await createWorkspace(server);
    ada = await joinWorkspace(server, acme, "member");
    await setUpProvider(server, acme.owner.auth, as);
  });
  afterAll(async () => {
    expect(await findLeakedSecrets(server, [...as.secrets, clientSecret])).toEqual([]);
    await as.close();
  });

  const put = (provider: string, body: object) =>
    server.call(`/v1/oauth-providers/${provider}/client`, { method: "PUT", body, headers: acme.owner.auth });
  const read = (provider: string) =>
    server.call(`/v1/oauth-providers/${provider}/client`, { headers: acme.owner.auth });

  test("a custom provider that is created with an idempotency key is created once", async () => {
    const create = () =>
      server.call("/v1/oauth-providers", {
        body: { id: "repeated", name: "Repeated", issuer: as.issuer },
        headers: { ...acme.owner.auth, "idempotency-key": "create-repeated" },
      });
    const created = await create();
    expect(created.status).toBe(201);
    expect(created.body.provider).toMatchObject({ id: "repeated", configured: false });
    expect((await create()).body).toEqual(created.body);
    await server.call("/v1/oauth-providers/repeated", { method: "DELETE", headers: acme.owner.auth });
  });

  test("are saved once, and shown without the secret and with the exact redirect URI", async () => {
    const saved = await put("github", { clientId: "Iv1.abc", clientSecret: "gh-secret-planted" });
    expect(saved.body.client).toMatchObject({
      providerId: "github",
      clientId: "Iv1.abc",
      redirectUri: `${server.url}/v1/oauth-providers/github/connect/callback`,
      tokenEndpointAuthMethod: "client_secret_post",
      hasSecret: true,
      scopes: ["read:user"],
      connectionMode: "personal",
      complete: true,
      missing: [],
      connections: 0,
    });
    const again = await read("github");
    expect(again.body).toEqual(saved.body);
    expect(JSON.stringify([saved.body, again.body])).not.toContain("gh-secret-planted");
    expect(await findLeakedSecrets(server, ["gh-secret-planted"])).toEqual([]);
    const listed = await server.call("/v1/oauth-providers?configured=true", { headers: ada.auth });
    expect(listed.body.items.map((one: { id: string }) => one.id)).toEqual([id, "github"]);
  });

  test("keep omitted fields, including the secret; another client id has no secret until one is given", async () => {
    const kept = await put("github", { clientId: "Iv1.abc", scopes: ["repo"] });
    expect(kept.body.client).toMatchObject({ hasSecret: true, complete: true, scopes: ["repo"] });
    const other = await put("github", { clientId: "Iv1.other" });
    expect(other.body.client).toMatchObject({ hasSecret: false, complete: false, missing: ["clientSecret"] });
  });

  test("can be read and saved by admins, and not by members", async () => {
    expect((await server.call(`/v1/oauth-providers/${id}/client`, { headers: ada.auth })).status).toBe(403);
    expect((await putClient(server, ada.auth, id)).status).toBe(403);
  });

  test("can be removed, and then nobody can start a connection", async () => {
    const remove = () =>
      server.call("/v1/oauth-providers/github/client", { method: "DELETE", headers: acme.owner.auth });
    expect((await remove()).status).toBe(204);
    expect(await remove()).toMatchObject({ status: 404, body: { error: "client_not_configured" } });
    expect(await read("github")).toMatchObject({ status: 404, body: { error: "client_not_configured" } });
    expect((await startConnection(server, ada.auth, "github")).status).toBe(404);
  });

  test("can sign with a generated key, of which only the public half is shown", async () => {
    const saved = await put("okta", {
      clientId: "0oa",
      tokenEndpointAuthMethod: "private_key_jwt",
      tenant: "acme.okta.com",
      keyId: "one",
    });
    expect(saved.body.client).toMatchObject({ complete: true, hasSecret: false });
    expect(saved.body.client.publicKey).toMatchObject({ kty: "EC", crv: "P-256", kid: "one", use: "sig" });
    expect(saved.body.client.publicKey.d).toBeUndefined();
    const kept = await put("okta", { clientId: "0oa" });
    expect(kept.body.client.publicKey).toEqual(saved.body.client.publicKey);
  });

  test.each([
    ["tenant", "zendesk", { clientId: "z", clientSecret: "s", tenant: "evil.example/x?" }],
    ["tenant", "github", { clientId: "z", clientSecret: "s", tenant: "acme" }],
    ["tokenEndpointAuthMethod", "zoom", { clientId: "z", tokenEndpointAuthMethod: "none" }],
    [
      "privateKey",
      "okta",
      { clientId: "z", privateKey: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" },
    ],
    ["scopes", "linear", { clientId: "z", scopes: ["read,write"] }],
    ["scopes", "github", { clientId: "z", scopes: ["two words"] }],
  ])("a wrong %s of %s is refused with the name of the field", async (field, provider, body) => {
    const reply = await put(provider, body);
    expect(reply.status).toBe(400);
    expect(reply.body.details[0].path[0]).toBe(field);
  });

  test("an unreachable issuer is reported when the client is saved", async () => {
    await server.call("/v1/oauth-providers", {
      body: { id: "nowhere", name: "Nowhere", issuer: `${as.issuer}/nothing` },
      headers: acme.owner.auth,
    });
    const reply = await putClient(server, acme.owner.auth, "nowhere");
    expect(reply).toMatchObject({ status: 400, body: { details: [{ path: ["issuer"] }] } });
    expect(await startConnection(server, ada.auth, "nowhere")).toMatchObject({ status: 404 });
  });

  test("a changed client id ends the connections of the old one, after a warning with their number", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    await connectAccount(server, ada, id);
    await connectAccount(server, bob, id);
    const warned = await putClient(server, acme.owner.auth, id, { clientId: "other" });
    expect(warned).toMatchObject({ status: 409, body: { error: "connections_would_end", connections: 2 } });
    expect((await getToken(server, ada.auth, id)).status).toBe(200);
    // The same client with another secret, or other scopes, is the same client.
    expect((await putClient(server, acme.owner.auth, id, { scopes: ["openid"] })).status).toBe(200);
    expect((await getToken(server, ada.auth, id)).status).toBe(200);
    const changed = await putClient(server, acme.owner.auth, id, { clientId: "other", endConnections: true });
    expect(changed).toMatchObject({ status: 200, body: { client: { clientId: "other", connections: 0 } } });
    for (const person of [ada, bob]) {
      expect((await getToken(server, person.auth, id)).status).toBe(404);
      const ended = await server.call("/v1/oauth-connections?ended=true", { headers: person.auth });
      expect(ended.body.items[0]).toMatchObject({
        health: { status: "ended", reason: "client_changed" },
        revocation: { status: "pending" },
      });
    }
    await connectAccount(server, ada, id);
    expect((await readConnectionStatus(server, ada.auth, id)).connected).toBe(true);
  });

  test("a removal needs the same warning", async () => {
    const remove = (query = "") =>
      server.call(`/v1/oauth-providers/${id}${query}`, { method: "DELETE", headers: acme.owner.auth });
    expect(await remove()).toMatchObject({
      status: 409,
      body: { error: "connections_would_end", connections: 1 },
    });
    expect((await remove("?endConnections=true")).status).toBe(204);
    expect((await server.call(`/v1/oauth-providers/${id}`, { headers: ada.auth })).status).toBe(404);
  });

  // The embedded engine does one thing after the other by itself.
  describe.runIf(inject("engine") === "postgres")("that change at the same moment (PostgreSQL only)", () => {
    /** Runs requests that wait for a locked row in this order, and returns their replies. */
    const runInOrder = async (row: ReturnType<typeof sql>, requests: (() => Promise<Reply>)[]) => {
      const { db } = server.platform;
      const countWaiting = async () =>
        (await db.row<{ count: number }>(sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`))!.count;
      const { replies } = await db.transaction(async (tx) => {
        await tx.rows(sql`select from ${row} for update`);
        const replies: Promise<Reply>[] = [];
        for (const request of requests) {
          let isAnswered = false;
          replies.push(request().finally(() => (isAnswered = true)));
          await expect
            .poll(async () => isAnswered || (await countWaiting()) === replies.length, { timeout: 10_000 })
            .toBe(true);
        }
        return { replies };
      });
      return Promise.all(replies);
    };
    const clientOf = (provider: string) =>
      sql`oauth_clients where org_id = ${acme.orgId} and provider_id = ${provider}`;
    const change = (clientId: string) => () => put("gitlab", { clientId, clientSecret: "s" });

    test("keep what the second request omits, and can be removed", async () => {
      const kept = { scopes: ["read_api"], connectionMode: "organization" };
      await put("gitlab", { clientId: "first", clientSecret: "s", ...kept });
      const [, second] = await runInOrder(clientOf("gitlab"), [change("second"), change("third")]);
      expect(second).toMatchObject({ status: 200, body: { client: { clientId: "third", ...kept } } });
      const remove = () =>
        server.call("/v1/oauth-providers/gitlab/client", { method: "DELETE", headers: acme.owner.auth });
      const [, removed] = await runInOrder(clientOf("gitlab"), [change("fourth"), remove]);
      expect(removed!.status).toBe(204);
      expect((await read("gitlab")).status).toBe(404);
    });

    test("leave no client of a provider that is removed while the client is saved", async () => {
      const auth = acme.owner.auth;
      const own = { id: "brief", name: "Brief", authorizationEndpoint: "https://id.example/authorize" };
      const provider = sql`oauth_providers where org_id = ${acme.orgId} and id = 'brief'`;
      const create = () =>
        server.call("/v1/oauth-providers", {
          body: { ...own, tokenEndpoint: "https://id.example/token" },
          headers: auth,
        });
      const remove = () => server.call("/v1/oauth-providers/brief", { method: "DELETE", headers: auth });
      const save = () => put("brief", { clientId: "one", clientSecret: "s" });
      const statuses = async (...requests: (() => Promise<Reply>)[]) =>
        (await runInOrder(provider, requests)).map(({ status }) => status);
      const countClients = () => server.platform.db.rows(sql`select from ${clientOf("brief")}`);
      await create();
      expect(await statuses(remove, save)).toEqual([204, 404]);
      expect(await countClients()).toEqual([]);
      await create();
      expect(await statuses(save, remove)).toEqual([200, 204]);
      expect(await countClients()).toEqual([]);
    });
  });

  describe("providers of the organization's own", () => {
    const create = (body: object, headers: Record<string, string> = acme.owner.auth) =>
      server.call("/v1/oauth-providers", { body, headers });
    const endpoints = {
      authorizationEndpoint: "https://id.example/authorize",
      tokenEndpoint: "https://id.example/token",
    };

    test("can be defined by their endpoints", async () => {
      const made = await create({ id: "own", name: "Own", ...endpoints, scopes: ["a"] });
      expect(made).toMatchObject({
        status: 201,
        body: {
          provider: {
            id: "own",
            custom: true,
            revocable: false,
            scopes: ["a"],
            configured: false,
            ...endpoints,
          },
        },
      });
      expect(await create({ id: "own", name: "Own", ...endpoints })).toMatchObject({
        status: 409,
        body: { error: "provider_exists" },
      });
      expect((await create({ id: "github", name: "Mine", ...endpoints })).status).toBe(409);
      expect((await create({ id: "mine", name: "Mine", ...endpoints }, ada.auth)).status).toBe(403);
    });

    test.each([
      ["neither issuer nor endpoints", {}],
      ["both", { issuer: "https://id.example", ...endpoints }],
      ["only one of the endpoints", { tokenEndpoint: endpoints.tokenEndpoint }],
      ["plain http", { ...endpoints, tokenEndpoint: "http://id.example/token" }],
      ["a script", { ...endpoints, authorizationEndpoint: "javascript:alert(1)" }],
      ["credentials in the URL", { ...endpoints, tokenEndpoint: "https://a:b@id.example/token" }],
      ["an address of the own network", { ...endpoints, tokenEndpoint: "https://169.254.169.254/token" }],
      ["a private address", { issuer: "https://10.0.0.1" }],
    ])("%s is refused", async (_, body) => {
      expect(await create({ id: "bad", name: "Bad", ...body })).toMatchObject({
        status: 400,
        body: { error: "invalid_request" },
      });
    });

    test("are listed by id, page by page, each once", async () => {
      const ids: string[] = [];
      for (let cursor = ""; ; ) {
        const { body } = await server.call(`/v1/oauth-providers?limit=20${cursor && `&cursor=${cursor}`}`, {
          headers: ada.auth,
        });
        ids.push(...body.items.map((one: { id: string }) => one.id));
        if (!body.nextCursor) break;
        cursor = body.nextCursor;
      }
      expect(ids).toEqual([...new Set(ids)].sort());
      expect(ids.length).toBeGreaterThan(40);
      expect(ids).toEqual(expect.arrayContaining(["github", "google", "own"]));
    });
  });
});
