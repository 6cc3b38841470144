import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeAt, stepAt } from "../../src/features/auth/two-factor/totp.ts";
import { sql } from "../../src/platform/db/index.ts";
import { type AuthorizationServer, startAuthorizationServer } from "../fixtures/authorization-server.ts";
import {
  createKey,
  createRole,
  createWorkspace,
  joinWorkspace,
  type Person,
  signUp,
  useServer,
  verifyAddress,
  type Workspace,
} from "../harness.ts";
import {
  getToken,
  readClaimCode,
  readConnectionStatus,
  requestAuthorizeUrl,
  setUpProvider,
} from "../oauth.ts";
import { allowAtProvider, expectPage, openWindow, press, useBrowser } from "./browser.ts";

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

  const start = `/v1/oauth-providers/${id}/connect/start`;
  const open = (address: string, person?: Person) => openWindow(browser, server, address, person);
  /** Every start in a browser asks for a confirmation. */
  const confirm = async (page: Page) => {
    await expectPage(page, "Connect Acme ID?");
    await press(page, "Continue to Acme ID");
    await page.waitForURL(`${as.issuer}/interaction/**`);
  };
  const mainText = (page: Page) => page.locator("main").textContent();
  const listLabels = async (person: Person): Promise<string[]> =>
    (await readConnectionStatus(server, person.auth, id)).connections.map(
      ({ account }: { account: string }) => account,
    );

  test("connect, continue, allow: the session cookie completes the connection", async () => {
    const { page, complaints } = await open(`${start}?returnTo=/docs`, ada);
    await confirm(page);
    await allowAtProvider(page);
    await expectPage(page, "Acme ID is connected.");
    for (const named of ["octo@provider.example", "member", '<b>Acme</b> & "Sons"'])
      expect(await mainText(page)).toContain(named);
    expect((await readConnectionStatus(server, ada.auth, id)).connected).toBe(true);
    expect((await getToken(server, ada.auth, id)).status).toBe(200);
    // A reload does not use the link again, and does not claim that nothing is connected.
    await page.reload();
    await expectPage(page, "This link was used before.");
    expect(await mainText(page)).toContain("It connected Acme ID.");
    await press(page, "Go back");
    await page.waitForURL("**/docs");
    expect(complaints).toEqual([]);
  });

  test("a denied access is explained, and Try again asks first, then leads to the provider", async () => {
    const { page, complaints } = await open(`${start}?account=second`, ada);
    await confirm(page);
    await page.click("text=Deny");
    await page.waitForURL("**/connect/callback**");
    await expectPage(page, "Acme ID is not connected.");
    expect(await mainText(page)).toContain("Access was not allowed at Acme ID.");
    await press(page, "Try again");
    await confirm(page);
    await allowAtProvider(page);
    await expectPage(page, "Acme ID is connected.");
    expect(await listLabels(ada)).toContain("second");
    expect(complaints).toEqual([]);
  });

  test("Try again of a shared connection says that it is shared before anything is started", async () => {
    const { page, complaints } = await open(`${start}?shared=true&account=for-all`, acme.owner);
    await confirm(page);
    await page.click("text=Deny");
    await page.waitForURL("**/connect/callback**");
    await press(page, "Try again");
    await expectPage(page, "Connect Acme ID?");
    expect(await mainText(page)).toContain('all of <b>Acme</b> & "Sons"');
    expect(complaints).toEqual([]);
  });

  test("a link that somebody else started, at another provider's address, offers nothing to start", async () => {
    const back = new URL(await requestAuthorizeUrl(server, acme.owner.auth, id, "?shared=true&account=bait"));
    const state = back.searchParams.get("state");
    const { page, complaints } = await open(
      `/v1/oauth-providers/github/connect/callback?state=${state}&code=x`,
      await joinWorkspace(server, acme, "admin"),
    );
    await expectPage(page, "Acme ID is not connected.");
    expect(await page.locator("main button").count()).toBe(0);
    expect(await page.content()).not.toContain("connect/start");
    expect(complaints).toEqual([]);
  });

  test("in a browser where another person is signed in, nothing connects", async () => {
    const bob = await joinWorkspace(server, acme, "member");
    const { page } = await open(await requestAuthorizeUrl(server, ada.auth, id, "?account=sent"), bob);
    await allowAtProvider(page);
    await expectPage(page, "Acme ID is not connected.");
    expect(await mainText(page)).toContain("started by somebody else");
    for (const person of [ada, bob]) expect(await listLabels(person)).not.toContain("sent");
  });

  test("in a browser where nobody is signed in, the attempt waits until the person who started it signs in on the page", async () => {
    const key = await createKey(server, ada);
    const { page, complaints } = await open(
      await requestAuthorizeUrl(server, key.auth, id, "?account=from-key"),
    );
    await allowAtProvider(page);
    await expectPage(page, "One more step to connect Acme ID");
    // The organization's name is text, however it is written.
    expect(await mainText(page)).toContain('<b>Acme</b> & "Sons"');
    expect(readClaimCode(await page.content())).toMatch(/^[2-9A-HJ-NP-X]{5}-[2-9A-HJ-NP-X]{5}$/);
    await page.fill("#email", ada.email);
    await page.fill("#password", "wrong password");
    await page.click("#go");
    await page.locator("#say", { hasText: "The e-mail address or the password is wrong." }).waitFor();
    await page.fill("#password", ada.password);
    await page.click("#go");
    await expectPage(page, "Acme ID is connected.");
    expect(await mainText(page)).not.toContain("One more step");
    expect(await listLabels(ada)).toContain("from-key");
    expect(complaints).toEqual([]);
  });

  test("a connection that an API key started needs a click by the same person, on a page that names it", async () => {
    const key = await createKey(server, ada, { permissions: ["connections:use"] });
    const { page, complaints } = await open(
      await requestAuthorizeUrl(server, key.auth, id, "?account=clicked"),
      ada,
    );
    await allowAtProvider(page);
    await expectPage(page, "Connect Acme ID as octo@provider.example?");
    expect(await mainText(page)).toContain('member of <b>Acme</b> & "Sons"');
    expect(await listLabels(ada)).not.toContain("clicked");
    await page.click("main button");
    await expectPage(page, "Acme ID is connected.");
    expect(await mainText(page)).not.toContain("If you did not start it");
    expect(await listLabels(ada)).toContain("clicked");
    expect(complaints).toEqual([]);
  });

  test("a click after the attempt has expired leads to a page that says so", async () => {
    const key = await createKey(server, ada, { permissions: ["connections:use"] });
    const { page } = await open(await requestAuthorizeUrl(server, key.auth, id, "?account=late"), ada);
    await allowAtProvider(page);
    await server.platform.db.run(sql`update oauth_attempts set expires_at = now() where label = 'late'`);
    await page.click("main button");
    await expectPage(page, "Acme ID is not connected.");
    expect(await listLabels(ada)).not.toContain("late");
  });

  test("a person with a second factor is asked for a code on the page", async () => {
    const eve = await joinWorkspace(server, acme, "member");
    await verifyAddress(server, eve);
    const begun = await server.call("/v1/me/two-factor", { method: "POST", headers: eve.auth });
    const code = codeAt(begun.body.secret, stepAt(Date.now()));
    const on = await server.call("/v1/me/two-factor/confirm", { body: { code }, headers: eve.auth });
    const [backupCode] = on.body.backupCodes;
    const { page, complaints } = await open(await requestAuthorizeUrl(server, eve.auth, id));
    await allowAtProvider(page);
    await page.fill("#email", eve.email);
    await page.fill("#password", eve.password);
    await page.click("#go");
    await page.locator("#second").waitFor();
    expect((await readConnectionStatus(server, eve.auth, id)).connections).toEqual([]);
    await page.fill("#code", "000000");
    await page.click("#second button");
    await page.locator("#say", { hasText: "This code is wrong" }).waitFor();
    await page.fill("#code", backupCode);
    await page.click("#second button");
    await expectPage(page, "Acme ID is connected.");
    expect((await readConnectionStatus(server, eve.auth, id)).connected).toBe(true);
    expect(complaints).toEqual([]);
  });

  test("when another person signs in on the page, neither that person nor the starter is connected", async () => {
    const victim = await joinWorkspace(server, acme, "member");
    const mallory = await joinWorkspace(server, acme, "member");
    const { page } = await open(await requestAuthorizeUrl(server, mallory.auth, id));
    await allowAtProvider(page);
    await page.fill("#email", victim.email);
    await page.fill("#password", victim.password);
    await page.click("#go");
    await expectPage(page, "Acme ID is not connected.");
    expect(await mainText(page)).toContain("started by somebody else");
    for (const person of [victim, mallory]) {
      expect((await readConnectionStatus(server, person.auth, id)).connections).toEqual([]);
    }
  });

  test("a callback without a state shows an error page with a link", async () => {
    const { page, status } = await open(`/v1/oauth-providers/${id}/connect/callback`, ada);
    expect(status).toBe(400);
    await expectPage(page, "This link is too old, was used before, or is not from this instance.");
  });

  describe("the start address", () => {
    test("asks a person who is not signed in to sign in, then whether to connect", async () => {
      const eve = await joinWorkspace(server, acme, "member");
      const { page, status, complaints } = await open(start);
      expect(status).toBe(401);
      await expectPage(page, "Sign in to connect an account");
      await page.fill("#email", eve.email);
      await page.fill("#password", eve.password);
      await page.click("#go");
      await confirm(page);
      await allowAtProvider(page);
      await expectPage(page, "Acme ID is connected.");
      expect((await readConnectionStatus(server, eve.auth, id)).connected).toBe(true);
      expect(complaints).toEqual([]);
    });

    test("shows a page with the problem, the signed-in person and the organization", async () => {
      const role = await createRole(server, acme.owner, ["organization:read"]);
      const powerless = await joinWorkspace(server, acme, role.id);
      const refused = async (address: string, person: Person, expected: number, title: string) => {
        const { page, status } = await open(address, person);
        expect(status, address).toBe(expected);
        await expectPage(page, title);
        expect(await mainText(page)).toContain(person.email);
        return page;
      };
      const page = await refused(start, powerless, 403, "Acme ID cannot be connected");
      expect(await mainText(page)).toContain("connections:use");
      expect(await mainText(page)).toContain('<b>Acme</b> & "Sons"');
      const github = start.replace(id, "github");
      await refused(github, ada, 404, "GitHub cannot be connected");
      await refused(start.replace(id, "nobody"), ada, 400, "Nothing can be connected at this address");
      await refused(`${start}?shared=true`, ada, 403, "Acme ID cannot be connected");
      await refused(start, await signUp(server, "Lonely"), 403, "You do not belong to an organization yet");
    });

    test("lets a member of several organizations choose one, then asks whether to connect", async () => {
      const eve = await joinWorkspace(server, acme, "member");
      await server.call("/v1/organizations", { body: { name: "Globex" }, headers: eve.auth });
      await server.platform.db.run(
        sql`update sessions set active_organization_id = null where user_id = ${eve.userId}`,
      );
      const { page, status, complaints } = await open(start, eve);
      expect(status).toBe(403);
      await expectPage(page, "For which organization do you connect an account?");
      await press(page, "Acme");
      await confirm(page);
      expect(complaints).toEqual([]);
    });

    test("a link on another site leads to a confirmation, and only a click there leads to the provider", async () => {
      const elsewhere = createServer((_, response) => {
        response.writeHead(200, { "content-type": "text/html" });
        response.end(`<!doctype html><a href="${server.url}${start}?account=lured">A present for you</a>`);
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
      try {
        // Another host name is another site, even on the same machine.
        const address = `http://localhost:${(elsewhere.address() as AddressInfo).port}/`;
        const { page, complaints } = await open(address, ada);
        await page.click("text=A present for you");
        await expectPage(page, "Connect Acme ID?");
        for (const named of ["lured", "member", '<b>Acme</b> & "Sons"'])
          expect(await mainText(page)).toContain(named);
        const attempts = await server.platform.db.rows(
          sql`select 1 from oauth_attempts where label = 'lured'`,
        );
        expect(attempts).toEqual([]);
        await press(page, "Continue to Acme ID");
        await page.waitForURL(`${as.issuer}/interaction/**`);
        await allowAtProvider(page);
        await expectPage(page, "Acme ID is connected.");
        expect(complaints).toEqual([]);
      } finally {
        elsewhere.close();
        elsewhere.closeAllConnections();
      }
    });

    test("a connection for the whole organization needs a confirmation, also when the address was typed", async () => {
      const { page, complaints } = await open(`${start}?shared=true`, acme.owner);
      await expectPage(page, "Connect Acme ID?");
      expect(await mainText(page)).toContain('all of <b>Acme</b> & "Sons"');
      await press(page, "Continue to Acme ID");
      await page.waitForURL(`${as.issuer}/interaction/**`);
      await allowAtProvider(page);
      await expectPage(page, "Acme ID is connected.");
      expect(complaints).toEqual([]);
    });
  });
});
