import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AuthorizationServer,
  clientSecret,
  startAuthorizationServer,
} from "../../fixtures/authorization-server.ts";
import { createRole, createWorkspace, useServer, type Workspace } from "../../harness.ts";
import { setUpProvider } from "../../oauth.ts";
import { allowAtProvider, useBrowser } from "../browser.ts";
import { expectSound, openOrganization } from "./organization.ts";

const server = useServer();
const browser = useBrowser();
const providerId = "acme-id";
let as: AuthorizationServer;
let acme: Workspace;

beforeAll(async () => {
  as = await startAuthorizationServer({
    redirectUris: [`${server.url}/v1/oauth-providers/${providerId}/connect/callback`],
  });
  acme = await createWorkspace(server);
});
afterAll(() => as.close());

test("a provider is added, its client set up, and an account connected and ended", async () => {
  const window = await openOrganization(browser, server, "/connections/accounts", { workspace: acme });
  const { page } = window;
  await page.getByText("No account yet").waitFor();
  await page.getByRole("link", { name: "Connect account" }).first().click();
  await page.getByLabel("Find a provider").fill("git");
  await page.getByRole("link", { name: "GitHub" }).waitFor();
  await page.getByRole("link", { name: "Slack" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Add another provider" }).click();

  const inspector = page.getByRole("complementary");
  await inspector.getByLabel("Name").fill("Acme ID");
  await inspector.getByLabel("Id", { exact: true }).fill("Not an id");
  await inspector.getByLabel("Issuer").fill(as.issuer);
  await inspector.getByLabel("Scopes to ask for").fill("openid email offline_access files:read");
  await inspector.getByRole("button", { name: "Add provider" }).click();
  await inspector.getByText("2 to 40 of a–z, 0–9 and -").waitFor();
  await inspector.getByLabel("Id", { exact: true }).fill(providerId);
  await inspector.getByRole("button", { name: "Add provider" }).click();

  await inspector.getByText(`${server.url}/v1/oauth-providers/${providerId}/connect/callback`).waitFor();
  await inspector.getByLabel("Client id").fill("basic");
  await inspector.getByLabel("How the client proves itself").selectOption("client_secret_basic");
  await inspector.getByLabel("Client secret").fill(clientSecret);
  await inspector.getByRole("button", { name: "Save client" }).click();
  await inspector.getByRole("button", { name: "Connect my account" }).waitFor();
  await expectSound(window);

  await inspector.getByRole("button", { name: "Connect my account" }).click();
  await page.waitForURL(`${as.issuer}/interaction/**`);
  await allowAtProvider(page);
  await page.getByRole("link", { name: "Go back" }).click();
  await page.waitForURL(`**/connections/accounts/${providerId}`);
  await inspector.getByRole("link", { name: "octo@provider.example" }).click();

  await inspector.getByText("It works.").waitFor();
  await inspector.getByRole("link", { name: "Acme ID", exact: true }).waitFor();
  await inspector.getByText("files:read").waitFor();
  await inspector.getByText("Nothing names it.").waitFor();
  await expectSound(window);
  await inspector.getByRole("button", { name: "End" }).click();
  await page.getByRole("dialog").getByText("No automation uses it.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "End" }).click();
  await inspector.getByText("It was disconnected.").waitFor();
});

test("a shared account is given to one team, and the server stores it", async () => {
  const workspace = await createWorkspace(server);
  await setUpProvider(server, workspace.owner.auth, as);
  const team = await server.call("/v1/teams", { body: { name: "Platform" }, headers: workspace.owner.auth });
  const { page } = await openOrganization(browser, server, `/connections/accounts/${providerId}`, {
    workspace,
  });
  await page.getByRole("button", { name: "Connect a shared account" }).click();
  await page.waitForURL(`${as.issuer}/interaction/**`);
  await allowAtProvider(page);
  await page.getByRole("link", { name: "Go back" }).click();
  await page.getByRole("link", { name: "octo@provider.example" }).click();
  await page.getByLabel("Platform").check();
  await page.getByRole("button", { name: "Save access" }).click();
  await page.getByText("Access saved.").waitFor();
  const { body } = await server.call("/v1/oauth-connections", { headers: workspace.owner.auth });
  const grants = await server.call(`/v1/oauth-connections/${body.items[0].id}/grants`, {
    headers: workspace.owner.auth,
  });
  expect(grants.body.grants.teamIds).toEqual([team.body.team.id]);
});

test("a member without oauth_clients:manage sees who can set a provider up, and no form", async () => {
  const window = await openOrganization(browser, server, "/connections/accounts/github", {
    workspace: acme,
    role: "member",
  });
  await window.page.getByText("Nobody can connect yet").waitFor();
  expect(await window.page.getByLabel("Client id").count()).toBe(0);
  await expectSound(window);
});

test("without connections:use the list says which permission is missing", async () => {
  const role = await createRole(server, acme.owner, ["organization:read"]);
  const { page } = await openOrganization(browser, server, "/connections/accounts", {
    workspace: acme,
    role: role.id,
  });
  await page.getByText("Your role does not include this").waitFor();
});
