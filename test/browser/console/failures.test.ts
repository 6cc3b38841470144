import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createRole, createWorkspace, joinWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { button, expectGoodPage, field, heading } from "./harness.ts";

const server = useServer();
const browser = useBrowser();

const refusal = (message: string) => ({
  status: 409,
  contentType: "application/json",
  body: JSON.stringify({ error: "conflict", reason: "conflict", message, requestId: "req_test" }),
});

test("what the server refuses after a choice in a menu is said", async () => {
  const { owner } = await createWorkspace(server, "Refused");
  const { body } = await server.call("/v1/invitations", {
    body: { email: "grace@example.com", role: "member" },
    headers: owner.auth,
  });
  const { page, complaints } = await openWindow(browser, server, "/o/refused/people/invitations", owner);
  await page.getByText("grace@example.com").first().waitFor();
  // Somebody else was faster.
  const cancelled = await server.call(`/v1/invitations/${body.invitation.id}/cancel`, {
    method: "POST",
    headers: owner.auth,
  });
  expect(cancelled.status).toBe(200);
  await button(page, "grace@example.com").click();
  await page.getByRole("menuitem", { name: "Send again" }).click();
  const dialog = page.getByRole("dialog", { name: "This was not done" });
  await dialog.getByRole("alert").getByText(/./).first().waitFor();
  await expectGoodPage(page);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dialog.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("when the rest of a list fails, the page says so once and waits", async () => {
  const { owner } = await createWorkspace(server, "Rest");
  await server.call("/v1/teams", { body: { name: "Platform" }, headers: owner.auth });
  const { page } = await openWindow(browser, server, "/o/rest", owner);
  const asked = await breakSecondPage(page, /\/v1\/teams(\?|$)/);
  await page.goto(`${server.url}/o/rest/people/teams`);
  await page.getByText("The rest of the list could not be loaded. Not now.").waitFor();
  await page.getByRole("link", { name: "Platform" }).waitFor();
  const before = asked();
  await button(page, "Try now").click();
  await expect.poll(asked).toBe(before + 1);
  expect(before).toBe(1);
});

test.each([
  ["runs", "run", "Runs"],
  ["automations", "aut", "Automations"],
  ["templates", "tpl", "Templates"],
  ["workers", "wrk", "Workers"],
  ["llm-providers", "llp", "LLM providers"],
])("the page of a record of %s that does not exist says so, and asks once", async (place, prefix, list) => {
  const slug = `missing-${place}`;
  const { owner } = await createWorkspace(server, slug);
  const id = `${prefix}_01h455vb4pex5vsknk084sn02q`;
  const { page } = await openWindow(browser, server, `/o/${slug}/people/teams`, owner);
  await page.getByRole("heading", { level: 1 }).waitFor();
  // Pages of records read again every few seconds.
  await page.clock.install();
  let asked = 0;
  page.on("response", (response) => {
    if (response.status() === 404 && response.url().endsWith(id)) asked++;
  });
  await page.goto(`${server.url}/o/${slug}/${place}/${id}`);
  await page.getByRole("heading", { level: 1, name: "There is nothing at this address" }).waitFor();
  await page.clock.runFor(30_000);
  await page.getByRole("heading", { level: 1, name: "There is nothing at this address" }).waitFor();
  expect(asked).toBe(1);
  await expectGoodPage(page);
  await page.getByRole("link", { name: `Go to ${list}` }).click();
  await page.waitForURL(`**/o/${slug}/${place}`);
});

test("forms are not offered without the permission, also not by their address", async () => {
  const workspace = await createWorkspace(server, "Guest");
  const role = await createRole(server, workspace.owner, ["organization:read", "connectors:read"]);
  const guest = await joinWorkspace(server, workspace, role.id);
  const { page, complaints } = await openWindow(browser, server, "/o/guest/automations/new", guest);
  await page.getByText("This needs the permission automations:create.").waitFor();
  await expectGoodPage(page);
  await page.goto(`${server.url}/o/guest/code-host/connectors/new`);
  await page.getByText("This needs the permission connectors:manage.").waitFor();
  await page.goto(`${server.url}/o/guest/settings/webhooks?new=1`);
  await page.getByText("Your role does not include this").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("one part of the overview fails, and the others stay", async () => {
  const { owner } = await createWorkspace(server, "Partly");
  const { page } = await openWindow(browser, server, "/o/partly/people", owner);
  await page.route("**/v1/overview/counts", (route) => route.fulfill(refusal("Not now.")));
  await page.goto(`${server.url}/o/partly`);
  await page.getByText("The figures could not be loaded").waitFor();
  await page.getByRole("heading", { name: "Lately" }).waitFor();
});

/** The list has a second page, and the server refuses to read it. Returns how often it was asked for. */
async function breakSecondPage(page: Page, address: RegExp): Promise<() => number> {
  let count = 0;
  await page.route(address, async (route) => {
    if (new URL(route.request().url()).searchParams.has("cursor")) {
      count++;
      return route.fulfill(refusal("Not now."));
    }
    const response = await route.fetch();
    return route.fulfill({ response, json: { ...(await response.json()), nextCursor: "next" } });
  });
  return () => count;
}

test("the message of a field leaves when the field is changed, and a notice is not shown twice", async () => {
  const { owner } = await createWorkspace(server, "Corrected");
  const { page } = await openWindow(browser, server, "/o/corrected/settings", owner);
  await field(page, "Name").fill("");
  await button(page, "Save").click();
  await page.getByText("Correct the marked fields.").waitFor();
  expect(await field(page, "Name").getAttribute("aria-invalid")).toBe("true");
  await field(page, "Name").fill("Corrected once");
  await page.getByText("Correct the marked fields.").waitFor({ state: "detached" });
  expect(await field(page, "Name").getAttribute("aria-invalid")).toBe("false");

  const notice = page.getByText("Settings saved.");
  await button(page, "Save").click();
  await notice.waitFor();
  await field(page, "Name").fill("Corrected twice");
  await button(page, "Save").click();
  await page.getByRole("button", { name: "Organization: Corrected twice" }).waitFor();
  await expect.poll(() => notice.count()).toBe(1);
});

test("what is typed in the settings stays while others change them, and both changes are saved", async () => {
  const { owner } = await createWorkspace(server, "Both");
  const { page } = await openWindow(browser, server, "/o/both/settings", owner);
  await field(page, "Name").fill("Both, renamed");
  const body = { allowedEmailDomains: ["example.com"] };
  await server.call("/v1/organization", { method: "PATCH", body, headers: owner.auth });
  const domains = field(page, "E-mail domains of invited people");
  // As if somebody came back to the window, which reads again what is older than five seconds.
  const comeBack = async () => {
    await page.evaluate(`window.dispatchEvent(new Event("visibilitychange"))`);
    return domains.inputValue();
  };
  await expect.poll(comeBack, { timeout: 20_000 }).toBe("example.com");
  expect(await field(page, "Name").inputValue()).toBe("Both, renamed");
  await server.call("/v1/organization", {
    method: "PATCH",
    body: { allowedEmailDomains: ["example.com", "example.org"] },
    headers: owner.auth,
  });
  await button(page, "Save").click();
  await page.getByText("Settings saved.").waitFor();
  const { organization } = (await server.call("/v1/organization", { headers: owner.auth })).body;
  expect(organization).toMatchObject({
    name: "Both, renamed",
    allowedEmailDomains: ["example.com", "example.org"],
  });
  expect(await domains.inputValue()).toBe("example.com\nexample.org");
});

test("a number that cannot be read is not saved as an empty one", async () => {
  const { owner } = await createWorkspace(server, "Numbers");
  const budget = { monthlyBudgetMicros: 100_000_000 };
  await server.call("/v1/automation-settings", { method: "PATCH", body: budget, headers: owner.auth });
  const { page, complaints } = await openWindow(browser, server, "/o/numbers/settings/automations", owner);
  const month = field(page, "Budget of a month, in US dollars");
  await month.press("End");
  await month.pressSequentially("e");
  await button(page, "Save").click();
  await page.getByText("Budget of a month, in US dollars: this cannot be read.").waitFor();
  expect(await page.evaluate("document.activeElement.labels[0].textContent")).toMatch(/^Budget of a month/);
  const { body } = await server.call("/v1/automation-settings", { headers: owner.auth });
  expect(body.settings).toMatchObject(budget);
  await month.fill("120");
  await button(page, "Save").click();
  await page.getByText("Settings saved.").waitFor();
  expect(complaints).toEqual([]);
});

test("a list that the role may not read any more is not shown from memory", async () => {
  const workspace = await createWorkspace(server, "Demoted");
  const role = await createRole(server, workspace.owner, [
    "organization:read",
    "members:read",
    "templates:read",
  ]);
  const guest = await joinWorkspace(server, workspace, role.id);
  await server.call("/v1/templates", {
    body: { name: "Secret plan", body: "…" },
    headers: workspace.owner.auth,
  });
  const { page } = await openWindow(browser, server, "/o/demoted/templates", guest);
  await page.getByRole("link", { name: /^Secret plan/ }).waitFor();
  const body = { permissions: ["organization:read", "members:read"] };
  await server.call(`/v1/roles/${role.id}`, { method: "PATCH", body, headers: workspace.owner.auth });
  await page.getByText("This needs the permission templates:read.").waitFor();
  expect(await page.getByText("Secret plan").count()).toBe(0);
});

test("the description of an endpoint can be changed without the permissions that its address needs", async () => {
  const workspace = await createWorkspace(server, "Endpoints");
  const role = await createRole(server, workspace.owner, ["organization:read", "notifications:manage"]);
  const clerk = await joinWorkspace(server, workspace, role.id);
  const { body } = await server.call("/v1/webhook-endpoints", {
    body: { url: "https://hooks.example.com/signalbox", types: ["run.failed"] },
    headers: workspace.owner.auth,
  });
  const path = `/o/endpoints/settings/webhooks/${body.webhookEndpoint.id}`;
  const { page, complaints } = await openWindow(browser, server, path, clerk);
  await button(page, "More actions").click();
  await page.getByRole("menuitem", { name: "Change the endpoint" }).click();
  await field(page, "Description").fill("For the pager");
  await button(page, "Save").click();
  await page.getByText("Settings saved.").waitFor();
  await page.getByText("For the pager").waitFor();
  expect(complaints).toEqual([]);
});

test("a page whose files do not arrive says so, and is shown when the server answers again", async () => {
  const { owner } = await createWorkspace(server, "Offline");
  const { page } = await openWindow(browser, server, "/o/offline", owner);
  await page.locator("h1").waitFor();
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Usage" }).click();
  await heading(page, "This page could not be loaded").waitFor();
  await button(page, "Try now").click();
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.waitForURL("**/audit");
  await heading(page, "This page could not be loaded").waitFor();
  await expectGoodPage(page);
  await page.context().setOffline(false);
  await heading(page, "Audit log").waitFor();
});

test("a page whose files have other names since an upgrade is loaded anew", async () => {
  const { owner } = await createWorkspace(server, "Upgraded");
  const { page } = await openWindow(browser, server, "/o/upgraded", owner);
  await page.locator("h1").waitFor();
  await page.route("**/assets/usage-page-*", (route) => route.fulfill({ status: 404 }));
  // The new page names the files that are there.
  await page.route("**/o/upgraded/usage", async (route) => {
    await page.unroute("**/assets/usage-page-*");
    await route.continue();
  });
  await page.getByRole("link", { name: "Usage" }).click();
  await heading(page, "Usage").waitFor();
});

test("a wrong name before a deletion is said, also to readers who do not see it", async () => {
  const { owner } = await createWorkspace(server, "Typed");
  const { page } = await openWindow(browser, server, "/o/typed/settings/leave", owner);
  await page.getByRole("button", { name: /^Delete/ }).click();
  const dialog = page.getByRole("dialog");
  const name = dialog.getByRole("textbox");
  await name.fill("typo");
  await name.press("Enter");
  const message = dialog.getByRole("alert").filter({ hasText: "Type typed, exactly." });
  await message.waitFor();
  expect(await name.getAttribute("aria-describedby")).toBe(await message.getAttribute("id"));
});
