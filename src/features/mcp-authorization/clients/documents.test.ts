import type { RequestListener } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import {
  decide,
  openBrowser,
  postForm,
  refresh,
  startAuthorization,
  startSite,
} from "../../../../test/mcp-authorization.ts";
import { sql } from "../../../platform/db/index.ts";

const redirectUri = "http://127.0.0.1:7777/done";

describe("a client metadata document", () => {
  const server = useServer();
  let acme: Workspace;
  let site: Awaited<ReturnType<typeof startSite>>;
  const answers = new Map<string, RequestListener>();
  let reads = 0;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    site = await startSite((request, response) => {
      reads++;
      const answer = answers.get(request.url ?? "");
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
  });
  afterAll(() => site.close());

  let paths = 0;
  /** Publishes a document, and returns its URL. */
  function publish(document: (url: string) => object | string, headers: Record<string, string> = {}): string {
    const path = `/client-${++paths}.json`;
    const url = site.url + path;
    const content = document(url);
    answers.set(path, (_, response) => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.end(typeof content === "string" ? content : JSON.stringify(content));
    });
    return url;
  }
  const describeClient =
    (more: object = {}) =>
    (url: string) => ({
      client_id: url,
      client_name: "Published editor",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      ...more,
    });
  async function open(clientId: string, uri = redirectUri) {
    const browser = openBrowser(server, acme.owner);
    return { browser, ...(await startAuthorization(server, browser, { clientId, redirectUri: uri })) };
  }
  async function expectRefused(clientId: string, text: string, uri = redirectUri) {
    const { response } = await open(clientId, uri);
    expect(response.status).toBe(400);
    expect(response.headers.get("location")).toBeNull();
    expect(await response.text()).toContain(text);
  }

  test("identifies a client by its URL, and the consent page names the host that publishes it", async () => {
    const clientId = publish(describeClient());
    const { browser, consent, verifier } = await open(clientId);
    const page = await (await browser.open(consent)).text();
    expect(page).toContain("Connect Published editor?");
    expect(page).toContain(`Published by <code>${new URL(site.url).host}</code>`);
    const back = await decide(browser, consent, { orgId: acme.orgId });
    const { status, body } = await postForm(server, "/oauth/token", {
      grant_type: "authorization_code",
      client_id: clientId,
      code: back.searchParams.get("code") ?? "",
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    expect(status).toBe(200);
    const { items } = (await server.call("/v1/mcp/clients", { headers: acme.owner.auth })).body;
    expect(items[0]).toMatchObject({ clientId, registration: "client_metadata", name: "Published editor" });
    // The client stays connected while its site is down.
    answers.clear();
    expect((await refresh(server, { clientId, refreshToken: body.refresh_token })).status).toBe(200);
  });

  test("is read once while it is fresh, and again later", async () => {
    const clientId = publish(describeClient(), { "cache-control": "max-age=600" });
    const before = reads;
    await open(clientId);
    await open(clientId);
    expect(reads).toBe(before + 1);
    await server.platform.db.run(
      sql`update mcp_oauth_clients set fresh_until = now() where id = ${clientId}`,
    );
    await open(clientId);
    expect(reads).toBe(before + 2);
    // It was withdrawn: the last copy does not count any more.
    answers.delete(new URL(clientId).pathname);
    await server.platform.db.run(
      sql`update mcp_oauth_clients set fresh_until = now() where id = ${clientId}`,
    );
    await expectRefused(clientId, "HTTP 404");
  });

  test("is refused when it is not about its own URL, or contains or wants a secret", async () => {
    await expectRefused(publish(describeClient({ client_id: "https://example.com/client.json" })), "own URL");
    await expectRefused(publish(describeClient({ client_secret: "x" })), "secret");
    await expectRefused(
      publish(describeClient({ token_endpoint_auth_method: "client_secret_post" })),
      "none",
    );
    await expectRefused(publish(describeClient({ redirect_uris: undefined })), "redirect_uris");
    await expectRefused(publish(describeClient({ grant_types: ["client_credentials"] })), "grant_types");
    for (const text of ["[]", "null", "{", "<html>"])
      await expectRefused(
        publish(() => text),
        "JSON",
      );
  });

  test("cannot send browsers to scripts, files or unencrypted sites", async () => {
    for (const uri of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "http://example.com/callback",
      "https://user:secret@example.com/callback",
      "https://example.com/callback#fragment",
      "vbscript:x",
      "/relative",
    ])
      await expectRefused(publish(describeClient({ redirect_uris: [uri] })), "invalid_redirect_uri", uri);
    await expectRefused(
      publish(describeClient()),
      "invalid_redirect_uri",
      "https://elsewhere.example/callback",
    );
    const app = publish(describeClient({ redirect_uris: ["cursor://editor.mcp/callback"] }));
    const { browser, consent } = await open(app, "cursor://editor.mcp/callback");
    expect(await (await browser.open(consent)).text()).toContain("<code>cursor:</code>");
  });

  test("is not followed, not waited for and not read without end", async () => {
    answers.set("/redirect.json", (_, response) =>
      response.writeHead(302, { location: "/client-1.json" }).end(),
    );
    await expectRefused(`${site.url}/redirect.json`, "HTTP 302");
    await expectRefused(
      publish((url) => ({ ...describeClient()(url), padding: "x".repeat(40_000) })),
      "cannot be used",
    );
    answers.set("/slow.json", (_, response) => void response.writeHead(200).write("{"));
    await expectRefused(`${site.url}/slow.json`, "cannot be used");
  }, 20_000);

  test("has a URL in its normal form, with a path, and nothing else", async () => {
    const { host } = new URL(site.url);
    for (const id of [
      `http://${host}`,
      `http://${host}/`,
      `http://${host}/a/../client.json`,
      `http://user@${host}/client.json`,
      `http://${host}/client.json#x`,
      "http://example.com/client.json",
      `HTTP://${host}/client.json`,
    ])
      await expectRefused(id, "invalid_client");
  });

  test("is shown as text, whatever its name contains", async () => {
    const name = `<img src=x onerror=alert(1)> \u202Eevil\u0000\u200B ${"long ".repeat(50)}`;
    const clientId = publish(describeClient({ client_name: name }));
    const { browser, consent } = await open(clientId);
    const page = await (await browser.open(consent)).text();
    expect(page).toContain("&lt;img src=x onerror=alert(1)&gt; evil long");
    expect(page).not.toContain("\u202E");
    expect(page).not.toContain("<img");
  });
});

