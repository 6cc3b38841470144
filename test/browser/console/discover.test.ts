import { afterAll, beforeAll, expect, test } from "vitest";
import {
  listenOn,
  type RunningServer,
  responseDelay,
  startModernServer,
  startOidcServer,
} from "../../fixtures/mcp-servers/official.ts";
import { createRole, createWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { expectSound, openOrganization } from "./organization.ts";

const server = useServer();
const browser = useBrowser();
let open: RunningServer;
const issuers: RunningServer[] = [];

beforeAll(async () => {
  open = await startModernServer("stateless");
  issuers.push(await startOidcServer(false), await startOidcServer(true));
});
afterAll(async () => {
  for (const running of [open, ...issuers]) await running.close();
});

/** An MCP server that accepts accounts of these authorization servers. */
const startProtected = (authorizationServers: readonly string[]) =>
  listenOn((base) => (request, response) => {
    const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;
    if (request.url === "/mcp")
      return response
        .writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}", scope="files:read"` })
        .end();
    if (`${base}${request.url}` !== metadata) return response.writeHead(404).end();
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ resource: `${base}/mcp`, authorization_servers: authorizationServers }));
  });

test("a server is discovered step by step; the verdict is shared, opened without a session, and revoked", async () => {
  const window = await openOrganization(browser, server, "/discover");
  const { page } = window;
  await page.getByRole("heading", { name: "What does an MCP server need?" }).waitFor();
  await page.getByText("No verdict yet").waitFor();
  const field = page.getByLabel("Address of the MCP server");
  await field.fill("mcp.example");
  await field.press("Enter");
  await page.getByText("Begin with https:// or http://.").waitFor();

  responseDelay.ms = 800;
  try {
    await field.fill(`${open.base}/mcp`);
    await field.press("Enter");
    await page.getByRole("heading", { name: `Asking ${new URL(open.base).host}` }).waitFor();
    const evidence = page.getByRole("list", { name: "How we know" });
    await evidence.getByText("Does it speak the newest revision?").waitFor();
    await evidence.getByText("Speaks the newest revision.").waitFor();
    await evidence.getByText("Which tools does it show?").waitFor();
    await page.getByRole("heading", { name: "Ready to connect, as it is" }).waitFor();
  } finally {
    responseDelay.ms = 0;
  }
  const tools = page.getByRole("list", { name: "Tools" });
  expect(await tools.getByRole("listitem").allTextContents()).toEqual(["echoReads only", "wipeDestroys"]);
  const address = new URL(page.url());
  expect(address.searchParams.get("url")).toBe(`${open.base}/mcp`);
  expect(address.searchParams.get("id")).toMatch(/^mcd_/);
  await expectSound(window);

  // A reload shows the kept verdict and asks nothing again.
  await page.reload();
  await page.getByRole("heading", { name: "Ready to connect, as it is" }).waitFor();

  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("The link ends after").selectOption("1");
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = (await dialog.locator("code").first().textContent())!;
  expect(link).toContain(`${server.url}/shared/verdict#sbv_`);

  const visitor = await openWindow(browser, server, link);
  await visitor.page.getByRole("heading", { name: "Ready to connect, as it is" }).waitFor();
  expect(await visitor.page.locator("body").textContent()).not.toContain("Acme");
  await expectSound(visitor);

  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Link revoked. It no longer opens.").waitFor();
  await visitor.page.reload();
  await visitor.page.getByRole("heading", { name: "This link does not work", level: 2 }).waitFor();

  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("link", { name: "Earlier verdicts" }).click();
  await page.getByRole("link", { name: `${open.base}/mcp` }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Ready to connect, as it is" }).waitFor();
});

test("a choice between two authorization servers leads to the form that sets up a client", async () => {
  const mcp = await startProtected(issuers.map(({ base }) => base));
  try {
    const window = await openOrganization(browser, server, "/discover");
    const { page } = window;
    await page.getByLabel("Address of the MCP server").fill(`${mcp.base}/mcp`);
    await page.getByRole("button", { name: "Discover", exact: true }).click();
    await page
      .getByRole("heading", { name: "One thing needs a person: choose where people sign in" })
      .waitFor();
    await page.getByText("0 of 1 done").waitFor();
    await page.getByLabel(new URL(issuers[0]!.base).host).check();
    await page.getByText("1 of 2 done").waitFor();
    const redirectUri = `${server.url}/v1/oauth-providers/127-0-0-1/connect/callback`;
    await page.getByText(redirectUri).waitFor();
    await expectSound(window);
    await page.getByRole("link", { name: "Set up the OAuth client" }).click();
    expect(await page.getByLabel("Issuer").inputValue()).toBe(issuers[0]!.base);
    await page.getByRole("button", { name: "Add provider" }).click();
    await page.getByRole("heading", { name: "Set up the OAuth client" }).waitFor();
    expect(await page.getByText(redirectUri).count()).toBe(1);
  } finally {
    await mcp.close();
  }
});

test("Stop ends a discovery and keeps nothing", async () => {
  const silent = await listenOn(() => () => {});
  try {
    const { page, workspace } = await openOrganization(browser, server, "/discover");
    await page.getByLabel("Address of the MCP server").fill(`${silent.base}/mcp`);
    await page.getByRole("button", { name: "Discover", exact: true }).click();
    await page.getByText("Does it speak the newest revision?").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("heading", { name: "Stopped before the verdict" }).waitFor();
    const kept = await server.call("/v1/mcp-discoveries", { headers: workspace.owner.auth });
    expect(kept.body.items).toEqual([]);
  } finally {
    await silent.close();
  }
});

test("a link of another site fills in the field, and sends no request", async () => {
  const { page, workspace } = await openOrganization(
    browser,
    server,
    `/discover?url=${encodeURIComponent(`${open.base}/mcp`)}`,
  );
  await page.getByRole("heading", { name: "What does an MCP server need?" }).waitFor();
  expect(await page.getByLabel("Address of the MCP server").inputValue()).toBe(`${open.base}/mcp`);
  const kept = await server.call("/v1/mcp-discoveries", { headers: workspace.owner.auth });
  expect(kept.body.items).toEqual([]);
});

test("without mcp:discover the page says which permission is missing", async () => {
  const workspace = await createWorkspace(server);
  const role = await createRole(server, workspace.owner, ["organization:read"]);
  const { page } = await openOrganization(browser, server, "/discover", { workspace, role: role.id });
  await page.getByText(/mcp:discover/).waitFor();
  expect(await page.getByRole("link", { name: "Discover" }).count()).toBe(0);
});
