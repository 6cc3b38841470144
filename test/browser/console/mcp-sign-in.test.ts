import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type GuardedServer,
  type SignInServer,
  startGuardedServer,
  startSignInServer,
} from "../../fixtures/mcp-servers/signed-in.ts";
import { createWorkspace, useServer } from "../../harness.ts";
import { connectClient } from "../../mcp-authorization.ts";
import { readConnection, saveConnection } from "../../mcp-sign-in.ts";
import { allowAtProvider, useBrowser } from "../browser.ts";
import { expectSound, openOrganization } from "./organization.ts";

const server = useServer();
const browser = useBrowser();
const signIns: SignInServer[] = [];
let tickets: GuardedServer;
let twoPlaces: GuardedServer;
let keyed: GuardedServer;

beforeAll(async () => {
  signIns.push(
    await startSignInServer({ registration: true }),
    await startSignInServer({ registration: true }),
  );
  tickets = await startGuardedServer({ servers: signIns.slice(0, 1) });
  twoPlaces = await startGuardedServer({ servers: signIns });
  keyed = await startGuardedServer({ key: { header: "x-api-key", value: "right key" } });
});
afterAll(async () => {
  for (const running of [...signIns, tickets, twoPlaces, keyed]) await running.close();
});

async function discover(page: Page, url: string): Promise<void> {
  await page.getByLabel("Address of the MCP server").fill(url);
  await page.getByRole("button", { name: "Find out what it needs" }).click();
}

