import { expect, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../harness.ts";
import { providerKey, useFakeProvider } from "../../llm-providers.ts";
import { seedMcpConnection } from "../../mcp-connections.ts";
import { beat, createWorker, forgetOutages, passTime, reportRuntime } from "../../workers.ts";
import { openWindow, useBrowser, violations, type Window } from "../browser.ts";

const server = useServer({ env: { EGRESS_ALLOW: "127.0.0.1" } });
const browser = useBrowser();
const provider = useFakeProvider();

async function openAs(workspace: Workspace, path: string): Promise<Window & { slug: string }> {
  const { body } = await server.call("/v1/organization", { headers: workspace.owner.auth });
  const { slug } = body.organization;
  return { ...(await openWindow(browser, server, `/o/${slug}${path}`, workspace.owner)), slug };
}

async function expectSound({ page, complaints }: Window): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), colorScheme).toEqual([]);
  }
  expect(complaints).toEqual([]);
}

test("a worker appears while the page is open, goes stale, and comes back", async () => {
  const workspace = await createWorkspace(server);
  const window = await openAs(workspace, "/workers");
  const { page } = window;
  await page.getByText("No worker yet").waitFor();
  const worker = await createWorker(server, workspace.owner.auth, { name: "build-1" });
  await reportRuntime(server, worker);
  await beat(server, worker, 1);
  const row = page.getByRole("row", { name: /build-1/ });
  await row.getByText("Idle").waitFor();
  await forgetOutages(server);
  await passTime(server, worker.id, 120);
  await row.getByText("Stale").waitFor();
  await beat(server, worker, 2);
  await row.getByText("Idle").waitFor();
  await expectSound(window);
});

test("a worker is paused with a note, resumed and removed", async () => {
  const workspace = await createWorkspace(server);
  const worker = await createWorker(server, workspace.owner.auth, { name: "build-2" });
  await reportRuntime(server, worker);
  const window = await openAs(workspace, `/workers/${worker.id}`);
  const { page } = window;
  await page.getByRole("button", { name: "Pause" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Note").fill("New disk");
  await dialog.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused: New disk").first().waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await expectSound(window);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.waitForURL("**/workers");
  expect((await reportRuntime(server, worker)).status).toBe(401);
});

test("the MCP connections of a worker are chosen, and a deleted one can be taken away", async () => {
  const workspace = await createWorkspace(server);
  const { owner } = workspace;
  const wiki = await seedMcpConnection(server, workspace);
  const worker = await createWorker(server, owner.auth, { name: "build-3" });
  const window = await openAs(workspace, `/workers/${worker.id}`);
  const { page } = window;
  await page.getByRole("button", { name: "Assigned" }).click();
  await page.getByLabel("Issue tracker").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The worker has it with its next heartbeat.").waitFor();
  const readIds = async () =>
    (await server.call(`/v1/workers/${worker.id}`, { headers: owner.auth })).body.worker.mcpConnectionIds;
  expect(await readIds()).toEqual([wiki.id]);
  await expectSound(window);

  await server.call(`/v1/mcp-connections/${wiki.id}`, { method: "DELETE", headers: owner.auth });
  await page.reload();
  await page.getByRole("button", { name: "Assigned" }).click();
  await page.getByLabel(`${wiki.id} (deleted, or not for you)`).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The worker has it with its next heartbeat.").waitFor();
  expect(await readIds()).toEqual([]);
}, 60_000);

test("what is chosen for a worker stays while the worker is paused", async () => {
  const workspace = await createWorkspace(server);
  const { owner } = workspace;
  const wiki = await seedMcpConnection(server, workspace);
  const worker = await createWorker(server, owner.auth, { name: "build-4" });
  const { page } = await openAs(workspace, `/workers/${worker.id}`);
  await page.getByRole("button", { name: "Assigned" }).click();
  await page.getByLabel("Issue tracker").check();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("dialog").getByLabel("Note").fill("New disk");
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  expect(await page.getByLabel("Issue tracker").isChecked()).toBe(true);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The worker has it with its next heartbeat.").waitFor();
  const { body } = await server.call(`/v1/workers/${worker.id}`, { headers: owner.auth });
  expect(body.worker.mcpConnectionIds).toEqual([wiki.id]);
}, 60_000);

test("a registration token is shown once with the command, and registers a machine", async () => {
  const workspace = await createWorkspace(server);
  const window = await openAs(workspace, "/workers");
  const { page } = window;
  await page.getByRole("button", { name: "Add worker" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Build machines");
  await dialog.getByRole("button", { name: "Create token" }).click();
  const token = (await dialog.locator("code").first().textContent())!;
  await dialog.getByText(`--url ${server.url}`).waitFor();
  const reply = await server.call("/v1/workers/register", {
    body: { instanceId: "machine-1", name: "machine-1" },
    headers: { authorization: `Bearer ${token}` },
  });
  expect(reply.status).toBe(201);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: "machine-1" }).waitFor();
});

test("an LLM provider is added, its key tested with both verdicts, granted and switched off", async () => {
  const workspace = await createWorkspace(server);
  const window = await openAs(workspace, "/llm-providers");
  const { page } = window;
  await page.getByRole("button", { name: "Add provider" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Provider").selectOption("openai_compatible");
  await dialog.getByLabel("Name").fill("Own models");
  await dialog.getByLabel("Address").fill(`${provider.url}/v1`);
  await dialog.getByLabel("API key").fill(providerKey);
  await dialog.getByRole("button", { name: "Add provider" }).click();
  await page.getByRole("heading", { name: "Own models", level: 1 }).waitFor();
  provider.answer = () => ({ status: 401, body: { error: { message: "no" } } });
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("Refused").waitFor();
  provider.answer = () => ({ body: { data: [{ id: "m-1" }] } });
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("Valid", { exact: true }).waitFor();
  expect(await page.content()).not.toContain(providerKey);
  await expectSound(window);
  await page.getByRole("button", { name: "Access" }).click();
  await page.getByLabel("Everybody in the organization").check();
  await page.getByRole("button", { name: "Save access" }).click();
  await page.getByText("The access is saved.").waitFor();
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByText("It is switched off: nobody gets its keys.").waitFor();
});

test("a budget is created, and a wrong amount is shown at its field", async () => {
  const workspace = await createWorkspace(server);
  const window = await openAs(workspace, "/llm-providers?view=budgets");
  const { page } = window;
  await page.getByRole("button", { name: "New budget" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Limit in US dollars").fill("a lot");
  await dialog.getByRole("button", { name: "Create budget" }).click();
  await dialog.getByText("Enter an amount, such as 250 or 12.50.").waitFor();
  await dialog.getByLabel("Limit in US dollars").fill("12.50");
  await dialog.getByRole("button", { name: "Create budget" }).click();
  await page.getByText("$0.00 of $12.50").waitFor();
  await expectSound(window);
  const { body } = await server.call("/v1/llm-budgets", { headers: workspace.owner.auth });
  expect(body.items).toMatchObject([{ limitMicros: 12_500_000, period: "month", mode: "budget" }]);
});
