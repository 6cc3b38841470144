import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createWorkspace, joinWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { heading } from "./harness.ts";

const server = useServer();
const browser = useBrowser();

/** Presses Tab until the element with this accessible name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const read = `(() => {
    const at = document.activeElement;
    return at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent;
  })()`;
  for (let i = 0; i < 80; i++) {
    if ((await page.evaluate<string>(read))?.trim() === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${name}.`);
}

test("the keyboard alone is enough: sign in, create an automation, run it and watch the run", async () => {
  const { owner } = await createWorkspace(server, "Keys");
  const { page, complaints } = await openWindow(browser, server, "/sign-in", undefined);
  const { keyboard } = page;
  await heading(page, "Sign in").waitFor();
  await tabTo(page, "E-mail");
  await keyboard.type(owner.email);
  await tabTo(page, "Password");
  await keyboard.type(owner.password);
  await keyboard.press("Enter");
  await page.waitForURL("**/o/keys");
  await page.locator("h1").waitFor();
  await keyboard.press("g");
  await keyboard.press("a");
  await heading(page, "Automations").waitFor();
  await keyboard.press("c");
  await heading(page, "New automation").waitFor();
  await tabTo(page, "Name");
  await keyboard.type("By keyboard");
  await tabTo(page, "Instructions");
  await keyboard.type("First line.");
  // Enter in a field of several lines begins a line, and sends nothing.
  await keyboard.press("Enter");
  await keyboard.type("Second line.");
  expect(page.url()).toContain("/automations/new");
  await tabTo(page, "Create automation");
  await keyboard.press("Enter");
  await page.waitForURL("**/automations/aut_*");
  await heading(page, "By keyboard").waitFor();
  await tabTo(page, "Run now");
  await keyboard.press("Enter");
  await page.getByRole("table", { name: "Its runs" }).getByText("Queued").waitFor();
  await keyboard.press("j");
  await keyboard.press("Enter");
  await page.waitForURL("**/runs/run_*");
  await heading(page, "By keyboard").waitFor();
  await page.locator(".head").getByText("Queued").waitFor();
  expect(complaints).toEqual([]);
});

test("the focus goes into the record beside a list, and back to its row", async () => {
  const workspace = await createWorkspace(server, "Rows");
  for (const role of ["member", "admin"]) await joinWorkspace(server, workspace, role);
  const { page } = await openWindow(browser, server, "/o/rows/people/members", workspace.owner);
  const { keyboard } = page;
  await page.locator("[data-row]").nth(2).waitFor();
  const focused = () =>
    page.evaluate<number>("[...document.querySelectorAll('[data-row]')].indexOf(document.activeElement)");
  await keyboard.press("j");
  await keyboard.press("j");
  expect(await focused()).toBe(1);
  await keyboard.press("Enter");
  const inspector = page.getByRole("complementary");
  await inspector.waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.closest('aside') !== null")).toBe(true);
  await keyboard.press("Escape");
  await inspector.waitFor({ state: "detached" });
  await expect.poll(focused).toBe(1);
});

test("what is typed while the palette loads for the first time is searched for", async () => {
  const { owner } = await createWorkspace(server, "Palette");
  const { page, complaints } = await openWindow(browser, server, "/o/palette", owner);
  await page.locator("h1").waitFor();
  await page.route("**/assets/palette-*.js", async (route) => {
    await page.waitForTimeout(500);
    await route.continue();
  });
  await page.keyboard.press("Control+k");
  // `g` and `c` alone would go somewhere or create something.
  await page.keyboard.type("discover", { delay: 20 });
  const option = page.getByRole("option", { name: "Discover" });
  await option.waitFor();
  expect(await page.getByRole("option").count()).toBe(1);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/o/palette/discover");
  expect(complaints).toEqual([]);
});

test("Esc that cancels a character being composed keeps the dialog and what was typed", async () => {
  const { owner } = await createWorkspace(server, "Compose");
  const { page } = await openWindow(browser, server, "/o/compose/access/keys", owner);
  await heading(page, "Keys and sign-in").waitFor();
  await page.getByRole("button", { name: "New API key" }).click();
  const name = page.getByRole("dialog").getByLabel("Name");
  await name.fill("Build");
  // Input methods on macOS send the key like this.
  await name.dispatchEvent("compositionstart");
  await name.dispatchEvent("keydown", { key: "Escape", isComposing: true });
  await name.dispatchEvent("compositionend");
  expect(await name.inputValue()).toBe("Build");
  await name.press("Escape");
  await name.waitFor({ state: "detached" });
});
