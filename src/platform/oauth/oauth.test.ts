import type { Egress } from "@signalbox/discovery/egress";
import { EgressError } from "@signalbox/discovery/egress";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buildAuthorizeUrl,
  discover,
  exchangeCode,
  newVerifier,
  OAuthFailure,
  refreshTokens,
  revokeToken,
  Server,
  type ServerInput,
} from "./index.ts";
import { normalizeKey } from "./keys.ts";
import { readTextAt } from "./replies.ts";
import { isSecureUrl } from "./server.ts";

const base: ServerInput = {
  authorizationEndpoint: "https://id.example/authorize",
  tokenEndpoint: "https://id.example/token",
};

type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>;

/** A provider that answers like this, and what it was sent. */
function peer(answer: Answer, server: Partial<ServerInput> = {}) {
  const sent: { url: URL; body: string; headers: Headers; method: string }[] = [];
  const egress = {
    fetch: async (at: string, init: RequestInit = {}) => {
      const url = new URL(at);
      sent.push({
        url,
        body: String(init.body ?? ""),
        headers: new Headers(init.headers),
        method: init.method ?? "GET",
      });
      return answer(url, init);
    },
  } as unknown as Egress;
  egress.forAddressFrom = () => egress;
  const credentials = {
    clientId: "client id",
    authMethod: "client_secret_basic" as const,
    secret: "s3:cret",
  };
  return { sent, peer: { egress, credentials, server: Server.parse({ ...base, ...server }) } };
}

describe("the URL for the browser", () => {
  const request = {
    clientId: "id",
    redirectUri: "https://us.example/cb?a=b c",
    state: "st",
    verifier: newVerifier(),
    nonce: "n",
    scopes: ["openid", "files:read"],
  };

  test("is the one that the URL parser builds, whatever the parameters contain", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })),
        fc.constantFrom("", "/", "/a/b.c", "/~a/%20", "/authorize?x=1", "/authorize?state=theirs&x=1"),
        (parameters, path) => {
          const endpoint = `https://id.example:8443${path}`;
          const built = buildAuthorizeUrl(Server.parse({ ...base, authorizationEndpoint: endpoint }), {
            ...request,
            parameters,
          });
          const expected = new URL(endpoint);
          for (const [name, value] of new URL(built).searchParams) expected.searchParams.set(name, value);
          expect(built).toBe(expected.href);
          expect(Object.fromEntries(expected.searchParams)).toMatchObject({
            redirect_uri: request.redirectUri,
            scope: "openid files:read",
            state: "st",
          });
          for (const [name, value] of Object.entries(parameters))
            if (!(name in fixed)) expect(expected.searchParams.get(name)).toBe(value.toWellFormed());
        },
      ),
    );
  });

  const fixed: Record<string, unknown> = {
    ...{ response_type: 0, client_id: 0, redirect_uri: 0, state: 0, scope: 0, nonce: 0 },
    ...{ code_challenge: 0, code_challenge_method: 0 },
  };
});

const json =
  (body: unknown, status = 200) =>
  () =>
    Response.json(body, { status });
const exchange = (given: ReturnType<typeof peer>, query = "code=c&state=st") =>
  exchangeCode(given.peer, {
    parameters: new URLSearchParams(query),
    redirectUri: "https://us.example/cb",
    state: "st",
    verifier: newVerifier(),
    nonce: "n",
  });
const failure = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OAuthFailure);
  return error as OAuthFailure;
};

