/** Step-up: a server asks for more scopes than a member has consented to. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cookieName } from "../../src/features/auth/index.ts";
import {
  type GuardedServer,
  type SignInServer,
  startGuardedServer,
  startSignInServer,
} from "../fixtures/mcp-servers/signed-in.ts";
import {
  createMcpToken,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../harness.ts";
import { connectClient } from "../mcp-clients.ts";
import { readConnection, saveConnection } from "../mcp-sign-in.ts";
import { allowAtProvider, useBrowser } from "./browser.ts";

const server = useServer();
const browser = useBrowser();
let acme: Workspace;
let ada: Person & { memberId: string };
let bob: Person & { memberId: string };
let signIn: SignInServer;
let guarded: GuardedServer;
let address = "";
let connection: { id: string; slug: string };

beforeAll(async () => {
  acme = await createWorkspace(server, "Acme");
  ada = await joinWorkspace(server, acme, "member");
  bob = await joinWorkspace(server, acme, "member");
  signIn = await startSignInServer({ registration: true });
  guarded = await startGuardedServer({ servers: [signIn] });
  connection = await saveConnection(server, acme.owner.auth, {
    ...{ url: guarded.url, name: "Tickets", registration: "dynamic", access: { organization: true } },
  });
  const { slug } = (await server.call("/v1/organization", { headers: acme.owner.auth })).body.organization;
  address = `${server.url}/o/${slug}/connections/mcp/${connection.id}`;
});
afterAll(async () => {
  for (const one of [signIn, guarded]) await one?.close();
});

async function open(person: Person): Promise<Page> {
  const context = await browser.current.newContext();
  const session = { name: cookieName(server.url), value: person.token, url: server.url };
  await context.addCookies([{ ...session, httpOnly: true, sameSite: "Lax" }]);
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

async function signInWith(page: Page, button: string): Promise<void> {
  await page.getByRole("button", { name: button }).click();
  await page.waitForURL(/\/interaction\//);
  await allowAtProvider(page);
  await page.locator("main a").first().click();
  await page.waitForURL(address);
}

test("the connection says what is missing, the member consents, and the call works", async () => {
  const pages = { ada: await open(ada), bob: await open(bob) };
  for (const page of Object.values(pages)) {
    await signInWith(page, "Connect my account");
    await page.locator(".insp .st.box", { hasText: "Connected" }).waitFor();
  }
  await pages.ada.getByRole("button", { name: "Test", exact: true }).last().click();
  await pages.ada.getByText("It works.").waitFor();
  const { token } = await createMcpToken(server, ada, { scopes: ["mcp:read", "mcp:write"] });
  const client = await connectClient("modern", `${server.url}/mcp`, token);
  const call = () =>
    client.callTool("execute_capability", { name: `${connection.slug}__echo`, arguments: {} });
  expect((await call()).isError ?? false).toBe(false);

  guarded.requiredScopes = ["tools:read", "tools:write"];
  const refused = await call();
  expect(refused).toMatchObject({
    isError: true,
    _meta: { "dev.signalbox/error": { code: "mcp_consent_required" } },
  });
  expect(JSON.stringify(refused)).toContain("tools:write");

  await pages.ada.reload();
  await pages.ada.locator(".insp .st.box", { hasText: "Needs consent" }).waitFor();
  expect(await pages.ada.locator(".insp").textContent()).toContain("tools:write");
  // It concerns the member who called, and nobody else.
  expect((await readConnection(server, bob.auth, connection.id)).mine).toMatchObject({ state: "connected" });

  // The authorization server still knows who she is, and asks for the consent only.
  await pages.ada.getByRole("button", { name: "Give consent" }).click();
  await pages.ada.waitForURL(/\/interaction\//);
  await pages.ada.click("text=Allow as octo");
  await pages.ada.waitForURL("**/connect/callback**");
  await pages.ada.locator("main a").first().click();
  await pages.ada.waitForURL(address);
  await pages.ada.locator(".insp .st.box", { hasText: "Connected" }).waitFor();
  expect((await readConnection(server, ada.auth, connection.id)).mine).toMatchObject({
    ...{ state: "connected", missingScopes: [] },
  });
  expect((await call()).isError ?? false).toBe(false);
});
