import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  claim,
  complete,
  createAutomation,
  createRunner,
  event,
  queueRun,
  reportBatch,
  runNow,
} from "../../automations.ts";
import { createRole, createWorkspace, joinWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { button, expectGoodPage, findPath, heading } from "./harness.ts";

const server = useServer();
const browser = useBrowser();

/** Events of each kind, as a runner reports them. */
const work = [
  event(0, { type: "user", payload: { text: "Label new issues." } }),
  event(1, { payload: { text: "I look at `#4821` <b>first</b>." } }),
  event(2, { type: "capability_search", payload: { query: "issues", results: ["list_issues"] } }),
  event(3, {
    type: "capability_execution",
    payload: { name: "get_issue", input: { number: 4821 }, result: "open" },
  }),
  event(4, {
    type: "capability_execution",
    payload: { name: "get_issue", input: { number: 4826 }, result: "open" },
  }),
  event(5, {
    type: "usage",
    payload: { model: "acme-1", inputTokens: 1200, outputTokens: 80, costMicros: 51_200 },
  }),
  event(6, { type: "warning", payload: { text: "The tracker is slow." } }),
];

test("a run is watched live from the queue to its end", async () => {
  const { owner } = await createWorkspace(server);
  const run = await queueRun(server, owner.auth, { name: "Triage new issues" });
  const runner = await createRunner(server, owner.auth);
  const { page, complaints } = await openWindow(
    browser,
    server,
    await findPath(server, owner, `/runs/${run.id}`),
    owner,
  );
  await heading(page, "Triage new issues").waitFor();
  await page.locator(".head").getByText("Queued").waitFor();
  await page.getByText("No events yet.").waitFor();

  // The page is open while a real runner reports.
  await claim(server, runner.auth, run.id);
  await page.locator(".head").getByText("Running").waitFor();
  expect((await reportBatch(server, runner.auth, run.id, work)).status).toBe(200);
  const events = page.getByRole("list", { name: "Events" });
  await events.getByText("Label new issues.").waitFor();
  // What an agent says is text. Only names between backquotes look like code.
  await events.getByText("<b>first</b>").waitFor();
  expect(await events.locator("b").count()).toBe(0);
  await events.locator("code", { hasText: "#4821" }).waitFor();
  // Two calls of the same tool in a row are one line that opens.
  await events.getByRole("button", { name: /get_issue 2 calls: 4821; 4826/ }).click();
  await events.getByRole("button", { name: "Result" }).first().click();
  expect(await events.locator("pre").first().textContent()).toBe("open");
  await events.getByText("+$0.0512").waitFor();
  await page.locator(".cost").getByText("$0.0512").waitFor();
  await page.getByRole("button", { name: "Following live" }).waitFor();

  // Filters by kind, and a search in what was said.
  await button(page, /^Warnings/).click();
  await events.getByText("The tracker is slow.").waitFor();
  expect(await events.getByText("Label new issues.").count()).toBe(0);
  await page.waitForURL("**kind=warnings");
  await button(page, /^All/).click();
  await page.getByLabel("Find in run").fill("4826");
  await expect.poll(() => events.locator("li").count()).toBe(1);
  await page.getByLabel("Find in run").fill("");
  await expectGoodPage(page);

  const done = { attempt: 1, status: "succeeded", resultSummary: "2 issues are labelled." };
  expect((await complete(server, runner.auth, run.id, done)).status).toBe(200);
  await page.locator(".head").getByText("Succeeded").waitFor();
  await page.getByText("2 issues are labelled.").waitFor();
  expect(await page.getByRole("button", { name: "Following live" }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

/** The place of the page when it has stopped: the browser scrolls in steps, for some frames. */
async function findRestingPlace(page: Page): Promise<number> {
  const readPlace = async () => (await page.evaluate("scrollY")) as number;
  let place = await readPlace();
  for (let same = 0; same < 5; ) {
    await page.waitForTimeout(50);
    const next = await readPlace();
    same = next === place ? same + 1 : 0;
    place = next;
  }
  return place;
}

test("scrolling up lets go of a live run, and F follows it again", async () => {
  const { owner } = await createWorkspace(server);
  const run = await queueRun(server, owner.auth);
  const said = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) =>
      event(from + i, { payload: { text: `Step ${from + i} of the work.` } }),
    );
  await claim(server, owner.auth, run.id);
  await reportBatch(server, owner.auth, run.id, said(0, 400));
  const { page } = await openWindow(browser, server, await findPath(server, owner, `/runs/${run.id}`), owner);
  await page.getByText("Step 399 of the work.").waitFor();
  // Only the rows near the view are in the document.
  expect(await page.locator("ol[aria-label=Events] > li").count()).toBeLessThan(80);
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, -2500);
  await button(page, /^Follow live/).waitFor();
  const place = await findRestingPlace(page);
  await reportBatch(server, owner.auth, run.id, said(400, 50));
  await page.getByText("50 new").waitFor();
  expect(await page.evaluate("scrollY")).toBe(place);
  await page.keyboard.press("f");
  await page.getByText("Step 449 of the work.").waitFor();
  await button(page, "Following live").waitFor();
});

test("a failed run says why, and is retried as a new run", async () => {
  const { owner } = await createWorkspace(server);
  const run = await queueRun(server, owner.auth, { name: "Nightly audit" });
  await claim(server, owner.auth, run.id);
  const error = { message: "The registry refused the token.", retryable: false };
  await complete(server, owner.auth, run.id, { attempt: 1, status: "failed", error });
  const { page } = await openWindow(browser, server, await findPath(server, owner, `/runs/${run.id}`), owner);
  await page.getByText("Its runner reported a failure.").waitFor();
  await page.getByText("The registry refused the token.").waitFor();
  await button(page, "Retry").click();
  await page.waitForURL((url) => url.pathname.includes("/runs/run_") && !url.pathname.endsWith(run.id));
  await page.locator(".head").getByText("Queued").waitFor();
  await page.getByRole("link", { name: `…${run.id.slice(-6)}` }).waitFor();

  await button(page, "Cancel run").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Cancel this run of Nightly audit?").waitFor();
  await dialog.getByRole("button", { name: "Cancel run" }).click();
  await page.locator(".head").getByText("Cancelled").waitFor();
  await page.getByText("Somebody cancelled it.").waitFor();
});

test("the list filters by state, and the address keeps the filter", async () => {
  const { owner } = await createWorkspace(server);
  const automation = await createAutomation(server, owner.auth, { name: "Sorted" });
  const first = await runNow(server, owner.auth, automation.id);
  await claim(server, owner.auth, first.id);
  await complete(server, owner.auth, first.id, { attempt: 1, status: "succeeded" });
  await queueRun(server, owner.auth, { name: "Waiting" });
  const { page } = await openWindow(browser, server, await findPath(server, owner, "/runs"), owner);
  const table = page.getByRole("table", { name: "Runs" });
  await table.getByRole("link", { name: "Waiting" }).waitFor();
  await page.getByLabel("State").selectOption({ label: "Succeeded" });
  await expect.poll(() => table.getByRole("link").allTextContents()).toEqual(["Sorted"]);
  expect(page.url()).toContain("status=succeeded");
  await page.reload();
  await expect.poll(() => table.getByRole("link").allTextContents()).toEqual(["Sorted"]);
  await button(page, "Clear filters").click();
  await table.getByRole("link", { name: "Waiting" }).waitFor();
  await expectGoodPage(page);
});

test("a member without the permission sees no runs, and learns which permission is missing", async () => {
  const workspace = await createWorkspace(server);
  const run = await queueRun(server, workspace.owner.auth);
  const role = await createRole(server, workspace.owner, ["organization:read"]);
  const person = await joinWorkspace(server, workspace, role.id);
  const path = await findPath(server, workspace.owner, "");
  const { page } = await openWindow(browser, server, `${path}/runs/${run.id}`, person);
  await page.getByText("Your role does not include this").waitFor();
  await page.getByText("automations:create").first().waitFor();
  const navigation = page.getByRole("navigation", { name: "Main" }).first();
  expect(await navigation.getByRole("link", { name: "Runs" }).count()).toBe(0);
  // The run of another member is not found, as if it did not exist.
  const member = await joinWorkspace(server, workspace, "member");
  const second = await openWindow(browser, server, `${path}/runs/${run.id}`, member);
  await second.page.getByText("There is nothing at this address").waitFor();
});

test("a link to the runs of a time that cannot be read shows the list", async () => {
  const workspace = await createWorkspace(server);
  await queueRun(server, workspace.owner.auth);
  const path = await findPath(server, workspace.owner, "/runs");
  const { page, complaints } = await openWindow(browser, server, `${path}?status=queued`, workspace.owner);
  for (const query of ["from=17951", "from=abc", "to=1e300", "range=constructor"]) {
    await page.goto(`${server.url}${path}?${query}`);
    await page.getByRole("cell", { name: "Queued" }).waitFor();
  }
  expect(complaints).toEqual([]);
});
