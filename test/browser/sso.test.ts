import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../src/platform/db/index.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../fixtures/openid-provider.ts";
import { createWorkspace, invite, signUp, useServer, verifyAddress } from "../harness.ts";
import { type Company, setUpCompany } from "../sso.ts";
import { expectPage, openWindow, press, useBrowser } from "./browser.ts";

describe("single sign-on in a browser", () => {
  const server = useServer();
  const browser = useBrowser();
  let provider: OpenIdProvider;
  let acme: Company;
  beforeAll(async () => {
    provider = await startOpenIdProvider();
    acme = await setUpCompany(server, provider, await createWorkspace(server, "Acme & Sons"));
    // The provider's page offers this person.
    provider.people.set("octo", { email: `octo@${acme.domain}`, name: "Octo" });
  });
  afterAll(() => provider.close());

  const open = (address: string) => openWindow(browser, server, address);
  /** The provider shows two pages with the same button. */
  async function allow(page: Awaited<ReturnType<typeof open>>["page"]): Promise<void> {
    await page.waitForURL(`${provider.issuer}/interaction/**`);
    const first = page.url();
    await page.click("text=Allow as octo");
    await page.waitForURL((url) => url.href !== first && url.pathname.startsWith("/interaction/"));
    await page.click("text=Allow as octo");
    await page.waitForURL(`${server.url}/**`);
  }

  test("the page of an invitation leads to the provider, and back to itself", async () => {
    const { token } = await invite(server, acme.owner, { email: `octo@${acme.domain}` });
    const { page, complaints } = await open(`/invitation?token=${token}`);
    await page.fill("#email", `octo@${acme.domain}`);
    await page.locator("#email").blur();
    await page.waitForSelector("#sso:not([hidden])");
    expect(await page.locator("#secret").isHidden()).toBe(true);
    await press(page, "Continue with single sign-on");
    await allow(page);
    expect(page.url()).toBe(`${server.url}/invitation?token=${token}`);
    // The first sign-in created the member, so there is nothing left to accept.
    expect(await page.locator("main").textContent()).toContain("Acme & Sons");
    expect((await page.context().cookies(server.url)).map(({ name }) => name)).toContain("signalbox_session");
    expect(complaints).toEqual([]);
  });

  test("people of other domains get a password field and no redirect", async () => {
    const { token } = await invite(server, acme.owner);
    const { page } = await open(`/invitation?token=${token}`);
    await page.fill("#email", "somebody@elsewhere.example");
    await page.fill("#password", "not my password");
    await page.click("#go");
    await page.waitForSelector("text=The e-mail address or the password is wrong.");
  });

  test("an account that exists is linked on a page that asks for its password", async () => {
    const globex = await setUpCompany(server, provider, await createWorkspace(server, "Globex"));
    const ada = await signUp(server);
    const email = `ada@${globex.domain}`;
    await verifyAddress(server, ada);
    await server.platform.db.run(sql`update users set email = ${email} where id = ${ada.userId}`);
    provider.people.set("octo", { email, name: "Ada" });
    const { page, complaints } = await open(`/v1/sso/${globex.connector.id}/start?returnTo=/docs`);
    await allow(page);
    await expectPage(page, "Is this account yours?");
    await page.fill("#email", email);
    await page.fill("#password", ada.password);
    await press(page, "Sign in and continue");
    await press(page, "Link this account");
    await expectPage(page, "You are signed in");
    expect(await page.locator("main a.main").getAttribute("href")).toBe("/docs");
    expect(complaints).toEqual([]);
  });

  test("a link that another site opens asks before it replaces the session of somebody else", async () => {
    const initech = await setUpCompany(server, provider, await createWorkspace(server, "Initech"));
    const email = `mallory@${initech.domain}`;
    // A name as long as one can be, without a space.
    const name = "Mallory".padEnd(120, "y");
    provider.people.set("octo", { email, name });
    const ada = await signUp(server);
    const { page, complaints } = await openWindow(browser, server, "/invitation?token=x", ada);
    const findPerson = async () =>
      (await page.evaluate<{ user: { email: string } }>("fetch('/v1/me').then((reply) => reply.json())")).user
        .email;
    // The provider is the other site. Its page leads the browser to us.
    const follow = async () => {
      await page.goto(`${provider.issuer}/.well-known/openid-configuration`);
      await page.evaluate(`location.href = ${JSON.stringify(initech.connector.startUrl)}`);
    };
    await follow();
    await allow(page);
    await expectPage(page, `Sign in as ${name}?`);
    const text = await page.locator("main").textContent();
    for (const part of [email, "Initech", "Acme login", ada.email]) expect(text).toContain(part);
    await press(page, "Cancel");
    await expectPage(page, "The sign-in is cancelled");
    expect(await findPerson()).toBe(ada.email);
    await follow();
    await page.waitForURL(`${server.url}/v1/sso/confirm?**`);
    await press(page, "Sign in as Mallory");
    await page.waitForURL(`${server.url}/`);
    expect(await findPerson()).toBe(email);
    expect(complaints).toEqual([]);
  });

  test("a test shows claims, and a refusal says why", async () => {
    provider.people.set("octo", { email: "octo@elsewhere.example", name: "Octo" });
    const { startUrl } = (
      await server.call(`/v1/sso/${acme.connector.id}/test`, { method: "POST", headers: acme.owner.auth })
    ).body;
    const strange = await setUpCompany(server, provider, await createWorkspace(server));
    const { page } = await open(startUrl);
    await allow(page);
    await expectPage(page, /works/);
    const refused = await open(`/v1/sso/${strange.connector.id}/start`);
    await allow(refused.page);
    await expectPage(refused.page, "Single sign-on did not sign you in");
    expect(await refused.page.locator("main").textContent()).toContain("domain_not_verified");
  });
});
