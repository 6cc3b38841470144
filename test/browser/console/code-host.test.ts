import { afterAll, beforeAll, expect, test } from "vitest";
import { createConnector, templateFile } from "../../connectors.ts";
import { type GitServer, startGitServer } from "../../fixtures/git-server.ts";
import { createRole, createWorkspace, useServer } from "../../harness.ts";
import { pushBody, signedHeaders } from "../../webhooks.ts";
import { useBrowser } from "../browser.ts";
import { expectSound, openOrganization } from "./organization.ts";

// A worker runs too, so pushes are followed as they are in production.
const server = useServer({ role: "all" });
const browser = useBrowser();
let git: GitServer;

beforeAll(async () => {
  git = await startGitServer();
});
afterAll(() => git.close());

const repository = "acme/handbook";

/** Sends a push as a code host does. */
const deliver = (webhookUrl: string, secret: string, head: string) => {
  const body = pushBody({ repository }, head);
  return fetch(webhookUrl, { method: "POST", body, headers: signedHeaders.github(secret, body) });
};

test("a repository is connected; a push appears by itself with its sync and diff counts, and is replayed", async () => {
  const repo = await git.repository(repository);
  await repo.commit({
    "templates/triage.md": templateFile("Triage"),
    "templates/notes.md": templateFile("Notes"),
  });
  const window = await openOrganization(browser, server, "/code-host");
  const { page } = window;
  await page.getByText("No repository yet").waitFor();
  await page.getByRole("link", { name: "Connect repository" }).first().click();
  const inspector = page.getByRole("complementary");
  await inspector.getByLabel("Code host").selectOption({ label: "Another git server" });
  await inspector.getByLabel("Repository", { exact: true }).fill(repository);
  await inspector.getByLabel("Clone address").fill("ssh://git.example/handbook");
  await inspector.getByLabel("Folder with the templates").fill("templates");
  await inspector.getByLabel("Name", { exact: true }).fill("Handbook");
  await inspector.getByRole("button", { name: "Connect" }).click();
  await inspector.getByText("Give an https or http address").waitFor();
  await inspector.getByLabel("Clone address").fill(repo.url);
  await inspector.getByRole("button", { name: "Connect" }).click();

  await inspector.getByText("No delivery has arrived yet.").waitFor();
  const values = await inspector.locator(".copy code").allTextContents();
  const webhookUrl = values.find((value) => value.includes("/v1/webhooks/"))!;
  const secret = values.find((value) => value.startsWith("whsec_"))!;
  await inspector.getByRole("button", { name: "Test" }).click();
  await inspector.getByText("The repository can be read. It has 2 templates.").waitFor();
  await expectSound(window);
  await page.getByRole("row", { name: /Handbook.*Synced/ }).waitFor();

  await page.getByRole("link", { name: "Deliveries", exact: true }).click();
  await page.getByText("No delivery yet").waitFor();
  const head = await repo.commit({
    "templates/triage.md": templateFile("Triage", "Name the owner."),
    "templates/handover.md": templateFile("Handover"),
  });
  expect((await deliver(webhookUrl, secret, head)).status).toBe(202);
  const row = page.getByRole("row", { name: /Accepted.*push.*acme\/handbook/ });
  await row.getByText("1 added").waitFor();
  await row.getByText("1 changed").waitFor();
  await row.getByRole("link").click();
  await inspector.getByRole("heading", { name: `Push to ${repository}` }).waitFor();
  await inspector.getByText("1 unchanged").waitFor();
  await inspector.getByText('"refs/heads/main"').waitFor();
  await inspector.getByRole("button", { name: /^Headers/ }).click();
  await inspector.getByText("x-github-event: push").waitFor();
  await inspector.getByText("x-hub-signature-256: [redacted]").waitFor();
  await expectSound(window);
  await inspector.getByRole("button", { name: "Replay" }).click();
  await page.getByText(/Nothing was queued/).waitFor();

  await page.getByRole("link", { name: "Syncs", exact: true }).click();
  await page
    .getByRole("row", { name: /Synced.*1 added.*A push/ })
    .getByRole("link")
    .click();
  await inspector.getByRole("heading", { name: "Sync of Handbook" }).waitFor();
  await page.keyboard.press("Escape");
  await inspector.waitFor({ state: "detached" });
}, 180_000);

test("a delivery with a wrong signature is listed under Refused, and a failed sync is retried", async () => {
  const workspace = await createWorkspace(server);
  const connector = await createConnector(server, workspace.owner.auth, {
    cloneUrl: `${git.url}/acme/absent.git`,
  });
  const refused = await deliver(connector.webhookUrl, "whsec_d3Jvbmc=", "0".repeat(40));
  expect(refused.status).toBe(401);
  const window = await openOrganization(browser, server, "/code-host/deliveries?outcome=refused", {
    workspace,
  });
  const { page } = window;
  await page.getByText("The signature does not match").waitFor();
  await expectSound(window);
  await page.getByRole("link", { name: "Syncs", exact: true }).click();
  await page
    .getByRole("row", { name: /Sync failed.*repository_not_found/ })
    .getByRole("link")
    .click();
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Queued again.").waitFor();
});

test("a role that only reads sees no button that changes; without connectors:read the page says what is missing", async () => {
  const workspace = await createWorkspace(server);
  await createConnector(server, workspace.owner.auth);
  const reader = await createRole(server, workspace.owner, ["organization:read", "connectors:read"]);
  const { page } = await openOrganization(browser, server, "/code-host", { workspace, role: reader.id });
  await page.getByRole("link", { name: /Handbook/ }).click();
  await page.getByRole("heading", { name: "Handbook" }).waitFor();
  for (const name of ["Sync now", "Test", "Connect repository"])
    expect(await page.getByText(name, { exact: true }).count()).toBe(0);

  const nobody = await createRole(server, workspace.owner, ["organization:read"]);
  const refused = await openOrganization(browser, server, "/code-host", { workspace, role: nobody.id });
  await refused.page.getByText(/connectors:read/).waitFor();
});
