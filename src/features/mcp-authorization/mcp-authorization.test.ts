import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  createDatabase,
  createRole,
  createWorkspace,
  joinWorkspace,
  startServer,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import {
  type Connected,
  connectClient,
  decide,
  loopbackRedirect,
  openBrowser,
  postForm,
  refresh,
  registerClient,
  startAuthorization,
} from "../../../test/mcp-authorization.ts";
import { sql } from "../../platform/db/index.ts";
import { jobs } from "./jobs.ts";

const server = useServer();
let acme: Workspace;
beforeAll(async () => {
  acme = await createWorkspace(server);
});
const me = async ({ auth }: Pick<Connected, "auth">) => server.call("/v1/me", { headers: auth });
const list = async (headers: Record<string, string>) =>
  (await server.call("/v1/mcp/clients?limit=100", { headers })).body.items;
const toAuth = (token: string) => ({ auth: { authorization: `Bearer ${token}` } });

/** Everything that a client sends with a code. */
async function prepareExchange() {
  const clientId = await registerClient(server);
  const browser = openBrowser(server, acme.owner);
  const { verifier, consent } = await startAuthorization(server, browser, { clientId });
  const back = await decide(browser, consent, { orgId: acme.orgId });
  return {
    grant_type: "authorization_code",
    client_id: clientId,
    code: back.searchParams.get("code") ?? "",
    redirect_uri: loopbackRedirect,
    code_verifier: verifier,
  };
}
const exchange = (form: Record<string, string>) => postForm(server, "/oauth/token", form);

describe("metadata", () => {
  test("describes the authorization server by RFC 8414 and the MCP endpoint by RFC 9728", async () => {
    const { body } = await server.call("/.well-known/oauth-authorization-server");
    expect(body).toMatchObject({
      issuer: server.url,
      authorization_endpoint: `${server.url}/oauth/authorize`,
      token_endpoint: `${server.url}/oauth/token`,
      registration_endpoint: `${server.url}/oauth/register`,
      revocation_endpoint: `${server.url}/oauth/revoke`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: ["mcp:read", "mcp:write", "offline_access"],
    });
    for (const path of ["/mcp", ""])
      expect((await server.call(`/.well-known/oauth-protected-resource${path}`)).body).toMatchObject({
        resource: `${server.url}/mcp`,
        authorization_servers: [server.url],
        scopes_supported: ["mcp:read", "mcp:write"],
        bearer_methods_supported: ["header"],
      });
    // No ID tokens are issued, and tokens cannot be looked up.
    for (const path of ["/.well-known/openid-configuration", "/oauth/jwks", "/oauth/introspect", "/oauth/me"])
      expect((await server.call(path)).status).toBe(404);
  });
});

