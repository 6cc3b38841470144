import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createWorkspace, joinWorkspace, signIn, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { button, expectGoodPage, field } from "./harness.ts";

const server = useServer();
const browser = useBrowser();

const becomePhone = (page: Page) => page.setViewportSize({ width: 390, height: 844 });
const measure = async (part: Locator) => (await part.boundingBox())!;

test("on a phone the buttons of a long form stand above the bar of the console", async () => {
  const { owner } = await createWorkspace(server, "Bar");
  const { page } = await openWindow(browser, server, "/o/bar/automations/new", owner);
  await becomePhone(page);
  await field(page, "Name").fill("Weekly report");
  const create = await measure(button(page, "Create automation"));
  const bar = await measure(page.locator(".tabbar"));
  expect(create.y + create.height).toBeLessThanOrEqual(bar.y);
});

test("on a phone the actions of a row stand at its right, and a number says what it counts", async () => {
  const { owner } = await createWorkspace(server, "Rows");
  const create = (path: string, body: object) =>
    server.call(path, { method: "POST", body, headers: owner.auth });
  expect((await create("/v1/api-keys", { name: "build machines" })).status).toBe(201);
  expect((await create("/v1/teams", { name: "Platform" })).status).toBe(201);
  const { page } = await openWindow(browser, server, "/o/rows/access/keys", owner);
  await becomePhone(page);
  const row = page.getByRole("row").filter({ hasText: "build machines" });
  const actions = await measure(row.getByRole("button"));
  const whole = await measure(row);
  expect(actions.x + actions.width).toBeGreaterThan(whole.width - 24);
  expect(whole.height).toBeLessThan(60);
  await expectGoodPage(page);

  await page.goto(`${server.url}/o/rows/people/teams`);
  await page.getByRole("cell", { name: "Members 0" }).waitFor();
});

test("long names and addresses are cut, on a desktop and on a phone", async () => {
  const workspace = await createWorkspace(server, "Long");
  const { auth } = await joinWorkspace(server, workspace, "admin");
  const name = "Wilhelmina Featherstonehaugh-Cholmondeley of Northern Europe and Beyond, the Third";
  expect((await server.call("/v1/me", { method: "PATCH", body: { name }, headers: auth })).status).toBe(200);
  const { page } = await openWindow(browser, server, "/o/long/people/members", workspace.owner);
  await page.getByText(name).waitFor();
  for (const width of [1280, 800, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), `${width}`).toBe(0);
  }
});

