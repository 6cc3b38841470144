import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oauth, openHandshake } from "../../../../test/fixtures/mcp-hostile/parts.ts";
import { type HostileServer, startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { raw, sql } from "../../../platform/db/index.ts";

const path = "/v1/mcp-connections/discover";

describe("MCP requirements discovery over HTTP", () => {
  const server = useServer();
  let acme: Workspace;
  let open: HostileServer;
  let locked: HostileServer;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    open = await startHostileServer((request, base) =>
      request.path === "/mcp" ? openHandshake(request, base) : undefined,
    );
    locked = await startHostileServer(oauth());
  });
  afterAll(async () => {
    await open?.close();
    await locked?.close();
  });

  const discover = (url: unknown, headers: Record<string, string> = acme.owner.auth, query = "") =>
    server.call(path + query, { body: { url }, headers });

  test("an owner gets the requirements of an open server", async () => {
    const { status, body } = await discover(`${open.base}/mcp`);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: "ready",
      server: { url: `${open.base}/mcp`, protocolVersion: "2025-06-18", initialize: "succeeded" },
      authentication: {
        kind: "none",
        authorizationServers: [],
        requiredScopes: [],
        recommendedScopes: [],
        refreshSupport: "unknown",
        availableRegistrationMethods: ["pre_registered"],
        recommendedRegistrationMethod: "pre_registered",
      },
      tools: {
        visibility: "available_without_auth",
        count: 3,
        items: [
          { name: "read_page", readOnlyHint: true, openWorldHint: true },
          { name: "delete_page", destructiveHint: true },
          { name: "plain" },
        ],
      },
      manualRequirements: [],
      warnings: [],
    });
  });

  test("evidence is included only on request, lists each request and contains no session id", async () => {
    const { body } = await discover(`${open.base}/mcp`, acme.owner.auth, "?include=evidence");
    expect(body.evidence.map((item: { step: string }) => item.step).toSorted()).toEqual([
      "close_session",
      "initialized",
      "list_tools",
      "probe_discover",
      "probe_initialize",
      "resource_metadata",
    ]);
    for (const item of body.evidence) {
      expect(item.url).toContain(open.base);
      expect(item.ms).toBeGreaterThan(0);
      expect(item.learned).not.toBe("");
      expect(item.rule).toMatch(/MCP|RFC/);
    }
    expect(JSON.stringify(body)).not.toContain("s-1");
    expect((await discover(`${open.base}/mcp`)).body).not.toHaveProperty("evidence");
  });

  test("an admin and a key of an owner may discover, a member may not", async () => {
    const admin = await joinWorkspace(server, acme, "admin");
    const member = await joinWorkspace(server, acme, "member");
    const key = await createKey(server, acme.owner);
    expect((await discover(`${open.base}/mcp`, admin.auth)).status).toBe(200);
    expect((await discover(`${open.base}/mcp`, key.auth)).status).toBe(200);
    const asked = open.received.length;
    const refused = await discover(`${open.base}/mcp`, member.auth);
    expect(refused).toMatchObject({
      status: 403,
      body: { error: "forbidden", reason: "missing_permission" },
    });
    expect(open.received.length).toBe(asked);
  });

  test("discovery without a credential is refused", async () => {
    const refused = await discover(`${open.base}/mcp`, {});
    expect(refused).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    expect(Object.keys(refused.body)).toEqual(["error"]);
  });

  test("a session older than the organization allows must sign in again", async () => {
    const strict = await createWorkspace(server, "Strict");
    await server.platform.db.run(
      sql`update organizations set session_max_age_minutes = 5 where id = ${strict.orgId}`,
    );
    await server.platform.db.run(
      sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${strict.owner.userId}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const refused = await discover(`${open.base}/mcp`, strict.owner.auth);
    expect(refused).toMatchObject({ status: 403, body: { error: "reauth", reason: "session_too_old" } });
  });

  test.each([
    ["missing", undefined],
    ["not text", 7],
    ["empty", ""],
    ["not a URI", "mcp.example.com/mcp"],
    ["relative", "/mcp"],
    ["with a space", "https://mcp.example.com/a b"],
    ["with a line break", "https://mcp.example.com/\nmcp"],
    ["outside ASCII", "https://mcp.exämple.com/"],
    ["without slashes", "https:mcp.example.com"],
    ["with another scheme", "ftp://mcp.example.com/"],
    ["a file", "file:///etc/passwd"],
    ["a script", "javascript:alert(1)"],
    ["without a host", "https://"],
    ["with an invalid port", "https://mcp.example.com:99999/"],
    ["with a single percent sign", "https://mcp.example.com/%zz"],
    ["with a user name", "https://ada@mcp.example.com/"],
    ["with a password", "https://ada:pw@mcp.example.com/"],
    ["with an empty user name", "https://@mcp.example.com/"],
    ["with a third slash", "https:///mcp.example.com/"],
    ["with a password after a third slash", "https:///ada:pw@mcp.example.com/"],
    ["with a fragment", "https://mcp.example.com/#x"],
    ["with an empty fragment", "https://mcp.example.com/#"],
    ["over-long", `https://mcp.example.com/${"a".repeat(2048)}`],
    ["with a token", "https://mcp.example.com/?access_token=x"],
    ["with a key in capitals", "https://mcp.example.com/?API_KEY=x"],
    ["with an encoded name of a secret", "https://mcp.example.com/?%70assword=x"],
  ])("a URL that is %s is refused with the path url", async (_, url) => {
    const { status, body } = await discover(url);
    expect(status).toBe(400);
    expect(body.error).toBe("invalid_request");
    expect(body.details[0]).toMatchObject({ message: expect.any(String), path: ["url"] });
  });

  test.each([
    "access_token",
    "api_key",
    "client_secret",
    "token",
    "refresh_token",
    "id_token",
    "code_verifier",
    "password",
  ])("the query parameter %s is refused in upper and lower case", async (name) => {
    for (const written of [name, name.toUpperCase()]) {
      expect((await discover(`https://mcp.example.com/?x=1&${written}=secret`)).status).toBe(400);
    }
  });

  test("a URL of 2048 characters is accepted", async () => {
    const base = `${open.base}/`;
    expect((await discover(base + "a".repeat(2048 - base.length))).status).toBe(200);
  });

  test("a body that is not JSON, an unknown include and a missing body are refused; unknown fields are not", async () => {
    const { auth } = acme.owner;
    expect((await server.call(path, { body: "{", headers: auth })).body.error).toBe("invalid_request");
    expect((await server.call(path, { method: "POST", headers: auth })).status).toBe(400);
    expect((await discover(`${open.base}/mcp`, auth, "?include=everything")).status).toBe(400);
    const newer = await server.call(path, { body: { url: `${open.base}/mcp`, later: true }, headers: auth });
    expect(newer.status).toBe(200);
  });

  test("a server that cannot be reached gives 200 and a verdict that says so", async () => {
    const { status, body } = await discover("http://127.0.0.1:1/mcp");
    expect(status).toBe(200);
    expect(body.status).toBe("unreachable");
    const refused = await discover("http://169.254.169.254/latest/meta-data");
    expect(refused.body).toMatchObject({
      status: "unreachable",
      manualRequirements: [{ code: "network_trust", required: true }],
      warnings: [{ code: "egress_refused" }],
    });
  });

  test("the steps for a person name the redirect URI of this instance", async () => {
    const byHand = await startHostileServer(
      oauth({
        server: (base) => ({
          json: {
            issuer: base,
            authorization_endpoint: `${base}/authorize`,
            token_endpoint: `${base}/token`,
          },
        }),
      }),
    );
    const { body } = await discover(`${byHand.base}/mcp`);
    await byHand.close();
    const [requirement] = body.manualRequirements;
    expect(requirement.code).toBe("oauth_client_registration");
    expect(requirement.reason).toContain(`${server.url}/v1/mcp-connections/connect/callback`);
    expect(requirement.reason).toContain("client secret");
  });

  test("a discovery changes no row of the organization", async () => {
    const { db } = server.platform;
    const count = async () => {
      const tables = await db.rows<{ name: string }>(
        sql`select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`,
      );
      return Promise.all(
        tables.map(async ({ name }) => [
          name,
          await db.row(sql`select count(*) as n from ${raw(`"${name}"`)}`),
        ]),
      );
    };
    const before = await count();
    await discover(`${locked.base}/mcp`);
    expect(await count()).toEqual(before);
  });
});