describe("token requests and replies", () => {
  test.each<[string, Partial<ServerInput>, unknown, object]>([
    ["plain", {}, { access_token: "a", token_type: "Bearer", expires_in: 60 }, { accessToken: "a" }],
    ["no token type", {}, { access_token: "a", scope: "x,y" }, { scopes: ["x", "y"], expiresAt: undefined }],
    ["scope as a list", {}, { access_token: "a", scope: ["x", "y"] }, { scopes: ["x", "y"] }],
    ["expires_in as text", {}, { access_token: "a", expires_in: "3600" }, { accessToken: "a" }],
    ["expires_in 0 for never", {}, { access_token: "a", expires_in: 0 }, { expiresAt: undefined }],
    ["null refresh token", {}, { access_token: "a", refresh_token: null }, { refreshToken: undefined }],
    [
      "in a nested field",
      { tokensIn: "authed_user" },
      {
        ok: true,
        access_token: "bot",
        authed_user: { access_token: "user", token_type: "user", refresh_token: "r", scope: "a,b" },
      },
      { accessToken: "user", refreshToken: "r", scopes: ["a", "b"] },
    ],
    [
      "an ID token nobody asked for",
      {},
      { access_token: "a", id_token: "not.a.token" },
      { accessToken: "a" },
    ],
  ])("%s", async (_, server, body, expected) => {
    expect((await exchange(peer(json(body), server))).tokens).toMatchObject(expected);
  });

  test("a form-encoded reply is accepted", async () => {
    const given = peer(
      () =>
        new Response("access_token=a&scope=x&token_type=bearer", {
          headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
        }),
    );
    expect((await exchange(given)).tokens).toMatchObject({ accessToken: "a", scopes: ["x"] });
  });

  test("a server that requires JSON gets JSON", async () => {
    const given = peer(json({ access_token: "a" }), { jsonBody: true });
    await exchange(given);
    expect(JSON.parse(given.sent[0]!.body)).toMatchObject({ grant_type: "authorization_code", code: "c" });
    expect(given.sent[0]!.headers.get("content-type")).toBe("application/json");
  });

  test("the credentials in the header are form-encoded first, as in RFC 6749 §2.3.1", async () => {
    const given = peer(json({ access_token: "a" }));
    await exchange(given);
    const basic = given.sent[0]!.headers.get("authorization")!.slice("Basic ".length);
    expect(Buffer.from(basic, "base64").toString()).toBe("client+id:s3%3Acret");
  });

  test("refresh tokens are sent to the refresh endpoint if there is one", async () => {
    const given = peer(json({ access_token: "b" }), { refreshEndpoint: "https://id.example/refresh" });
    expect(await refreshTokens(given.peer, "r")).toMatchObject({ accessToken: "b", refreshToken: undefined });
    expect(given.sent[0]!.url.pathname).toBe("/refresh");
  });
});

