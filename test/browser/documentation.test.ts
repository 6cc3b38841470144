import { expect, test } from "vitest";
import { pages } from "../../src/features/documentation/contents.ts";
import { useServer } from "../harness.ts";
import { expectPage, openWindow, useBrowser } from "./browser.ts";

const server = useServer();
const browser = useBrowser();
const open = (address: string) => openWindow(browser, server, address);

test("every page is readable in light and dark, on a phone and on a desktop", {
  timeout: 240_000,
}, async () => {
  const { page, complaints } = await open("/docs");
  await expectPage(page, "Documentation");
  // Pages share their parts. These have all of them: long tables, code, pictures, lists.
  for (const slug of ["operations", "webhooks", "console", "changelog", "sso/okta"]) {
    await page.goto(`${server.url}/docs/${slug}`);
    await expectPage(page, /./);
  }
  for (const { slug } of pages) {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(`${server.url}/docs/${slug}`);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect({ slug, overflow }).toEqual({ slug, overflow: 0 });
  }
  expect(complaints).toEqual([]);
});

test("a person finds a passage while typing, with the keyboard alone", async () => {
  const { page, complaints } = await open("/docs");
  await page.keyboard.press("/");
  await page.keyboard.type("rotating the secret");
  const first = page.locator(".found a").first();
  await first.filter({ hasText: "Rotating the secret" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/operations#rotating-the-secret");
  await expectPage(page, "Operations");
  expect(complaints).toEqual([]);
});

test("Enter shows all results, and a word that does not occur says so", async () => {
  const { page } = await open("/docs");
  await page.fill("#search", "webhook");
  await page.locator(".found a").first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/search?q=webhook");
  expect(await page.locator(".results li").count()).toBeGreaterThan(5);
  await page.fill("#search", "zebracrossing");
  await page.getByText("Nothing found for “zebracrossing”.").waitFor();
});

test("code is copied without the prompt", async () => {
  const { page } = await open("/docs/kubernetes");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const block = page.locator(".code").first();
  await block.hover();
  await block.getByRole("button", { name: "Copy" }).click();
  await block.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^docker build /);
});

test("every page has the theme that was chosen in the console, also the API reference", async () => {
  const { page, complaints } = await open("/docs");
  // The theme does not depend on the description, and the browser takes long for the real one.
  const description = { openapi: "3.1.0", info: { title: "Signalbox", version: "1" }, paths: {} };
  await page.route("**/openapi.json", (route) => route.fulfill({ json: description }));
  const readColors = () =>
    page.evaluate<[string, boolean]>(
      "[getComputedStyle(document.documentElement).colorScheme, document.documentElement.classList.contains('dark-mode')]",
    );
  for (const [chosen, system] of [
    ["dark", "light"],
    ["light", "dark"],
  ] as const) {
    await page.emulateMedia({ colorScheme: system });
    await page.evaluate(`localStorage.setItem("signalbox.theme", "${chosen}")`);
    await page.goto(`${server.url}/docs/operations`);
    expect(await readColors()).toEqual([chosen, false]);
    await page.goto(`${server.url}/docs/reference`);
    await page.locator(".swagger-ui .info").waitFor();
    // Its own style has the class.
    expect(await readColors()).toEqual([chosen, chosen === "dark"]);
  }
  expect(complaints).toEqual([]);
});
