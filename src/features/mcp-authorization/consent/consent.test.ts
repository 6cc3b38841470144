import { beforeAll, describe, expect, test } from "vitest";
import {
  createRole,
  createWorkspace,
  joinWorkspace,
  signUp,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  type Browser,
  openBrowser,
  registerClient,
  startAuthorization,
} from "../../../../test/mcp-authorization.ts";
import { sql } from "../../../platform/db/index.ts";

describe("the consent page", () => {
  const server = useServer();
  let acme: Workspace;
  let clientId: string;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    clientId = await registerClient(server);
  });
  async function start(browser: Browser, scope = "mcp:read mcp:write"): Promise<string> {
    return (await startAuthorization(server, browser, { clientId, query: { scope } })).consent;
  }
  async function allow(browser: Browser, consent: string, orgId = acme.orgId, scopes = ["mcp:read"]) {
    const reply = await browser.post(consent, { scopes }, { "x-organization-id": orgId });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  }

  test("asks to sign in first, and then asks every time, also for a client that is connected", async () => {
    const browser = openBrowser(server);
    const consent = await start(browser);
    const page = await browser.open(consent);
    expect(page.status).toBe(401);
    expect(await page.text()).toContain("Sign in to connect Editor");
    const signedIn = openBrowser(server, acme.owner, browser.jar);
    expect((await signedIn.open(consent)).status).toBe(200);
    expect((await allow(signedIn, consent)).status).toBe(200);
    expect(await start(signedIn)).toMatch(/^\/oauth\/consent\//);
  });

  test("cannot be framed, cached or sent to another person", async () => {
    const browser = openBrowser(server, acme.owner);
    const consent = await start(browser);
    const page = await browser.open(consent);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.headers.get("cache-control")).toBe("no-store");
    const victim = openBrowser(server, await signUp(server));
    const sent = await victim.open(consent);
    expect(sent.status).toBe(404);
    expect(await sent.text()).toContain("started in another browser");
    expect((await allow(victim, consent)).status).not.toBe(200);
  });

  test("takes decisions only from its own page, with a session", async () => {
    const browser = openBrowser(server, acme.owner);
    const consent = await start(browser);
    const fromElsewhere = await browser.post(
      consent,
      { scopes: ["mcp:read"] },
      { "x-organization-id": acme.orgId, "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    );
    expect(fromElsewhere.status).toBe(403);
    const deny = await browser.post(`${consent}/deny`, undefined, { "sec-fetch-site": "cross-site" });
    expect(deny.status).toBe(403);
    // Without the cookie of the browser, not even a session of the same person can decide.
    const reply = await server.call(consent, { body: { scopes: ["mcp:read"] }, headers: acme.owner.auth });
    expect(reply.body).toEqual({ error: "mcp_consent_not_found" });
    expect((await allow(browser, consent)).status).toBe(200);
  });

  test("gives no more than the client asks for", async () => {
    const browser = openBrowser(server, acme.owner);
    const consent = await start(browser, "mcp:read");
    expect(await (await browser.open(consent)).text()).not.toContain('value="mcp:write"');
    expect((await allow(browser, consent, acme.orgId, ["mcp:read", "mcp:write"])).status).toBe(400);
    expect((await allow(browser, consent, acme.orgId, [])).status).toBe(400);
    expect((await allow(browser, consent)).status).toBe(200);
  });

  test("offers the organizations of the person, and no others", async () => {
    const second = (
      await server.call("/v1/organizations", { body: { name: "Second" }, headers: acme.owner.auth })
    ).body.organization;
    const globex = await createWorkspace(server, "Globex");
    const browser = openBrowser(server, acme.owner);
    const consent = await start(browser);
    const page = await (await browser.open(consent)).text();
    for (const id of [acme.orgId, second.id]) expect(page).toContain(`value="${id}"`);
    expect(page).not.toContain(globex.orgId);
    expect((await allow(browser, consent, globex.orgId)).body).toMatchObject({
      reason: "no_active_organization",
    });
    expect((await allow(browser, consent, second.id)).status).toBe(200);
    const stranger = openBrowser(server, await signUp(server));
    const theirs = await stranger.open(await start(stranger));
    expect(theirs.status).toBe(403);
    expect(await theirs.text()).toContain("You do not belong to an organization yet");
  });

  test("keeps the rules of the organization: permission, age of the session, single sign-on, suspension", async () => {
    const workspace = await createWorkspace(server, "Strict");
    const role = await createRole(server, workspace.owner, ["organization:read"]);
    const limited = openBrowser(server, await joinWorkspace(server, workspace, role.id));
    expect((await allow(limited, await start(limited), workspace.orgId)).body).toMatchObject({
      reason: "missing_permission",
    });
    const member = await joinWorkspace(server, workspace, "member");
    const browser = openBrowser(server, member);
    const consent = await start(browser);
    const { db } = server.platform;
    const expectReason = () =>
      expect.poll(async () => (await allow(browser, consent, workspace.orgId)).body, { timeout: 3_000 });
    await db.run(sql`update organizations set session_max_age_minutes = 5 where id = ${workspace.orgId}`);
    await db.run(
      sql`update sessions set created_at = now() - interval '1 hour' where user_id = ${member.userId}`,
    );
    await expectReason().toMatchObject({ error: "reauth", reason: "session_too_old" });
    await db.run(sql`update organizations set session_max_age_minutes = null, require_sso = true
      where id = ${workspace.orgId}`);
    await expectReason().toMatchObject({ error: "reauth", reason: "sso_required" });
    await db.run(
      sql`update organizations set require_sso = false, suspended_at = now() where id = ${workspace.orgId}`,
    );
    await expectReason().toMatchObject({ reason: "organization_suspended" });
  });

  test("is not reached by a client that starts too often; other clients are not held up", async () => {
    const flooding = await registerClient(server, { client_name: "Flood" });
    const startAs = async (id: string) =>
      (await startAuthorization(server, openBrowser(server), { clientId: id })).response.status;
    const statuses: number[] = [];
    for (let n = 0; n < 61; n++) statuses.push(await startAs(flooding));
    expect(new Set(statuses.slice(0, 60))).toEqual(new Set([303]));
    expect(statuses[60]).toBe(429);
    expect(await startAs(clientId)).toBe(303);
  });

  test("names the client before somebody signs in, but only in the browser that was started", async () => {
    const browser = openBrowser(server);
    const consent = await start(browser);
    const readPage = async (one: Browser) => {
      const page = await one.open(consent);
      return { status: page.status, text: await page.text() };
    };
    expect(await readPage(browser)).toMatchObject({
      ...{ status: 401, text: expect.stringContaining("Sign in to connect Editor") },
    });
    const stranger = await readPage(openBrowser(server));
    expect(stranger.status).toBe(401);
    expect(stranger.text).not.toContain("Editor");
  });

  test("is over after 30 minutes", async () => {
    const browser = openBrowser(server, acme.owner);
    const consent = await start(browser);
    await server.platform.db.run(
      sql`update mcp_authorization_records set expires_at = now() where kind = 'interaction'`,
    );
    expect((await browser.open(consent)).status).toBe(404);
    expect((await allow(browser, consent)).status).toBe(404);
  });
});
