import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../src/platform/db/index.ts";
import { startOpenIdProvider } from "../fixtures/openid-provider.ts";
import { createWorkspace, useServer, type Workspace } from "../harness.ts";
import { postForm, registerClient, startSite } from "../mcp-authorization.ts";
import { setUpCompany } from "../sso.ts";
import { expectPage, openWindow, press, useBrowser } from "./browser.ts";

const verifier = "a-verifier-of-at-least-forty-three-characters-1";

describe("connecting an MCP client in a browser", () => {
  const server = useServer();
  const browser = useBrowser();
  let acme: Workspace;
  let program: Awaited<ReturnType<typeof startSite>>;
  let redirectUri = "";
  beforeAll(async () => {
    acme = await createWorkspace(server, "Acme & Sons");
    program = await startSite((_, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Program</title><h1>Back in the program</h1>");
    });
    redirectUri = `${program.url}/callback`;
  });
  afterAll(() => program.close());

  async function buildUrl(more: Record<string, string> = {}, name = "Editor"): Promise<string> {
    const clientId = await registerClient(server, { client_name: name, redirect_uris: [redirectUri] });
    return `/oauth/authorize?${new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      state: "s",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: `${server.url}/mcp`,
      ...more,
    })}`;
  }

  test("sign in, leave out a right, connect: the program gets a code that works", async () => {
    const address = await buildUrl();
    const { page, status, complaints } = await openWindow(browser, server, address);
    expect(status).toBe(401);
    await expectPage(page, "Sign in to connect Editor");
    // The person knows who asks before they type a password.
    for (const part of [new URL(redirectUri).host, "Not verified"])
      expect(await page.locator("main").textContent()).toContain(part);
    await page.fill("#email", acme.owner.email);
    await page.fill("#password", acme.owner.password);
    await press(page, "Sign in and continue");
    await expectPage(page, "Connect Editor?");
    const text = await page.locator("main").textContent();
    for (const part of ["Acme & Sons", new URL(redirectUri).host, "Not verified", acme.owner.email])
      expect(text).toContain(part);
    await page.uncheck("input[value='mcp:write']");
    await press(page, "Connect");
    await page.waitForURL(`${redirectUri}?**`);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get("iss")).toBe(server.url);
    const { body } = await postForm(server, "/oauth/token", {
      grant_type: "authorization_code",
      client_id: new URLSearchParams(address.split("?")[1]).get("client_id") ?? "",
      code: searchParams.get("code") ?? "",
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    expect(body.scope).toBe("mcp:read");
    expect(complaints).toEqual([]);
    // Going back does not allow it once more.
    await page.goBack();
    await page.waitForURL("**/oauth/consent/**");
    await page.reload();
    await expectPage(page, "This request is over");
  });

  test("single sign-on leads back to the consent, and the program gets its code", async () => {
    const provider = await startOpenIdProvider();
    try {
      const company = await setUpCompany(server, provider, await createWorkspace(server, "Globex"));
      const email = `octo@${company.domain}`;
      provider.people.set("octo", { email, name: "Octo" });
      const { page, complaints } = await openWindow(browser, server, await buildUrl({}, "Editor"));
      await expectPage(page, "Sign in to connect Editor");
      const consent = page.url();
      await page.fill("#email", email);
      await page.locator("#email").blur();
      await page.waitForSelector("#sso:not([hidden])");
      await press(page, "Continue with single sign-on");
      await page.waitForURL(`${provider.issuer}/interaction/**`);
      const first = page.url();
      await page.click("text=Allow as octo");
      await page.waitForURL((url) => url.href !== first && url.pathname.startsWith("/interaction/"));
      await page.click("text=Allow as octo");
      await page.waitForURL(consent);
      await expectPage(page, "Connect Editor?");
      expect(await page.locator("main").textContent()).toContain(email);
      await press(page, "Connect");
      await page.waitForURL(`${redirectUri}?**`);
      expect(new URL(page.url()).searchParams.get("code")).toBeTruthy();
      expect(complaints).toEqual([]);
    } finally {
      await provider.close();
    }
  });

  test("the person chooses among several organizations, or cancels", async () => {
    const name = "An organization with a rather long name, for phones";
    const second = (await server.call("/v1/organizations", { body: { name }, headers: acme.owner.auth })).body
      .organization;
    const { page, complaints } = await openWindow(browser, server, await buildUrl({}, "Helper"), acme.owner);
    await expectPage(page, "Connect Helper?");
    await page.selectOption("#organization", second.id);
    await press(page, "Connect");
    await page.waitForURL(`${redirectUri}?**`);
    const grants = await server.platform.db.rows<{ orgId: string }>(
      sql`select org_id as "orgId" from mcp_client_grants where client_name = 'Helper'`,
    );
    expect(grants).toEqual([{ orgId: second.id }]);
    const other = await openWindow(browser, server, await buildUrl(), acme.owner);
    await press(other.page, "Cancel");
    await other.page.waitForURL(`${redirectUri}?**`);
    expect(new URL(other.page.url()).searchParams.get("error")).toBe("access_denied");
    expect(complaints).toEqual([]);
  });

  test("a rule of the organization is explained on the page, and another account can be used", async () => {
    const strict = await createWorkspace(server, "Strict");
    const { page } = await openWindow(browser, server, await buildUrl(), strict.owner);
    await server.platform.db.run(sql`update organizations set require_sso = true where id = ${strict.orgId}`);
    await server.platform.bus.publish(server.platform.db, "callers", strict.orgId);
    await press(page, "Connect");
    await page.locator("#say", { hasText: "single sign-on" }).waitFor();
    await expectPage(page, "Connect Editor?");
    await press(page, "Use another account");
    await expectPage(page, "Sign in to connect Editor");
  });

  test("a request that is not valid is explained, and the browser stays here", async () => {
    const address = await buildUrl({ resource: "https://elsewhere.example/mcp" });
    const { page, status, complaints } = await openWindow(browser, server, address, acme.owner);
    expect(status).toBe(400);
    await expectPage(page, "The MCP client cannot be connected");
    expect(complaints).toEqual([]);
  });
});