describe("a client", () => {
  test("that registers itself is connected, and its token acts for the member with the scopes they gave", async () => {
    const clientId = await registerClient(server);
    const browser = openBrowser(server, acme.owner);
    const { verifier, response, consent } = await startAuthorization(server, browser, { clientId });
    expect(response.status).toBe(303);
    expect(consent).toMatch(/^\/oauth\/consent\/[\w-]+$/);
    const page = await browser.open(consent);
    expect(page.status).toBe(200);
    const text = await page.text();
    for (const part of ["Connect Editor?", "127.0.0.1:33418", "Not verified", "Acme", acme.owner.email])
      expect(text).toContain(part);
    const back = await decide(browser, consent, { orgId: acme.orgId });
    expect(back.origin + back.pathname).toBe(loopbackRedirect);
    expect(back.searchParams.get("iss")).toBe(server.url);
    expect(back.searchParams.get("state")).toBe("the-state");
    const { status, body, headers } = await exchange({
      grant_type: "authorization_code",
      client_id: clientId,
      code: back.searchParams.get("code") ?? "",
      redirect_uri: loopbackRedirect,
      code_verifier: verifier,
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { scope: "mcp:read", token_type: "Bearer", expires_in: 3600 },
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body.access_token).toMatch(/^sba_/);
    expect(body.refresh_token).toMatch(/^sbf_/);
    expect((await me(toAuth(body.access_token))).body).toMatchObject({
      credential: "mcp_client",
      scopes: ["mcp:read"],
      activeOrganizationId: acme.orgId,
      user: { id: acme.owner.userId },
    });
    // Cookies of the library never replace our own session.
    expect([...browser.jar.keys()]).not.toContain("signalbox_mcp_session");
  });

  test("reaches no other route with its token, and chooses no other organization", async () => {
    const connected = await connectClient(server, acme.owner, { orgId: acme.orgId });
    expect((await server.call("/v1/members", { headers: connected.auth })).status).toBe(401);
    const other = await createWorkspace(server, "Other");
    const headers = { ...connected.auth, "x-organization-id": other.orgId };
    expect((await server.call("/v1/me", { headers })).body.activeOrganizationId).toBe(acme.orgId);
  });

  test("uses any port of a loopback address, and no other path, host or scheme", async () => {
    const clientId = await registerClient(server);
    const start = (redirectUri: string) =>
      startAuthorization(server, openBrowser(server, acme.owner), { clientId, redirectUri });
    expect((await start("http://127.0.0.1:5001/callback")).response.status).toBe(303);
    for (const uri of [
      "http://127.0.0.1:33418/other",
      "http://localhost:33418/callback",
      "http://127.0.0.1.example.com/callback",
      "https://127.0.0.1:33418/callback",
      "http://user@127.0.0.1:33418/callback",
    ]) {
      const { response } = await start(uri);
      expect(response.status).toBe(400);
      expect(response.headers.get("location")).toBeNull();
      expect(await response.text()).toContain("invalid_redirect_uri");
    }
  });

  test("is answered with a page, and the browser is sent nowhere, when its request is not valid", async () => {
    const clientId = await registerClient(server);
    for (const [query, code] of [
      [{ resource: "https://elsewhere.example/mcp" }, "invalid_target"],
      [{ resource: server.url }, "invalid_target"],
      [{ code_challenge: undefined }, "invalid_request"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ response_mode: "form_post" }, "invalid_request"],
      [{ client_id: "mcr_unknown" }, "invalid_client"],
      [{ request: "eyJhbGciOiJub25lIn0.e30." }, undefined],
      [{ prompt: "none" }, "consent_required"],
      [{ resource: undefined }, undefined],
      [{ scope: "openid email" }, undefined],
    ] as const) {
      const browser = openBrowser(server, acme.owner);
      const { response, consent } = await startAuthorization(server, browser, { clientId, query });
      if (code === undefined) expect(consent).toMatch(/^\/oauth\/consent\//);
      else {
        expect(response.status).toBe(400);
        expect(response.headers.get("location")).toBeNull();
        expect(await response.text()).toContain(`<code>${code}</code>`);
      }
    }
  });

  test("is told when the person refuses", async () => {
    const clientId = await registerClient(server);
    const browser = openBrowser(server, acme.owner);
    const { consent } = await startAuthorization(server, browser, { clientId });
    const reply = await browser.post(`${consent}/deny`, undefined);
    const back = await browser.open(((await reply.json()) as { continueAt: string }).continueAt);
    const url = new URL(back.headers.get("location") ?? "");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: "access_denied",
      state: "the-state",
      iss: server.url,
    });
    expect((await browser.open(consent)).status).toBe(404);
  });
});

