import { connect, createServer } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeAt, stepAt } from "../../../src/features/auth/two-factor/totp.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../../fixtures/openid-provider.ts";
import { createWorkspace, type Person, useServer, verifyAddress } from "../../harness.ts";
import { setUpCompany } from "../../sso.ts";
import { useBrowser } from "../browser.ts";
import { button, expectGoodPage, field, heading } from "./harness.ts";

// Browsers have no passkeys on an IP address, so the browser reaches the server as `localhost`.
const forwarder = createServer((client) => {
  const upstream = connect(Number(new URL(server.url).port), "127.0.0.1");
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const)
    from.on("error", () => to.destroy()).pipe(to);
});
await new Promise<void>((resolve) => forwarder.listen(0, "127.0.0.1", resolve));
const publicUrl = `http://localhost:${(forwarder.address() as { port: number }).port}`;
afterAll(() => forwarder.close());

const server = useServer({ env: { PUBLIC_URL: publicUrl } });
const browser = useBrowser();

/** A window with a virtual authenticator that has a fingerprint reader. */
async function open(path: string, person?: Person) {
  const context = await browser.current.newContext();
  if (person)
    await context.addCookies([
      { name: "signalbox_session", value: person.token, url: publicUrl, httpOnly: true, sameSite: "Lax" },
    ]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  await page.goto(publicUrl + path);
  return { page, context, complaints };
}

const signIn = async (page: Page, email: string, password: string) => {
  await field(page, "E-mail").fill(email);
  await field(page, "Password").fill(password);
  await button(page, "Sign in").click();
};

describe("the sign-in page", () => {
  test("signs in with a password, says when it is wrong, and goes back only to a path of this site", async () => {
    const { owner } = await createWorkspace(server, "Acme");
    const { page, context, complaints } = await open("/o/acme/settings");
    await page.waitForURL(/\/sign-in\?returnTo=/);
    await expectGoodPage(page);
    await signIn(page, owner.email, "not my password");
    await page.getByText("The e-mail address or the password is wrong.").waitFor();
    expect(await field(page, "E-mail").inputValue()).toBe(owner.email);
    await field(page, "Password").fill(owner.password);
    await field(page, "Password").press("Enter");
    await page.waitForURL(`${publicUrl}/o/acme/settings`);
    const [cookie] = await context.cookies(publicUrl);
    expect(cookie).toMatchObject({ name: "signalbox_session", httpOnly: true, sameSite: "Lax" });

    // Otherwise the page could ask the server without its cookie, and go to the sign-in page by itself.
    await page.goto("about:blank");
    await context.clearCookies();
    await page.goto(`${publicUrl}/sign-in?returnTo=${encodeURIComponent("//elsewhere.example/")}`);
    await signIn(page, owner.email, owner.password);
    await page.waitForURL(`${publicUrl}/o/acme`);
    // Somebody who is signed in already does not stay on the page.
    await page.goto(`${publicUrl}/sign-in`);
    await page.waitForURL(`${publicUrl}/o/acme`);
    expect(complaints).toEqual([]);
  });

  test("a second factor is set up in the account, and asked for at the next sign-in", async () => {
    const { owner } = await createWorkspace(server, "Second");
    await verifyAddress(server, owner);
    const { page, context, complaints } = await open("/me/second-factor", owner);
    await button(page, "Set up an authenticator app").click();
    await page.getByRole("img", { name: /^QR code/ }).waitFor();
    const secret = (await page.locator(".copy code").textContent())!;
    await field(page, "Code from the app").fill(codeAt(secret, stepAt(Date.now()) - 1));
    await button(page, "Turn on").click();
    await heading(page, "Keep your backup codes").waitFor();
    const codes = await page.locator(".codes li").allTextContents();
    expect(codes).toHaveLength(10);
    await button(page, "I have kept them").click();
    await page.getByText("Backup codes left").waitFor();

    await context.clearCookies();
    await page.goto(`${publicUrl}/sign-in`);
    await signIn(page, owner.email, owner.password);
    await heading(page, "Enter a code").waitFor();
    const code = field(page, "Code from your authenticator app, or a backup code");
    await code.fill("000000");
    await button(page, "Continue").click();
    await page.getByText("This code is wrong, was used before, or has expired.").waitFor();
    await code.fill(codes[0]!);
    await button(page, "Continue").click();
    await page.waitForURL(`${publicUrl}/o/second`);
    expect(complaints).toEqual([]);
  });

  test("a passkey is added in the account, renamed, and signs in alone", async () => {
    const { owner } = await createWorkspace(server, "Passkeys");
    await verifyAddress(server, owner);
    const { page, context, complaints } = await open("/me/passkeys", owner);
    await page.getByText("No passkey yet").waitFor();
    await field(page, "Name of the new passkey").fill("Laptop");
    await button(page, "Add a passkey").click();
    await button(page, "I have kept them").click();
    await page.getByRole("button", { name: "Actions for Laptop" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await field(page, "Name").fill("Phone");
    await button(page, "Rename").click();
    await page.getByRole("button", { name: "Actions for Phone" }).waitFor();

    await context.clearCookies();
    await page.goto(`${publicUrl}/sign-in`);
    await button(page, "Use a passkey").click();
    await page.waitForURL(`${publicUrl}/o/passkeys`);
    expect(complaints).toEqual([]);
  });

  describe("with single sign-on", () => {
    let provider: OpenIdProvider;
    beforeAll(async () => {
      provider = await startOpenIdProvider();
    });
    afterAll(() => provider.close());

    test("leads people of the domain to their provider, and back to where they wanted to go", async () => {
      const acme = await setUpCompany(server, provider, await createWorkspace(server, "Sso"));
      const email = `octo@${acme.domain}`;
      provider.people.set("octo", { email, name: "Octo" });
      const { page, complaints } = await open("/sign-in?returnTo=%2Fme%2Fsessions");
      await field(page, "E-mail").fill(email);
      await field(page, "E-mail").blur();
      await page.getByText("Your organization uses single sign-on.").waitFor();
      expect(await field(page, "Password").count()).toBe(0);
      await button(page, "Continue with single sign-on").click();
      await allow(page, provider);
      await page.waitForURL(`${publicUrl}/me/sessions`);
      await page.getByText("Single sign-on").first().waitFor();
      expect(complaints).toEqual([]);
    });
  });
});

/** The provider shows two pages with the same button. */
async function allow(page: Page, provider: OpenIdProvider): Promise<void> {
  await page.waitForURL(`${provider.issuer}/interaction/**`);
  const first = page.url();
  await page.click("text=Allow as octo");
  await page.waitForURL((url) => url.href !== first && url.pathname.startsWith("/interaction/"));
  await page.click("text=Allow as octo");
}
