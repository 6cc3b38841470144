import { expect, test } from "vitest";
import { claim, complete, createAutomation, runNow } from "../../automations.ts";
import { createRole, createWorkspace, joinWorkspace, useServer, type Workspace } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { button, expectGoodPage, findPath, heading } from "./harness.ts";

const server = useServer();
const browser = useBrowser();

/** Ends a run of the automation with a cost. */
async function finishRun({ owner }: Workspace, automationId: string, status: string, costMicros: number) {
  const run = await runNow(server, owner.auth, automationId);
  await claim(server, owner.auth, run.id);
  const usage = { inputTokens: 1000, outputTokens: 100, costMicros, model: "acme-1" };
  const error = status === "failed" ? { message: "The registry is away.", retryable: true } : null;
  const done = { attempt: 1, status, usage, error };
  expect((await complete(server, owner.auth, run.id, done)).status).toBe(200);
  return run;
}

test("the figures equal the API, and each leads to its list", async () => {
  const workspace = await createWorkspace(server);
  const { owner } = workspace;
  const automation = await createAutomation(server, owner.auth, { name: "Nightly audit" });
  await finishRun(workspace, automation.id, "succeeded", 1_500_000);
  const failed = await finishRun(workspace, automation.id, "failed", 250_000);
  const { page, complaints } = await openWindow(browser, server, await findPath(server, owner, ""), owner);

  // The verdict comes first: what needs care, in words, with its action.
  await heading(page, "One thing needs care").waitFor();
  await heading(page, "Nightly audit failed").waitFor();
  await page.getByText("The registry is away.").first().waitFor();
  await page.getByRole("link", { name: "See run" }).waitFor();

  const { body } = await server.call("/v1/overview/runs", { headers: owner.auth });
  expect(body.period).toMatchObject({ runs: 2, succeeded: 1, failed: 1 });
  await page.getByRole("link", { name: /^Runs 2 50.0% succeeded/ }).waitFor();
  await page.getByRole("link", { name: /^Cost in \w+ \$1.75/ }).waitFor();
  await expectGoodPage(page);
  await page.getByRole("button", { name: "View as table" }).first().click();
  const today = page
    .getByRole("table", { name: /2 runs, 1 failed/ })
    .getByRole("row")
    .last();
  await expect.poll(() => today.getByRole("cell").allTextContents()).toEqual(["1", "0", "1"]);

  await page.getByRole("link", { name: /^Did not succeed 1/ }).click();
  await page.waitForURL("**/runs?*");
  const table = page.getByRole("table", { name: "Runs" });
  await expect.poll(() => table.getByRole("row").count()).toBe(2);
  await table.getByText("Failed").waitFor();
  await table.getByText("$0.25").waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "See run" }).click();
  await page.waitForURL(`**/runs/${failed.id}`);
  expect(complaints).toEqual([]);
});

test("a new organization sees its first steps, and hides them", async () => {
  const { owner } = await createWorkspace(server);
  const { page } = await openWindow(browser, server, await findPath(server, owner, ""), owner);
  await heading(page, "Nothing needs care").first().waitFor();
  await heading(page, "One of six done").waitFor();
  await button(page, "Hide this list").click();
  expect(await heading(page, "One of six done").count()).toBe(0);
  await page.getByText("No runs yet").waitFor();
  await button(page, "7 days").click();
  expect(page.url()).toContain("range=7d");
});

test("a member without permissions sees an overview without figures", async () => {
  const workspace = await createWorkspace(server);
  const role = await createRole(server, workspace.owner, ["organization:read"]);
  const person = await joinWorkspace(server, workspace, role.id);
  const { page, complaints } = await openWindow(
    browser,
    server,
    await findPath(server, workspace.owner, ""),
    person,
  );
  await heading(page, "Nothing needs care").first().waitFor();
  expect(await page.getByText("Did not succeed").count()).toBe(0);
  expect(await page.getByRole("link", { name: "New automation" }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("usage shows what each automation cost, as a chart, a table and CSV", async () => {
  const workspace = await createWorkspace(server);
  const { owner } = workspace;
  const automation = await createAutomation(server, owner.auth, { name: "=Digest, daily" });
  await finishRun(workspace, automation.id, "succeeded", 2_000_000);
  const { page, complaints } = await openWindow(
    browser,
    server,
    await findPath(server, owner, "/usage"),
    owner,
  );
  const table = page.getByRole("table", { name: "By automation" });
  await table.getByRole("link", { name: "=Digest, daily" }).waitFor();
  expect(await table.getByRole("row").last().textContent()).toContain("$2.00");
  await expectGoodPage(page);
  const download = page.waitForEvent("download");
  await button(page, "Export CSV").click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  expect(text.split("\r\n")[1]).toBe(`${automation.id},"'=Digest, daily",2,1000,100,1`);
  await page.getByLabel("By", { exact: true }).selectOption({ label: "By model" });
  await page.getByRole("table", { name: "By model" }).getByText("acme-1").waitFor();
  await button(page, "Telemetry").click();
  await page.getByText("What all agents reported, also outside of runs.").waitFor();
  expect(complaints).toEqual([]);
});