describe("a code", () => {
  test("needs its verifier, client and redirect URI, and a mistake does not use it up", async () => {
    const form = await prepareExchange();
    const other = await registerClient(server);
    const mistakes: Record<string, string>[] = [
      { code_verifier: "x".repeat(43) },
      { redirect_uri: "http://127.0.0.1:1/callback" },
      { client_id: other },
      { code: "x".repeat(43) },
      { resource: "https://elsewhere.example/mcp" },
    ];
    for (const wrong of mistakes)
      expect(await exchange({ ...form, ...wrong })).toMatchObject({
        status: 400,
        body: { error: "resource" in wrong ? "invalid_target" : "invalid_grant" },
      });
    expect((await exchange(form)).status).toBe(200);
  });

  test("and the id of a client may contain anything: the reply is an error of the client", async () => {
    const form = await prepareExchange();
    const mistakes: Record<string, string>[] = [
      { client_id: "a\0b" },
      { code: "a\0b" },
      { resource: "\0" },
      { code_verifier: "\0" },
    ];
    for (const wrong of mistakes)
      expect((await exchange({ ...form, ...wrong })).status).toBeOneOf([400, 401]);
    const revoked = await postForm(server, "/oauth/revoke", { token: "a\0b", client_id: "a\0b" });
    expect(revoked.status).toBeOneOf([400, 401]);
    expect((await exchange(form)).status).toBe(200);
  });

  test("works once: the second use ends the connection, also when both come at the same time", async () => {
    const form = await prepareExchange();
    const replies = await Promise.all([exchange(form), exchange(form)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    const first = replies.find(({ status }) => status === 200)!.body;
    expect((await me(toAuth(first.access_token))).status).toBe(401);
    expect(
      await refresh(server, { clientId: form.client_id, refreshToken: first.refresh_token }),
    ).toMatchObject({
      body: { error: "invalid_grant" },
    });
  });

  test("survives a crash before the token is committed", async () => {
    const form = await prepareExchange();
    await server.platform.db.run(sql`
      create function fail_token() returns trigger language plpgsql as $$ begin raise exception 'crash'; end $$`);
    await server.platform.db.run(sql`
      create trigger fail_token before insert on mcp_authorization_records
      for each row when (new.kind = 'refresh_token') execute function fail_token()`);
    expect((await exchange(form)).status).toBe(500);
    await server.platform.db.run(sql`drop trigger fail_token on mcp_authorization_records`);
    await server.platform.db.run(sql`drop function fail_token`);
    expect((await exchange(form)).status).toBe(200);
  });

  test("ends after a minute", async () => {
    const form = await prepareExchange();
    await server.platform.db.run(sql`
      update mcp_authorization_records set expires_at = now() - interval '1 second' where kind = 'code'`);
    expect(await exchange(form)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });
});

describe("a refresh token", () => {
  const age = (seconds: number) =>
    server.platform.db.run(sql`
      update mcp_authorization_records set consumed_at = consumed_at - make_interval(secs => ${seconds})
      where consumed_at is not null`);

  test("is replaced with each use, and may narrow the scopes", async () => {
    const connected = await connectClient(server, acme.owner, {
      orgId: acme.orgId,
      scopes: ["mcp:read", "mcp:write"],
    });
    expect((await me(connected)).body.scopes).toEqual(["mcp:read", "mcp:write"]);
    const { status, body } = await refresh(server, connected);
    expect(status).toBe(200);
    expect(body.refresh_token).not.toBe(connected.refreshToken);
    expect((await me(toAuth(body.access_token))).status).toBe(200);
    const narrow = await exchange({
      grant_type: "refresh_token",
      client_id: connected.clientId,
      refresh_token: body.refresh_token,
      scope: "mcp:read",
    });
    expect(narrow.body.scope).toBe("mcp:read");
    expect((await me(toAuth(narrow.body.access_token))).body.scopes).toEqual(["mcp:read"]);
    const more = { grant_type: "refresh_token", client_id: connected.clientId, scope: "mcp:read mcp:admin" };
    expect((await exchange({ ...more, refresh_token: narrow.body.refresh_token })).body.error).toBe(
      "invalid_scope",
    );
  });

  test("is accepted again within seconds, for clients that renew twice at the same time", async () => {
    const connected = await connectClient(server, acme.owner, { orgId: acme.orgId });
    const replies = await Promise.all([refresh(server, connected), refresh(server, connected)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    for (const { body } of replies) expect((await me(toAuth(body.access_token))).status).toBe(200);
  });

  test("has one successor, so that a copy of it is noticed when both go on", async () => {
    const connected = await connectClient(server, acme.owner, { orgId: acme.orgId });
    const [client, thief] = [await refresh(server, connected), await refresh(server, connected)];
    expect(thief.body.refresh_token).toBe(client.body.refresh_token);
    expect(thief.body.access_token).not.toBe(client.body.access_token);
    const next = { clientId: connected.clientId, refreshToken: client.body.refresh_token };
    expect((await refresh(server, next)).status).toBe(200);
    await age(60);
    expect((await refresh(server, next)).body.error).toBe("invalid_grant");
    expect((await me(toAuth(client.body.access_token))).status).toBe(401);
  });

  test("that is used again later ends the connection, which is in the audit log", async () => {
    const connected = await connectClient(server, acme.owner, { orgId: acme.orgId, client_name: "Copied" });
    const renewed = await refresh(server, connected);
    await age(60);
    expect(await refresh(server, connected)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    for (const token of [connected.accessToken, renewed.body.access_token])
      expect((await me(toAuth(token))).status).toBe(401);
    const next = { clientId: connected.clientId, refreshToken: renewed.body.refresh_token };
    expect((await refresh(server, next)).body.error).toBe("invalid_grant");
    const { items } = (
      await server.call("/v1/audit-events?action=mcp_client.ended", { headers: acme.owner.auth })
    ).body;
    expect(items[0]).toMatchObject({ actor: { credential: "system" }, before: { name: "Copied" } });
  });

  test("is renewed only while the role of its member allows to connect clients", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const connected = await connectClient(server, bob, { orgId: acme.orgId });
    const role = await createRole(server, acme.owner, ["organization:read"]);
    await server.platform.db.run(sql`update members set role = ${role.id} where id = ${bob.memberId}`);
    expect((await refresh(server, connected)).body.error).toBe("invalid_grant");
    await server.platform.db.run(sql`update members set role = 'member' where id = ${bob.memberId}`);
    expect((await refresh(server, connected)).status).toBe(200);
  });

  test("belongs to its client", async () => {
    const connected = await connectClient(server, acme.owner, { orgId: acme.orgId });
    const other = await registerClient(server);
    expect((await refresh(server, { ...connected, clientId: other })).body.error).toBe("invalid_grant");
    expect((await refresh(server, connected)).status).toBe(200);
  });

  test("ends with its membership, and not before", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const connected = await connectClient(server, bob, { orgId: acme.orgId });
    const path = `/v1/members/${bob.memberId}/deactivate`;
    const reply = await server.call(path, { method: "POST", headers: acme.owner.auth });
    expect(reply.status).toBeLessThan(300);
    expect((await me(connected)).status).toBe(401);
    expect((await refresh(server, connected)).body.error).toBe("invalid_grant");
    expect(await list(acme.owner.auth)).not.toContainEqual(
      expect.objectContaining({ memberId: bob.memberId }),
    );
  });
});

describe("revocation", () => {
  test("by the client ends both tokens, whichever it sends, and tells nothing about unknown ones", async () => {
    for (const name of ["accessToken", "refreshToken"] as const) {
      const connected = await connectClient(server, acme.owner, { orgId: acme.orgId });
      expect((await me(connected)).status).toBe(200);
      const other = await registerClient(server);
      const token = connected[name];
      // Another client cannot end it.
      await postForm(server, "/oauth/revoke", { client_id: other, token });
      expect((await me(connected)).status).toBe(200);
      expect((await postForm(server, "/oauth/revoke", { client_id: connected.clientId, token })).status).toBe(
        200,
      );
      expect((await me(connected)).status).toBe(401);
      expect((await refresh(server, connected)).body.error).toBe("invalid_grant");
      const again = await postForm(server, "/oauth/revoke", { client_id: connected.clientId, token });
      expect(again.status).toBe(200);
    }
  });
});

describe("connected clients", () => {
  test("are listed for their member, and for everybody with the permission for keys", async () => {
    const [bob, carl] = [
      await joinWorkspace(server, acme, "member"),
      await joinWorkspace(server, acme, "member"),
    ];
    const connected = await connectClient(server, bob, { orgId: acme.orgId, client_name: "Bob's editor" });
    const [mine] = await list(bob.auth);
    expect(mine).toMatchObject({
      name: "Bob's editor",
      clientId: connected.clientId,
      registration: "dynamic",
      redirectHost: "127.0.0.1:33418",
      memberId: bob.memberId,
      scopes: ["mcp:read"],
      lastUsedAt: null,
    });
    expect(Math.round((mine.expiresAt - Date.now()) / 86_400_000)).toBe(30);
    expect(await list(carl.auth)).toEqual([]);
    expect(await list(acme.owner.auth)).toContainEqual(mine);
    const end = (headers: Record<string, string>) =>
      server.call(`/v1/mcp/clients/${mine.id}`, { method: "DELETE", headers });
    const stranger = await createWorkspace(server, "Stranger");
    for (const headers of [carl.auth, stranger.owner.auth])
      expect((await end(headers)).body).toEqual({ error: "mcp_client_not_found" });
    expect((await me(connected)).status).toBe(200);
    expect((await end(acme.owner.auth)).status).toBe(204);
    expect((await me(connected)).status).toBe(401);
    expect((await refresh(server, connected)).body.error).toBe("invalid_grant");
    const { items } = (
      await server.call("/v1/audit-events?action=mcp_client&limit=2", { headers: acme.owner.auth })
    ).body;
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      "mcp_client.ended",
      "mcp_client.connected",
    ]);
    expect(items[1]).toMatchObject({ actor: { memberId: bob.memberId }, target: { id: mine.id } });
  });

  test("have a limit for each member", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    await connectClient(server, bob, { orgId: acme.orgId });
    await server.platform.db.run(sql`
      insert into mcp_client_grants (id, org_id, member_id, client_id, client_name, registration, redirect_host, scopes,
        expires_at)
      select 'mcg_' || lpad(n::text, 26, '0'), org_id, member_id, client_id, 'x', 'dynamic', 'x', '{}', expires_at
      from mcp_client_grants, generate_series(1, 49) n where member_id = ${bob.memberId}`);
    await expect(connectClient(server, bob, { orgId: acme.orgId })).rejects.toThrow("mcp_client_limit");
  });

  test("are stored without their tokens, and nothing of them is in the log", async () => {
    const connected = await connectClient(server, acme.owner, { orgId: acme.orgId });
    await refresh(server, connected);
    const rows = await server.platform.db.rows<{ row: string }>(
      sql`select r::text as row from mcp_authorization_records r`,
    );
    const text = rows.map(({ row }) => row).join() + server.logLines.join();
    for (const secret of [connected.accessToken, connected.refreshToken]) expect(text).not.toContain(secret);
    // Content is sealed: not even the name of its fields can be read.
    expect(text).not.toContain("accountId");
  });

  test("are tidied: what has ended is deleted, what is used stays", async () => {
    const [used, ended] = [
      await connectClient(server, acme.owner, { orgId: acme.orgId }),
      await connectClient(server, acme.owner, { orgId: acme.orgId }),
    ];
    const unused = await registerClient(server);
    const { db } = server.platform;
    await db.run(sql`update mcp_oauth_clients set last_used_at = now() - interval '2 days'`);
    await db.run(
      sql`update mcp_client_grants set expires_at = now() - interval '1 second' where client_id = ${ended.clientId}`,
    );
    for (const job of jobs) await job.handle(server.platform, {});
    const clients = await db.rows<{ id: string }>(sql`select id from mcp_oauth_clients`);
    const ids = clients.map(({ id }) => id);
    expect(ids).toContain(used.clientId);
    expect(ids).not.toContain(ended.clientId);
    expect(ids).not.toContain(unused);
    expect((await me(ended)).status).toBe(401);
    expect((await refresh(server, used)).status).toBe(200);
  });
});

describe.skipIf(inject("engine") === "pglite")("two replicas (PostgreSQL only)", () => {
  test("share clients, sign-ins, codes and tokens, and an end counts at once in both", async () => {
    const database = await createDatabase();
    const env = { PUBLIC_URL: "http://127.0.0.1:9" };
    const [one, two] = [await startServer(database, { env }), await startServer(database, { env })];
    try {
      const workspace = await createWorkspace(one);
      const clientId = await registerClient(one);
      const atTwo = openBrowser(two, workspace.owner);
      const atOne = openBrowser(one, workspace.owner, atTwo.jar);
      const { verifier, consent } = await startAuthorization({ url: env.PUBLIC_URL }, atTwo, { clientId });
      const back = await decide(atOne, consent, { orgId: workspace.orgId });
      const { body } = await postForm(two, "/oauth/token", {
        grant_type: "authorization_code",
        client_id: clientId,
        code: back.searchParams.get("code") ?? "",
        redirect_uri: loopbackRedirect,
        code_verifier: verifier,
      });
      const renewed = await refresh(one, { clientId, refreshToken: body.refresh_token });
      const { auth } = toAuth(renewed.body.access_token);
      for (const server of [one, two])
        expect((await server.call("/v1/me", { headers: auth })).status).toBe(200);
      const { items } = (await one.call("/v1/mcp/clients", { headers: workspace.owner.auth })).body;
      await two.call(`/v1/mcp/clients/${items[0].id}`, { method: "DELETE", headers: workspace.owner.auth });
      for (const server of [one, two])
        await expect
          .poll(async () => (await server.call("/v1/me", { headers: auth })).status, { timeout: 1_000 })
          .toBe(401);
    } finally {
      await one.close();
      await two.close();
      await database.drop();
    }
  });
});
