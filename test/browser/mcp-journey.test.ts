/**
 * The whole way of an MCP server: discovered and saved in the console, connected in a browser through its authorization
 * server, then listed and called through `/mcp` by the official clients, and found in the call log.
 */
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { cookieName } from "../../src/features/auth/index.ts";
import {
  type CallableServer,
  startCallableModernServer,
  startCallableSessionServer,
} from "../fixtures/mcp-servers/callable.ts";
import {
  type GuardedServer,
  type SignInServer,
  startGuardedServer,
  startSignInServer,
} from "../fixtures/mcp-servers/signed-in.ts";
import { startTlsFront, type TlsFront } from "../fixtures/tls-front.ts";
import {
  createDatabase,
  createMcpToken,
  createWorkspace,
  startServer,
  type TestDatabase,
  type TestServer,
  type Workspace,
} from "../harness.ts";
import { startSite } from "../mcp-authorization.ts";
import { createClientMemory } from "../mcp-client-memory.ts";
import { connectClient } from "../mcp-clients.ts";
import { findLeakedSecrets } from "../oauth.ts";
import { allowAtProvider, press, useBrowser } from "./browser.ts";

const browser = useBrowser();
const ways = ["client_metadata", "dynamic", "bearer"] as const;
const eras = ["sessions", "modern"] as const;
const journeys = ways.flatMap((way) => eras.map((era) => ({ way, era })));
type Journey = (typeof journeys)[number];

const wayLabels = {
  client_metadata: "Sign-in, without registering",
  dynamic: "Sign-in, registered by itself",
  bearer: "A token or headers",
};
const key = "key-of-the-server-4711";

// Authorization servers read client metadata documents from https addresses only.
let front: TlsFront;
let database: TestDatabase;
let server: TestServer;
let acme: Workspace;
let slug = "";
let program: Awaited<ReturnType<typeof startSite>>;
let signIns: Record<"client_metadata" | "dynamic", SignInServer>;
let official: Record<Journey["era"], CallableServer>;
const closing: (() => Promise<unknown>)[] = [];
const guards = new Map<string, GuardedServer>();
/** Prefixes of saved connections. */
const prefixes = new Map<string, string>();

const keep = <T extends { close(): Promise<unknown> }>(running: T): T => {
  closing.push(running.close);
  return running;
};

