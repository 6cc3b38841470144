import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { codeAt, stepAt } from "../../src/features/auth/two-factor/totp.ts";
import { sql } from "../../src/platform/db/index.ts";
import { bootstrap, createWorkspace, invite, signUp, useServer, verifyAddress } from "../harness.ts";
import { expectPage, focused, mailedLink, openWindow, press, useBrowser } from "./browser.ts";

const server = useServer();
const browser = useBrowser();
const open = (address: string, person?: { token: string }) => openWindow(browser, server, address, person);
const mainText = (page: Page) => page.locator("main").textContent();

test("an unknown address shows a page that leads to the console", async () => {
  const { page, status } = await open("/nowhere?x=1");
  expect(status).toBe(404);
  await expectPage(page, "There is nothing at this address");
  await press(page, "Open the console");
  await page.waitForURL(/\/(sign-in|setup)$/);
});

// The browser resolves a description of megabytes before it renders anything. On a busy machine that takes longer than
// the usual time for a page.
test("the API reference renders every group without a CDN and within its own policy", {
  timeout: 240_000,
}, async () => {
  const { tags } = (await server.call("/openapi.json")).body as { tags: { name: string }[] };
  const { page, complaints } = await open("/docs/reference");
  // The groups appear one after the other.
  const last = page.locator(".opblock-tag").nth(tags.length - 1);
  await last.waitFor({ state: "attached", timeout: 180_000 });
  const groups = await page.locator(".opblock-tag").allTextContents();
  for (const { name } of tags) expect(groups.join(" ")).toContain(name);
  expect(complaints).toEqual([]);
});

describe("the page behind a reset mail", () => {
  test("names the account, changes its password once, and offers a next step", async () => {
    const ada = await signUp(server);
    await server.call("/api/auth/request-password-reset", { body: { email: ada.email } });
    const link = await mailedLink(server, ada.email, "/reset-password?token=");
    const { page, status, complaints } = await open(link);
    expect(status).toBe(200);
    await expectPage(page, "Choose a new password");
    expect(await mainText(page)).toContain(ada.email);
    await page.fill("#password", "a new and better one");
    await press(page, "Change password");
    await expectPage(page, "Your password is changed");
    expect(await mainText(page)).not.toContain("Choose a new password");
    expect(complaints).toEqual([]);
    const signIn = (password: string) =>
      server.call("/api/auth/sign-in/email", { body: { email: ada.email, password } });
    expect((await signIn(ada.password)).status).toBe(401);
    expect((await signIn("a new and better one")).status).toBe(200);

    const again = await open(link);
    expect(again.status).toBe(400);
    await expectPage(again.page, "This link was used before");
    expect(await again.page.locator("input[type=password]").count()).toBe(0);
  });

  test("a link that expires while the form is filled in is reported when the form is sent", async () => {
    const ada = await signUp(server);
    await server.call("/api/auth/request-password-reset", { body: { email: ada.email } });
    const { page } = await open(await mailedLink(server, ada.email, "/reset-password?token="));
    await page.fill("#password", "a new and better one");
    await server.platform.db.run(
      sql`update verifications set expires_at = now() - interval '1 second' where value = ${ada.userId}`,
    );
    await press(page, "Change password");
    await page.locator("text=Ask for a new link to change it.").waitFor();
  });

  test("an old link leads to a new mail, and so does the page without a token", async () => {
    const ada = await signUp(server);
    await server.call("/api/auth/request-password-reset", { body: { email: ada.email } });
    const link = await mailedLink(server, ada.email, "/reset-password?token=");
    await server.platform.db.run(
      sql`update verifications set expires_at = now() - interval '1 second' where value = ${ada.userId}`,
    );
    const old = await open(link);
    expect(old.status).toBe(400);
    await expectPage(old.page, "This link is older than an hour");

    const { page, status, complaints } = await open("/reset-password");
    expect(status).toBe(200);
    await expectPage(page, "Forgot your password?");
    await page.fill("#email", ada.email);
    await press(page, "Send me a link");
    await expectPage(page, "Check your mailbox");
    expect(await mainText(page)).toContain(ada.email);
    expect(complaints).toEqual([]);
    expect(await mailedLink(server, ada.email, "/reset-password?token=")).not.toBe(link);
  });

  test("a hostile token cannot become markup", async () => {
    const { page, complaints } = await open(
      `/reset-password?token=${encodeURIComponent('"><script>alert(1)</script>')}`,
    );
    expect(await page.locator("script").count()).toBe(1);
    await expectPage(page, "This link was used before");
    expect(complaints).toEqual([]);
  });

  test("a server that does not answer is reported in a sentence, and the form stays", async () => {
    const { page } = await open("/reset-password");
    await page.route("**/api/auth/**", (route) => route.abort());
    await page.fill("#email", "ada@example.com");
    await press(page, "Send me a link");
    await page.locator("#say", { hasText: "The server did not answer." }).waitFor();
    await page.unroute("**/api/auth/**");
    await press(page, "Send me a link");
    await expectPage(page, "Check your mailbox");
  });
});

