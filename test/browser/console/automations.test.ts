import { expect, test } from "vitest";
import { createAutomation, everyDay } from "../../automations.ts";
import { createRole, createWorkspace, joinWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { button, expectGoodPage, field, findPath, heading } from "./harness.ts";

const server = useServer();
const browser = useBrowser();

test("an automation is created with the schedule builder, run now, and seen in the queue", async () => {
  const { owner } = await createWorkspace(server);
  const { page, complaints } = await openWindow(
    browser,
    server,
    await findPath(server, owner, "/automations"),
    owner,
  );
  await page.getByText("No automations yet").waitFor();
  await page.getByRole("link", { name: "New automation" }).first().click();
  await heading(page, "New automation").waitFor();
  // The bar is as wide as its buttons while there is nothing to say beside them.
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const bar = (await page.locator(".savebar").boundingBox())!;
    const first = (await page.locator(".savebar").getByRole("link", { name: "Cancel" }).boundingBox())!;
    const last = (await button(page, "Create automation").boundingBox())!;
    expect(first.x - bar.x).toBeCloseTo(bar.x + bar.width - last.x - last.width, 0);
  }

  // An incomplete form is refused in place.
  await button(page, "Create automation").click();
  await page.getByText("Enter a name.").waitFor();
  expect(await page.evaluate("document.activeElement.value")).toBe("");
  await field(page, "Name").fill("Release notes");
  await field(page, "Instructions").fill("Write the release notes.");
  await field(page, "Repeats").selectOption({ label: "Certain days of the week" });
  await button(page, "Fri").click();
  await button(page, "Mon").click();
  await field(page, "Time").fill("14:30");
  await field(page, "Time zone").selectOption("Europe/Berlin");
  const preview = page.getByRole("region", { name: "Next runs" });
  await expect.poll(() => preview.locator("time").count()).toBe(5);
  for (const time of await preview.locator("time").allTextContents())
    expect(time).toMatch(/Fri.*(14:30|2:30)/);
  await expectGoodPage(page);
  await button(page, "Create automation").click();

  await page.waitForURL("**/automations/aut_*");
  await page.getByText("Fri, 14:30").waitFor();
  await button(page, "Run now").click();
  await page.getByText("A run is queued.").waitFor();
  const runs = page.getByRole("table", { name: "Its runs" });
  await runs.getByText("Queued").waitFor();
  await runs.getByRole("link", { name: "Queued" }).click();
  await page.waitForURL("**/runs/run_*");
  await heading(page, "Release notes").waitFor();

  const { body } = await server.call("/v1/automations", { headers: owner.auth });
  const schedule = { kind: "weekly", daysOfWeek: [5], hour: 14, minute: 30, timezone: "Europe/Berlin" };
  expect(body.items[0]).toMatchObject({ name: "Release notes", schedule, status: "active" });
  expect(complaints).toEqual([]);
});

