import { beforeAll, expect, test } from "vitest";
import { adminEnv, callAdmin, createAdmin, suspend } from "../../admin.ts";
import { createWorkspace, type Person, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { button, expectGoodPage, field } from "./harness.ts";

const server = useServer({ env: adminEnv });
const browser = useBrowser();
let root: Person;
beforeAll(async () => {
  root = await createAdmin(server);
});

test("an administrator suspends an organization with a reason, and restores it", async () => {
  const { owner } = await createWorkspace(server, "Globex");
  const admin = await openWindow(browser, server, "/admin/organizations", root);
  await admin.page.getByRole("link", { name: "Globex" }).click();
  await admin.page.waitForURL("**/admin/organizations/org_*");
  await expectGoodPage(admin.page);
  await button(admin.page, "Suspend").click();
  const dialog = admin.page.getByRole("dialog", { name: "Suspend Globex?" });
  // A reason is needed. The server says so.
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await dialog.getByRole("alert").getByText(/.+/).waitFor();
  await dialog.getByLabel("Reason").fill("Not paid <b>yet</b>");
  await dialog.getByRole("button", { name: "Suspend" }).click();
  await admin.page.getByText("Globex is suspended.").waitFor();
  await admin.page.getByText("Reason: Not paid <b>yet</b>").waitFor();

  const initrode = { body: { name: "Initrode" }, headers: owner.auth };
  expect((await server.call("/v1/organizations", initrode)).status).toBe(201);
  const member = await openWindow(browser, server, "/o/globex", owner);
  await member.page.getByText("Globex is suspended").waitFor();
  // The person is not shut out of the rest of the console.
  await member.page.getByRole("link", { name: "Your account and other organizations" }).click();
  await member.page.getByRole("table").getByRole("link", { name: "Initrode" }).waitFor();
  await member.page.goto(server.url);
  await member.page.waitForURL("**/o/initrode");
  await member.page.goto(`${server.url}/o/globex`);
  await member.page.getByText("Globex is suspended").waitFor();

  await button(admin.page, "Restore").click();
  await admin.page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await admin.page.getByText("Globex is restored.").waitFor();
  await member.page.reload();
  await member.page.getByRole("button", { name: "Organization: Globex" }).waitFor();

  await admin.page.goto(`${server.url}/admin/log`);
  await admin.page.getByRole("link", { name: "organization.suspended" }).click();
  await admin.page.getByText("Not paid <b>yet</b>").waitFor();
  expect(admin.complaints).toEqual([]);
});

test("a link opens any entry of the instance log, also one that the list has not read", async () => {
  const { orgId } = await createWorkspace(server, "Soylent");
  await suspend(server, root, orgId);
  const { items } = (await callAdmin(server, root, `audit-events?targetId=${orgId}`)).body;
  // The list has only entries of another action.
  const address = `/admin/log/${items[0].id}?action=organization.limits_changed`;
  const { page, complaints } = await openWindow(browser, server, address, root);
  const inspector = page.getByRole("complementary", { name: "organization.suspended" });
  await inspector.getByText("Not paid").waitFor();
  await expectGoodPage(page);
  await page.goto(`${server.url}/admin/log/aud_00000000000000000000000000`);
  await page
    .getByRole("complementary", { name: "Entry" })
    .getByText("There is nothing at this address")
    .waitFor();
  expect(complaints).toEqual([]);
});

test("limits are set for one organization", async () => {
  const { orgId, owner } = await createWorkspace(server, "Initech");
  const { page } = await openWindow(browser, server, `/admin/organizations/${orgId}`, root);
  await button(page, "Change limits").click();
  await page.getByRole("dialog").getByLabel("teams", { exact: true }).fill("7");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("Limits saved.").waitFor();
  const { body } = await server.call("/v1/organization/quotas", { headers: owner.auth });
  expect(body.items.find(({ name }: { name: string }) => name === "teams")).toMatchObject({
    limit: 7,
    overridden: true,
  });
});

test("an administrator finds a person and signs them out everywhere", async () => {
  const { owner } = await createWorkspace(server, "Umbrella");
  const { page } = await openWindow(browser, server, "/admin/users", root);
  await field(page, "E-mail address").fill(owner.email);
  await page.waitForURL("**email=**");
  await page.getByRole("button", { name: `Actions for ${owner.email}` }).click();
  await page.getByRole("menuitem", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByText("1 session ended.").waitFor();
  await expect
    .poll(async () => (await server.call("/v1/me", { headers: owner.auth })).status, { timeout: 10_000 })
    .toBe(401);
});

test("the figures and the usage have charts that are tables too", async () => {
  const { page, complaints } = await openWindow(browser, server, "/admin", root);
  await page.getByText("Waiting work").first().waitFor();
  await expectGoodPage(page);
  await page.goto(`${server.url}/admin/usage?days=7`);
  await button(page, "View as table").first().click();
  await page.getByRole("table", { name: "Runs by day" }).waitFor();
  await expectGoodPage(page);
  expect(complaints).toEqual([]);
});

test("somebody else sees a refusal, and the server refuses too", async () => {
  const { owner } = await createWorkspace(server, "Nobody");
  const { page } = await openWindow(browser, server, "/admin/organizations", owner);
  await page.getByText("This page is for the people who run this instance").waitFor();
  expect(await page.getByRole("table").count()).toBe(0);
  expect((await server.call("/v1/admin/overview", { headers: owner.auth })).status).toBe(403);
});