describe("the page behind a confirmation mail", () => {
  const findLink = (email: string) => mailedLink(server, email, "/verify-email?token=");

  test("asks in a browser where nobody is signed in, and confirms", async () => {
    const ada = await signUp(server);
    const { page, complaints } = await open(await findLink(ada.email));
    await expectPage(page, "Did you make this account?");
    expect(await mainText(page)).toContain(ada.email);
    await press(page, "Yes, confirm my address");
    await expectPage(page, "Your e-mail address is confirmed");
    expect(await mainText(page)).toContain(ada.email);
    expect(await mainText(page)).not.toContain("Did you make");
    expect(complaints).toEqual([]);
    const { body } = await server.call("/v1/me", { headers: ada.auth });
    expect(body.user.emailVerified).toBe(true);
  });

  test("confirms at once where the account is signed in", async () => {
    const ada = await signUp(server);
    const { page } = await open(await findLink(ada.email), ada);
    await expectPage(page, "Your e-mail address is confirmed");
    expect(await mainText(page)).toContain(ada.email);
  });

  test("ends the access of the person who created the account, and leads to a new password", async () => {
    const ada = await signUp(server);
    const { page, complaints } = await open(await findLink(ada.email));
    await press(page, "No, somebody else did");
    await expectPage(page, "The person who made the account can no longer use it");
    expect(complaints).toEqual([]);
    await press(page, "Choose a password");
    await expectPage(page, "Forgot your password?");
  });

  test("a bad link offers a new mail to a person who signs in", async () => {
    const ada = await signUp(server);
    const { page, status, complaints } = await open("/api/auth/verify-email?token=x.y.z");
    expect(status).toBe(400);
    await expectPage(page, "This link is too old or not complete");
    await page.fill("#email", ada.email);
    await page.fill("#password", ada.password);
    await page.click("#go");
    await page.locator("#who").waitFor();
    expect(await mainText(page)).toContain(ada.email);
    const before = await findLink(ada.email);
    await press(page, "Send me a new link");
    await expectPage(page, "Check your mailbox");
    expect(await mainText(page)).toContain(ada.email);
    expect(complaints).toEqual([]);
    const newest = await findLink(ada.email);
    expect(newest).not.toBe(before);
    await page.goto(newest);
    await expectPage(page, "Your e-mail address is confirmed");
    await page.goto(`${server.url}/api/auth/verify-email`);
    await expectPage(page, "This link is not complete");
    expect(await mainText(page)).toContain("There is nothing to do");
  });

  test("says that a link without a token is not complete", async () => {
    const { page, status } = await open("/api/auth/verify-email");
    expect(status).toBe(400);
    await expectPage(page, "This link is not complete");
  });
});

