import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createConnector, createTemplate } from "../../connectors.ts";
import { createWorkspace, useServer } from "../../harness.ts";
import { openWindow, useBrowser } from "../browser.ts";
import { button, heading } from "./harness.ts";

const server = useServer();
const browser = useBrowser();

/** The server's reply is replaced, because so many rows take long to make. */
const reply = (page: Page, address: RegExp, body: (url: URL) => object) =>
  page.route(address, (route) => route.fulfill({ json: body(new URL(route.request().url())) }));

test("a long list in the panel of a record can be scrolled to its end", async () => {
  const { owner } = await createWorkspace(server, "Panel");
  const { page } = await openWindow(browser, server, "/o/panel", owner);
  const connector = {
    ...{ id: "sso_1", kind: "oidc", name: "Okta", enabled: true, createsMembers: true, groupMappings: [] },
    ...{ redirectUri: "https://a.example", startUrl: "https://a.example", issuer: "https://b.example" },
    ...{ clientId: "c", health: { lastError: null, lastErrorAt: null, lastSignInAt: null } },
  };
  await reply(page, /\/v1\/sso\/sso_1$/, () => ({ connector }));
  await reply(page, /\/v1\/sso\/sso_1\/identities/, () => ({
    items: Array.from({ length: 300 }, (_, i) => ({
      ...{ id: `sid_${i}`, name: `Person ${i}`, email: `p${i}@example.com`, subject: `s${i}` },
      lastSignInAt: null,
    })),
    nextCursor: null,
  }));
  await page.goto(`${server.url}/o/panel/access/sso/sso_1`);
  await button(page, "People").click();
  await page.getByText("Person 0", { exact: true }).waitFor();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    // The first rows are shown before the code that draws the visible ones has been loaded.
    const goDown = async () => {
      await page.evaluate("document.querySelector('.insp').scrollTo(0, 1e6)");
      return page.getByText("Person 299", { exact: true }).isVisible();
    };
    await expect.poll(goDown, { timeout: 15_000, message: `${width} px` }).toBe(true);
    // Only what is near is in the document.
    expect(await page.getByText("Person 100", { exact: true }).count()).toBe(0);
    await page.evaluate("document.querySelector('.insp').scrollTo(0, 0)");
    await page.getByText("Person 0", { exact: true }).waitFor();
  }
});

test("what a view shows is looked for on every page of the list", async () => {
  const { owner } = await createWorkspace(server, "Pages");
  const { page } = await openWindow(browser, server, "/o/pages", owner);
  const connection = (name: string, status: string) => ({
    ...{ id: `ocn_${name}`, providerId: "github", account: name, outsideAccount: null, shared: true },
    ...{ memberId: null, lastUsedAt: null, endedAt: null, health: { status, message: "" } },
  });
  await reply(page, /\/v1\/oauth-connections\?/, ({ searchParams }) =>
    searchParams.has("cursor")
      ? { items: [connection("last", "needs_reconnect")], nextCursor: null }
      : {
          items: Array.from({ length: 100 }, (_, i) => connection(`fine-${i}`, "connected")),
          nextCursor: "next",
        },
  );
  await page.goto(`${server.url}/o/pages/connections/accounts?view=care`);
  await page.getByRole("link", { name: /^last/ }).waitFor();
});

test("the connections of a provider, and the domains of single sign-on, are shown to the last page", async () => {
  const { owner } = await createWorkspace(server, "Paged");
  const { page } = await openWindow(browser, server, "/o/paged", owner);
  const inPages = (address: RegExp, create: (name: string) => object) =>
    reply(page, address, ({ searchParams }) =>
      searchParams.has("cursor")
        ? { items: [create("last.example")], nextCursor: null }
        : { items: [create("first.example")], nextCursor: "next" },
    );
  await inPages(/\/v1\/oauth-connections\?/, (account) => ({
    ...{ id: `ocn_${account}`, providerId: "github", account, outsideAccount: null, shared: true },
    ...{ memberId: null, lastUsedAt: null, endedAt: null, health: { status: "connected", message: "" } },
  }));
  await inPages(/\/v1\/sso\/domains/, (domain) => ({
    ...{ id: `sdm_${domain}`, domain, txtName: "_a", txtValue: "b", verifiedAt: 1, failingSince: null },
  }));
  await page.goto(`${server.url}/o/paged/connections/accounts/github`);
  await page.getByRole("complementary").getByText("last.example").waitFor();
  await page.goto(`${server.url}/o/paged/access/sso`);
  await page.getByText("last.example").first().waitFor();
});

test("a member on the second page of the members can be chosen", async () => {
  const { owner } = await createWorkspace(server, "Second");
  const { body } = await server.call("/v1/teams", { body: { name: "Platform" }, headers: owner.auth });
  const { page } = await openWindow(browser, server, "/o/second", owner);
  const member = (id: string, name: string) => ({ id, name, email: `${id}@example.com`, teams: [] });
  await reply(page, /\/v1\/members\?/, ({ searchParams }) => {
    if (searchParams.has("teamId")) return { items: [], nextCursor: null };
    return searchParams.has("cursor")
      ? { items: [member("mem_2", "Zoe")], nextCursor: null }
      : { items: [member("mem_1", "Ada")], nextCursor: "next" };
  });
  await page.goto(`${server.url}/o/second/people/teams/${body.team.id}`);
  await page.getByLabel("Choose a person").selectOption({ label: "Zoe" });
});

