import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  type AuthorizationServer,
  approve,
  startAuthorizationServer,
} from "../../../../test/fixtures/authorization-server.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  type Person,
  type Reply,
  signIn,
  signUp,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  connectAccount,
  getToken,
  openCallback,
  putClient,
  readClaimCode,
  readConnectionStatus,
  requestAuthorizeUrl,
  setUpProvider,
  startConnection,
} from "../../../../test/oauth.ts";
import { sql } from "../../../platform/db/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";

describe("connecting an account", () => {
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
  afterAll(() => as.close());

  describe("starting", () => {
    test("gives a URL with an unguessable state, PKCE S256 and the exact redirect URI", async () => {
      const url = new URL(await requestAuthorizeUrl(server, ada.auth, id));
      expect(url.origin).toBe(as.issuer);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        response_type: "code",
        client_id: "basic",
        redirect_uri: `${server.url}/v1/oauth-providers/${id}/connect/callback`,
        code_challenge_method: "S256",
        scope: "openid email offline_access files:read",
      });
      expect(url.searchParams.get("state")).toMatch(/^[0-9a-hjkmnp-tv-z]{26}[\w-]{43}$/);
      expect(url.searchParams.get("code_challenge")).toMatch(/^[\w-]{43}$/);
    });

    test("needs a client: 404 client_not_configured", async () => {
      const reply = await startConnection(server, ada.auth, "github");
      expect(reply).toMatchObject({ status: 404, body: { error: "client_not_configured" } });
      expect(reply.body.message).toContain("GitHub");
      expect(reply.body.message).toContain("PUT /v1/oauth-providers/github/client");
      expect(Object.keys(reply.body).sort()).toEqual(["error", "message"]);
    });

    test("needs a known provider: 400 invalid_request with details", async () => {
      for (const unknown of ["nobody", "GitHub", "a".repeat(300), "%00", "é"]) {
        const reply = await startConnection(server, ada.auth, encodeURIComponent(unknown));
        expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
        expect(reply.body.details[0].message).toBeTypeOf("string");
      }
    });

    test("needs a complete client: 400 names the missing fields", async () => {
      const { auth } = acme.owner;
      const put = (body: object) =>
        server.call("/v1/oauth-providers/zendesk/client", { method: "PUT", body, headers: auth });
      const saved = await put({ clientId: "z" });
      expect(saved.body.client).toMatchObject({ complete: false, missing: ["tenant", "clientSecret"] });
      const reply = await startConnection(server, ada.auth, "zendesk");
      expect(reply.status).toBe(400);
      expect(reply.body.details.map(({ path }: { path: string[] }) => path.join("."))).toEqual([
        "client.tenant",
        "client.clientSecret",
      ]);
      await put({ clientId: "z", clientSecret: "s", tenant: "acme" });
      const complete = await startConnection(server, ada.auth, "zendesk");
      expect(complete.body.authorizeUrl).toMatch(
        /^https:\/\/acme\.zendesk\.com\/oauth\/authorizations\/new\?/,
      );
    });

    test("needs a credential: 401 without one", async () => {
      expect(await startConnection(server, {}, id)).toMatchObject({
        status: 401,
        body: { error: "unauthorized" },
      });
    });

    test("accepts a key with connections:use, and no key without it", async () => {
      const narrow = await createKey(server, ada, { permissions: ["organization:read"] });
      expect(await startConnection(server, narrow.auth, id)).toMatchObject({
        status: 403,
        body: { error: "forbidden", reason: "missing_permission" },
      });
      const wide = await createKey(server, ada, { permissions: ["connections:use"] });
      expect((await startConnection(server, wide.auth, id)).status).toBe(200);
    });

    test("returns only to an address of this site", async () => {
      for (const returnTo of [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "x",
      ]) {
        const reply = await startConnection(
          server,
          ada.auth,
          id,
          `?returnTo=${encodeURIComponent(returnTo)}`,
        );
        expect(reply, returnTo).toMatchObject({ status: 400, body: { details: [{ path: ["returnTo"] }] } });
      }
      expect((await startConnection(server, ada.auth, id, "?returnTo=/a?b=c%23d")).status).toBe(200);
    });

    test("requests no scope that the client does not allow", async () => {
      const reply = await startConnection(server, ada.auth, id, "?scopes=admin%20files:write");
      expect(reply).toMatchObject({ status: 400, body: { details: [{ path: ["scopes"] }] } });
      const url = new URL(await requestAuthorizeUrl(server, ada.auth, id, "?scopes=files:write"));
      expect(url.searchParams.get("scope")).toBe("openid email offline_access files:read files:write");
    });

    test("requests a scope that contains a plus sign", async () => {
      const globex = await createWorkspace(server);
      await setUpProvider(server, globex.owner.auth, as, {
        client: { optionalScopes: ["notes+drafts", "files:write"] },
      });
      const query = `?${new URLSearchParams({ scopes: "notes+drafts files:write" })}`;
      const url = new URL(await requestAuthorizeUrl(server, globex.owner.auth, id, query));
      expect(url.searchParams.get("scope")?.split(" ").slice(-2)).toEqual(["notes+drafts", "files:write"]);
    });

    test("follows every change of the client and of the provider at once", async () => {
      const { owner } = await createWorkspace(server);
      await setUpProvider(server, owner.auth, as);
      const start = (query = "") => startConnection(server, owner.auth, id, query);
      const readClientId = async () =>
        new URL((await start()).body.authorizeUrl).searchParams.get("client_id");
      expect(await readClientId()).toBe("basic");

      // A change by the person who starts, and one that this process does not see.
      await putClient(server, owner.auth, id, { clientId: "second" });
      expect(await readClientId()).toBe("second");
      await server.platform.db.run(sql`
        update oauth_client_credentials set client_id = 'third' where client_id = 'second'`);
      expect(await readClientId()).toBe("third");

      // What was refused a moment ago is allowed now, and the reverse.
      expect((await start("?scopes=late")).status).toBe(400);
      await putClient(server, owner.auth, id, { optionalScopes: ["late"] });
      expect((await start("?scopes=late")).status).toBe(200);
      await putClient(server, owner.auth, id, { optionalScopes: [] });
      expect((await start("?scopes=late")).status).toBe(400);

      const remove = (path: string) =>
        server.call(`${path}?endConnections=true`, { method: "DELETE", headers: owner.auth });
      expect((await remove(`/v1/oauth-providers/${id}/client`)).status).toBeLessThan(300);
      expect(await start()).toMatchObject({ status: 404, body: { error: "client_not_configured" } });
      expect((await remove(`/v1/oauth-providers/${id}`)).status).toBeLessThan(300);
      expect(await start()).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    });

    test("starts at the same moment as changes of the client are all stored or refused", async () => {
      const { owner } = await createWorkspace(server);
      await setUpProvider(server, owner.auth, as);
      const starts: Promise<Reply>[] = [];
      for (let i = 0; i < 10; i++) {
        starts.push(...Array.from({ length: 8 }, () => startConnection(server, owner.auth, id)));
        await putClient(server, owner.auth, id, { clientId: `client-${i}` });
      }
      const replies = await Promise.all(starts);
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      const hashes = replies.map(({ body }) =>
        hashSecret(new URL(body.authorizeUrl).searchParams.get("state")!),
      );
      const stored = await server.platform.db.rows<{ id: string }>(sql`
        select id from oauth_attempts where state_hash = any(${hashes}::text[])`);
      expect(stored).toHaveLength(replies.length);
    });
  });

  describe("starting at a provider that is discovered again", () => {
    test("works for everybody who starts at this moment", async () => {
      const { owner } = await createWorkspace(server);
      await setUpProvider(server, owner.auth, as);
      for (let round = 0; round < 3; round++) {
        await server.platform.db.run(sql`
          update oauth_providers set discovered_at = now() - interval '2 days' where discovered_at is not null`);
        const starts = Array.from({ length: 60 }, async (_, i) => {
          await sleep(i * 2);
          return startConnection(server, owner.auth, id);
        });
        const replies = await Promise.all(starts);
        expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      }
    });
  });

  test("HEAD starts and completes nothing", async () => {
    const countAttempts = async () =>
      (await server.platform.db.row<{ count: number }>(
        sql`select count(*)::int as count from oauth_attempts`,
      ))!.count;
    const back = await approve(await requestAuthorizeUrl(server, ada.auth, id));
    const before = await countAttempts();
    const send = (path: string) => server.call(path, { method: "HEAD", headers: ada.auth });
    expect((await send(`/v1/oauth-providers/${id}/connect/start`)).status).toBe(405);
    expect(await countAttempts()).toBe(before);
    expect((await send(back.pathname + back.search)).status).toBe(405);
    expect((await openCallback(server, back, ada)).body).toContain("Acme ID is connected.");
  });

  describe("the callback", () => {
    test("asks to start again when the secret of the start is no longer configured", async () => {
      const back = await approve(await requestAuthorizeUrl(server, ada.auth, id));
      await server.platform.db.run(
        sql`update oauth_attempts set key_id = 'removed' where status = 'started'`,
      );
      const page = await openCallback(server, back, ada);
      expect(page.status).toBe(400);
      expect(page.body).toContain("The secret of this instance was changed");
      expect(page.body).toContain("Try again");
    });

    test("connects in the browser of the person who started, and the token works", async () => {
      const back = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?returnTo=/connections"));
      const page = await openCallback(server, back, ada);
      expect(page.status).toBe(200);
      expect(page.body).toContain("Acme ID is connected.");
      expect(page.body).toContain("octo@provider.example");
      expect(page.body).toContain('href="/connections"');
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      const status = await readConnectionStatus(server, ada.auth, id);
      expect(status).toMatchObject({ configured: true, connected: true });
      expect(status.connections).toMatchObject([
        {
          account: "default",
          shared: false,
          memberId: ada.memberId,
          outsideAccount: { subject: "octo", name: "octo@provider.example" },
          health: { status: "connected", reason: null },
          scopes: { missing: [] },
          refreshes: true,
        },
      ]);
      const { status: issued, body } = await getToken(server, ada.auth, id);
      expect(issued).toBe(200);
      const me = await fetch(`${as.issuer}/me`, { headers: { authorization: `Bearer ${body.accessToken}` } });
      expect(await me.json()).toMatchObject({ sub: "octo" });
      expect((await readConnectionStatus(server, bob.auth, id)).connections).toEqual([]);
      expect(await getToken(server, bob.auth, id)).toMatchObject({
        status: 404,
        body: { error: "connection_not_found" },
      });
    });

    test("an attempt that another credential started waits for confirmation on a page that shows what it is for", async () => {
      const eve = await joinWorkspace(server, acme, "member");
      const key = await createKey(server, eve, { permissions: ["connections:use"] });
      const second = { token: (await signIn(server, eve)).authorization.slice("Bearer ".length) };
      for (const headers of [key.auth, { authorization: `Bearer ${second.token}` }]) {
        const back = await approve(await requestAuthorizeUrl(server, headers, id));
        const page = await openCallback(server, back, eve);
        expect(page.status).toBe(200);
        expect(page.body).not.toContain("Acme ID is connected.");
        for (const named of ["Acme", "member", "Acme ID", "octo@provider.example", "If you did not start it"])
          expect(page.body).toContain(named);
        expect((await readConnectionStatus(server, eve.auth, id)).connections).toEqual([]);
      }
      const code = /data-code="([^"]+)"/.exec(
        (await openCallback(server, await approve(await requestAuthorizeUrl(server, key.auth, id)), eve))
          .body,
      )![1];
      const claim = (cookie: string) =>
        server.call(`/v1/oauth-providers/${id}/connect/claim`, {
          body: { code },
          headers: { cookie: `signalbox_session=${cookie}`, "sec-fetch-site": "same-origin" },
        });
      expect((await claim(bob.token)).status).toBe(404);
      expect((await claim(eve.token)).status).toBe(200);
      expect((await readConnectionStatus(server, eve.auth, id)).connected).toBe(true);
    });

    test("an attempt ends with the session or the API key that started it", async () => {
      const eve = await joinWorkspace(server, acme, "member");
      const key = await createKey(server, eve, { permissions: ["connections:use"] });
      const byKey = await approve(await requestAuthorizeUrl(server, key.auth, id));
      await server.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: eve.auth });
      expect((await openCallback(server, byKey, eve)).body).toContain("no longer valid");
      const second = await signIn(server, eve);
      const bySession = await approve(await requestAuthorizeUrl(server, second, id));
      await server.call("/api/auth/sign-out", { method: "POST", headers: second });
      expect((await openCallback(server, bySession, eve)).body).toContain("no longer valid");
      expect((await readConnectionStatus(server, eve.auth, id)).connections).toEqual([]);
    });

    test("a state is used once, even by fifty requests at the same moment", async () => {
      const back = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=once"));
      const pages = await Promise.all(Array.from({ length: 50 }, () => openCallback(server, back, ada)));
      expect(pages.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(pages.filter(({ status, body }) => status === 400 && body.includes("used before"))).toHaveLength(
        49,
      );
    });

    test("an attempt that is finished in the browser of another person never connects", async () => {
      for (let i = 0; i < 20; i++) {
        const back = await approve(
          await requestAuthorizeUrl(server, ada.auth, id, "?account=hijack"),
          `victim-${i}`,
        );
        const page = await openCallback(server, back, bob);
        expect(page.status).toBe(400);
        expect(page.body).toContain("started by somebody else");
        // Not even afterwards, by who started it.
        expect((await openCallback(server, back, ada)).status).toBe(400);
      }
      for (const person of [ada, bob]) {
        const { connections } = await readConnectionStatus(server, person.auth, id);
        expect(connections.filter(({ account }: { account: string }) => account === "hijack")).toEqual([]);
      }
      const tokens = await server.platform.db.rows(sql`
        select 1 from oauth_tokens t join oauth_attempts a on a.token_id = t.id where a.label = 'hijack'`);
      expect(tokens).toEqual([]);
    });

    test("an attempt that is finished with the session of a stranger never connects", async () => {
      const stranger = await signUp(server, "Stranger");
      const back = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=hijack"));
      expect((await openCallback(server, back, stranger)).body).toContain("started by somebody else");
    });

    test("the last of two attempts connects", async () => {
      const first = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=race"), "one");
      const second = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=race"), "two");
      expect((await openCallback(server, first, ada)).body).toContain("no longer valid");
      expect((await openCallback(server, second, ada)).status).toBe(200);
      const { connections } = await readConnectionStatus(server, ada.auth, id);
      expect(
        connections.find(({ account }: { account: string }) => account === "race").outsideAccount.subject,
      ).toBe("two");
    });

    test("a callback after a disconnect does not connect", async () => {
      const late = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=late"));
      const ended = await server.call(`/v1/oauth-providers/${id}/disconnect`, {
        body: { account: "late" },
        headers: ada.auth,
      });
      expect(ended).toMatchObject({ status: 404, body: { error: "connection_not_found" } });
      expect((await openCallback(server, late, ada)).status).toBe(400);
    });

    test("a callback after the disconnect of another account, named by its id, connects", async () => {
      const eve = await joinWorkspace(server, acme, "member");
      const listAccounts = async () =>
        (await readConnectionStatus(server, eve.auth, id)).connections as { id: string; account: string }[];
      await connectAccount(server, eve, id, { account: "eve-work", query: "?account=work" });
      const [work] = await listAccounts();
      const [home, workAgain] = [
        await approve(await requestAuthorizeUrl(server, eve.auth, id, "?account=home")),
        await approve(await requestAuthorizeUrl(server, eve.auth, id, "?account=work")),
      ];
      const ended = await server.call(`/v1/oauth-providers/${id}/disconnect`, {
        body: { connectionId: work!.id },
        headers: eve.auth,
      });
      expect(ended.status).toBe(200);
      expect((await openCallback(server, home, eve)).status).toBe(200);
      expect((await openCallback(server, workAgain, eve)).status).toBe(400);
      expect((await listAccounts()).map(({ account }) => account)).toEqual(["home"]);
    });

    test("a callback after a change of the client does not connect", async () => {
      const late = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=late"));
      expect((await putClient(server, acme.owner.auth, id)).status).toBe(200);
      expect((await openCallback(server, late, ada)).body).toContain("no longer valid");
    });

    test("a callback after the removal of the member does not connect", async () => {
      const carl = await joinWorkspace(server, acme, "member");
      const late = await approve(await requestAuthorizeUrl(server, carl.auth, id));
      await server.platform.db.run(sql`delete from members where id = ${carl.memberId}`);
      expect((await openCallback(server, late, carl)).status).toBe(400);
    });

    test("attempts are removed with their member, and their tokens are revoked", async () => {
      const { db } = server.platform;
      const gone = await createWorkspace(server, "Gone");
      await setUpProvider(server, gone.owner.auth, as);
      const dave = await joinWorkspace(server, gone, "member");
      const key = await createKey(server, dave);
      const listLabels = async () => {
        const rows = await db.rows<{ label: string }>(sql`
          select label from oauth_attempts where org_id = ${gone.orgId} order by label`);
        return rows.map(({ label }) => label);
      };
      for (const account of ["daves-1", "daves-2"])
        await requestAuthorizeUrl(server, dave.auth, id, `?account=${account}`);
      await requestAuthorizeUrl(server, gone.owner.auth, id, "?account=owners");
      const back = await approve(await requestAuthorizeUrl(server, key.auth, id, "?account=waiting"));
      readClaimCode((await openCallback(server, back)).body);
      expect(await listLabels()).toEqual(["daves-1", "daves-2", "owners", "waiting"]);
      const waiting = await db.row<{ tokenId: string }>(sql`
        select token_id as "tokenId" from oauth_attempts where org_id = ${gone.orgId} and label = 'waiting'`);
      await db.run(sql`delete from members where id = ${dave.memberId}`);
      expect(await listLabels()).toEqual(["owners"]);
      expect(
        await db.row(sql`select revoke_state as state from oauth_tokens where id = ${waiting!.tokenId}`),
      ).toEqual({ state: "pending" });
      await db.run(sql`delete from organizations where id = ${gone.orgId}`);
      expect(await listLabels()).toEqual([]);
    });

    // The embedded database has one connection, so nothing is in between.
    test.runIf(inject("engine") === "postgres")(
      "a member who is being removed starts nothing, and others who start at that moment do",
      async () => {
        const { db } = server.platform;
        const erin = await joinWorkspace(server, acme, "member");
        const start = (person: Person) => startConnection(server, person.auth, id, "?account=meanwhile");
        let starting!: ReturnType<typeof start>[];
        await db.transaction(async (tx) => {
          await tx.run(sql`delete from members where id = ${erin.memberId}`);
          starting = [start(erin), start(ada)];
          await sleep(300);
        });
        const [hers, others] = await Promise.all(starting);
        expect(hers!.status).toBeGreaterThanOrEqual(400);
        expect(others!.status).toBe(200);
        expect(
          await db.rows(sql`select member_id as "memberId" from oauth_attempts where label = 'meanwhile'`),
        ).toEqual([{ memberId: ada.memberId }]);
        expect((await start(erin)).status).toBeGreaterThanOrEqual(400);
      },
    );

    test("a callback ten minutes later does not connect", async () => {
      const back = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=old"));
      await server.platform.db.run(sql`update oauth_attempts set expires_at = now() where label = 'old'`);
      expect(await openCallback(server, back, ada)).toMatchObject({ status: 400 });
    });

    test("the state decides the provider, not the path", async () => {
      const back = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=mixed"));
      back.pathname = back.pathname.replace(id, "github");
      const page = await openCallback(server, back, ada);
      expect(page.status).toBe(400);
      expect(page.body).toContain("provider_mismatch");
    });

    test("a callback must have the right iss when the issuer announces it", async () => {
      const absent = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=iss"));
      absent.searchParams.delete("iss");
      expect((await openCallback(server, absent, ada)).body).toContain("issuer_mismatch");
      const wrong = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=iss"));
      wrong.searchParams.set("iss", "https://evil.example");
      expect((await openCallback(server, wrong, ada)).body).toContain("issuer_mismatch");
      const present = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=iss"));
      expect((await openCallback(server, present, ada)).status).toBe(200);
    });

    test("a refusal by the provider is explained in plain words, with a link to try again", async () => {
      const back = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=denied"), "deny");
      const page = await openCallback(server, back, ada);
      expect(page.status).toBe(400);
      expect(page.body).toContain("Access was not allowed at Acme ID. Nothing is connected.");
      // A link to the start, which asks for confirmation before anything is started.
      expect(page.body).toMatch(
        /<a [^>]*href="\/v1\/oauth-providers\/acme-id\/connect\/start\?account=denied[^"]*"[^>]*>Try again</,
      );
      expect(page.body).not.toContain("<form");
      expect(page.body).not.toContain("authorizeUrl");
    });

    test("a visitor who did not start a refused attempt sees none of its details and no link to repeat it", async () => {
      const vic = await joinWorkspace(server, acme, "admin");
      const query = "?shared=true&account=secret-label&scopes=files:write&returnTo=/secret-path";
      const begin = () => requestAuthorizeUrl(server, acme.owner.auth, id, query);
      const mismatched = async () => {
        const back = await approve(await begin());
        back.pathname = back.pathname.replace(id, "github");
        return back;
      };
      const superseded = async () => {
        const back = await approve(await begin());
        await begin();
        return back;
      };
      const denied = async () => approve(await begin(), "deny");
      const cases: [() => Promise<URL>, Person | undefined, string][] = [
        [mismatched, vic, "provider_mismatch"],
        [mismatched, undefined, "provider_mismatch"],
        [superseded, vic, "superseded"],
        [async () => approve(await begin()), vic, "other_person"],
        [denied, vic, "other_person"],
        [denied, undefined, "access_denied"],
      ];
      for (const [lead, visitor, code] of cases) {
        const page = await openCallback(server, await lead(), visitor);
        expect(page.status, code).toBe(400);
        expect(page.body).toContain(code);
        for (const hidden of [
          acme.orgId,
          "secret-label",
          "secret-path",
          "files:write",
          "connect/start",
          "Try again",
        ])
          expect(page.body, code).not.toContain(hidden);
      }
    });

    test("a session that now acts in another organization gets no link to connect there", async () => {
      const eve = await joinWorkspace(server, acme, "member");
      await server.call("/v1/organizations", { body: { name: "Globex" }, headers: eve.auth });
      const asAcme = { ...eve.auth, "x-organization-id": acme.orgId };
      const back = await approve(await requestAuthorizeUrl(server, asAcme, id), "deny");
      const { activeOrganizationId } = (await server.call("/v1/me", { headers: eve.auth })).body;
      expect(activeOrganizationId).toMatch(/^org_/);
      expect(activeOrganizationId).not.toBe(acme.orgId);
      const page = await openCallback(server, back, eve);
      expect(page.body).toContain("Access was not allowed");
      expect(page.body).not.toContain("connect/start");
    });

    test("no value from outside becomes markup", async () => {
      const url = new URL(
        await requestAuthorizeUrl(server, ada.auth, id, `?account=${encodeURIComponent('"><img src=x>')}`),
      );
      const evil = `</h1><script>alert(1)</script>`;
      const back = new URL(url.searchParams.get("redirect_uri")!);
      back.search = String(
        new URLSearchParams({
          state: url.searchParams.get("state")!,
          error: evil,
          error_description: evil,
          iss: as.issuer,
        }),
      );
      const page = await openCallback(server, back, ada);
      expect(page.status).toBe(400);
      expect(page.body).not.toContain("alert(1)");
      expect(page.body).not.toContain("<img");
    });

    test.each([
      ["500", (response: import("node:http").ServerResponse) => response.writeHead(500).end("boom")],
      [
        "a redirect",
        (response: import("node:http").ServerResponse) =>
          response.writeHead(302, { location: "https://x.example" }).end(),
      ],
      [
        "a body that is not JSON",
        (response: import("node:http").ServerResponse) =>
          response.writeHead(200, { "content-type": "text/html" }).end("<p>hi"),
      ],
      ["nothing", (response: import("node:http").ServerResponse) => response.destroy()],
      [
        "an ID token that does not verify",
        (response: import("node:http").ServerResponse) =>
          response.writeHead(200, { "content-type": "application/json" }).end(
            JSON.stringify({
              access_token: "a",
              token_type: "bearer",
              id_token: "eyJhbGciOiJSUzI1NiJ9.e30.AA",
            }),
          ),
      ],
    ])("a token endpoint that answers %s connects nothing", async (_, answer) => {
      const back = await approve(await requestAuthorizeUrl(server, ada.auth, id, "?account=faulty"));
      as.intercept = (request, response) => {
        if (request.url !== "/token") return false;
        answer(response);
        return true;
      };
      const page = await openCallback(server, back, ada);
      as.intercept = undefined;
      expect(page.status).toBe(400);
      expect(page.body).toContain("is not connected");
      const { connections } = await readConnectionStatus(server, ada.auth, id);
      expect(connections.some(({ account }: { account: string }) => account === "faulty")).toBe(false);
    });
  });

  describe("claiming a connection", () => {
    const claim = (headers: Record<string, string>, code: string) =>
      server.call(`/v1/oauth-providers/${id}/connect/claim`, { body: { code }, headers });
    const wait = async (headers: Record<string, string>, account: string) => {
      const back = await approve(await requestAuthorizeUrl(server, headers, id, `?account=${account}`));
      const page = await openCallback(server, back);
      expect(page.status).toBe(200);
      expect(page.body).toContain("One more step");
      return readClaimCode(page.body);
    };

    test("an attempt that a key started is kept sealed until the same key sends the code of the page", async () => {
      const key = await createKey(server, ada);
      const code = await wait(key.auth, "cli");
      expect((await readConnectionStatus(server, ada.auth, id)).connections).not.toContainEqual(
        expect.objectContaining({ account: "cli" }),
      );
      const other = await createKey(server, ada);
      expect(await claim(other.auth, code)).toMatchObject({
        status: 404,
        body: { error: "claim_not_found" },
      });
      const claimed = await claim(key.auth, code.toLowerCase());
      expect(claimed).toMatchObject({
        status: 200,
        body: { connection: { account: "cli", health: { status: "connected" } } },
      });
      expect((await claim(key.auth, code)).status).toBe(404);
    });

    test("a session of the same member can claim it, and a session of another member cannot", async () => {
      const key = await createKey(server, ada);
      const code = await wait(key.auth, "cli2");
      expect((await claim(bob.auth, code)).status).toBe(404);
      expect((await claim(ada.auth, code)).status).toBe(200);
    });

    test("five wrong codes end the attempt", async () => {
      const key = await createKey(server, ada);
      const code = await wait(key.auth, "cli3");
      for (let i = 0; i < 5; i++) expect((await claim(key.auth, "AAAAA-AAAAA")).status).toBe(404);
      expect((await claim(key.auth, code)).status).toBe(404);
    });

    test("an unclaimed token is revoked at the provider", async () => {
      const { room } = await import("../index.ts");
      const key = await createKey(server, ada);
      await wait(key.auth, "cli4");
      await server.platform.db.run(
        sql`update oauth_attempts set expires_at = now() - interval '1 s' where label = 'cli4'`,
      );
      const before = as.revocations.length;
      for (const name of ["oauth.tidy-attempts", "oauth.revoke"]) {
        await room.jobs!.find((job) => job.name === name)!.handle(server.platform, {});
      }
      expect(as.revocations.length).toBeGreaterThan(before);
    });
  });

  test("several accounts can be connected under labels, and reconnecting keeps the connection id", async () => {
    const eve = await joinWorkspace(server, acme, "member");
    await connectAccount(server, eve, id, { account: "eve-work", query: "?account=work" });
    await connectAccount(server, eve, id, { account: "eve-home", query: "?account=home" });
    const before = (await readConnectionStatus(server, eve.auth, id)).connections;
    expect(before.map(({ account }: { account: string }) => account).sort()).toEqual(["home", "work"]);
    await connectAccount(server, eve, id, { account: "eve-work", query: "?account=work&scopes=files:write" });
    const after = (await readConnectionStatus(server, eve.auth, id)).connections;
    expect(after.map(({ id }: { id: string }) => id).sort()).toEqual(
      before.map(({ id }: { id: string }) => id).sort(),
    );
    const several = await server.call(`/v1/oauth-providers/${id}/disconnect`, {
      method: "POST",
      headers: eve.auth,
    });
    expect(several).toMatchObject({
      status: 409,
      body: { error: "account_required", accounts: ["home", "work"] },
    });
    const token = await getToken(server, eve.auth, id, { account: "work", scopes: ["files:write"] });
    expect(token).toMatchObject({ status: 200, body: { account: "work" } });
    expect(await getToken(server, eve.auth, id, { account: "home", scopes: ["files:write"] })).toMatchObject({
      status: 409,
      body: { error: "step_up_required", missingScopes: ["files:write"] },
    });
  });
});