describe("the page behind a claim link", () => {
  test("gives a newcomer an account and the agent's workspace, once", async () => {
    const agent = await bootstrap(server);
    const { page, complaints } = await open(agent.claim.url);
    await expectPage(page, "Claim Provisional workspace");
    const email = `claims-${Date.now()}@example.com`;
    await page.click("#toggle");
    await page.fill("#fullname", "Ada");
    await page.fill("#email", email);
    await page.fill("#password", "correct horse battery");
    await page.click("#go");
    await page.locator("#who").waitFor();
    expect(await page.textContent("#name")).toBe(email);
    await expectPage(page, "Claim Provisional workspace");
    await press(page, "Become the owner");
    await expectPage(page, "Provisional workspace is yours now");
    expect(await mainText(page)).not.toContain("Claim Provisional workspace");
    expect(complaints).toEqual([]);
    const { user } = (await server.call("/v1/me", { headers: agent.auth })).body;
    expect(user.email).toBe(email);

    await page.reload();
    await expectPage(page, "You belong to Provisional workspace");
    const again = await open(agent.claim.url);
    expect(again.status).toBe(400);
    await expectPage(again.page, "Somebody owns this workspace already");
    expect(await again.page.locator("input").count()).toBe(0);
  });

  test("reports an expired, replaced or missing token before anything is filled in", async () => {
    const agent = await bootstrap(server);
    const { body } = await server.call("/v1/bootstrap/claims", { method: "POST", headers: agent.auth });
    const bad = await open(agent.claim.url);
    expect(bad.status).toBe(400);
    await expectPage(bad.page, "This link was replaced by a newer one");
    await server.platform.db.run(
      sql`update claim_links set expires_at = now() where org_id = ${agent.orgId}`,
    );
    const old = await open(body.claim.url);
    expect(old.status).toBe(400);
    await expectPage(old.page, "This link is older than 24 hours");
    expect(await mainText(old.page)).toContain("Provisional workspace");
    const none = await open("/claim");
    expect(none.status).toBe(400);
    await expectPage(none.page, "This link is not complete");
    for (const { page } of [bad, old, none]) expect(await page.locator("input").count()).toBe(0);
  });
});

