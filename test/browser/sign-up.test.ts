import { beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, invite, signIn, useServer, verifyAddress, type Workspace } from "../harness.ts";
import { useBrowser } from "./browser.ts";

describe("sign-up where an invitation is required", () => {
  const server = useServer({ env: { SIGNUP: "invited" } });
  const browser = useBrowser();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    await verifyAddress(server, acme.owner);
  });

  async function fill(path: string, email: string) {
    const page = await (await browser.current.newContext()).newPage();
    await page.goto(server.url + path, { waitUntil: "networkidle" });
    await page.waitForSelector("#account:not([hidden])");
    await page.click("#toggle");
    await page.fill("#fullname", "Grace");
    await page.fill("#email", email);
    await page.fill("#password", "correct horse battery");
    await page.click("#go");
    return page;
  }

  test("the invitation page creates an account only for the invited address", async () => {
    const email = `grace-${Date.now()}@example.com`;
    const { token } = await invite(server, acme.owner, { email });
    const path = `/invitation?token=${token}`;
    const wrong = await fill(path, `eve-${Date.now()}@example.com`);
    await wrong.waitForSelector("text=This invitation is for another address");
    const page = await fill(path, email);
    await page.waitForSelector("#who:not([hidden])");
    expect(await page.textContent("#name")).toBe(email);
  });

  test("a person who already has an account is led to sign-in", async () => {
    const { email, password } = acme.owner;
    const guest = `guest-${Date.now()}@example.com`;
    const { token: entry } = await invite(server, acme.owner, { email: guest });
    const { body } = await server.call("/api/auth/sign-up/email", {
      body: { email: guest, password, name: "Guest", invitationToken: entry },
    });
    await verifyAddress(server, { userId: body.user.id });
    const auth = await signIn(server, { email: guest, password });
    await server.call("/v1/organizations", { body: { name: "Globex" }, headers: auth });
    const { token } = await invite(server, { auth }, { email });
    const page = await fill(`/invitation?token=${token}`, email);
    await page.waitForSelector("text=If this address has an account already, sign in to it.");
    await page.click("#toggle");
    await page.fill("#password", password);
    await page.click("#go");
    await page.waitForSelector("#who:not([hidden])");
    expect(await page.textContent("#name")).toBe(email);
  });
});