beforeAll(async () => {
  front = keep(await startTlsFront());
  database = await createDatabase();
  closing.push(() => database.drop());
  const env = { PUBLIC_URL: front.url, EGRESS_ALLOW: "127.0.0.1" };
  const started = keep(await startServer(database, { env }));
  front.target = Number(new URL(started.url).port);
  server = { ...started, url: front.url };
  acme = await createWorkspace(server, "Acme");
  ({ slug } = (await server.call("/v1/organization", { headers: acme.owner.auth })).body.organization);
  program = keep(
    await startSite((_, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Program</title><h1>Back in the program</h1>");
    }),
  );
  signIns = {
    client_metadata: keep(await startSignInServer({ clientMetadata: true })),
    dynamic: keep(await startSignInServer({ registration: true })),
  };
  official = {
    sessions: keep(await startCallableSessionServer()),
    modern: keep(await startCallableModernServer()),
  };
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Opens an address with the session of the owner. */
async function open(address: string): Promise<Page> {
  const context = await browser.current.newContext({ ignoreHTTPSErrors: true });
  const session = { name: cookieName(server.url), value: acme.owner.token, url: server.url };
  await context.addCookies([{ ...session, httpOnly: true, secure: true, sameSite: "Lax" }]);
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

const startGuarded = ({ way, era }: Journey) => {
  const behind = official[era].url;
  return way === "bearer"
    ? startGuardedServer({ key: { header: "authorization", value: `Bearer ${key}` }, behind })
    : startGuardedServer({ servers: [signIns[way]], behind });
};

test.each(journeys)("$way, official server with $era: discovered, saved and connected", async (journey) => {
  const { way, era } = journey;
  const guarded = keep(await startGuarded(journey));
  guards.set(`${way} ${era}`, guarded);
  const page = await open(`${server.url}/o/${slug}/connections/mcp?new=server`);
  await page.getByLabel("Address of the MCP server").fill(guarded.url);
  await page.getByRole("button", { name: "Find out what it needs" }).click();
  const choice = page.getByLabel(wayLabels[way]);
  await choice.waitFor();
  // The recommended way is chosen already.
  expect(await choice.isChecked()).toBe(true);
  if (way === "bearer") {
    await page.getByLabel("One for everybody").check();
    await page.getByLabel("Token", { exact: true }).fill(key);
  }
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(`${way} ${era}`);
  await page.getByRole("button", { name: "Save connection" }).click();
  await page.waitForURL(/\/connections\/mcp\/mcn_/);
  const address = page.url();
  if (way !== "bearer") {
    await page.getByRole("button", { name: "Connect my account" }).click();
    await page.waitForURL(/\/interaction\//);
    await allowAtProvider(page);
    await page.locator("main a").first().click();
    await page.waitForURL(address);
    await page.locator(".insp .st.box", { hasText: "Connected" }).waitFor();
  }
  await page.getByRole("button", { name: "Test", exact: true }).last().click();
  await page.getByText("It works.").waitFor();
  const id = new URL(address).pathname.split("/").at(-1);
  const { connection } = (await server.call(`/v1/mcp-connections/${id}`, { headers: acme.owner.auth })).body;
  expect(connection).toMatchObject({
    registration: way,
    status: "connected",
    toolCount: era === "modern" ? 3 : 4,
  });
  prefixes.set(`${way} ${era}`, connection.slug);
});

interface Caller {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: { text: string } }): Promise<unknown>;
}

/** Lists the tools of every server, and calls one of each. */
async function useAll(client: Caller, token: string): Promise<void> {
  expect(prefixes.size).toBe(journeys.length);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  for (const prefix of prefixes.values()) {
    const name = `${prefix}__echo`;
    expect(names).toContain(name);
    const text = `${prefix} hello`;
    expect(await client.callTool({ name, arguments: { text } })).toMatchObject({
      content: [{ type: "text", text }],
    });
  }
  // The token of the caller reaches none of them.
  const sent = [...guards.values()].flatMap(({ authorizations }) => authorizations);
  expect(sent.filter((value) => value?.includes(token))).toEqual([]);
  expect(sent).toContain(`Bearer ${key}`);
}

test.each(["old", "legacy", "modern"] as const)(
  "the %s client calls all of them with an MCP token",
  async (kind) => {
    const { token } = await createMcpToken(server, acme.owner, { scopes: ["mcp:read"] });
    const { raw } = await connectClient(kind, `${server.url}/mcp`, token);
    await useAll(raw as Caller, token);
  },
);

/** The consent page of this instance, in the browser that the client opens. */
async function consent(sentTo: URL | undefined): Promise<URLSearchParams> {
  if (!sentTo) throw new Error("The client sent the browser nowhere.");
  const page = await open(sentTo.href);
  await page.getByRole("heading", { name: "Connect Official client?" }).waitFor();
  await press(page, "Connect");
  await page.waitForURL(`${program.url}/callback?**`);
  return new URL(page.url()).searchParams;
}

test("the new client signs in by itself in the browser, and calls all of them", async () => {
  const { memory, provider } = createClientMemory(`${program.url}/callback`);
  const transport = () => new NewTransport(new URL(`${server.url}/mcp`), { authProvider: provider });
  const first = transport();
  const info = { name: "new-signed-in", version: "1" };
  await expect(new NewClient(info).connect(first)).rejects.toThrow();
  await first.finishAuth(await consent(memory.sentTo));
  const client = new NewClient(info);
  await client.connect(transport());
  onTestFinished(() => client.close());
  expect(memory.tokens?.access_token).toMatch(/^sba_/);
  await useAll(client as Caller, memory.tokens!.access_token);
});

test("the old client signs in by itself in the browser, and calls all of them", async () => {
  const { memory, provider } = createClientMemory(`${program.url}/callback`);
  const transport = () => new OldTransport(new URL(`${server.url}/mcp`), { authProvider: provider });
  const first = transport();
  const info = { name: "old-signed-in", version: "1" };
  await expect(new OldClient(info).connect(first as Parameters<OldClient["connect"]>[0])).rejects.toThrow();
  await first.finishAuth((await consent(memory.sentTo)).get("code") ?? "");
  const client = new OldClient(info);
  await client.connect(transport() as Parameters<OldClient["connect"]>[0]);
  onTestFinished(() => client.close());
  expect(memory.tokens?.access_token).toMatch(/^sba_/);
  await useAll(client as Caller, memory.tokens!.access_token);
});

test("all calls are in the call log, with the credential and the client that made them", async () => {
  const calls = 5 * journeys.length;
  const page = await open(`${server.url}/o/${slug}/connections/mcp?view=calls`);
  const rows = page.getByRole("table", { name: "Call log" }).locator("tbody tr");
  await expect.poll(() => rows.count()).toBe(calls);
  const shown = (await rows.allTextContents()).join("\n");
  for (const { way, era } of journeys) expect(shown).toContain(`${way} ${era}`);
  const { items } = (await server.call("/v1/mcp-calls?limit=100", { headers: acme.owner.auth })).body;
  expect(items).toHaveLength(calls);
  const made = new Map<string, number>();
  for (const { credential, client, outcome } of items) {
    const what = `${credential} ${client} ${outcome}`;
    made.set(what, (made.get(what) ?? 0) + 1);
  }
  expect(Object.fromEntries(made)).toEqual({
    "mcp test-old ok": journeys.length,
    "mcp test-legacy ok": journeys.length,
    "mcp test-modern ok": journeys.length,
    "mcp_client new-signed-in ok": journeys.length,
    "mcp_client old-signed-in ok": journeys.length,
  });
  const secrets = [key, ...[...guards.values()].flatMap(({ authorizations }) => authorizations)];
  const tokens = secrets.flatMap((secret) => secret?.replace(/^Bearer /, "") ?? []);
  expect(await findLeakedSecrets(server, new Set(tokens))).toEqual([]);
});
