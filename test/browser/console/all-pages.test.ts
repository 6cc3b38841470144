import { beforeAll, expect, test } from "vitest";
import { fillDemo } from "../../../src/features/demo/index.ts";
import { type ConsolePage, findAddress, listConsolePages } from "../../console/pages.ts";
import { signIn, useServer } from "../../harness.ts";
import { openWindow, useBrowser, violations } from "../browser.ts";

const server = useServer();
const browser = useBrowser();
let demo: Awaited<ReturnType<typeof fillDemo>>;
let pages: ConsolePage[];
let token: string;

beforeAll(async () => {
  demo = await fillDemo(server.platform);
  const headers = { "x-api-key": demo.key };
  pages = await listConsolePages(async (path) => (await server.call(path, { headers })).body);
  const owner = { email: demo.people[0]!.email, password: demo.password };
  token = (await signIn(server, owner)).authorization.replace("Bearer ", "");
}, 120_000);

test("every page shows its title without an error, in light and dark, on a phone and on a desktop", async () => {
  expect(pages.length).toBeGreaterThan(35);
  // A page that does not lead somewhere else by itself: two navigations at once can wait for each other.
  const { page, complaints } = await openWindow(browser, server, "/version", { token });
  await page.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    console.error("policy: " + event.violatedDirective + " " + event.blockedURI))`);
  const found: Record<string, string[]> = {};
  for (const each of pages) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(server.url + findAddress(demo.organization.slug, each));
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    const problems: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      problems.push(...(await violations(page)).map((violation) => `${colorScheme}: ${violation}`));
    }
    await page.setViewportSize({ width: 390, height: 844 });
    problems.push(...(await violations(page)).map((violation) => `phone: ${violation}`));
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (overflow > 0) problems.push(`phone: ${overflow} px wider than the window`);
    problems.push(...complaints.splice(0));
    if (problems.length > 0) found[each.name] = problems;
  }
  expect(found).toEqual({});
}, 480_000);

test("the note about made-up data is shown in the demo workspace, and in no other organization", async () => {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await server.call("/v1/organizations", { body: { name: "Real work" }, headers });
  const { page } = await openWindow(browser, server, `/o/${demo.organization.slug}`, { token });
  await page.getByText("Everything in it is made up.").waitFor();
  await page.goto(`${server.url}/o/${body.organization.slug}`);
  await page.getByRole("button", { name: "Organization: Real work" }).waitFor();
  expect(await page.getByText("Everything in it is made up.").count()).toBe(0);
});
