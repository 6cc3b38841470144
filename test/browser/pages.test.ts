import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { codeAt, stepAt } from "../../src/features/auth/two-factor/totp.ts";
import { sql } from "../../src/platform/db/index.ts";
import { readMails } from "../../src/platform/mail/index.ts";
import { bootstrap, createWorkspace, invite, signUp, useServer } from "../harness.ts";
import { useBrowser } from "./browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("pages in a browser", () => {
  const server = useServer();
  const browser = useBrowser();

  /** Opens a page and notes whatever it complains about or asks of other hosts. */
  async function open(path: string): Promise<{ page: Page; complaints: string[] }> {
    const context = await browser.current.newContext({ bypassCSP: false });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      const { url } = message.location();
      if (message.type() === "error" && !url.includes("favicon")) complaints.push(`${message.text()} ${url}`);
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith("data:"))
        complaints.push(request.url());
    });
    await page.goto(server.url + path, { waitUntil: "networkidle" });
    return { page, complaints };
  }

  async function violations(page: Page): Promise<string[]> {
    // The policy of our pages lets no script in; the checker comes through the debugger, as a person's extension would.
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: axe });
    const { result } = await session.send("Runtime.evaluate", {
      expression: "axe.run().then((r) => JSON.stringify(r.violations.map((v) => v.id)))",
      awaitPromise: true,
    });
    return JSON.parse(result.value as string);
  }

  test("the first page says what this is, leads on, and asks nothing of other hosts", async () => {
    const { page, complaints } = await open("/");
    expect(await page.textContent("h1")).toBe("Signalbox");
    expect(await violations(page)).toEqual([]);
    await page.click("text=API reference");
    await page.waitForURL("**/docs");
    expect(complaints).toEqual([]);
  });

  test("the API reference renders every group without a CDN and within its own policy", async () => {
    const { page, complaints } = await open("/docs");
    // They come one after the other.
    await page.locator(".opblock-tag", { hasText: "Audit" }).first().waitFor();
    const groups = await page.locator(".opblock-tag").allTextContents();
    expect(groups.join(" ")).toContain("Organizations");
    expect(groups.join(" ")).toContain("API Keys");
    expect(complaints).toEqual([]);
  });

  test("the link in a reset mail leads to a page that changes the password, once", async () => {
    const ada = await signUp(server);
    await server.call("/api/auth/request-password-reset", { body: { email: ada.email } });
    const mails = await readMails(server.platform, 20);
    const link = mails
      .find((mail) => mail.subject === "Choose a new password")
      ?.text?.match(/http\S+token=\S+/)?.[0];
    const { page, complaints } = await open(link!.slice(server.url.length));
    expect(await violations(page)).toEqual([]);
    await page.fill("#password", "a new and better one");
    await page.click("button");
    await page.waitForSelector("text=Your password is changed");
    expect(complaints).toEqual([]);
    const signIn = (password: string) =>
      server.call("/api/auth/sign-in/email", { body: { email: ada.email, password } });
    expect((await signIn(ada.password)).status).toBe(401);
    expect((await signIn("a new and better one")).status).toBe(200);

    const again = await open(link!.slice(server.url.length));
    await again.page.fill("#password", "yet another password");
    await again.page.click("button");
    await again.page.waitForSelector("text=This link was used or is too old");
  });

  test("a claim link leads a newcomer to their account and the agent's workspace", async () => {
    const agent = await bootstrap(server);
    const { page, complaints } = await open(agent.claim.url.slice(server.url.length));
    await page.waitForSelector("#account:not([hidden])");
    expect(await violations(page)).toEqual([]);
    const email = `claims-${Date.now()}@example.com`;
    await page.click("#toggle");
    await page.fill("#fullname", "Ada");
    await page.fill("#email", email);
    await page.fill("#password", "correct horse battery");
    await page.click("#go");
    await page.waitForSelector("#who:not([hidden])");
    expect(await page.textContent("#name")).toBe(email);
    expect(await violations(page)).toEqual([]);
    await page.click("text=Become the owner");
    await page.waitForSelector("text=The workspace is yours now");
    // The one complaint is the browser's own, about asking who is signed in before anybody was.
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    const { user } = (await server.call("/v1/me", { headers: agent.auth })).body;
    expect(user.email).toBe(email);

    const again = await open(agent.claim.url.slice(server.url.length));
    await again.page.fill("#email", email);
    await again.page.fill("#password", "correct horse battery");
    await again.page.click("#go");
    await again.page.click("text=Become the owner");
    await again.page.waitForSelector("text=Somebody owns this organization already");
  });

  test("the link in an invitation mail lets a person with a second factor in", async () => {
    const acme = await createWorkspace(server);
    const ada = await signUp(server);
    const { secret } = (await server.call("/v1/me/two-factor", { method: "POST", headers: ada.auth })).body;
    const code = () => codeAt(secret, stepAt(Date.now()));
    await server.call("/v1/me/two-factor/confirm", { body: { code: code() }, headers: ada.auth });
    await server.platform.db.run(sql`update two_factors set last_step = 0 where user_id = ${ada.userId}`);
    await invite(server, acme.owner, { email: ada.email });
    const mails = await readMails(server.platform, 50);
    const link = mails
      .find((mail) => mail.to === ada.email && mail.subject.includes("invites you"))
      ?.text?.match(/http\S+token=\S+/)?.[0];
    const { page } = await open(link!.slice(server.url.length));
    await page.fill("#email", ada.email);
    await page.fill("#password", "not the password");
    await page.click("#go");
    await page.waitForSelector("text=That is not right");
    await page.fill("#password", ada.password);
    await page.click("#go");
    await page.waitForSelector("#second:not([hidden])");
    expect(await violations(page)).toEqual([]);
    await page.fill("#code", code());
    await page.click("#second button");
    await page.click("text=Accept the invitation");
    await page.waitForSelector("text=You are a member now");
    const { body } = await server.call("/v1/members?role=member", { headers: acme.owner.auth });
    expect(body.items).toMatchObject([{ email: ada.email }]);
  });

  test("a hostile token in a link cannot become markup", async () => {
    const { page, complaints } = await open(
      `/reset-password?token=${encodeURIComponent('"><script>alert(1)</script>')}`,
    );
    expect(await page.locator("script").count()).toBe(1);
    expect(complaints).toEqual([]);
  });
});