describe("failures", () => {
  const raise = (error: unknown) => () => Promise.reject(error);
  test.each<[string, Answer, string, string]>([
    ["invalid_grant", json({ error: "invalid_grant" }, 400), "invalid_grant", "invalid_grant"],
    ["invalid_grant with status 200", json({ error: "invalid_grant" }), "invalid_grant", "invalid_grant"],
    ["by another name", json({ error: "bad_refresh_token" }), "invalid_grant", "invalid_grant"],
    ["ok: false", json({ ok: false, error: "invalid_auth" }), "rejected", "invalid_auth"],
    [
      "an error that is an object",
      json({ error: { type: "OAuthException" } }, 400),
      "rejected",
      "OAuthException",
    ],
    ["a refused client", json({ error: "invalid_client" }, 401), "rejected", "invalid_client"],
    [
      "a fault that speaks of invalid_grant",
      json({ error: "invalid_grant" }, 500),
      "unavailable",
      "http_500",
    ],
    ["too many", json({}, 429), "unavailable", "http_429"],
    ["later", json({ error: "temporarily_unavailable" }, 400), "unavailable", "temporarily_unavailable"],
    ["a bare 403", () => new Response("no", { status: 403 }), "rejected", "http_403"],
    ["no JSON", () => new Response("<p>"), "unusable", "not_json"],
    ["no token", json({ token_type: "bearer" }), "unusable", "invalid_response"],
    ["DPoP", json({ access_token: "a", token_type: "DPoP" }), "unusable", "token_type"],
    ["a code with markup", json({ error: "<script>" }, 400), "rejected", "unknown_error"],
    ["a time-out", raise(new DOMException("x", "TimeoutError")), "unavailable", "timeout"],
    ["a reset", raise(new EgressError("connection_reset", "gone")), "unavailable", "connection_reset"],
    [
      "refused by the guard",
      raise(new EgressError("refused_by_policy", "no")),
      "unavailable",
      "refused_by_policy",
    ],
  ])("%s", async (_, answer, kind, code) => {
    const given = peer(answer, { errorNames: { bad_refresh_token: "invalid_grant" } });
    expect(await failure(refreshTokens(given.peer, "r"))).toMatchObject({ kind, code });
  });

  test("every call ends well within the lease of a refresh", async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const account = {
      from: "userinfo" as const,
      endpoint: "https://id.example/me",
      subject: "id",
      names: [],
    };
    const given = peer(
      (_, init) => {
        signals.push(init.signal);
        return Response.json({ access_token: "a" });
      },
      { account, revocation: { endpoint: "https://id.example/revoke" } },
    );
    await refreshTokens(given.peer, "r");
    await exchange(given);
    await revokeToken(given.peer, "t", "access_token");
    expect(signals).toHaveLength(4);
    for (const signal of signals) expect(signal).toBeInstanceOf(AbortSignal);
  });

  test("an exception of our own code is not changed into a failure of the provider", async () => {
    const given = peer(raise(new RangeError("bug")));
    await expect(refreshTokens(given.peer, "r")).rejects.toBeInstanceOf(RangeError);
  });

  test("no failure contains text of the request or the reply", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          status: fc.constantFrom(200, 201, 204, 302, 400, 401, 403, 500),
          body: fc.oneof(fc.json(), fc.constant("planted-in-the-reply"), fc.string()),
        }),
        async ({ status, body }) => {
          const bodiless = status === 204;
          const given = peer(() => new Response(bodiless ? null : `planted-in-the-reply${body}`, { status }));
          const error = await failure(refreshTokens(given.peer, "planted-refresh-token"));
          const told = JSON.stringify([error.message, error.code, error.stack, error.cause, { ...error }]);
          expect(told).not.toMatch(/planted-in-the-reply|planted-refresh-token|s3:cret/);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("a wrong iss is refused, and a missing one only if the server promises it", async () => {
    const ok = json({ access_token: "a" });
    const issuer = "https://id.example";
    const code = async (server: Partial<ServerInput>, query: string) =>
      (await failure(exchange(peer(ok, server), query))).code;
    expect(await code({ issuer }, "code=c&state=st&iss=https://evil.example")).toBe("issuer_mismatch");
    expect(await code({ issuer, issParameter: true }, "code=c&state=st")).toBe("issuer_mismatch");
    expect(await code({ issuer, issParameter: true }, "error=access_denied&state=st")).toBe(
      "issuer_mismatch",
    );
    for (const [server, query] of [
      [{ issuer }, "code=c&state=st"],
      [{ issuer, issParameter: true }, `code=c&state=st&iss=${issuer}`],
      [{}, "code=c&state=st&iss=https://whoever.example"],
    ] as const) {
      expect((await exchange(peer(ok, server), query)).tokens.accessToken).toBe("a");
    }
  });

  test("a callback with a wrong or missing state exchanges no code", async () => {
    for (const query of ["code=c&state=other", "code=c", "state=st", "code=c&code=d&state=st"]) {
      const given = peer(json({ access_token: "a" }));
      await failure(exchange(given, query));
      expect(given.sent).toEqual([]);
    }
  });
});

describe("the identity of an account", () => {
  const userinfo = {
    from: "userinfo" as const,
    endpoint: "https://api.example/me",
    subject: "data.id",
    names: ["data.login"],
  };
  const both =
    (me: Answer): Answer =>
    (url, init) =>
      url.pathname === "/token"
        ? Response.json({ access_token: "a", team: { id: 7, name: "T" } })
        : me(url, init);

  test("is read from the userinfo endpoint", async () => {
    const given = peer(both(json({ data: { id: 42, login: "octo" } })), { account: userinfo });
    expect((await exchange(given)).account).toEqual({ subject: "42", name: "octo" });
    expect(given.sent[1]!.headers.get("authorization")).toBe("Bearer a");
  });

  test("is read with GraphQL and another authorization scheme", async () => {
    const account = { ...userinfo, body: { query: "{ me }" }, scheme: "OAuth" };
    const given = peer(both(json({ data: { id: "42" } })), { account });
    expect((await exchange(given)).account).toEqual({ subject: "42", name: undefined });
    expect(given.sent[1]).toMatchObject({ method: "POST", body: '{"query":"{ me }"}' });
    expect(given.sent[1]!.headers.get("authorization")).toBe("OAuth a");
  });

  test("is read from the token reply", async () => {
    const account = { from: "token_reply" as const, subject: "team.id", names: ["team.name"] };
    expect((await exchange(peer(both(json({})), { account }))).account).toEqual({ subject: "7", name: "T" });
  });

  test("can be unknown without losing the tokens", async () => {
    for (const me of [
      json({}, 500),
      json([]),
      () => Promise.reject(new EgressError("timeout", "slow")),
    ] as Answer[]) {
      const granted = await exchange(peer(both(me), { account: userinfo }));
      expect(granted).toMatchObject({ account: undefined, tokens: { accessToken: "a" } });
    }
  });

  test("is read only from own properties with text or numbers", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom("a.b", "__proto__.x", "constructor.name", "length"),
        (value, path) => {
          const found = readTextAt(value, path);
          expect(found === undefined || (typeof found === "string" && found.length <= 300)).toBe(true);
        },
      ),
    );
    expect(readTextAt({}, "constructor.name")).toBeUndefined();
  });
});

