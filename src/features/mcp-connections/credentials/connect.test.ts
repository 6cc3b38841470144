import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAutomation, runNow } from "../../../../test/automations.ts";
import { approve } from "../../../../test/fixtures/authorization-server.ts";
import {
  type GuardedServer,
  type SignInServer,
  startGuardedServer,
  startSignInServer,
} from "../../../../test/fixtures/mcp-servers/signed-in.ts";
import {
  createWorkspace,
  joinWorkspace,
  type Person,
  type TestServer,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  connectMcpAccount,
  listFirstTools,
  openMcpCallback,
  readConnection,
  requestMcpAuthorizeUrl,
  saveConnection,
} from "../../../../test/mcp-sign-in.ts";
import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { revokePending } from "../../oauth-providers/revocations/index.ts";
import { findUsable } from "../access/index.ts";
import { removeClients } from "../registration/index.ts";
import { watchConnections } from "../watch/service.ts";
import { findHeaders, reportChallenge } from "./index.ts";

const publicUrl = "https://signalbox.test";
const everybody = { access: { organization: true } };

/** The context of a call of a member, as `/mcp` has it. */
const act = (
  { platform }: TestServer,
  orgId: string,
  memberId: string,
  more: Partial<MemberCtx["caller"]> = {},
): MemberCtx => {
  const member = {
    ...{ id: memberId as Id<"mem">, orgId: orgId as OrgId, role: "member" },
    permissions: new Set(["mcp_connections:use"]),
  };
  return {
    ...platform,
    ...{ requestId: "req-test", address: "127.0.0.1", userAgent: "test", orgId: orgId as OrgId, member },
    ...{ permissions: member.permissions, userId: "usr_test" as Id<"usr"> },
    caller: {
      ...{ principal: "member", userId: "usr_test", member, credential: "mcp", credentialId: "mct_test" },
      ...more,
    },
  } as unknown as MemberCtx;
};

