import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import {
  type GuardedServer,
  type SignInServer,
  startGuardedServer,
  startSignInServer,
} from "../../../../test/fixtures/mcp-servers/signed-in.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { saveConnection } from "../../../../test/mcp-sign-in.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { removeClients } from "./jobs.ts";

const server = useServer();
let acme: Workspace;
let signIn: SignInServer;
let other: SignInServer;
let guarded: GuardedServer;

beforeAll(async () => {
  acme = await createWorkspace(server);
  signIn = await startSignInServer({ registration: true });
  other = await startSignInServer({ registration: true });
  guarded = await startGuardedServer({ servers: [signIn] });
});
afterEach(() => {
  signIn.intercept = undefined;
});
afterAll(async () => {
  for (const one of [signIn, other, guarded]) await one?.close();
});

interface Row {
  state: string;
  clientId: string | null;
  accessToken: string | null;
}
const listRows = () =>
  server.platform.db.rows<Row>(
    sql`select state, client_id as "clientId", access_token as "accessToken" from mcp_registrations`,
  );
/** Runs the job, and returns what is left. */
const removeAll = async () => {
  await removeClients.handle(server.platform, {});
  return listRows();
};
const countConnections = async () =>
  (await server.call("/v1/mcp-connections", { headers: acme.owner.auth })).body.items.length;

/** Answers registrations instead of the authorization server. */
const answer = (reply: (response: ServerResponse) => void) => {
  signIn.intercept = (request, response) => {
    if (!request.url?.startsWith("/reg")) return false;
    reply(response);
    return true;
  };
};
const sendJson = (response: ServerResponse, body: object) =>
  response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(body));
const save = () =>
  server.call("/v1/mcp-connections", { body: { url: guarded.url }, headers: acme.owner.auth });

/** The client of a reply that is fine in everything else. */
const createClient = () => ({
  client_id: `client-${newId("mcr")}`,
  client_secret: "planted-client-secret-Zq3kW8rT5vB2nM7x",
  redirect_uris: [`${server.platform.config.publicUrl}/v1/mcp-connections/connect/callback`],
  token_endpoint_auth_method: "client_secret_basic",
});

describe("a reply of the registration endpoint", () => {
  const replies: [string, (response: ServerResponse) => void, string][] = [
    ["that is huge", (to) => sendJson(to, { ...createClient(), more: "x".repeat(200_000) }), "too_large"],
    [
      "that is a page",
      (to) => to.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>"),
      "client_id_missing",
    ],
    ["that is a list", (to) => sendJson(to, [createClient()]), "client_id_missing"],
    [
      "whose client id cannot be sent",
      (to) => sendJson(to, { ...createClient(), client_id: "a\r\nb" }),
      "client_id_missing",
    ],
    ["that leads elsewhere", (to) => to.writeHead(307, { location: `${other.base}/reg` }).end(), "http_307"],
    [
      "that refuses with a text like a token",
      (to) => to.writeHead(400).end(JSON.stringify({ error: "planted-client-secret-Zq3kW8rT5vB2nM7x" })),
      "unknown_error",
    ],
    ["that ends in the middle", (to) => to.destroy(), "connection_reset"],
  ];
  test.each(replies)("%s: nothing is saved, and nothing is left", async (_, reply, reason) => {
    const before = await countConnections();
    answer(reply);
    const refused = await save();
    expect(refused).toMatchObject({ status: 409, body: { error: "mcp_registration_failed", reason } });
    expect(await countConnections()).toBe(before);
    expect(other.registrations).toEqual([]);
    expect(await removeAll()).toEqual([]);
    expect(JSON.stringify([refused.body, server.logLines])).not.toContain("planted-client-secret");
  });

  test.each([
    ["another redirect URI", { redirect_uris: ["https://evil.example/callback"] }, "redirect_uri_changed"],
    ["no secret", { client_secret: undefined }, "client_secret_missing"],
    [
      "a method that is not supported",
      { token_endpoint_auth_method: "tls_client_auth" },
      "auth_method_unsupported",
    ],
  ])("with %s: the client that cannot be used is removed there", async (_, change, reason) => {
    const client = createClient();
    const management = {
      registration_client_uri: `${signIn.base}/reg/${client.client_id}`,
      registration_access_token: "planted-management-token-Zq3kW8rT5vB2nM7x",
    };
    answer((to) => sendJson(to, { ...client, ...management, ...change }));
    expect((await save()).body).toMatchObject({ error: "mcp_registration_failed", reason });
    expect(await removeAll()).toEqual([]);
    expect(signIn.registrations).toContain(`DELETE /reg/${client.client_id}`);
    expect(JSON.stringify(server.logLines)).not.toContain("planted-management-token");
  });

  test("that names another server for the management: the token is never sent there", async () => {
    answer((to) =>
      sendJson(to, {
        ...createClient(),
        registration_client_uri: `${other.base}/reg/x`,
        registration_access_token: "planted-management-token-Zq3kW8rT5vB2nM7x",
      }),
    );
    const made = await saveConnection(server, acme.owner.auth, { url: guarded.url });
    expect(await listRows()).toMatchObject([{ state: "kept", accessToken: null }]);
    await server.call(`/v1/mcp-connections/${made.id}`, { method: "DELETE", headers: acme.owner.auth });
    expect(await removeAll()).toEqual([]);
    expect(other.registrations).toEqual([]);
  });
});

