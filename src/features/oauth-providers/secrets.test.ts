import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AuthorizationServer,
  approve,
  clientSecret,
  startAuthorizationServer,
} from "../../../test/fixtures/authorization-server.ts";
import {
  createKey,
  createWorkspace,
  joinWorkspace,
  type TestServer,
  useServer,
} from "../../../test/harness.ts";
import {
  connectAccount,
  expireToken,
  findLeakedSecrets,
  getToken,
  openCallback,
  putClient,
  readClaimCode,
  readConnectionStatus,
  requestAuthorizeUrl,
  runJob,
  setUpProvider,
} from "../../../test/oauth.ts";
import { newKey } from "../../platform/oauth/index.ts";

/** Plants secrets everywhere they pass, makes everything go wrong that can, and then looks for them. */
describe("a secret", () => {
  const server = useServer({ env: { LOG_LEVEL: "trace" } });
  let as: AuthorizationServer;
  const id = "acme-id";
  beforeAll(async () => {
    as = await startAuthorizationServer({
      redirectUris: [`${server.url}/v1/oauth-providers/${id}/connect/callback`],
    });
  });
  afterAll(() => as.close());

  test("appears in no log, error, event, list, page or table, whatever fails", async () => {
    const replies: string[] = [];
    const watched: TestServer = {
      ...server,
      async call(path, options) {
        const reply = await server.call(path, options);
        // The one reply that is there to give a token away, and the one that gives the state to the browser.
        if (!/\/(?:token|connect\/start)(?:\?|$)/.test(path))
          replies.push(JSON.stringify([reply.body, [...reply.headers]]));
        return reply;
      },
    };
    const secrets = new Set([clientSecret]);
    const acme = await createWorkspace(watched);
    const { auth } = acme.owner;
    const ada = await joinWorkspace(watched, acme, "member");
    await setUpProvider(watched, auth, as);

    const arrive = async (
      query: string,
      alter: (url: URL) => void = () => {},
      person: typeof ada | null = ada,
    ) => {
      const back = await approve(await requestAuthorizeUrl(watched, ada.auth, id, query));
      for (const name of ["code", "state"]) secrets.add(back.searchParams.get(name)!);
      alter(back);
      return openCallback(watched, back, person ?? undefined);
    };
    await arrive("");
    await arrive("?account=wrong-iss", (url) => url.searchParams.set("iss", "https://evil.example"));
    await arrive("?account=wrong-code", (url) => url.searchParams.set("code", "planted-wrong-code-77"));
    secrets.add("planted-wrong-code-77");
    const waiting = await arrive("?account=waits", undefined, null);
    const code = readClaimCode(waiting.body);

    // Answers that carry secrets where none are expected, or send ours back.
    const evil = (make: (sent: URLSearchParams) => [number, unknown]) => {
      as.intercept = (request, response, body) => {
        if (!request.url?.startsWith("/token")) return false;
        const sent = new URLSearchParams(body);
        for (const value of [sent.get("refresh_token"), sent.get("token"), sent.get("code_verifier")]) {
          if (value) secrets.add(value);
        }
        const [status, answer] = make(sent);
        response.writeHead(status, {
          "content-type": "application/json",
          "www-authenticate": `Bearer error="${clientSecret}"`,
        });
        response.end(JSON.stringify(answer));
        return true;
      };
    };
    const [{ id: connectionId }] = (await readConnectionStatus(watched, ada.auth, id)).connections;
    const echoes: ((sent: URLSearchParams) => [number, unknown])[] = [
      (sent) => [400, { error: sent.get("refresh_token") ?? "x", error_description: String(sent) }],
      (sent) => [500, { message: String(sent), secret: clientSecret }],
      () => [200, { access_token: { nested: "planted-odd-token-1" }, refresh_token: "planted-odd-token-2" }],
      () => [200, { access_token: "planted-odd-token-3", token_type: "mac" }],
      () => [200, { access_token: "planted-odd-token-4", id_token: "planted.odd.token" }],
    ];
    for (const odd of ["1", "2", "3", "4"]) secrets.add(`planted-odd-token-${odd}`);
    for (const echo of echoes) {
      evil(echo);
      await expireToken(server, connectionId);
      await server.platform.db.queryWithDriverTypes("update oauth_tokens set next_refresh_at = null");
      await getToken(watched, ada.auth, id);
      await arrive("?account=echo");
    }
    as.intercept = undefined;
    await server.platform.db.queryWithDriverTypes("update oauth_tokens set next_refresh_at = null");
    await expireToken(server, connectionId);
    const token = (await getToken(watched, ada.auth, id)).body.accessToken;
    secrets.add(token);

    // Keys, clients, the end, and everything there is to read.
    const key = newKey();
    secrets.add(key.slice(60, 120));
    await watched.call("/v1/oauth-providers/okta/client", {
      method: "PUT",
      body: { clientId: "o", tenant: "acme.okta.com", privateKey: key },
      headers: auth,
    });
    await putClient(watched, auth, id, { clientSecret: "planted-second-secret-9" });
    secrets.add("planted-second-secret-9");
    await putClient(watched, auth, id, {
      clientId: 7 as unknown as string,
      clientSecret: "planted-refused-secret-9",
    });
    secrets.add("planted-refused-secret-9");
    await putClient(watched, auth, id);
    await watched.call(`/v1/oauth-providers/${id}/connect/claim`, { body: { code }, headers: ada.auth });
    evil((sent) => [400, { error: sent.get("token") }]);
    await watched.call(`/v1/oauth-connections/${connectionId}`, { method: "DELETE", headers: ada.auth });
    await runJob(server, "oauth.revoke");
    as.intercept = undefined;
    await connectAccount(watched, ada, id);
    const agent = await createKey(server, ada);
    await getToken(watched, agent.auth, id);
    for (const path of [
      "/v1/oauth-providers?limit=100",
      `/v1/oauth-providers/${id}`,
      `/v1/oauth-providers/${id}/client`,
      "/v1/oauth-providers/okta/client",
      `/v1/oauth-providers/${id}/status`,
      "/v1/oauth-connections",
      "/v1/oauth-connections?ended=true",
      `/v1/oauth-connections/${connectionId}`,
      `/v1/oauth-connections/${connectionId}/events?limit=100`,
    ]) {
      const reply = await watched.call(path, { headers: auth });
      expect(reply.status, path).toBe(200);
    }
    for (const secret of as.secrets) secrets.add(secret);
    expect(secrets.size).toBeGreaterThan(30);

    expect(await findLeakedSecrets(server, secrets)).toEqual([]);
    const said = replies.join("\n");
    expect([...secrets].filter((secret) => said.includes(secret))).toEqual([]);
    // The net would catch something: the claim's code is on its page, which is where it belongs.
    expect(said).toContain(code);
    expect(await findLeakedSecrets(server, [ada.email])).toEqual([ada.email.slice(0, 12)]);
  });
});