describe("a client metadata document on an instance that is reachable from outside", () => {
  const server = useServer({ env: { PUBLIC_URL: "https://signalbox.example" } });

  test("is not read from private addresses or this machine", async () => {
    const acme = await createWorkspace(server);
    const site = await startSite((_, response) => response.end("{}"));
    for (const clientId of [
      `${site.url}/client.json`,
      "https://10.0.0.1/client.json",
      "https://169.254.169.254/client.json",
      "https://[::1]/client.json",
      "https://localhost/client.json",
    ]) {
      const browser = openBrowser(server, acme.owner);
      const { response } = await startAuthorization({ url: "https://signalbox.example" }, browser, {
        clientId,
      });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain("invalid_client");
    }
    await site.close();
  });
});

describe("registration", () => {
  const server = useServer();
  const register = (body: unknown) => server.call("/oauth/register", { body });

  test("makes every client a public client, and returns what was registered", async () => {
    const { status, body } = await register({
      redirect_uris: ["https://app.example/callback", "http://localhost:1/callback"],
      client_name: "  App\n\u202E ",
      token_endpoint_auth_method: "client_secret_basic",
      logo_uri: "http://169.254.169.254/",
      jwks_uri: "http://169.254.169.254/",
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        client_name: "App",
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: ["https://app.example/callback", "http://localhost:1/callback"],
      },
    });
    expect(body.client_id).toMatch(/^mcr_/);
    for (const name of ["client_secret", "registration_access_token", "jwks_uri", "logo_uri"])
      expect(body).not.toHaveProperty(name);
  });

  test("also registers a client that sends an Idempotency-Key", async () => {
    const reply = await server.call("/oauth/register", {
      body: { redirect_uris: ["https://a.example/"] },
      headers: { "idempotency-key": "a-key-of-a-generic-client" },
    });
    expect(reply).toMatchObject({ status: 201, body: { redirect_uris: ["https://a.example/"] } });
  });

  test("refuses what is not valid, with the errors of RFC 7591", async () => {
    for (const [body, error] of [
      [{}, "invalid_redirect_uri"],
      [{ redirect_uris: [] }, "invalid_redirect_uri"],
      [{ redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
      [{ redirect_uris: ["http://example.com/"] }, "invalid_redirect_uri"],
      [{ redirect_uris: Array(21).fill("https://a.example/") }, "invalid_redirect_uri"],
      [{ redirect_uris: ["https://a.example/"], response_types: ["token"] }, "invalid_client_metadata"],
      ["not JSON", "invalid_client_metadata"],
    ] as const) {
      const reply = await register(body);
      expect(reply).toMatchObject({ status: 400, body: { error } });
      expect(reply.body.error_description).toBeTruthy();
    }
    expect(
      (await register({ redirect_uris: ["https://a.example/"], padding: "x".repeat(40_000) })).status,
    ).toBe(413);
  });

  test("shows a name that can be seen, in its own line, and is not cut inside of a character", async () => {
    const name = async (client_name: string) =>
      (await register({ client_name, redirect_uris: ["https://a.example/"] })).body.client_name;
    expect(await name(`${"a".repeat(79)}\u{1F600}`)).toBe(`${"a".repeat(79)}\u{1F600}`);
    expect(await name(`a${"\u0301".repeat(50)}b`)).toBe(`\u00E1${"\u0301".repeat(4)}b`);
    expect(await name("Edi\u3164tor\uFE0F\u{E0100}")).toBe("Editor");
    expect(await name("\u3164\u2800\u115F")).toBe("Unnamed MCP client");
  });

  test("takes redirect URIs of ASCII characters only, as people and browsers read them in the same way", async () => {
    for (const uri of [
      "https://a.example/\uD800",
      "https://a.example/\u0000",
      "app:/\u0000",
      "https://a.example\\@b.example/",
      "https://a.example/\t",
      " https://a.example/",
      "https://\u0430.example/",
    ])
      expect(await register({ redirect_uris: [uri] })).toMatchObject({
        status: 400,
        body: { error: "invalid_redirect_uri" },
      });
  });

  test("goes on when very many clients registered: those that nobody connected make place", async () => {
    const { db } = server.platform;
    const age = (minutes: number) =>
      db.run(sql`update mcp_oauth_clients set last_used_at = now() - make_interval(mins => ${minutes})`);
    await db.run(sql`insert into mcp_oauth_clients (id, registration, metadata)
      select 'mcr_' || n, 'dynamic', '{}' from generate_series(1, 50000) n`);
    expect(await register({ redirect_uris: ["https://a.example/"] })).toMatchObject({
      status: 503,
      body: { error: "temporarily_unavailable" },
    });
    await age(90);
    const { status, body } = await register({ redirect_uris: ["https://a.example/"] });
    expect(status).toBe(201);
    const left = await db.rows(sql`select id from mcp_oauth_clients where id = ${body.client_id}`);
    expect(left).toHaveLength(1);
    await db.run(sql`delete from mcp_oauth_clients`);
  });

  test("is limited for each address", async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 60; i++) statuses.add((await register({})).status);
    expect(statuses).toContain(429);
  });
});
