import { afterAll, beforeAll, expect, test } from "vitest";
import { listenOn, type RunningServer } from "../../../../test/fixtures/mcp-servers/official.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { openMcpCallback, requestMcpAuthorizeUrl, saveConnection } from "../../../../test/mcp-sign-in.ts";
import { sql } from "../../../platform/db/index.ts";
import { toProviderId } from "../../oauth-providers/index.ts";

const server = useServer();
let acme: Workspace;
let signIn: RunningServer;
let upstream: RunningServer;
/** How the MCP server writes the issuer. */
let named: string;
let token = "/token";

beforeAll(async () => {
  acme = await createWorkspace(server);
  signIn = await listenOn((base) => (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", base);
    const send = (status: number, body: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (pathname.startsWith("/.well-known/oauth-authorization-server/realm"))
      return send(200, {
        issuer: `${base}/realm/`,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}${token}`,
        revocation_endpoint: `${base}/revoke`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
      });
    if (pathname === "/register") return send(201, { client_id: "c1", token_endpoint_auth_method: "none" });
    if (pathname === "/token") return send(200, { access_token: "at-1", token_type: "Bearer" });
    if (pathname === "/authorize") {
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      const answer = { code: "code-1", state: searchParams.get("state") ?? "", iss: `${base}/realm/` };
      for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
      return void response.writeHead(302, { location: back.href }).end();
    }
    return send(404, {});
  });
  upstream = await listenOn((base) => (request, response) => {
    if (request.url?.startsWith("/.well-known/oauth-protected-resource"))
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ resource: `${base}/mcp`, authorization_servers: [named] }));
    response.writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' }).end();
  });
});
afterAll(async () => {
  for (const one of [signIn, upstream]) await one?.close();
});

test.each(["/realm/", "/realm"])("an issuer that the MCP server writes as %s is connected", async (path) => {
  named = `${signIn.base}${path}`;
  const made = await saveConnection(server, acme.owner.auth, { url: `${upstream.base}/mcp` });
  const authorizeUrl = await requestMcpAuthorizeUrl(server, acme.owner.auth, made.id);
  const reply = await fetch(authorizeUrl, { redirect: "manual" });
  const back = new URL(reply.headers.get("location") ?? "");
  const page = await openMcpCallback(server, back, acme.owner);
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining("is connected") });
  const provider = await server.platform.db.row<{ server: object }>(
    sql`select server from oauth_providers where id = ${toProviderId(made.id)}`,
  );
  expect(provider?.server).toMatchObject({
    ...{ issuer: `${signIn.base}/realm/`, issParameter: true },
    revocation: { endpoint: `${signIn.base}/revoke` },
  });
});

test("another token endpoint of an issuer that the MCP server writes differently is a difference", async () => {
  named = `${signIn.base}/realm`;
  const made = await saveConnection(server, acme.owner.auth, { url: `${upstream.base}/mcp` });
  const discover = async () => {
    const path = `/v1/mcp-connections/${made.id}/discover`;
    const { body } = await server.call(path, { body: {}, headers: acme.owner.auth });
    return body.connection.verdictDrift.map(({ field }: { field: string }) => field);
  };
  expect(await discover()).toEqual([]);
  token = "/elsewhere";
  expect(await discover()).toEqual(["tokenEndpoint"]);
  token = "/token";
});
