import { connect, createServer } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { type Person, signUp, useServer, verifyAddress } from "../harness.ts";
import { expectPage, press, useBrowser } from "./browser.ts";

// Browsers have no passkeys on an IP address, so the browser reaches the server as `localhost`, over a port that is
// known before the server starts.
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
async function openWindow(path: string, person?: Person) {
  const context = await browser.current.newContext();
  if (person)
    await context.addCookies([
      { name: "signalbox_session", value: person.token, url: publicUrl, httpOnly: true, sameSite: "Lax" },
    ]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  const debuggerSession = await context.newCDPSession(page);
  await debuggerSession.send("WebAuthn.enable");
  await debuggerSession.send("WebAuthn.addVirtualAuthenticator", {
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

const signOut = (context: BrowserContext) => context.clearCookies();
const fillPassword = async (page: Page, { email, password }: Person) => {
  await page.fill("#email", email);
  await page.fill("#password", password);
  await press(page, "Sign in and continue");
};

describe("a person with a passkey in a real browser", () => {
  test("adds it, keeps the backup codes, and signs in with it, alone and after the password", async () => {
    const ada = await signUp(server);
    await verifyAddress(server, ada);
    const { page, context, complaints } = await openWindow("/passkeys", ada);
    await page.locator("text=You have no passkey yet.").waitFor();
    await page.fill("#new-name", "Laptop");
    await press(page, "Add a passkey");
    await page.locator("h1", { hasText: "Keep your backup codes" }).waitFor();
    expect((await page.textContent("pre"))!.trim().split("\n")).toHaveLength(10);
    await press(page, "I have kept them");
    const name = page.locator("#list input");
    await name.waitFor();
    expect(await name.inputValue()).toBe("Laptop");

    await signOut(context);
    await page.goto(`${publicUrl}/passkeys`);
    await press(page, "Use a passkey");
    await page.locator("text=Last used").waitFor();

    await signOut(context);
    await page.goto(`${publicUrl}/passkeys`);
    await fillPassword(page, ada);
    await page.locator("text=Your account has a second factor.").waitFor();
    await press(page, "Use a passkey");
    await page.locator("#list input").waitFor();
    const { items } = (await server.call("/v1/me/sessions", { headers: ada.auth })).body;
    expect(items.map(({ signedInBy }: { signedInBy: string }) => signedInBy)).toEqual([
      "passkey",
      "passkey",
      "password",
    ]);
    expect(complaints).toEqual([]);
  });

  test("renames and removes it, after which the password is enough", async () => {
    const ada = await signUp(server);
    await verifyAddress(server, ada);
    const { page, context, complaints } = await openWindow("/passkeys", ada);
    await press(page, "Add a passkey");
    await press(page, "I have kept them");
    await page.locator("#list input").fill("Phone");
    await press(page, "Rename");
    await page.locator("text=The passkey is renamed.").waitFor();
    await press(page, "Remove");
    await page.locator("text=Press again to remove this passkey.").waitFor();
    await press(page, "Remove now");
    await page.locator("text=You have no passkey yet.").waitFor();
    await signOut(context);
    await page.goto(`${publicUrl}/passkeys`);
    await fillPassword(page, ada);
    await page.locator("text=You have no passkey yet.").waitFor();
    expect(complaints).toEqual([]);
  });

  // These checks attach a second debugger, which ends the virtual authenticator.
  test("gets accessible pages, in light and dark, on a phone and on a desktop", async () => {
    const ada = await signUp(server);
    await verifyAddress(server, ada);
    const { page } = await openWindow("/passkeys", ada);
    await page.locator("text=You have no passkey yet.").waitFor();
    await press(page, "Add a passkey");
    await expectPage(page, "Keep your backup codes");
    await press(page, "I have kept them");
    await page.locator("#list input").waitFor();
    await expectPage(page, "Your passkeys");
    await expectPage((await openWindow("/passkeys")).page, "Your passkeys");
  });

  test("is told when the browser has no passkey of this site", async () => {
    const { page } = await openWindow("/passkeys");
    await press(page, "Use a passkey");
    await page.locator("text=No passkey was used.").waitFor();
  });
});