test("a wrong cron expression is refused at its field, and nothing that was entered is lost", async () => {
  const { owner } = await createWorkspace(server);
  const automation = await createAutomation(server, owner.auth, { name: "Digest", schedule: everyDay });
  const path = await findPath(server, owner, `/automations/${automation.id}`);
  const { page } = await openWindow(browser, server, `${path}/edit`, owner);
  await field(page, "Repeats").selectOption({ label: "Own cron expression" });
  await field(page, "Cron expression").fill("every day");
  await button(page, "Save").click();
  await page.getByText("Correct the marked fields.").waitFor();
  expect(await field(page, "Cron expression").getAttribute("aria-invalid")).toBe("true");

  // Leaving asks, and the changes are there on return.
  await page.getByRole("link", { name: "Cancel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Leave with unsaved changes?").waitFor();
  await dialog.getByRole("button", { name: "Leave" }).click();
  await heading(page, "Digest").first().waitFor();
  await page.getByRole("link", { name: "Edit" }).first().click();
  await page.getByText("These are unsaved changes from").waitFor();
  expect(await field(page, "Cron expression").inputValue()).toBe("every day");

  await field(page, "Cron expression").fill("0 7 1 * *");
  await field(page, "Instructions").fill("Look at new issues.\nWrite one line for each.");
  await button(page, "Save").click();
  await page.getByText("Saved as revision 2.").waitFor();
  await page.getByText("Day 1 of the month, 07:00").waitFor();
  await page.getByRole("link", { name: /^Revision 2/ }).click();
  const changes = page.getByRole("dialog", { name: "What revision 2 changed" });
  await changes.getByText("Write one line for each.").waitFor();
  await changes.getByText("schedule: Every day, 09:00 (Europe/Berlin)").waitFor();
});

test("a schedule is switched off and on, and an archived automation offers nothing more", async () => {
  const { owner } = await createWorkspace(server);
  const automation = await createAutomation(server, owner.auth, { name: "Digest", schedule: everyDay });
  const path = await findPath(server, owner, `/automations/${automation.id}`);
  const { page } = await openWindow(browser, server, path, owner);
  await button(page, "More actions").click();
  await page.getByRole("menuitem", { name: "Deactivate" }).click();
  await page.getByText("The schedule is off. It can still be run by hand.").waitFor();
  await page.locator(".head").getByText("Inactive").waitFor();
  await expectGoodPage(page);
  await button(page, "More actions").click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Archive Digest?").waitFor();
  await dialog.getByRole("button", { name: "Archive" }).click();
  await page.locator(".head").getByText("Archived").waitFor();
  expect(await button(page, "Run now").count()).toBe(0);
});

test("the list finds automations by state, and a member without the permission sees none", async () => {
  const workspace = await createWorkspace(server);
  await createAutomation(server, workspace.owner.auth, { name: "Morning digest", schedule: everyDay });
  await createAutomation(server, workspace.owner.auth, { name: "Resting", active: false });
  const path = await findPath(server, workspace.owner, "/automations");
  const { page } = await openWindow(browser, server, path, workspace.owner);
  const table = page.getByRole("table", { name: "Automations" });
  await table.getByText("Every day, 09:00").waitFor();
  await page.getByLabel("State").selectOption({ label: "Inactive" });
  await expect.poll(() => table.getByRole("link").allTextContents()).toEqual(["Resting"]);
  await expectGoodPage(page);

  const role = await createRole(server, workspace.owner, ["organization:read"]);
  const person = await joinWorkspace(server, workspace, role.id);
  const second = await openWindow(browser, server, path, person);
  await second.page.getByText("automations:create").first().waitFor();
  expect(await second.page.getByText("Morning digest").count()).toBe(0);
});

test("saving changes only what somebody changed, also after a run that was due once", async () => {
  const { owner } = await createWorkspace(server);
  const at = Date.now() + 1_500;
  const automation = await createAutomation(server, owner.auth, {
    ...{ name: "Migration", maxRuntimeSeconds: 90 },
    schedule: { kind: "once", at, timezone: "Europe/Berlin" },
  });
  await expect.poll(Date.now).toBeGreaterThan(at);
  const path = await findPath(server, owner, `/automations/${automation.id}/edit`);
  const { page, complaints } = await openWindow(browser, server, path, owner);
  await field(page, "Instructions").fill("Look again.");
  await button(page, "Save").click();
  await page.getByText("Saved as revision 2.").waitFor();
  const { body } = await server.call(`/v1/automations/${automation.id}`, { headers: owner.auth });
  expect(body.automation).toMatchObject({ instructions: "Look again.", maxRuntimeSeconds: 90 });
  expect(body.automation.schedule).toEqual(automation.schedule);
  expect(complaints).toEqual([]);
});

test("what was typed just before saving is not offered as unsaved afterwards", async () => {
  const { owner } = await createWorkspace(server);
  const path = await findPath(server, owner, "/automations/new");
  const { page } = await openWindow(browser, server, path, owner);
  // The next page takes longer to load than the browser waits before it keeps what was typed.
  await page.route(/\/assets\/automation-page-/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await field(page, "Instructions").fill("Look at new issues.");
  await field(page, "Name").fill("Triage");
  await field(page, "Name").press("Enter");
  await page.waitForURL("**/automations/aut_*");
  await heading(page, "Triage").waitFor();
  await page.goto(server.url + path);
  await field(page, "Name").waitFor();
  expect(await field(page, "Name").inputValue()).toBe("");
});

test("a revision beyond the first page of the list is compared with the one before it", async () => {
  const { owner } = await createWorkspace(server);
  const { id } = await createAutomation(server, owner.auth, { instructions: "Step 1." });
  for (let step = 2; step <= 24; step++) {
    const body = { instructions: `Step ${step}.` };
    await server.call(`/v1/automations/${id}`, { method: "PATCH", body, headers: owner.auth });
  }
  const path = await findPath(server, owner, `/automations/${id}`);
  const { page } = await openWindow(browser, server, `${path}?revision=5`, owner);
  // The fifth is the last of the first page, and the third is not on it.
  for (const revision of [5, 3]) {
    await page.goto(`${server.url}${path}?revision=${revision}`);
    const dialog = page.getByRole("dialog", { name: `What revision ${revision} changed` });
    await dialog.getByText(`Step ${revision}.`).waitFor();
    await dialog.getByText(`Step ${revision - 1}.`).waitFor();
  }
});