describe("the page behind an invitation", () => {
  test("names organization, inviter and role, and a person with a second factor can accept", async () => {
    const acme = await createWorkspace(server, 'Acme & "Sons"');
    const ada = await signUp(server);
    await verifyAddress(server, ada);
    const { secret } = (await server.call("/v1/me/two-factor", { method: "POST", headers: ada.auth })).body;
    const code = codeAt(secret, stepAt(Date.now()));
    const on = await server.call("/v1/me/two-factor/confirm", { body: { code }, headers: ada.auth });
    await invite(server, acme.owner, { email: ada.email });
    const link = await mailedLink(server, ada.email, "/invitation?token=");
    const { page, complaints } = await open(`${link}&utm_source=mail`);
    await expectPage(page, 'Join Acme & "Sons"');
    for (const named of ["Owner", "Member", "a•••@example.com"])
      expect(await mainText(page)).toContain(named);
    await page.fill("#email", ada.email);
    await page.fill("#password", "not the password");
    await page.click("#go");
    await page.locator("#say", { hasText: "is wrong" }).waitFor();
    await page.fill("#password", ada.password);
    await page.click("#go");
    await page.locator("#second").waitFor();
    expect(await focused(page)).toBe("code");
    await page.fill("#code", "000000");
    await page.click("#second button");
    await page.locator("#say", { hasText: "This code is wrong" }).waitFor();
    // A backup code does not depend on the clock.
    await page.fill("#code", on.body.backupCodes[0]);
    await page.click("#second button");
    await press(page, "Accept the invitation");
    await expectPage(page, 'You are a member of Acme & "Sons" now');
    expect(await mainText(page)).not.toContain("Join Acme");
    expect(complaints).toEqual([]);
    const { body } = await server.call("/v1/members?role=member", { headers: acme.owner.auth });
    expect(body.items).toMatchObject([{ email: ada.email }]);
    await page.reload();
    await expectPage(page, 'You belong to Acme & "Sons"');
    const again = await open(link);
    expect(again.status).toBe(400);
    await expectPage(again.page, "This invitation was accepted already");
  });

  test("lets a newcomer create an account and accept; an error is shown at its field", async () => {
    const acme = await createWorkspace(server);
    const email = `newcomer-${Date.now()}@example.com`;
    await invite(server, acme.owner, { email });
    const { page, complaints } = await open(await mailedLink(server, email, "/invitation?token="));
    await page.click("#toggle");
    await page.fill("#fullname", "x\u200bx");
    await page.fill("#email", email);
    await page.fill("#password", "correct horse battery");
    await page.click("#go");
    await page.locator("#fullname-problem").waitFor();
    expect(await focused(page)).toBe("fullname");
    await expectPage(page, "Join Acme");
    await page.fill("#fullname", "Grace");
    await page.click("#go");
    await press(page, "Accept the invitation");
    await expectPage(page, "You are a member of Acme now");
    expect(complaints).toEqual([]);
  });

  test("a sign-up does not replace the session of another window; the page shows who is signed in", async () => {
    const acme = await createWorkspace(server);
    const [ada, grace] = [await signUp(server), await signUp(server, "Grace")];
    await invite(server, acme.owner, { email: ada.email });
    const { page, complaints } = await open(await mailedLink(server, ada.email, "/invitation?token="));
    const other = await page.context().newPage();
    await other.goto(`${server.url}/docs`);
    const signedIn = await other.evaluate(
      async ([email, password]) =>
        (
          await fetch("/api/auth/sign-in/email", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ email, password }),
          })
        ).status,
      [grace.email, grace.password],
    );
    expect(signedIn).toBe(200);
    await page.click("#toggle");
    await page.fill("#fullname", "Ada");
    // This address has an account, so the token of the sign-up opens nothing.
    await page.fill("#email", ada.email);
    await page.fill("#password", "correct horse battery");
    await page.click("#go");
    await page.locator("#who").waitFor();
    expect(await page.textContent("#name")).toBe(grace.email);
    expect(complaints).toEqual([]);
  });

  test("a sign-up that creates no session leads to sign-in", async () => {
    const acme = await createWorkspace(server);
    const ada = await signUp(server);
    await invite(server, acme.owner, { email: ada.email });
    const { page, complaints } = await open(await mailedLink(server, ada.email, "/invitation?token="));
    await page.route("**/api/auth/sign-up/email", (route) =>
      route.fulfill({ json: { token: "opens nothing" } }),
    );
    await page.click("#toggle");
    await page.fill("#fullname", "Ada");
    await page.fill("#email", ada.email);
    await page.fill("#password", ada.password);
    await page.click("#go");
    await page.locator("#say", { hasText: "If this address has an account already" }).waitFor();
    await page.click("#toggle");
    await page.click("#go");
    await press(page, "Accept the invitation");
    await expectPage(page, "You are a member of Acme now");
    expect(complaints).toEqual([]);
  });

  test("warns a person who is signed in with another address before they press anything", async () => {
    const acme = await createWorkspace(server);
    const { token } = await invite(server, acme.owner, {});
    const bob = await signUp(server, "Bob");
    const { page, complaints } = await open(`/invitation?token=${token}`, bob);
    await expectPage(page, "Join Acme");
    expect(await mainText(page)).toContain(bob.email);
    expect(await mainText(page)).toContain("This invitation is for i•••@example.com.");
    expect(await page.locator("text=Accept the invitation").count()).toBe(0);
    await press(page, "Use another account");
    await page.locator("#account").waitFor();
    expect(complaints).toEqual([]);
  });

  test("reports a cancelled, expired, withdrawn, wrong or missing token before anything is filled in", async () => {
    const acme = await createWorkspace(server);
    const { db } = server.platform;
    const cancelled = await invite(server, acme.owner, {});
    const cancel = `/v1/invitations/${cancelled.invitation.id}/cancel`;
    await server.call(cancel, { method: "POST", headers: acme.owner.auth });
    const expired = await invite(server, acme.owner, {});
    await db.run(sql`update invitations set expires_at = now() where id = ${expired.invitation.id}`);
    const withdrawn = await invite(server, acme.owner, {});
    await db.run(sql`update invitations set invited_by = null where id = ${withdrawn.invitation.id}`);
    for (const [address, title] of [
      [`/invitation?token=${cancelled.token}`, "This invitation was taken back"],
      [`/invitation?token=${expired.token}`, "This invitation is older than 7 days"],
      [`/invitation?token=${withdrawn.token}`, "The person who invited you has left"],
      ["/invitation?token=sbi_x", "its link is not complete"],
      ["/invitation", "This link is not complete"],
      ["/invitation?token=", "This link is not complete"],
    ] as const) {
      const { page, status } = await open(address);
      expect(status, address).toBe(400);
      await expectPage(page, title);
      expect(await page.locator("input").count()).toBe(0);
      await page.context().close();
    }
  });
});
