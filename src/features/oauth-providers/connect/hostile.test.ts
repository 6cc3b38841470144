import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  createWorkspace,
  joinWorkspace,
  type Person,
  type Reply,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  expireToken,
  getToken,
  openCallback,
  putClient,
  readConnectionStatus,
  requestAuthorizeUrl,
  startConnection,
} from "../../../../test/oauth.ts";
import { sql } from "../../../platform/db/index.ts";

/** A provider that answers whatever a test says, in JSON as it is written down. */
describe("a hostile provider", () => {
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

  const arrive = async (query = "", parameters: Record<string, string> = { code: "c" }) =>
    openCallback(server, await wayBack(query, parameters), ada);

  async function wayBack(query = "", parameters: Record<string, string> = { code: "c" }) {
    const url = new URL(await requestAuthorizeUrl(server, ada.auth, id, query));
    const back = new URL(url.searchParams.get("redirect_uri")!);
    back.search = String(new URLSearchParams({ state: url.searchParams.get("state")!, ...parameters }));
    return back;
  }

  test("the return address is always on this site, in any spelling", async () => {
    for (const returnTo of [
      "/.//evil.example",
      "/..//evil.example",
      "/x/..//evil.example",
      "/%2e//evil.example",
      "/./\\evil.example",
    ]) {
      const refused = await startConnection(
        server,
        ada.auth,
        id,
        `?returnTo=${encodeURIComponent(returnTo)}`,
      );
      expect(refused, returnTo).toMatchObject({ status: 400, body: { details: [{ path: ["returnTo"] }] } });
    }
  });

  test.each([
    ["a lifetime longer than any calendar", ',"expires_in":1e18'],
    ["a lifetime larger than any number", ',"expires_in":1e999'],
    ["a negative lifetime as text", ',"expires_in":"-5"'],
    ["a lifetime that is a list", ',"expires_in":[3600]'],
    ["scopes that the database cannot store", ',"scope":"files\\u0000 \\ud800"'],
    ["scopes in a list of mixed types", ',"scope":["a",1,null,{"b":2},"c\\u0000"]'],
  ])("a token is kept although the reply has %s", async (_, more) => {
    person = '{"sub":"octo","email":"octo@provider.example"}';
    tokens = reply(more);
    const page = await arrive();
    expect(page.status, page.body).toBe(200);
    const given = await getToken(server, ada.auth, id);
    expect(given).toMatchObject({ status: 200, body: { accessToken: "a" } });
    // The same in the answer to a refresh, which is the only one there will be.
    await expireToken(server, given.body.connectionId);
    tokens = reply(more).replace('"a"', '"b"');
    expect(await getToken(server, ada.auth, id)).toMatchObject({ status: 200, body: { accessToken: "b" } });
  });

  test.each([
    ["cut in the middle of a character", `{"sub":"octo","email":"${"x".repeat(299)}😀"}`],
    ["text that the database cannot store", '{"sub":"oc\\u0000to","email":"\\u0000\\ud800"}'],
    ["only text that the database cannot store", '{"sub":"\\u0000","email":"\\u0000"}'],
  ])("an account connects although its name is %s", async (_, said) => {
    person = said;
    tokens = reply("");
    const page = await arrive();
    expect(page.status, page.body).toBe(200);
    expect((await readConnectionStatus(server, ada.auth, id)).connected).toBe(true);
  });

  test.each(["constructor", "toString", "hasOwnProperty"])(
    "the error %s is handled as any other error",
    async (error) => {
      const page = await arrive("", { error });
      expect(page.status).toBe(400);
      expect(page.body).toContain("Hostile $&amp; $&#39; is not connected.");
      expect(page.body).toContain("<p>Hostile $&amp; $&#39; refused, or gave");
    },
  );

  // The embedded engine does one thing after the other by itself.
  test.runIf(inject("engine") === "postgres")(
    "a client that changes while the callback is being stored leaves no connection of the old one",
    async () => {
      const { db } = server.platform;
      await server.call(`/v1/oauth-providers/${id}/disconnect`, { method: "POST", headers: ada.auth });
      tokens = reply("");
      const until = async (check: () => Promise<boolean>) => {
        for (let tries = 0; !(await check()) && tries < 100; tries++)
          await new Promise((resolve) => setTimeout(resolve, 20));
      };
      const waiting = async () =>
        (await db.row<{ n: number }>(
          sql`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        ))!.n > 0;
      const back = await wayBack();
      let changed: Promise<Reply>;
      let arrived: Promise<Reply<string>>;
      await db.transaction(async (tx) => {
        // Storing a token refers to the credentials: it waits here, with everything checked.
        await tx.rows(sql`
          select k.id from oauth_client_credentials k join oauth_clients c on c.credentials_id = k.id
          where c.org_id = ${acme.orgId} and c.provider_id = ${id} for update of k`);
        arrived = openCallback(server, back, ada);
        await until(waiting);
        changed = putClient(server, acme.owner.auth, id, { clientId: "another" });
        await Promise.race([changed, new Promise((resolve) => setTimeout(resolve, 500))]);
      });
      await arrived!;
      const { connected } = await readConnectionStatus(server, ada.auth, id);
      // Whoever is first: the one who changes it hears of the connection, or there is none.
      expect([(await changed!).status, connected]).toEqual([409, true]);
    },
  );
});