describe("abandoned discoveries, and too many of them", () => {
  const server = useServer();

  test("a caller who disconnects leaves no session at the server", async () => {
    const acme = await createWorkspace(server);
    const gone = new AbortController();
    const target = await startHostileServer(async (request, base) => {
      if (request.rpc === "tools/list") {
        gone.abort();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return request.path === "/mcp" ? openHandshake(request, base) : undefined;
    });
    const call = fetch(`${server.url}${path}`, {
      method: "POST",
      headers: { ...acme.owner.auth, "content-type": "application/json" },
      body: JSON.stringify({ url: `${target.base}/mcp` }),
      signal: gone.signal,
    });
    await expect(call).rejects.toThrow();
    await expect.poll(() => target.received.some(({ method }) => method === "DELETE")).toBe(true);
    await target.close();
  });

  test("five hundred discoveries of silent servers do not delay a third organization", {
    timeout: 60_000,
  }, async () => {
    const [greedy, other, third] = await Promise.all(
      ["Greedy", "Other", "Third"].map((name) => createWorkspace(server, name)),
    );
    const answered = Promise.withResolvers<void>();
    const silent = await startHostileServer(async (request, base) => {
      if (request.method === "POST") await answered.promise;
      return request.path.startsWith("/mcp") && request.method !== "GET"
        ? openHandshake(request, base)
        : undefined;
    });
    const open = await startHostileServer((request, base) =>
      request.path === "/mcp" ? openHandshake(request, base) : undefined,
    );
    const call = (url: string, { owner }: Workspace) =>
      server.call(path, { body: { url }, headers: owner.auth });
    const before = process.memoryUsage().rss;
    const crowd = Array.from({ length: 500 }, (_, n) =>
      call(`${silent.base}/mcp/${n}`, n < 400 ? greedy! : other!),
    );
    await expect.poll(() => silent.received.length, { timeout: 20_000 }).toBe(2 * 96);

    const me = await server.call("/v1/me", { headers: third!.owner.auth });
    expect(me.status).toBe(200);
    const asked = (from: number, to: number) =>
      new Set(silent.received.map((each) => Number(each.path.slice(5))).filter((n) => n >= from && n < to))
        .size;
    expect([asked(0, 400), asked(400, 500)]).toEqual([64, 32]);
    // Two organizations have long queues, and a third one gets a place at once.
    expect(await call(`${open.base}/mcp`, third!)).toMatchObject({ status: 200, body: { status: "ready" } });
    answered.resolve();

    const replies = await Promise.all(crowd);
    for (const { status, body } of replies) {
      if (status === 200) expect(body).toMatchObject({ status: "ready", tools: { count: 3 } });
      else
        expect({ status, body }).toEqual({
          status: 502,
          body: { error: "requirements_discovery_failed", message: expect.any(String) },
        });
    }
    const served = replies.map(({ status }, n) => [status, n] as const).filter(([status]) => status === 200);
    expect(served.length).toBeGreaterThanOrEqual(96);
    // Who was turned away was not asked about anywhere; whoever was asked opened a session, and it was closed.
    const closed = () => silent.received.filter(({ method }) => method === "DELETE");
    await expect.poll(() => new Set(closed().map((each) => each.path)).size).toBe(served.length);
    expect(
      new Set(silent.received.map((each) => each.path).filter((each) => each.startsWith("/mcp"))).size,
    ).toBe(served.length);
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(400);
    await Promise.all([silent.close(), open.close()]);
  });
});

describe("the capacity of discovery", () => {
  const server = useServer();

  test("a hundred slow targets of one organization leave capacity for others", {
    timeout: 60_000,
  }, async () => {
    const greedy = await createWorkspace(server, "Greedy");
    const modest = await createWorkspace(server, "Modest");
    const slow = await startHostileServer(() => ({
      raw: (response) => setTimeout(() => response.writeHead(404).end(), 3500),
    }));
    const open = await startHostileServer((request, base) =>
      request.path === "/mcp" ? openHandshake(request, base) : undefined,
    );
    const call = (url: string, headers: Record<string, string>) =>
      server.call(path, { body: { url }, headers });
    const hundred = Array.from({ length: 100 }, (_, n) => call(`${slow.base}/${n}`, greedy.owner.auth));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const started = performance.now();
    expect((await call(`${open.base}/mcp`, modest.owner.auth)).body.status).toBe("ready");
    expect(performance.now() - started).toBeLessThan(2500);
    const replies = await Promise.all(hundred);
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(64);
    const [turnedAway] = replies.filter(({ status }) => status === 502);
    expect(turnedAway?.body).toEqual({
      error: "requirements_discovery_failed",
      message: expect.stringContaining("try again"),
    });
    expect((await call(`${open.base}/mcp`, greedy.owner.auth)).body.status).toBe("ready");
    await slow.close();
    await open.close();
  });
});
