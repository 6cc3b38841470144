import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { readMails } from "../../src/platform/mail/index.ts";
import { signUp, useServer } from "../harness.ts";
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
      if (message.type() === "error" && !message.text().includes("favicon")) complaints.push(message.text());
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
    await page.waitForSelector(".opblock-tag");
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

  test("a hostile token in a link cannot become markup", async () => {
    const { page, complaints } = await open(
      `/reset-password?token=${encodeURIComponent('"><script>alert(1)</script>')}`,
    );
    expect(await page.locator("script").count()).toBe(1);
    expect(complaints).toEqual([]);
  });
});