describe("a process that ends", () => {
  test("cannot lose a client: the intent is committed before the request is sent", async () => {
    const seen: Row[][] = [];
    answer((to) => {
      void listRows().then((rows) => {
        seen.push(rows);
        sendJson(to, createClient());
      });
    });
    const made = await saveConnection(server, acme.owner.auth, { url: guarded.url });
    expect(seen).toEqual([[{ state: "intended", clientId: null, accessToken: null }]]);
    expect(await listRows()).toMatchObject([{ state: "kept", clientId: made.clientId }]);
    await server.call(`/v1/mcp-connections/${made.id}`, { method: "DELETE", headers: acme.owner.auth });
    expect(await removeAll()).toEqual([]);
  });

  test("between the intent and the reply: the log names the server where a client may be left", async () => {
    const id = newId("mcr");
    await server.platform.db.run(sql`
      insert into mcp_registrations (id, org_id, registration_endpoint, due_at)
      values (${id}, ${acme.orgId}, ${`${signIn.base}/reg`}, now() - interval '1 second')`);
    expect(await removeAll()).toEqual([]);
    const line = server.logLines.find((one) => one.includes(id));
    expect(line).toContain(`${signIn.base}/reg`);
    expect(line).toContain("unknown");
  });

  test("between the reply and the connection: the client is removed there after its time", async () => {
    const made = await saveConnection(server, acme.owner.auth, { url: guarded.url });
    await server.platform.db.run(sql`
      update mcp_registrations set state = 'registered', connection_id = null, due_at = now() - interval '1 second'`);
    expect(await removeAll()).toEqual([]);
    expect(signIn.registrations).toContain(`DELETE /reg/${made.clientId}`);
  });
});

describe("a server of the HTTP+SSE transport of 2024", () => {
  test("is refused when it is saved, whatever way to register is chosen", async () => {
    const legacy = await startHostileServer(({ method }) =>
      method === "GET"
        ? {
            headers: { "content-type": "text/event-stream" },
            text: "event: endpoint\ndata: /messages?id=1\n\n",
          }
        : { status: 405 },
    );
    try {
      const url = `${legacy.base}/sse`;
      const before = await countConnections();
      for (const more of [{}, { registration: "none" }, { bearerToken: "token", credential: "shared" }]) {
        const refused = await server.call("/v1/mcp-connections", {
          ...{ headers: acme.owner.auth, body: { url, ...more } },
        });
        expect(refused).toMatchObject({ status: 409, body: { error: "mcp_server_unsupported" } });
        expect(refused.body.message).toContain("Streamable HTTP");
      }
      expect(await countConnections()).toBe(before);
    } finally {
      await legacy.close();
    }
  });
});
