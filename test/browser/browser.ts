import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type Page, chromium as playwright } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { readMails } from "../../src/platform/mail/index.ts";
import { chromium } from "../chromium.ts";
import type { Person, TestServer } from "../harness.ts";

/** A real browser, one for all tests of a file. What a test opened is closed after it. */
export function useBrowser(): { current: Browser } {
  const holder = {} as { current: Browser };
  beforeAll(async () => {
    holder.current = await playwright.launch({ ...(await chromium()), headless: true });
  });
  afterEach(async () => {
    for (const context of holder.current.contexts()) await context.close();
  });
  afterAll(() => holder.current?.close());
  return holder;
}

export interface Window {
  page: Page;
  /** The status of the page that was opened first. */
  status: number;
  /** Whatever the page complained about, or asked of other hosts. */
  complaints: string[];
}

/** A window of a browser of its own, in which that person is signed in, or nobody. */
export async function openWindow(
  { current }: { current: Browser },
  server: TestServer,
  address: string,
  person?: Pick<Person, "token">,
): Promise<Window> {
  const context = await current.newContext();
  if (person) {
    const cookie = {
      name: "signalbox_session",
      value: person.token,
      httpOnly: true,
      sameSite: "Lax" as const,
    };
    await context.addCookies([{ ...cookie, url: server.url }]);
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    const { url } = message.location();
    // Browsers note every reply that is a refusal; a page that says what went wrong is one itself.
    const isNote = url.includes("favicon") || /status of 4\d\d/.test(message.text());
    if (message.type() === "error" && url.startsWith(server.url) && !isNote)
      complaints.push(`${message.text()} ${url}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (request.isNavigationRequest() || request.url().startsWith("data:")) return;
    if (page.url().startsWith(server.url) && !request.url().startsWith(server.url))
      complaints.push(request.url());
  });
  const response = await page.goto(address.startsWith("http") ? address : server.url + address);
  return { page, status: response!.status(), complaints };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What a checker of accessibility finds wrong. */
async function violations(page: Page): Promise<string[]> {
  // The policy of our pages lets no script in; the checker comes through the debugger, as a person's extension would.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression:
      "axe.run().then((r) => JSON.stringify(r.violations.map((v) => v.id + ' ' + v.nodes.map((n) => n.html))))",
    awaitPromise: true,
  });
  await session.detach();
  return JSON.parse(result.value as string);
}

/** What holds of every page in every state: one title, in the tab as well, and no barrier, in light and dark. */
export async function expectPage(page: Page, title: string | RegExp): Promise<void> {
  const heading = page.locator("h1");
  await heading.filter({ hasText: title }).waitFor();
  expect(await heading.count()).toBe(1);
  expect(await page.title()).toBe(`${await heading.textContent()} · Signalbox`);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), colorScheme).toEqual([]);
  }
  // Every page leads on.
  expect(await page.locator("main :is(a, button):visible").count()).toBeGreaterThan(0);
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  }
}

/** Follows the link or presses the button with these words; there is one. */
export const press = (page: Page, words: string): Promise<void> =>
  page.locator("main :is(a, button):visible", { hasText: words }).click();

/** The id of what is typed into. */
export const focused = (page: Page): Promise<string> => page.evaluate("document.activeElement.id");

/** The link in the newest mail to somebody that has this in it. */
export async function mailedLink(server: TestServer, to: string, part: string): Promise<string> {
  const mails = await readMails(server.platform, 300);
  const mail = mails.find((one) => one.to === to && one.text?.includes(part));
  return mail!.text!.split("\n").find((line) => line.includes(part))!;
}

/** Two pages of the provider, with the same words: the second is clicked once it is there. */
export async function allowAtProvider(page: Page): Promise<void> {
  const first = page.url();
  await page.click("text=Allow as octo");
  await page.waitForURL((url) => url.href !== first && url.pathname.startsWith("/interaction/"));
  await page.click("text=Allow as octo");
  await page.waitForURL("**/connect/callback**");
}
