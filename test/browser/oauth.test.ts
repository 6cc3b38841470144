import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeAt, stepAt } from "../../src/features/auth/two-factor/totp.ts";
import { type AuthorizationServer, startAuthorizationServer } from "../fixtures/authorization-server.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../harness.ts";
import { authorizeUrl, codeOn, getToken, setUpProvider, statusOf } from "../oauth.ts";
import { useBrowser } from "./browser.ts";

describe("connecting an account in a browser", () => {
  const server = useServer();
  const browser = useBrowser();
  let as: AuthorizationServer;
  let acme: Workspace;
  let ada: Person & { memberId: string };
  const id = "acme-id";

  beforeAll(async () => {
    as = await startAuthorizationServer({
      redirectUris: [`${server.url}/v1/oauth-providers/${id}/connect/callback`],
    });
    acme = await createWorkspace(server, '<b>Acme</b> & "Sons"');
    await setUpProvider(server, acme.owner.auth, as);
    ada = await joinWorkspace(server, acme, "member");
  });
  afterAll(() => as.close());

  /** A browser in which that person is signed in, or nobody. */
  async function open(
    person?: Person,
  ): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
    const context = await browser.current.newContext();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      const ours = message.location().url.startsWith(server.url);
      // A page that says what went wrong is itself a 400, which browsers note.
      if (message.type() === "error" && ours && !/favicon|status of 4\d\d/.test(message.text()))
        complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    if (person) {
      await page.goto(`${server.url}/`);
      const { email, password } = person;
      const status = await page.evaluate(
        async (body) =>
          (
            await fetch("/api/auth/sign-in/email", {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify(body),
            })
          ).status,
        { email, password },
      );
      expect(status).toBe(200);
    }
    return { context, page, complaints };
  }

  /** What the console does when somebody presses Connect: asks, and goes. */
  async function pressConnect(page: Page, query = ""): Promise<void> {
    const url = await page.evaluate(
      async (path) => ((await (await fetch(path)).json()) as { authorizeUrl: string }).authorizeUrl,
      `/v1/oauth-providers/${id}/connect/start${query}`,
    );
    await page.goto(url);
  }

  test("two clicks: connect, allow; the cookie of the session is what finishes it", async () => {
    const { page, context, complaints } = await open(ada);
    await pressConnect(page, "?returnTo=/docs");
    await page.click("text=Allow as octo");
    await page.click("text=Allow as octo");
    await page.waitForURL("**/connect/callback**");
    expect(await page.textContent("h1")).toBe("Acme ID is connected.");
    expect(await page.textContent("main")).toContain("octo@provider.example");
    expect((await statusOf(server, ada.auth, id)).connected).toBe(true);
    expect((await getToken(server, ada.auth, id)).status).toBe(200);
    // Going back and forth in the browser does not use it again.
    await page.reload();
    expect(await page.textContent("h1")).toContain("used before");
    await page.goto(`${server.url}/docs`);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("who says no hears it in plain words, and Try again leads to the provider", async () => {
    const { page, context, complaints } = await open(ada);
    await pressConnect(page, "?account=second");
    await page.click("text=Deny");
    await page.waitForURL("**/connect/callback**");
    expect(await page.textContent("main")).toContain("Access was not allowed at Acme ID.");
    await page.click("button");
    await page.waitForURL(`${as.issuer}/**`);
    await page.click("text=Allow as octo");
    await page.click("text=Allow as octo");
    await page.waitForURL("**/connect/callback**");
    expect(await page.textContent("h1")).toBe("Acme ID is connected.");
    const { connections } = await statusOf(server, ada.auth, id);
    expect(connections.map(({ account }: { account: string }) => account)).toContain("second");
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("in a browser where somebody else is signed in nothing connects", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const { page, context } = await open(bob);
    await page.goto(await authorizeUrl(server, ada.auth, id, "?account=sent"));
    await page.click("text=Allow as octo");
    await page.click("text=Allow as octo");
    await page.waitForURL("**/connect/callback**");
    expect(await page.textContent("main")).toContain("started by somebody else");
    for (const person of [ada, bob]) {
      const { connections } = await statusOf(server, person.auth, id);
      expect(connections.some(({ account }: { account: string }) => account === "sent")).toBe(false);
    }
    await context.close();
  });

  test("in a browser where nobody is signed in it waits: signing in on the page finishes it, as who started", async () => {
    const key = await createKey(server, ada);
    const { page, context, complaints } = await open();
    await page.goto(await authorizeUrl(server, key.auth, id, "?account=from-key"));
    await page.click("text=Allow as octo");
    await page.click("text=Allow as octo");
    await page.waitForURL("**/connect/callback**");
    expect(await page.textContent("h1")).toContain("One more step");
    // The organization's name is text, however it is written.
    expect(await page.textContent("main")).toContain('<b>Acme</b> & "Sons"');
    expect(codeOn(await page.content())).toMatch(/^[2-9A-HJ-NP-X]{5}-[2-9A-HJ-NP-X]{5}$/);
    await page.fill("#email", ada.email);
    await page.fill("#password", "wrong password");
    await page.click("button");
    await page.waitForSelector("text=No such account, or another password.");
    await page.fill("#password", ada.password);
    await page.click("button");
    await page.waitForSelector("text=Connected.");
    const { connections } = await statusOf(server, ada.auth, id);
    expect(connections.map(({ account }: { account: string }) => account)).toContain("from-key");
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("who has a second factor is asked for it there", async () => {
    const eve = await joinWorkspace(server, acme, "member");
    const begun = await server.call("/v1/me/two-factor", { method: "POST", headers: eve.auth });
    const code = codeAt(begun.body.secret, stepAt(Date.now()));
    const on = await server.call("/v1/me/two-factor/confirm", { body: { code }, headers: eve.auth });
    const [backupCode] = on.body.backupCodes;
    const { page, context, complaints } = await open();
    await page.goto(await authorizeUrl(server, eve.auth, id));
    await page.click("text=Allow as octo");
    await page.click("text=Allow as octo");
    await page.waitForURL("**/connect/callback**");
    await page.fill("#email", eve.email);
    await page.fill("#password", eve.password);
    await page.click("button");
    await page.waitForSelector("text=from your authenticator app");
    expect((await statusOf(server, eve.auth, id)).connections).toEqual([]);
    await page.fill("#code", "000000");
    await page.click("button");
    await page.waitForSelector("text=This code is not right");
    await page.fill("#code", backupCode);
    await page.click("button");
    await page.waitForSelector("text=Connected.");
    expect((await statusOf(server, eve.auth, id)).connected).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("somebody else who signs in there gets nothing, and neither does who sent them", async () => {
    const victim = await joinWorkspace(server, acme, "member");
    const mallory = await joinWorkspace(server, acme, "member");
    const { page, context } = await open();
    await page.goto(await authorizeUrl(server, mallory.auth, id));
    await page.click("text=Allow as octo");
    await page.click("text=Allow as octo");
    await page.waitForURL("**/connect/callback**");
    await page.fill("#email", victim.email);
    await page.fill("#password", victim.password);
    await page.click("button");
    await page.waitForSelector("text=started by somebody else");
    for (const person of [victim, mallory]) {
      expect((await statusOf(server, person.auth, id)).connections).toEqual([]);
    }
    await context.close();
  });
});