describe("signing in to MCP connections", () => {
  const server = useServer({ env: { PUBLIC_URL: publicUrl, EGRESS_ALLOW: "127.0.0.1" } });
  let acme: Workspace;
  let ada: Person & { memberId: string };
  let bob: Person & { memberId: string };
  let metadata: SignInServer;
  let dynamic: SignInServer;
  let guarded: GuardedServer;
  let registered: GuardedServer;

  beforeAll(async () => {
    acme = await createWorkspace(server);
    ada = await joinWorkspace(server, acme, "member");
    bob = await joinWorkspace(server, acme, "member");
    metadata = await startSignInServer({
      clientMetadata: true,
      resolve: (url) => url.replace(publicUrl, server.url),
    });
    dynamic = await startSignInServer({ registration: true });
    guarded = await startGuardedServer({ servers: [metadata] });
    registered = await startGuardedServer({ servers: [dynamic] });
  });
  afterAll(async () => {
    for (const one of [metadata, dynamic, guarded, registered]) await one?.close();
  });

  const save = (body: object) => saveConnection(server, acme.owner.auth, body);
  const testAs = async (person: Person, id: string) =>
    (await server.call(`/v1/mcp-connections/${id}/test`, { method: "POST", headers: person.auth })).body.test;

  const listAnnounced = (id: string) =>
    server.platform.db.rows<{ memberId: string; reason: string }>(sql`
      select data ->> 'memberId' as "memberId", data ->> 'reason' as reason from notification_events
      where type = 'connection.needs_attention' and data ->> 'connectionId' = ${id} order by id`);

  test("the client metadata document is public, stable, and names its own address", async () => {
    const reply = await fetch(`${server.url}/oauth/client-metadata.json`);
    expect(reply.headers.get("cache-control")).toContain("max-age");
    expect(await reply.json()).toMatchObject({
      client_id: `${publicUrl}/oauth/client-metadata.json`,
      redirect_uris: [`${publicUrl}/v1/mcp-connections/connect/callback`],
      token_endpoint_auth_method: "none",
    });
  });

  test("with a client metadata document: saved without a choice, connected, and the tools are listed", async () => {
    const made = await save({ url: guarded.url, ...everybody });
    expect(made).toMatchObject({
      registration: "client_metadata",
      clientId: `${publicUrl}/oauth/client-metadata.json`,
      authorizationServer: metadata.base,
      resource: guarded.url,
      status: "not_connected",
    });
    const url = new URL(await requestMcpAuthorizeUrl(server, ada.auth, made.id));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      resource: guarded.url,
      redirect_uri: `${publicUrl}/v1/mcp-connections/connect/callback`,
      code_challenge_method: "S256",
    });
    // Nobody has an account yet, so the watch looks again later.
    expect(await listFirstTools(server, ada.auth, made.id)).toBe(0);
    await connectMcpAccount(server, ada, made.id);
    expect(await listFirstTools(server, ada.auth, made.id)).toBe(2);
    expect(await testAs(ada, made.id)).toMatchObject({ ok: true });
    expect(metadata.tokenRequests.at(-1)!.get("resource")).toBe(guarded.url);
    expect(await readConnection(server, ada.auth, made.id)).toMatchObject({
      status: "connected",
      mine: { state: "connected" },
    });
    expect((await readConnection(server, bob.auth, made.id)).status).toBe("not_connected");
  });

  test("with dynamic registration: the client is removed at the server when the connection is deleted", async () => {
    const made = await save({ url: registered.url, ...everybody });
    expect(made).toMatchObject({ registration: "dynamic" });
    await connectMcpAccount(server, ada, made.id);
    expect(await testAs(ada, made.id)).toMatchObject({ ok: true });
    const row = await server.platform.db.row<{ accessToken: string; state: string }>(
      sql`select access_token as "accessToken", state from mcp_registrations where connection_id = ${made.id}`,
    );
    expect(row).toMatchObject({ state: "kept" });
    expect(row!.accessToken).toMatch(/^v2/);
    const gone = await server.call(`/v1/mcp-connections/${made.id}`, {
      ...{ method: "DELETE", headers: acme.owner.auth },
    });
    expect(gone.status).toBe(204);
    await revokePending.handle(server.platform, {});
    await removeClients.handle(server.platform, {});
    expect(dynamic.revocations).toBeGreaterThan(0);
    expect(dynamic.registrations.at(-1)).toBe(`DELETE /reg/${made.clientId}`);
    expect(await server.platform.db.rows(sql`select id from mcp_registrations`)).toEqual([]);
  });

  test("the internal provider and its accounts are nowhere in the OAuth rooms", async () => {
    const made = await save({ url: guarded.url, ...everybody });
    await connectMcpAccount(server, acme.owner, made.id);
    const headers = acme.owner.auth;
    const id = `mcp-${made.id.slice(4)}`;
    const providers = await server.call("/v1/oauth-providers?limit=100", { headers });
    expect(JSON.stringify(providers.body)).not.toContain(id);
    const accounts = await server.call("/v1/oauth-connections?limit=100", { headers });
    expect(accounts.body.items).toEqual([]);
    const requests: [string, string, object?][] = [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/client"],
      ["PUT", "/client", { clientId: "other" }],
      ["DELETE", "/client"],
      ["GET", "/status"],
      ["POST", "/token"],
      ["POST", "/disconnect"],
      ["POST", "/connect/claim", { code: "AAAAA-BBBBB" }],
    ];
    for (const [method, path, body] of requests) {
      const reply = await server.call(`/v1/oauth-providers/${id}${path}`, {
        ...{ method, headers, ...(body ? { body } : {}) },
      });
      expect(reply, `${method} ${path}`).toMatchObject({ status: 404 });
    }
    expect((await server.call(`/v1/oauth-providers/${id}/connect/start`, { headers })).status).toBe(400);
    const row = await server.platform.db.row<{ id: string }>(
      sql`select id from oauth_connections where provider_id = ${id}`,
    );
    for (const path of ["", "/events", "/uses", "/grants"])
      expect((await server.call(`/v1/oauth-connections/${row!.id}${path}`, { headers })).status).toBe(404);
    const reserved = await server.call("/v1/oauth-providers", {
      ...{ headers, body: { id, name: "Mine", issuer: "https://login.example.com" } },
    });
    expect(reserved.status).toBe(400);
  });

  test("an answer at another address, from another server, or for somebody else connects nothing", async () => {
    const made = await save({ url: guarded.url, ...everybody });
    const other = await approve(await requestMcpAuthorizeUrl(server, ada.auth, made.id));
    other.pathname = `/v1/oauth-providers/mcp-${made.id.slice(4)}/connect/callback`;
    expect((await openMcpCallback(server, other, ada)).body).toContain("provider_mismatch");
    const mixed = await approve(await requestMcpAuthorizeUrl(server, ada.auth, made.id));
    mixed.searchParams.set("iss", dynamic.base);
    expect((await openMcpCallback(server, mixed, ada)).body).toContain("issuer_mismatch");
    const silent = await approve(await requestMcpAuthorizeUrl(server, ada.auth, made.id));
    silent.searchParams.delete("iss");
    expect((await openMcpCallback(server, silent, ada)).body).toContain("issuer_mismatch");
    const stolen = await approve(await requestMcpAuthorizeUrl(server, ada.auth, made.id));
    expect((await openMcpCallback(server, stolen, bob)).body).toContain("other_person");
    const denied = await approve(await requestMcpAuthorizeUrl(server, ada.auth, made.id), "deny");
    expect((await openMcpCallback(server, denied, ada)).body).toContain("access_denied");
    expect((await readConnection(server, ada.auth, made.id)).status).toBe("not_connected");
  });

  test("a browser is asked before it is sent away", async () => {
    const made = await save({ url: guarded.url, name: "Asked", ...everybody });
    const page = await fetch(`${server.url}/v1/mcp-connections/${made.id}/connect/start`, {
      headers: {
        cookie: `__Host-signalbox_session=${ada.token}`,
        accept: "text/html",
        "sec-fetch-mode": "navigate",
      },
    });
    const text = await page.text();
    expect(text).toContain("Connect Asked?");
    const next = /href="([^"]*connect\/start\?[^"]*)"/.exec(text)![1]!.replaceAll("&amp;", "&");
    const moved = await fetch(server.url + next, {
      headers: {
        cookie: `__Host-signalbox_session=${ada.token}`,
        accept: "text/html",
        "sec-fetch-mode": "navigate",
      },
      redirect: "manual",
    });
    expect(moved.status).toBe(303);
    expect(moved.headers.get("location")).toContain(metadata.base);
  });

  test("missing scopes become consent for that member, and the next sign-in asks for them", async () => {
    const made = await save({ url: guarded.url, scopes: ["tools:read"], ...everybody });
    await connectMcpAccount(server, ada, made.id);
    await connectMcpAccount(server, bob, made.id, "hubot");
    guarded.requiredScopes = ["tools:read", "tools:write"];
    expect(await testAs(ada, made.id)).toMatchObject({ ok: false });
    expect(await readConnection(server, ada.auth, made.id)).toMatchObject({
      status: "needs_consent",
      mine: { missingScopes: expect.arrayContaining(["tools:write"]) },
    });
    expect((await readConnection(server, bob.auth, made.id)).status).toBe("connected");
    expect(await testAs(ada, made.id)).toMatchObject({ ok: false });
    expect(await listAnnounced(made.id)).toEqual([{ memberId: ada.memberId, reason: "needs_consent" }]);
    const url = new URL(await requestMcpAuthorizeUrl(server, ada.auth, made.id));
    expect(url.searchParams.get("scope")!.split(" ")).toEqual(
      expect.arrayContaining(["tools:read", "tools:write"]),
    );
    await connectMcpAccount(server, ada, made.id);
    expect(await testAs(ada, made.id)).toMatchObject({ ok: true });
    expect((await readConnection(server, ada.auth, made.id)).status).toBe("connected");
    guarded.requiredScopes = ["tools:read"];
  });

  test("a client that was registered dynamically can ask for more scopes later", async () => {
    const made = await save({ url: registered.url, scopes: ["tools:read"], ...everybody });
    await connectMcpAccount(server, ada, made.id);
    registered.requiredScopes = ["tools:read", "tools:write"];
    expect(await testAs(ada, made.id)).toMatchObject({ ok: false });
    await connectMcpAccount(server, ada, made.id);
    expect(await testAs(ada, made.id)).toMatchObject({ ok: true });
    registered.requiredScopes = ["tools:read"];
  });

  test("a refused token means sign in again for that member alone", async () => {
    const made = await save({ url: guarded.url, ...everybody });
    await connectMcpAccount(server, ada, made.id, "blocked-one");
    await connectMcpAccount(server, bob, made.id, "hubot");
    guarded.blocked.add("blocked-one");
    expect(await testAs(ada, made.id)).toMatchObject({ ok: false });
    expect((await readConnection(server, ada.auth, made.id)).status).toBe("sign_in");
    expect(await listAnnounced(made.id)).toMatchObject([{ memberId: ada.memberId }]);
    expect(await testAs(bob, made.id)).toMatchObject({ ok: true });
    expect((await readConnection(server, bob.auth, made.id)).status).toBe("connected");
    const ctx = act(server, acme.orgId, ada.memberId);
    const usable = (await findUsable(ctx, made.id))!;
    await expect(findHeaders(ctx, usable)).rejects.toMatchObject({ body: { error: "mcp_sign_in_required" } });
    guarded.blocked.clear();
    await connectMcpAccount(server, ada, made.id, "octo");
    expect((await readConnection(server, ada.auth, made.id)).status).toBe("connected");
  });

  test("1,000 callers with an expired token cause one refresh, and get the same new token", async () => {
    const made = await save({ url: guarded.url, ...everybody });
    await connectMcpAccount(server, ada, made.id);
    const ctx = act(server, acme.orgId, ada.memberId);
    const usable = (await findUsable(ctx, made.id))!;
    const before = await findHeaders(ctx, usable);
    await server.platform.db.run(sql`
      update oauth_tokens set expires_at = now() - interval '1 minute', obtained_at = now() - interval '1 hour'
      where id in (select token_id from oauth_connections where provider_id = ${`mcp-${made.id.slice(4)}`})`);
    const asked = metadata.tokenRequests.length;
    // A hundred at the same time, because more of them only wait for a connection to the database.
    const callTenTimes = async () => {
      const found: Record<string, string>[] = [];
      for (let n = 0; n < 10; n++) found.push(await findHeaders(ctx, usable));
      return found;
    };
    const all = (await Promise.all(Array.from({ length: 100 }, callTenTimes))).flat();
    const refreshes = metadata.tokenRequests.slice(asked);
    expect(refreshes).toHaveLength(1);
    expect(refreshes[0]!.get("resource")).toBe(guarded.url);
    expect(new Set(all.map(({ authorization }) => authorization)).size).toBe(1);
    expect(all[0]!.authorization).not.toBe(before.authorization);
  });

  test("a token that the server refuses before its time is refreshed once, then a person must sign in", async () => {
    const made = await save({ url: guarded.url, ...everybody });
    await connectMcpAccount(server, ada, made.id);
    const ctx = act(server, acme.orgId, ada.memberId);
    const usable = (await findUsable(ctx, made.id))!;
    await server.platform.db.run(sql`
      update oauth_tokens set obtained_at = now() - interval '5 minutes'
      where id in (select token_id from oauth_connections where provider_id = ${`mcp-${made.id.slice(4)}`})`);
    const challenge = { status: 401, scopes: [], reason: "invalid_token" } as const;
    expect(await reportChallenge(ctx, usable, challenge)).toBe("retry");
    expect(await reportChallenge(ctx, usable, challenge)).toBe("stop");
    await expect(findHeaders(ctx, usable)).rejects.toMatchObject({ body: { error: "mcp_sign_in_required" } });
  });

  test.each(["test", "watch"])(
    "a token that was revoked before its time is replaced within one %s",
    async (by) => {
      const made = await save({ url: guarded.url, ...everybody });
      await connectMcpAccount(server, ada, made.id);
      await listFirstTools(server, ada.auth, made.id);
      const usable = (await findUsable(act(server, acme.orgId, ada.memberId), made.id))!;
      const { authorization } = await findHeaders(act(server, acme.orgId, ada.memberId), usable);
      await server.platform.db.run(sql`
      update oauth_tokens set obtained_at = now() - interval '5 minutes'
      where id in (select token_id from oauth_connections where provider_id = ${`mcp-${made.id.slice(4)}`})`);
      guarded.blocked.add(authorization!.replace(/^Bearer /, ""));
      const { checkedAt } = await readConnection(server, ada.auth, made.id);
      if (by === "test") expect(await testAs(ada, made.id)).toMatchObject({ ok: true });
      else {
        await server.platform.db.run(
          sql`update mcp_connections set next_check_at = now() where id = ${made.id}`,
        );
        await watchConnections(server.platform);
      }
      const after = await readConnection(server, ada.auth, made.id);
      expect(after.status).toBe("connected");
      expect(after.checkedAt).toBeGreaterThan(checkedAt);
    },
  );

  test("consent that is given during a call is not missing because the server refuses the earlier token", async () => {
    const made = await save({ url: guarded.url, ...everybody });
    await connectMcpAccount(server, ada, made.id);
    const ctx = act(server, acme.orgId, ada.memberId);
    const usable = (await findUsable(ctx, made.id))!;
    const refused = await findHeaders(ctx, usable);
    const challenge = {
      status: 403,
      scopes: ["tools:write"],
      reason: "insufficient_scope",
      refused,
    } as const;
    expect(await reportChallenge(ctx, usable, challenge)).toBe("stop");
    expect(await readConnection(server, ada.auth, made.id)).toMatchObject({ status: "needs_consent" });
    await connectMcpAccount(server, ada, made.id);
    expect(await reportChallenge(ctx, usable, challenge)).toBe("retry");
    expect(await readConnection(server, ada.auth, made.id)).toMatchObject({
      ...{ status: "connected", mine: { state: "connected", missingScopes: [] } },
    });
  });

  test("a token is not sent to another address, whoever changes the row", async () => {
    const made = await save({ url: guarded.url, ...everybody });
    await connectMcpAccount(server, ada, made.id);
    const ctx = act(server, acme.orgId, ada.memberId);
    await server.platform.db.run(
      sql`update mcp_connections set url = 'https://evil.example/mcp' where id = ${made.id}`,
    );
    const usable = (await findUsable(ctx, made.id))!;
    await expect(findHeaders(ctx, usable)).rejects.toMatchObject({ body: { reason: "address_changed" } });
  });

  test("a shared account is connected by a manager, used by everybody, and ended by a manager", async () => {
    const made = await save({ url: guarded.url, credential: "shared", ...everybody });
    const start = `/v1/mcp-connections/${made.id}/connect/start`;
    expect((await server.call(start, { headers: ada.auth })).status).toBe(403);
    await connectMcpAccount(server, acme.owner, made.id);
    expect(await testAs(ada, made.id)).toMatchObject({ ok: true });
    const end = (person: Person) =>
      server.call(`/v1/mcp-connections/${made.id}/disconnect`, { method: "POST", headers: person.auth });
    expect((await end(ada)).status).toBe(403);
    expect((await end(acme.owner)).status).toBe(204);
    expect((await readConnection(server, ada.auth, made.id)).status).toBe("not_connected");
  });

  test("ending a shared account that nobody has connected yet also ends the attempts to connect it", async () => {
    const made = await save({ url: guarded.url, credential: "shared", ...everybody });
    const back = await approve(await requestMcpAuthorizeUrl(server, acme.owner.auth, made.id), "octo");
    const admin = await joinWorkspace(server, acme, "admin");
    const path = `/v1/mcp-connections/${made.id}/disconnect`;
    expect((await server.call(path, { method: "POST", headers: admin.auth })).status).toBe(204);
    expect((await openMcpCallback(server, back, acme.owner)).body).not.toContain("is connected");
    expect(await readConnection(server, acme.owner.auth, made.id)).toMatchObject({ status: "not_connected" });
  });

  test("a removed member's account ends, and a run uses what its automation was granted", async () => {
    const made = await save({ url: guarded.url, ...everybody });
    const eve = await joinWorkspace(server, acme, "member");
    await connectMcpAccount(server, eve, made.id, "eve");
    await server.call(`/v1/members/${eve.memberId}`, { method: "DELETE", headers: acme.owner.auth });
    const rows = await server.platform.db.rows<{ status: string }>(
      sql`select status from oauth_connections where provider_id = ${`mcp-${made.id.slice(4)}`}`,
    );
    expect(rows).toEqual([{ status: "ended" }]);
    const onlyAda = await save({ url: guarded.url, access: { memberIds: [ada.memberId] } });
    expect(await findUsable(act(server, acme.orgId, ada.memberId), onlyAda.id)).toBeDefined();
    const run = act(server, acme.orgId, ada.memberId, {
      credential: "run",
      credentialId: "run_01jz8q2d9xf4vvh0tbq8k3m5na",
    });
    expect(await findUsable(run, onlyAda.id)).toBeUndefined();
    expect(await findUsable(run, made.id)).toBeDefined();
    // With the grant, the run uses the account of the member it acts for.
    await connectMcpAccount(server, ada, onlyAda.id);
    const automation = await createAutomation(server, ada.auth);
    const { id } = await runNow(server, ada.auth, automation.id);
    const granted = act(server, acme.orgId, ada.memberId, { credential: "run", credentialId: id });
    expect(await findUsable(granted, onlyAda.id)).toBeUndefined();
    await server.call(`/v1/mcp-connections/${onlyAda.id}/access`, {
      ...{ method: "PUT", body: { automationIds: [automation.id] }, headers: acme.owner.auth },
    });
    expect(await findUsable(run, onlyAda.id)).toBeUndefined();
    const usable = await findUsable(granted, onlyAda.id);
    expect(await findHeaders(granted, usable!)).toEqual({
      authorization: expect.stringMatching(/^Bearer ./),
    });
  });
});