test("a link from a repository leads to its templates only", async () => {
  const { owner } = await createWorkspace(server, "Texts");
  await createTemplate(server, owner.auth, { name: "Made by hand" });
  const { id } = await createConnector(server, owner.auth, { name: "Handbook" });
  const { page } = await openWindow(browser, server, `/o/texts/code-host/connectors/${id}`, owner);
  await page.getByRole("complementary").getByRole("link", { name: "0", exact: true }).click();
  await heading(page, "Templates").waitFor();
  await page.getByText("No template matches").waitFor();
  await button(page, "Repository: Handbook").click();
  await page.getByRole("link", { name: /^Made by hand/ }).waitFor();
});

test("a range begins when it was chosen, so that a list keeps the pages that were read", async () => {
  const { owner } = await createWorkspace(server, "Range");
  const { page } = await openWindow(browser, server, "/o/range/people", owner);
  await heading(page, "People").waitFor();
  await page.clock.install();
  const begins = new Set<string>();
  page.on("request", (request) => {
    const url = new URL(request.url());
    const from = url.searchParams.get("fromAt") ?? url.searchParams.get("from");
    if (/^\/v1\/(automation-runs|mcp-calls)$/.test(url.pathname) && from) begins.add(from);
  });
  for (const path of ["/runs?range=24h", "/connections/mcp?view=calls&period=86400000"]) {
    begins.clear();
    await page.goto(`${server.url}/o/range${path}`);
    await page.locator("h1").first().waitFor();
    await expect.poll(() => begins.size).toBe(1);
    for (let i = 0; i < 5; i++) await page.clock.runFor(30_000);
    expect(begins.size).toBe(1);
  }
});

test("roles, budgets and changed tools are read to the end, and a page that fails says so", async () => {
  const { owner } = await createWorkspace(server, "Whole");
  const { page } = await openWindow(browser, server, "/o/whole", owner);
  let isBroken = true;
  const replyInTwo = (address: RegExp, items: object[], more: object = {}) =>
    page.route(address, (route) => {
      if (!new URL(route.request().url()).searchParams.has("cursor"))
        return route.fulfill({ json: { items: items.slice(0, -1), nextCursor: "next", ...more } });
      return isBroken
        ? route.fulfill({ status: 500, json: { error: "internal_error", message: "It failed." } })
        : route.fulfill({ json: { items: items.slice(-1), nextCursor: null, ...more } });
    });
  const role = (id: string, name: string) => ({
    ...{ id, name, description: "", builtIn: id === "owner", permissions: [], memberCount: 1 },
  });
  await replyInTwo(/\/v1\/roles\?/, [role("owner", "Owner"), role("rol_2", "Night shift")]);
  const budget = (id: string, name: string) => ({
    ...{ id, subject: { kind: "team", id: "tem_1", name }, period: "month", mode: "warn" },
    ...{ limitMicros: 10, spentMicros: 5, state: "within", resetsAt: Date.now() },
  });
  await replyInTwo(/\/v1\/llm-budgets\?/, [budget("bud_1", "Platform"), budget("bud_2", "Models")]);
  const change = (subject: string, tool: string | null) => ({
    ...{ subject, tool, severity: "low", kinds: ["text_changed"], isHeld: true, seenAt: 1, callsLastDay: 0 },
    ...{ approvedAt: null, approvedByName: null, renamedFrom: null, accounts: null, otherVariants: 0 },
    ...{ before: null, after: null, changes: [] },
  });
  // A server names its tools. This name is the one that the page gives to the instructions.
  const drift = [change("instructions", null), change("tool", "Instructions for agents")];
  await replyInTwo(/\/v1\/mcp-connections\/mcn_1\/drift/, drift, { revision: "r1", tools: 9 });

  await page.goto(`${server.url}/o/whole/people/roles`);
  await page.getByText("The rest of the list could not be loaded.").waitFor();
  isBroken = false;
  await button(page, "Try now").click();
  await page.getByRole("columnheader", { name: /^Night shift/ }).waitFor();
  await page.goto(`${server.url}/o/whole/usage`);
  await page.getByText("Models", { exact: true }).waitFor();
  await page.goto(`${server.url}/o/whole/connections/mcp/mcn_1/drift`);
  const boxes = page.getByLabel("Approve Instructions for agents");
  await boxes.nth(1).check();
  expect(await boxes.first().isChecked()).toBe(false);
  await button(page, "Approve 1 tool").waitFor();
});

test("times are right after a page that shows none was open for hours", async () => {
  const { owner } = await createWorkspace(server, "Hours");
  const { page } = await openWindow(browser, server, "/o/hours", owner);
  await page.clock.install();
  await page.goto(`${server.url}/o/hours/people/roles`);
  await heading(page, "People").waitFor();
  await page.getByRole("table").waitFor();
  expect(await page.locator("time").count()).toBe(0);
  await page.clock.fastForward("03:00:00");
  await page.getByRole("link", { name: "Audit log" }).click();
  // Less than the ten seconds after which times are renewed.
  await page.getByText("3 h ago").first().waitFor({ timeout: 5_000 });
});