test("people connect their account through the authorization server, are asked again, and disconnect", async () => {
  const window = await openOrganization(browser, server, "/connections/mcp?new=server");
  const { page, person } = window;
  await discover(page, tickets.url);
  await page.getByText("Ready to connect: people sign in at").waitFor();
  expect(await page.getByLabel("Sign-in, registered by itself").isChecked()).toBe(true);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Tickets");
  await page.getByRole("button", { name: "Save connection" }).click();
  await page.waitForURL(/\/connections\/mcp\/mcn_/);
  const address = page.url();
  const id = new URL(address).pathname.split("/").at(-1)!;
  await expectSound(window);
  await page.getByRole("button", { name: "Connect my account" }).click();
  await page.waitForURL(/\/interaction\//);
  await allowAtProvider(page);
  await page.locator("main a").first().click();
  await page.waitForURL(address);
  await page.locator(".insp .st.box", { hasText: "Connected" }).waitFor();
  await page.getByRole("button", { name: "Test", exact: true }).last().click();
  await page.getByText("It works.").waitFor();

  // The server refuses the token of this member: only signing in again helps.
  tickets.blocked.add("octo");
  try {
    await page.getByRole("button", { name: "Test again" }).click();
    await page.getByText("It does not work: credential.").waitFor();
    await page.locator(".insp .st.box", { hasText: "Sign in again" }).waitFor();
    await page.getByRole("button", { name: "Sign in again" }).waitFor();
    await expectSound(window);
  } finally {
    tickets.blocked.clear();
  }
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("button", { name: "Connect my account" }).waitFor();
  const { body } = await server.call(`/v1/mcp-connections/${id}`, { headers: person.auth });
  expect(body.connection.mine.state).toBe("not_connected");

  await page.getByRole("link", { name: "Settings" }).last().click();
  await page.locator(".insp .btn.d", { hasText: "Delete the connection" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Type Tickets to confirm").fill("Tickets");
  await dialog.getByRole("button", { name: "Delete the connection" }).click();
  await page.getByRole("heading", { name: "No MCP server yet" }).waitFor();
}, 150_000);

test("where people sign in is a person's choice, and what the server refuses loses nothing", async () => {
  const window = await openOrganization(
    browser,
    server,
    `/discover?url=${encodeURIComponent(twoPlaces.url)}`,
  );
  const { page } = window;
  await page.getByLabel("Address of the MCP server").press("Enter");
  await page.getByRole("link", { name: "Save as a connection" }).click();
  await page.waitForURL(/new=server/);
  await page.getByText("None was picked for you.").waitFor();
  expect(await page.locator(".choices input:checked").count()).toBe(0);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Two places");
  await page.getByRole("button", { name: "Save connection" }).click();
  await page.getByText("Choose one of them.").waitFor();
  await expectSound(window);
  await page.locator(".choices input").nth(1).check();
  await page.getByLabel("Sign-in, with a client that you registered").check();
  expect(await page.locator(".copy code", { hasText: "/v1/mcp-connections/connect/callback" }).count()).toBe(
    1,
  );
  await page.getByRole("button", { name: "Save connection" }).click();
  await page.getByText("Still needed: a client id.").waitFor();
  expect(await page.getByRole("textbox", { name: "Name", exact: true }).inputValue()).toBe("Two places");
  await page.getByRole("textbox", { name: "Client id" }).fill("our-client");
  await page.getByRole("radio", { name: /^Everybody/ }).check();
  await page.getByRole("button", { name: "Save connection" }).click();
  await page.getByRole("heading", { name: "Two places" }).waitFor();
  await page.getByText(new URL(signIns[1]!.base).host).first().waitFor();
});

test("a server with a key is saved with headers; the key is changed, and never shown again", async () => {
  const window = await openOrganization(browser, server, "/connections/mcp?new=server");
  const { page } = window;
  await discover(page, keyed.url);
  await page.getByLabel("One for everybody").check();
  await page.getByRole("button", { name: "Add a header" }).click();
  await page.getByLabel("Name of the header").fill("x-api-key");
  await page.getByLabel("Value", { exact: true }).fill("wrong key");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Keyed");
  await page.getByRole("button", { name: "Save connection" }).click();
  await page.getByRole("heading", { name: "Keyed" }).waitFor();
  await page.getByRole("button", { name: "Test", exact: true }).last().click();
  await page.getByText("It does not work").waitFor();
  await page.getByRole("button", { name: "Change the token" }).click();
  await page.getByRole("button", { name: "Save credential" }).click();
  await page.getByText("Enter a token or a header.").waitFor();
  await page.getByRole("button", { name: "Add a header" }).click();
  await page.getByLabel("Name of the header").fill("x-api-key");
  await page.getByLabel("Value", { exact: true }).fill("right key");
  await page.getByRole("button", { name: "Save credential" }).click();
  await page.getByText("Saved. It is used from the next call on.").waitFor();
  await page.getByRole("button", { name: "Test again" }).click();
  await page.getByText("It works.").waitFor();
  expect(await page.content()).not.toContain("right key");
});

test("servers of a configuration file are shown, saved one by one, and one that needs a decision opens the form", async () => {
  const window = await openOrganization(browser, server, "/connections/mcp");
  const { page } = window;
  const file = {
    mcpServers: {
      "<b>tickets</b>": { url: tickets.url },
      places: { url: twoPlaces.url },
      local: { command: "npx", args: ["some-server"] },
    },
  };
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Content of the file").fill("not a file");
  await dialog.getByRole("button", { name: "Show the servers" }).click();
  await dialog.getByRole("alert").filter({ hasText: /\S/ }).first().waitFor();
  await dialog.getByLabel("Content of the file").fill(JSON.stringify(file));
  await dialog.getByRole("button", { name: "Show the servers" }).click();
  await dialog.getByText("3 servers found").waitFor();
  expect(await dialog.getByLabel("local").isDisabled()).toBe(true);
  await expectSound(window);
  await dialog.getByRole("button", { name: "Save 2 servers" }).click();
  await dialog.getByText("1 saved, 1 not.").waitFor();
  expect(await dialog.locator("b").count()).toBe(0);
  await dialog.getByRole("button", { name: "Decide" }).click();
  await page.getByText("None was picked for you.").waitFor();
  expect(await page.getByLabel("Address of the MCP server").inputValue()).toBe(twoPlaces.url);
});

test("the configuration for a client names the address of this instance, in each way to sign in", async () => {
  const window = await openOrganization(browser, server, "/connections/mcp", { role: "member" });
  const { page } = window;
  await page.getByRole("button", { name: "Add to your client" }).first().click();
  const dialog = page.getByRole("dialog");
  for (const client of ["Claude Code", "Cursor", "VS Code", "Zed"]) {
    await dialog.getByLabel("Client", { exact: true }).selectOption({ label: client });
    await dialog.locator("pre", { hasText: `${server.url}/mcp` }).waitFor();
  }
  await dialog.getByRole("button", { name: "With an MCP token" }).click();
  await dialog.locator("pre", { hasText: "SIGNALBOX_MCP_TOKEN" }).waitFor();
  await expectSound(window);
});

test("a client that somebody signed in from is listed beside the MCP tokens, and its access ended at once", async () => {
  const workspace = await createWorkspace(server);
  const { owner, orgId } = workspace;
  const client = await connectClient(server, owner, { orgId, client_name: "<i>Editor</i>" });
  const window = await openOrganization(browser, server, "/access/mcp-tokens", { workspace });
  const { page } = window;
  const row = page.getByRole("table", { name: "Connected MCP clients" }).locator("tbody tr");
  await row.getByText("<i>Editor</i>").waitFor();
  await expectSound(window);
  await row.getByRole("button", { name: "End access: <i>Editor</i>" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End access" }).click();
  await page.getByText("No client is connected").waitFor();
  const refused = await fetch(`${server.url}/mcp`, { method: "POST", headers: client.auth, body: "{}" });
  expect(refused.status).toBe(401);
});

test("a server that accepts another issuer is shown as such, and a manager moves the connection", async () => {
  const [before, after] = [signIns[0]!.base, signIns[1]!.base];
  const all = twoPlaces.metadata;
  twoPlaces.metadata = { ...all, authorization_servers: [before] };
  try {
    const window = await openOrganization(browser, server, "/connections/mcp");
    const { page, person } = window;
    const { id } = await saveConnection(server, person.auth, {
      ...{ url: twoPlaces.url, name: "Moving", registration: "dynamic" },
    });
    twoPlaces.metadata = { ...all, authorization_servers: [after] };
    await server.call(`/v1/mcp-connections/${id}/discover`, { method: "POST", headers: person.auth });
    // On a phone, the field to find a connection is there without scrolling sideways.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    const find = page.getByRole("searchbox");
    await find.fill("mov");
    const box = (await find.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page
      .getByRole("link", { name: /Moving/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Another authorization server" }).waitFor();
    await expectSound(window);
    await page.getByRole("button", { name: `Move to ${after}` }).click();
    await page.getByText("Moved. Members sign in again.").waitFor();
    expect((await readConnection(server, person.auth, id)).authorizationServer).toBe(after);
  } finally {
    twoPlaces.metadata = all;
  }
});
