import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type Page, chromium as playwright } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { readMails } from "../../src/platform/mail/index.ts";
import { chromium } from "../chromium.ts";
import type { Person, TestServer } from "../harness.ts";

/** A real browser for all tests of a file. After each test its windows are closed. */
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
  /** The HTTP status of the first page. */
  status: number;
  /** Errors of the page, and requests to other hosts. */
  complaints: string[];
}

/** Opens a window with its own cookies. The person is signed in; without a person, nobody is. */
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
    // Browsers log every 4xx reply as an error. Our error pages are 4xx replies themselves.
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

/** Accessibility violations that axe finds. */
export async function violations(page: Page): Promise<string[]> {
  // The content security policy blocks other scripts, so axe is loaded through the debugger.
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

/** Checks what is true for every page: one title, also in the tab, and no accessibility violation in light and dark. */
export async function expectPage(page: Page, title: string | RegExp): Promise<void> {
  const heading = page.locator("h1");
  await heading.filter({ hasText: title }).waitFor();
  expect(await heading.count()).toBe(1);
  expect(await page.title()).toBe(`${await heading.textContent()} · Signalbox`);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), colorScheme).toEqual([]);
  }
  // Every page has a link or a button.
  expect(await page.locator("main :is(a, button):visible").count()).toBeGreaterThan(0);
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  }
}

/** Clicks the link or button with this text. Fails when there are several. */
export const press = (page: Page, words: string): Promise<void> =>
  page.locator("main :is(a, button):visible", { hasText: words }).click();

/** The id of the element that has the focus. */
export const focused = (page: Page): Promise<string> => page.evaluate("document.activeElement.id");

/** Returns the link that contains `part` from the newest mail to this address. */
export async function mailedLink(server: TestServer, to: string, part: string): Promise<string> {
  const mails = await readMails(server.platform, 300);
  const mail = mails.find((one) => one.to === to && one.text?.includes(part));
  return mail!.text!.split("\n").find((line) => line.includes(part))!;
}

/** The provider shows two pages with the same button. The second click waits for the second page. */
export async function allowAtProvider(page: Page): Promise<void> {
  const first = page.url();
  await page.click("text=Allow as octo");
  await page.waitForURL((url) => url.href !== first && url.pathname.startsWith("/interaction/"));
  await page.click("text=Allow as octo");
  await page.waitForURL("**/connect/callback**");
}
