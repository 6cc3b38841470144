/** A person who can write to the database cannot make the service send a client's secret or a token elsewhere. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../../../test/fixtures/authorization-server.ts";
import { createWorkspace, joinWorkspace, useServer } from "../../../test/harness.ts";
import { connectAccount, expireToken, getToken, putClient, setUpProvider } from "../../../test/oauth.ts";
import { sql } from "../../platform/db/index.ts";

const server = useServer();
const id = "acme-id";
let as: AuthorizationServer;
beforeAll(async () => {
  as = await startAuthorizationServer({
    redirectUris: [`${server.url}/v1/oauth-providers/${id}/connect/callback`],
  });
});
afterAll(() => as.close());

async function connected() {
  const acme = await createWorkspace(server);
  const ada = await joinWorkspace(server, acme, "member");
  await setUpProvider(server, acme.owner.auth, as);
  await connectAccount(server, ada, id);
  return { acme, ada };
}

describe("the token of an outside account", () => {
  test("can be unsealed only for its organization and its provider's servers", async () => {
    const { acme, ada } = await connected();
    const { db } = server.platform;
    expect((await getToken(server, ada.auth, id)).status).toBe(200);
    const server0 = sql`(select server from oauth_client_credentials where org_id = ${acme.orgId})`;
    const before = (await db.row<{ server: object }>(sql`select ${server0} as server`))!.server;
    const setServer = (value: object) =>
      db.run(sql`update oauth_client_credentials set server = ${JSON.stringify(value)}::jsonb
        where org_id = ${acme.orgId}`);

    for (const changed of [
      { tokenEndpoint: "https://evil.example/token" },
      { revocation: { endpoint: "https://evil.example/revoke", style: "rfc7009" } },
    ]) {
      await setServer({ ...before, ...changed });
      expect((await getToken(server, ada.auth, id)).status).toBe(500);
    }
    await setServer(before);
    expect((await getToken(server, ada.auth, id)).status).toBe(200);
  });

  test("of one organization cannot be unsealed in the connection of another", async () => {
    const one = await connected();
    const two = await connected();
    const { db } = server.platform;
    const tokens = await db.rows<{ id: string; org: string; access: string }>(sql`
      select id, org_id as org, access_token as access from oauth_tokens
      where org_id in (${one.acme.orgId}, ${two.acme.orgId})`);
    const mine = tokens.find(({ org }) => org === one.acme.orgId)!;
    // Moves the row to the other organization, and points that organization's connection to it.
    await db.run(sql`update oauth_tokens set org_id = ${two.acme.orgId} where id = ${mine.id}`);
    await db.run(sql`update oauth_connections set token_id = ${mine.id} where org_id = ${two.acme.orgId}`);
    expect((await getToken(server, two.ada.auth, id)).status).toBe(500);
  });
});

describe("the secret of an OAuth client", () => {
  test("is not sent to another token endpoint after its row is changed", async () => {
    const { acme, ada } = await connected();
    const { db } = server.platform;
    const evil = await startAuthorizationServer({ redirectUris: ["http://127.0.0.1/none"] });
    const requests: unknown[] = [];
    evil.intercept = ({ url }) => {
      requests.push(url);
      return false;
    };
    try {
      const { id: connectionId } = (await db.row<{ id: string }>(
        sql`select id from oauth_connections where org_id = ${acme.orgId}`,
      ))!;
      await expireToken(server, connectionId);
      await db.run(sql`update oauth_client_credentials
        set server = jsonb_set(server, '{tokenEndpoint}', to_jsonb(${`${evil.issuer}/token`}::text))
        where org_id = ${acme.orgId}`);
      const reply = await getToken(server, ada.auth, id);
      expect(reply.status).not.toBe(200);
      const row = await db.row<{ error: string | null }>(
        sql`select last_error as error from oauth_tokens where org_id = ${acme.orgId}`,
      );
      // It failed before anything was sent.
      expect(row).toEqual({ error: "internal_error" });
      expect(requests).toEqual([]);
    } finally {
      await evil.close();
    }
  });

  test("belongs to the servers that a start sends the browser to, also after the provider has moved", async () => {
    const { acme, ada } = await connected();
    const { db } = server.platform;
    // As the daily discovery stores it. The client keeps its servers until it is saved again.
    await db.run(sql`update oauth_providers set server = server
        || '{"authorizationEndpoint": "https://after.example/auth", "tokenEndpoint": "https://after.example/token"}'
      where org_id = ${acme.orgId}`);
    const { status, body } = await server.call(`/v1/oauth-providers/${id}/connect/start`, {
      headers: ada.auth,
    });
    expect(status).toBe(200);
    expect(new URL(body.authorizeUrl).origin).toBe(new URL(as.issuer).origin);
    await connectAccount(server, ada, id);
  });

  test("must be given again when the provider's servers have changed", async () => {
    const { acme } = await connected();
    const { db } = server.platform;
    // As if the client had been saved when the provider had another token endpoint.
    await db.run(sql`update oauth_client_credentials
      set server = jsonb_set(server, '{tokenEndpoint}', '"https://before.example/token"') where org_id = ${acme.orgId}`);
    const kept = await putClient(server, acme.owner.auth, id, {
      tokenEndpointAuthMethod: "client_secret_basic",
    });
    expect(kept).toMatchObject({ status: 409, body: { error: "connections_would_end" } });
    const saved = await putClient(server, acme.owner.auth, id, {
      tokenEndpointAuthMethod: "client_secret_basic",
      endConnections: true,
    });
    expect(saved.body.client).toMatchObject({ hasSecret: false, missing: ["clientSecret"] });
  });
});