describe("revocation", () => {
  const revoke = (given: ReturnType<typeof peer>) => revokeToken(given.peer, "tok", "access_token");

  test("follows RFC 7009: the token, a hint, and the client", async () => {
    const given = peer(() => new Response(null, { status: 200 }), {
      revocation: { endpoint: "https://id.example/revoke" },
    });
    await revoke(given);
    expect(Object.fromEntries(new URLSearchParams(given.sent[0]!.body))).toEqual({
      token: "tok",
      token_type_hint: "access_token",
    });
    expect(given.sent[0]!.headers.get("authorization")).toMatch(/^Basic /);
  });

  test("follows the API of GitHub, where an unknown token counts as revoked", async () => {
    const revocation = {
      endpoint: "https://api.example/applications/{client_id}/token",
      style: "github",
    } as const;
    for (const status of [204, 404, 422]) {
      const given = peer(() => new Response(null, { status }), { revocation });
      await revoke(given);
      expect(given.sent[0]).toMatchObject({ method: "DELETE", body: '{"access_token":"tok"}' });
      expect(given.sent[0]!.url.pathname).toBe("/applications/client%20id/token");
    }
  });

  test("can be authorized by the token itself", async () => {
    const revocation = { endpoint: "https://api.example/revoke", style: "bearer" } as const;
    for (const answer of [json({ ok: true }), json({ ok: false, error: "token_revoked" }), json({}, 401)]) {
      const given = peer(answer, { revocation });
      await revoke(given);
      expect(given.sent[0]!.headers.get("authorization")).toBe("Bearer tok");
    }
    expect(
      await failure(revoke(peer(json({ ok: false, error: "fatal_error" }), { revocation }))),
    ).toMatchObject({ code: "fatal_error" });
  });

  test("fails when the server fails", async () => {
    const given = peer(() => new Response(null, { status: 503 }), {
      revocation: { endpoint: "https://id.example/revoke" },
    });
    expect(await failure(revoke(given))).toMatchObject({ kind: "unavailable" });
  });
});

test("tokens are sent only over https or to this machine", () => {
  for (const good of [
    "https://a.example/x?y=z",
    "http://127.0.0.1:80/x",
    "http://localhost/",
    "http://[::1]:9/",
  ]) {
    expect(isSecureUrl(good), good).toBe(true);
  }
  for (const bad of [
    "http://a.example",
    "http://127.0.0.1.evil.example",
    "https://u:p@a.example",
    "https://a.example/#x",
    "javascript:alert(1)",
    "data:,x",
    "x",
    "",
    "https://a.example/\0",
    "https://a.example/\ud83d",
  ]) {
    expect(isSecureUrl(bad), bad).toBe(false);
  }
});

test("text that cannot be stored is left out of an issuer's metadata, or makes it unusable", async () => {
  const issuer = "https://id.example";
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ["RS256", "\0", 7],
    userinfo_endpoint: `${issuer}/\0`,
    revocation_endpoint: 7,
  };
  const read = (more: object) =>
    discover(peer(json({ ...metadata, ...more })).peer.egress, issuer).catch((error: unknown) => error);
  expect(await read({})).toMatchObject({
    server: { account: { from: "id_token", algorithms: ["RS256"] }, discovered: true },
  });
  expect(JSON.stringify(await read({}))).not.toContain("\\u0000");
  for (const wrong of [
    { token_endpoint: `${issuer}/\0` },
    { id_token_signing_alg_values_supported: "RS256" },
  ])
    expect(await read(wrong)).toMatchObject({ kind: "unusable" });
});

test("keys that cannot sign for a client are refused", () => {
  for (const bad of ["", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"]) {
    expect(normalizeKey(bad)).toBeUndefined();
  }
});
