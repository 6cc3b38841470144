/** The official clients, of both generations, connect by the URL of the MCP endpoint alone. */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import * as current from "@modelcontextprotocol/client";
import * as earlier from "@modelcontextprotocol/sdk/client/index.js";
import * as earlierTransport from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../test/harness.ts";
import { decide, loopbackRedirect, openBrowser } from "../../../test/mcp-authorization.ts";
import { createClientMemory } from "../../../test/mcp-client-memory.ts";
import { sql } from "../../platform/db/index.ts";

const file = (name: string) =>
  readFileSync(join(import.meta.dirname, "../../../test/fixtures/tls", name), "utf8");

describe("the official client", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });

  /** What the person does in the browser. */
  async function signIn(sentTo: URL | undefined): Promise<URL> {
    if (!sentTo) throw new Error("The client sent the browser nowhere.");
    expect(sentTo.searchParams.get("resource")).toBe(`${server.url}/mcp`);
    const browser = openBrowser(server, acme.owner);
    const started = await browser.open(sentTo.pathname + sentTo.search);
    const back = await decide(browser, started.headers.get("location") ?? "", {
      orgId: acme.orgId,
      scopes: ["mcp:read"],
    });
    expect(back.searchParams.get("state")).toBe("state-of-the-program");
    return back;
  }

  async function connectCurrent(clientMetadataUrl?: string) {
    const { memory, provider } = createClientMemory(loopbackRedirect, clientMetadataUrl);
    const open = () => ({
      client: new current.Client({ name: "test", version: "1" }),
      transport: new current.StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
        authProvider: provider,
      }),
    });
    const first = open();
    await expect(first.client.connect(first.transport)).rejects.toBeInstanceOf(current.UnauthorizedError);
    await first.transport.finishAuth((await signIn(memory.sentTo)).searchParams);
    const second = open();
    await second.client.connect(second.transport);
    return { memory, ...second };
  }

  const expireTokens = async () => {
    await server.platform.db.run(sql`
      update mcp_authorization_records set expires_at = now() - interval '1 second' where kind = 'access_token'`);
    await server.platform.bus.publish(server.platform.db, "callers", acme.owner.userId);
  };

  test("registers itself, signs in, lists tools, and renews its token by itself", async () => {
    const { memory, client } = await connectCurrent();
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    const before = memory.tokens?.access_token;
    await expireTokens();
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    expect(memory.tokens?.access_token).not.toBe(before);
    await client.close();
  });

  test("of the earlier generation does the same", async () => {
    const { memory, provider } = createClientMemory(loopbackRedirect);
    const open = () => ({
      client: new earlier.Client({ name: "test", version: "1" }),
      transport: new earlierTransport.StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
        authProvider: provider,
      }),
    });
    const first = open();
    await expect(first.client.connect(first.transport)).rejects.toThrow("Unauthorized");
    const back = await signIn(memory.sentTo);
    await first.transport.finishAuth(back.searchParams.get("code") ?? "");
    const { client, transport } = open();
    await client.connect(transport);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await expireTokens();
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  });

  test("is refused at once after the person ends it, and can ask again", async () => {
    const { memory, client } = await connectCurrent();
    const { items } = (await server.call("/v1/mcp/clients", { headers: acme.owner.auth })).body;
    await server.call(`/v1/mcp/clients/${items[0].id}`, { method: "DELETE", headers: acme.owner.auth });
    memory.sentTo = undefined;
    await expect(client.listTools()).rejects.toThrow();
    expect(memory.sentTo).toBeInstanceOf(URL);
    await client.close();
  });

  describe("with a client metadata document", () => {
    const trusted = tls.getCACertificates("default");
    const documents = createServer({ key: file("good.key"), cert: file("good.pem") });
    let url = "";
    beforeAll(async () => {
      tls.setDefaultCACertificates([...trusted, file("ca.pem")]);
      await new Promise<void>((resolve) => documents.listen(0, "127.0.0.1", resolve));
      url = `https://127.0.0.1:${(documents.address() as AddressInfo).port}/client.json`;
      documents.on("request", (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(
          JSON.stringify({
            client_id: url,
            client_name: "Published client",
            redirect_uris: ["http://127.0.0.1/callback"],
            grant_types: ["authorization_code", "refresh_token"],
            token_endpoint_auth_method: "none",
          }),
        );
      });
    });
    afterAll(async () => {
      tls.setDefaultCACertificates(trusted);
      documents.closeAllConnections();
      await new Promise((resolve) => documents.close(resolve));
    });

    test("uses its URL as its id, and registers nothing", async () => {
      const { memory, client } = await connectCurrent(url);
      expect(memory.information).toMatchObject({ client_id: url });
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
      const { items } = (await server.call("/v1/mcp/clients", { headers: acme.owner.auth })).body;
      expect(items[0]).toMatchObject({
        clientId: url,
        registration: "client_metadata",
        name: "Published client",
      });
      await client.close();
    });
  });
});
