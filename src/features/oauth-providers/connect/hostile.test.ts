import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  authorizeUrl,
  comeBack,
  expire,
  getToken,
  putClient,
  start,
  statusOf,
} from "../../../../test/oauth.ts";

/** A provider that answers whatever a test says, in JSON as it is written down. */
describe("a provider that means no good", () => {
  const server = useServer();
  const id = "hostile";
  let provider: Server;
  let acme: Workspace;
  let ada: Person & { memberId: string };
  let tokens = "{}";
  let person = "{}";

  beforeAll(async () => {
    provider = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(request.url === "/token" ? tokens : person);
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    const at = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    acme = await createWorkspace(server);
    const made = await server.call("/v1/oauth-providers", {
      body: {
        id,
        name: "Hostile $& $'",
        authorizationEndpoint: `${at}/authorize`,
        tokenEndpoint: `${at}/token`,
        userinfoEndpoint: `${at}/me`,
      },
      headers: acme.owner.auth,
    });
    expect(made.status).toBe(201);
    expect((await putClient(server, acme.owner.auth, id)).status).toBe(200);
    ada = await joinWorkspace(server, acme, "member");
  });
  afterAll(() => {
    provider.close();
    provider.closeAllConnections();
  });

  const reply = (more: string) => `{"access_token":"a","token_type":"Bearer","refresh_token":"r"${more}}`;

  async function arrive(query = "", parameters: Record<string, string> = { code: "c" }) {
    const url = new URL(await authorizeUrl(server, ada.auth, id, query));
    const back = new URL(url.searchParams.get("redirect_uri")!);
    back.search = String(new URLSearchParams({ state: url.searchParams.get("state")!, ...parameters }));
    return comeBack(server, back, ada);
  }

  test("the way back leads to this site however it is spelled", async () => {
    for (const returnTo of [
      "/.//evil.example",
      "/..//evil.example",
      "/x/..//evil.example",
      "/%2e//evil.example",
      "/./\\evil.example",
    ]) {
      const refused = await start(server, ada.auth, id, `?returnTo=${encodeURIComponent(returnTo)}`);
      expect(refused, returnTo).toMatchObject({ status: 400, body: { details: [{ path: ["returnTo"] }] } });
    }
  });
});