test("one long word in a name makes no page wider than the window, also at a zoom of 200 %", async () => {
  const { owner } = await createWorkspace(server, "Words");
  const create = async (path: string, body?: object) => {
    const reply = await server.call(path, { method: "POST", headers: owner.auth, ...(body ? { body } : {}) });
    expect(reply.status, path).toBeLessThan(300);
    return reply.body;
  };
  const word = "Donaudampfschifffahrtsgesellschaft".repeat(3).slice(0, 100);
  const schedule = { kind: "daily", hour: 9, minute: 0, timezone: "Europe/Berlin" };
  const { automation } = await create("/v1/automations", { name: word, instructions: word, schedule });
  const { run } = await create(`/v1/automations/${automation.id}/run`);
  const { team } = await create("/v1/teams", { name: word.slice(0, 60) });
  await create("/v1/api-keys", { name: word });
  const { page } = await openWindow(browser, server, "/o/words", owner);
  const automationPath = `/automations/${automation.id}`;
  const ofAutomation = [
    "",
    "/automations",
    "/runs",
    automationPath,
    `${automationPath}/edit`,
    `/runs/${run.id}`,
  ];
  for (const path of [...ofAutomation, "/people/teams", "/access/keys", "/usage"]) {
    await page.goto(`${server.url}/o/words${path}`);
    await page.locator("h1").waitFor();
    if (path !== "/usage") await page.getByText("Donaudampf").filter({ visible: true }).first().waitFor();
    for (const width of [1440, 720, 390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(over, `${path} at ${width}`).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1440, height: 844 });
  }
  // Neither a dialog nor the panel of a record scrolls sideways.
  const path = { team: `/people/teams/${team.id}`, invitation: "/people/invitations?new=1" };
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${server.url}/o/words${path.team}`);
  await page.locator(".insp").getByText("Donaudampf").first().waitFor();
  expect(await page.locator(".insp").evaluate((panel) => panel.scrollWidth - panel.clientWidth)).toBe(0);
  await page.goto(`${server.url}/o/words${path.invitation}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Donaudampf").waitFor();
  expect(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
});

test("the name of an MCP server stands above its host, and states end at the right of a phone", async () => {
  const { owner } = await createWorkspace(server, "Servers");
  const body = { url: `${server.url}/mcp`, name: "Tickets", access: { organization: true } };
  const saved = await server.call("/v1/mcp-connections", { method: "POST", body, headers: owner.auth });
  expect(saved.status).toBe(201);
  const { page } = await openWindow(browser, server, "/o/servers/connections/mcp", owner);
  const row = page.getByRole("row").filter({ hasText: "Tickets" });
  const [name, host] = [row.getByText("Tickets"), row.getByText(/^127\.0\.0\.1:/)];
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const above = await measure(name);
    expect((await measure(host)).y, `${width}`).toBeGreaterThanOrEqual(above.y + above.height);
  }
  const state = await measure(row.locator(".st"));
  const whole = await measure(row);
  expect(state.x + state.width).toBeCloseTo(whole.x + whole.width - 16, 0);
  // Also in the window of the record nothing is wider than the phone.
  await name.click();
  const people = page.getByRole("listitem").filter({ hasText: "Not connected" });
  const person = await measure(people);
  expect(person.x + person.width).toBeLessThanOrEqual(390 - 20);
});

test("on a phone a custom role is renamed and deleted from the menu next to its name", async () => {
  const { owner } = await createWorkspace(server, "Roles");
  const body = { name: "Reviewer", permissions: ["templates:read"] };
  const created = await server.call("/v1/roles", { method: "POST", body, headers: owner.auth });
  expect(created.status).toBe(201);
  const { page } = await openWindow(browser, server, "/o/roles/people/roles", owner);
  await becomePhone(page);
  const menu = button(page, "Actions for Reviewer");
  await menu.waitFor();
  const { x, width } = await measure(menu);
  expect(x + width).toBeLessThanOrEqual(390);
  await menu.click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("dialog").waitFor();
  await expectGoodPage(page);
});

test("on a phone a dialog with many choices is as wide as the phone", async () => {
  const { owner } = await createWorkspace(server, "Choices");
  const { page } = await openWindow(browser, server, "/o/choices/access/sso", owner);
  await becomePhone(page);
  await button(page, "New connector").click();
  await button(page, "Microsoft Entra ID").waitFor();
  const dialog = page.getByRole("dialog");
  expect(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  await expectGoodPage(page);
});

test("on a phone a person can sign out, from the console and from the account", async () => {
  const { owner } = await createWorkspace(server, "Leaving");
  const first = await openWindow(browser, server, "/o/leaving", owner);
  await becomePhone(first.page);
  await button(first.page, "More").click();
  await button(first.page, "Sign out").waitFor();
  await expectGoodPage(first.page);
  await button(first.page, "Sign out").click();
  await first.page.waitForURL("**/sign-in");
  expect((await server.call("/v1/me", { headers: owner.auth })).status).toBe(401);

  const { authorization } = await signIn(server, owner);
  const token = authorization.replace("Bearer ", "");
  const second = await openWindow(browser, server, "/me/sessions", { token });
  await becomePhone(second.page);
  await button(second.page, "Sign out").click();
  await second.page.waitForURL("**/sign-in");
});
