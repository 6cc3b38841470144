import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startModernServer } from "../../../test/fixtures/mcp-servers/official.ts";
import {
  type GuardedServer,
  type SignInServer,
  startGuardedServer,
  startSignInServer,
} from "../../../test/fixtures/mcp-servers/signed-in.ts";
import {
  createTeam,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { listFirstTools, readConnection, saveConnection } from "../../../test/mcp-sign-in.ts";
import { findLeakedSecrets } from "../../../test/oauth.ts";
import { sql } from "../../platform/db/index.ts";

describe("saved MCP connections", () => {
  const server = useServer();
  let acme: Workspace;
  let globex: Workspace;
  let ada: Person & { memberId: string };
  let open: RunningServer;
  let keyed: GuardedServer;
  let signIn: SignInServer;
  let guarded: GuardedServer;
  let url: string;
  let ownerId: string;
  let foreignId: string;

  beforeAll(async () => {
    acme = await createWorkspace(server);
    globex = await createWorkspace(server, "Globex");
    ada = await joinWorkspace(server, acme, "member");
    const findOwner = async ({ orgId }: Workspace) =>
      (await server.platform.db.row<{ id: string }>(
        sql`select id from members where org_id = ${orgId} order by id`,
      ))!.id;
    ownerId = await findOwner(acme);
    foreignId = await findOwner(globex);
    open = await startModernServer("stateless");
    url = `${open.base}/mcp`;
    keyed = await startGuardedServer({ key: { header: "authorization", value: "Bearer right-key-1" } });
    signIn = await startSignInServer();
    guarded = await startGuardedServer({ servers: [signIn] });
  });
  afterAll(async () => {
    for (const one of [open, keyed, signIn, guarded]) await one?.close();
  });

  const call = (path: string, options: Parameters<typeof server.call>[1] = {}) =>
    server.call(`/v1/mcp-connections${path}`, { headers: acme.owner.auth, ...options });

  test("an open server is saved with its verdict and evidence, and works for its creator", async () => {
    const made = await saveConnection(server, acme.owner.auth, { url, name: "Tickets & more" });
    expect(made).toMatchObject({
      name: "Tickets & more",
      slug: "tickets-more",
      url,
      registration: "none",
      status: "connected",
      enabled: true,
      problem: null,
      mine: { state: "not_needed", mayUse: true },
      people: { granted: 1, connected: 0, needCare: 0 },
      verdict: { status: "ready", authentication: { kind: "none" } },
      access: { organization: false, memberIds: [ownerId] },
      policy: { onDrift: "hold_changed" },
      limits: { callsPerMinute: 600 },
      redirectUri: null,
    });
    expect(made.evidence.length).toBeGreaterThan(0);
    expect(await listFirstTools(server, acme.owner.auth, made.id)).toBeGreaterThan(0);
    const again = await saveConnection(server, acme.owner.auth, { url, name: "Tickets & more" });
    expect(again.slug).toBe("tickets-more-2");
    // The tools of the instance itself have this prefix.
    const own = await saveConnection(server, acme.owner.auth, { url, name: "Signalbox" });
    expect(own.slug).toBe("signalbox-2");
    await call(`/${own.id}`, { method: "DELETE" });
    const tested = await call(`/${made.id}/test`, { method: "POST" });
    expect(tested.body.test).toMatchObject({
      ok: true,
      steps: [{ step: "credential" }, { step: "list_tools" }],
    });
    const audit = await server.call("/v1/audit-events?action=mcp_connection.saved&limit=1", {
      headers: acme.owner.auth,
    });
    expect(audit.body.items[0].target).toMatchObject({ type: "mcp_connection", id: own.id });
  });

  test("an Idempotency-Key saves once, also when two requests arrive at the same moment", async () => {
    const headers = { ...acme.owner.auth, "idempotency-key": "save-this-once" };
    const body = { url, name: "Once" };
    const replies = await Promise.all([1, 2, 3].map(() => call("", { body, headers })));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(replies.map((reply) => reply.body.connection.id)).size).toBe(1);
  });

  test("a kept verdict is used instead of a new discovery, and must be about the same address", async () => {
    const stream = await fetch(`${server.url}/v1/mcp-discoveries`, {
      method: "POST",
      headers: { ...acme.owner.auth, "content-type": "application/json" },
      body: JSON.stringify({ url }),
    });
    const discoveryId = /"id":"(mcd_\w+)"/.exec(await stream.text())![1]!;
    const made = await saveConnection(server, acme.owner.auth, { url, discoveryId });
    expect(made.verdict.status).toBe("ready");
    const other = await call("", { body: { url: keyed.url, discoveryId, registration: "bearer" } });
    expect(other).toMatchObject({ status: 400, body: { details: [{ path: ["discoveryId"] }] } });
    const foreign = await call("", { body: { url, discoveryId }, headers: globex.owner.auth });
    expect(foreign.status).toBe(400);
  });

  test("a server that needs a key is a choice, with what is missing, and nothing is saved", async () => {
    const before = await call("");
    const reply = await call("", { body: { url: keyed.url, credential: "shared" } });
    expect(reply).toMatchObject({ status: 409, body: { error: "mcp_choice_required" } });
    expect(reply.body.choices.recommended).toBe("bearer");
    expect(
      reply.body.choices.registrations.find((one: { registration: string }) => one.registration === "bearer"),
    ).toMatchObject({ available: true, missing: ["bearerToken"] });
    expect((await call("")).body.items).toHaveLength(before.body.items.length);
  });

  test("a server with OAuth and no way to register by itself needs a client", async () => {
    const reply = await call("", { body: { url: guarded.url } });
    expect(reply).toMatchObject({ status: 409, body: { error: "mcp_choice_required" } });
    expect(reply.body.choices).toMatchObject({
      recommended: "pre_registered",
      authorizationServers: [signIn.base],
    });
    expect(JSON.stringify(reply.body.choices)).toContain("/v1/mcp-connections/connect/callback");
  });

  test("an unreachable server can be saved only with an explicit registration", async () => {
    const closed = await startModernServer("stateless");
    await closed.close();
    const body = { url: `${closed.base}/mcp` };
    expect(await call("", { body })).toMatchObject({ status: 409, body: { error: "mcp_choice_required" } });
    const saved = await call("", { body: { ...body, registration: "none" } });
    expect(saved).toMatchObject({ status: 201, body: { connection: { verdictStatus: "unreachable" } } });
    const tested = await call(`/${saved.body.connection.id}/test`, { method: "POST" });
    expect(tested.body.test).toMatchObject({ ok: false });
    expect(await readConnection(server, acme.owner.auth, saved.body.connection.id)).toMatchObject({
      status: "no_answer",
      problem: { step: "reach" },
    });
  });

  test("a shared key is sealed, sent, and never shown", async () => {
    const made = await saveConnection(server, acme.owner.auth, {
      ...{ url: keyed.url, credential: "shared", bearerToken: "right-key-1" },
      access: { organization: true },
    });
    expect(made).toMatchObject({ registration: "bearer", mine: { state: "connected" } });
    expect(JSON.stringify(made)).not.toContain("right-key-1");
    expect(await listFirstTools(server, ada.auth, made.id)).toBeGreaterThan(0);
    const rows = await server.platform.db.rows<{ secret: string }>(sql`select secret from mcp_credentials`);
    expect(JSON.stringify(rows)).not.toContain("right-key-1");
    expect((await call(`/${made.id}/test`, { method: "POST", headers: ada.auth })).body.test.ok).toBe(true);
    // A member may not change the shared key.
    const refused = await call(`/${made.id}/credential`, {
      ...{ method: "PUT", body: { bearerToken: "mine" }, headers: ada.auth },
    });
    expect(refused.status).toBe(403);
  });

  test("each member sets an own key, and a refused key is one member's problem alone", async () => {
    const made = await saveConnection(server, acme.owner.auth, {
      ...{ url: keyed.url, registration: "bearer", access: { organization: true } },
    });
    expect(made.status).toBe("not_connected");
    const set = (bearerToken: string, person: Person) =>
      call(`/${made.id}/credential`, { method: "PUT", body: { bearerToken }, headers: person.auth });
    expect((await set("wrong-key", ada)).status).toBe(204);
    expect((await set("right-key-1", acme.owner)).status).toBe(204);
    expect((await call(`/${made.id}/test`, { method: "POST", headers: ada.auth })).body.test.ok).toBe(false);
    expect((await call(`/${made.id}/test`, { method: "POST" })).body.test.ok).toBe(true);
    expect(await readConnection(server, ada.auth, made.id)).toMatchObject({
      status: "sign_in",
      mine: { state: "sign_in" },
    });
    expect(await readConnection(server, acme.owner.auth, made.id)).toMatchObject({
      status: "connected",
      people: { connected: 2, needCare: 1 },
    });
    const members = await call(`/${made.id}/members`);
    expect(members.body.items).toEqual(
      expect.arrayContaining([expect.objectContaining({ memberId: ada.memberId, state: "sign_in" })]),
    );
    expect((await set("right-key-1", ada)).status).toBe(204);
    expect((await call(`/${made.id}/test`, { method: "POST", headers: ada.auth })).body.test.ok).toBe(true);
    expect((await readConnection(server, ada.auth, made.id)).status).toBe("connected");
    expect((await call(`/${made.id}/disconnect`, { method: "POST", headers: ada.auth })).status).toBe(204);
    expect((await readConnection(server, ada.auth, made.id)).status).toBe("not_connected");
  });

  test("a key that is set several times at the same moment is set each time", async () => {
    const made = await saveConnection(server, acme.owner.auth, { url: keyed.url, registration: "bearer" });
    const set = () => call(`/${made.id}/credential`, { method: "PUT", body: { bearerToken: "right-key-1" } });
    const replies = await Promise.all(Array.from({ length: 6 }, set));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204]));
    expect((await call(`/${made.id}/test`, { method: "POST" })).body.test.ok).toBe(true);
  });

  test("headers that would change the request are refused", async () => {
    for (const headers of [
      { Host: "x" },
      { "Content-Length": "1" },
      { "mcp-session-id": "x" },
      { "x\n": "1" },
    ]) {
      const reply = await call("", { body: { url: keyed.url, registration: "bearer", headers } });
      expect(reply, JSON.stringify(headers)).toMatchObject({ status: 400 });
    }
    const unused = await call("", { body: { url, registration: "none", bearerToken: "x" } });
    expect(unused).toMatchObject({ status: 400, body: { details: [{ path: ["bearerToken"] }] } });
  });

  test("a secret in the path of a resource is stored nowhere in the clear, and tokens are requested for it", async () => {
    const secret = "8f14e45fceea167a5a36dedd4bea2543";
    const resource = `${guarded.base}/mcp/${secret}`;
    const provider = await startSignInServer({ registration: true });
    try {
      const made = await saveConnection(server, acme.owner.auth, {
        ...{
          url: resource,
          registration: "pre_registered",
          clientId: "acme",
          authorizationServer: provider.base,
        },
      });
      const started = await call(`/${made.id}/connect/start`);
      expect(new URL(started.body.authorizeUrl).searchParams.get("resource")).toBe(resource);
      await call(`/${made.id}/discover`, { method: "POST" });
      await call(`/${made.id}/test`, { method: "POST" });
      await call(`/${made.id}`, { method: "DELETE" });
      // Neither in a table nor in the log.
      expect(await findLeakedSecrets(server, [secret])).toEqual([]);
    } finally {
      await provider.close();
    }
  });

  test("an address with a secret is shown without it, and still works", async () => {
    const secret = "s3cr3tK3yZq3kW8rT5vB2nM7xL4p";
    const made = await saveConnection(server, acme.owner.auth, { url: `${url}?workspace=${secret}` });
    expect(JSON.stringify(made)).not.toContain(secret);
    expect((await call(`/${made.id}/test`, { method: "POST" })).body.test.ok).toBe(true);
    const row = await server.platform.db.row<{ row: string }>(
      sql`select c::text as row from mcp_connections c where id = ${made.id}`,
    );
    expect(row!.row).not.toContain(secret);
  });

  describe("access", () => {
    test("a connection is listed and used by whom it is granted to, and managers see all", async () => {
      const made = await saveConnection(server, acme.owner.auth, { url, name: "Private" });
      const list = async (person: Person) =>
        (await call("?limit=100", { headers: person.auth })).body.items.map((one: { id: string }) => one.id);
      expect(await list(ada)).not.toContain(made.id);
      expect((await call(`/${made.id}`, { headers: ada.auth })).status).toBe(404);
      const team = await createTeam(server, acme.owner);
      await server.call(`/v1/teams/${team.id}/members/${ada.memberId}`, {
        ...{ method: "PUT", headers: acme.owner.auth },
      });
      const granted = await call(`/${made.id}/access`, { method: "PUT", body: { teamIds: [team.id] } });
      expect(granted.body.access).toEqual({
        ...{ organization: false, teamIds: [team.id], memberIds: [], automationIds: [] },
      });
      expect(await list(ada)).toContain(made.id);
      expect((await readConnection(server, ada.auth, made.id)).people).toBeNull();
      // The manager sees it and was not granted it.
      expect(await readConnection(server, acme.owner.auth, made.id)).toMatchObject({
        mine: { mayUse: false },
      });
      expect((await call(`/${made.id}/test`, { method: "POST" })).status).toBe(404);
      for (const path of ["/access", "/members"])
        expect((await call(`/${made.id}${path}`, { headers: ada.auth })).status).toBe(403);
    });

    test("teams, members and automations of other organizations are refused", async () => {
      const made = await saveConnection(server, acme.owner.auth, { url });
      const team = await createTeam(server, globex.owner);
      for (const body of [
        { teamIds: [team.id] },
        { memberIds: [foreignId] },
        { automationIds: ["aut_01jz8q2d9xf4vvh0tbq8k3m5na"] },
      ])
        expect((await call(`/${made.id}/access`, { method: "PUT", body })).status).toBe(400);
    });

    test("another organization sees nothing of it: every route is 404", async () => {
      const made = await saveConnection(server, acme.owner.auth, { url, access: { organization: true } });
      const headers = globex.owner.auth;
      const requests: [string, string, object?][] = [
        ["GET", ""],
        ["PATCH", "", { name: "Theirs" }],
        ["DELETE", ""],
        ["POST", "/discover", {}],
        ["POST", "/test"],
        ["GET", "/connect/start"],
        ["POST", "/connect/claim", { code: "AAAAA-BBBBB" }],
        ["POST", "/disconnect"],
        ["PUT", "/credential", { bearerToken: "x" }],
        ["GET", "/members"],
        ["GET", "/access"],
        ["PUT", "/access", {}],
      ];
      for (const [method, path, body] of requests) {
        const reply = await call(`/${made.id}${path}`, { method, headers, ...(body ? { body } : {}) });
        expect(reply, `${method} ${path}`).toMatchObject({
          ...{ status: 404, body: { error: "mcp_connection_not_found" } },
        });
      }
      expect((await call("?limit=100", { headers })).body.items).toEqual([]);
    });
  });

  test("a change is audited, a filter finds it, and a deleted connection is gone", async () => {
    const made = await saveConnection(server, acme.owner.auth, { url, name: "Changing" });
    const changed = await call(`/${made.id}`, {
      ...{ method: "PATCH", body: { name: "Changed", enabled: false, limits: { callsPerMinute: 5 } } },
    });
    expect(changed.body.connection).toMatchObject({
      ...{ name: "Changed", slug: "changing", status: "off", limits: { callsPerMinute: 5, concurrency: 20 } },
    });
    const off = await call("?status=off");
    expect(off.body.items.map((one: { id: string }) => one.id)).toEqual([made.id]);
    expect((await call(`/${made.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await call(`/${made.id}`)).status).toBe(404);
  });

  test("a drift of the verdict is shown until a person accepts it", async () => {
    const made = await saveConnection(server, acme.owner.auth, {
      ...{ url: guarded.url, registration: "pre_registered", clientId: "acme" },
    });
    const same = await call(`/${made.id}/discover`, { method: "POST" });
    expect(same.body.connection.verdictDrift).toEqual([]);
    const before = guarded.metadata;
    guarded.metadata = { ...before, authorization_servers: [signIn.base, "https://login.example.com"] };
    const drifted = await call(`/${made.id}/discover`, { method: "POST" });
    expect(drifted.body.connection.verdictDrift).toEqual(
      expect.arrayContaining([expect.objectContaining({ field: "issuer", before: signIn.base })]),
    );
    // What came after the person looked is not accepted with it.
    guarded.metadata = { ...before, authorization_servers: [signIn.base, "https://evil.example.com"] };
    const unseen = await call(`/${made.id}/discover`, { method: "POST", body: { accept: true } });
    expect(unseen).toMatchObject({ status: 409, body: { error: "mcp_verdict_changed" } });
    const setUrl = (url: string) =>
      server.platform.db.run(sql`update mcp_connections set url = ${url} where id = ${made.id}`);
    await setUrl("http://127.0.0.1:9/mcp");
    const unreachable = await call(`/${made.id}/discover`, { method: "POST", body: { accept: true } });
    expect(unreachable).toMatchObject({ status: 409, body: { error: "mcp_server_unreachable" } });
    expect((await call(`/${made.id}`)).body.connection.verdictDrift).not.toEqual([]);
    await setUrl(guarded.url);
    const accepted = await call(`/${made.id}/discover`, { method: "POST", body: { accept: true } });
    expect(accepted.body.connection.verdictDrift).toEqual([]);
    guarded.metadata = before;
  });
});
