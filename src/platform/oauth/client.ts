import { hash } from "node:crypto";
import type { Egress } from "@signalbox/discovery/egress";
import * as oauth from "oauth4webapi";
import { takeRandomBytes } from "../random.ts";
import { OAuthFailure, safeCode, toFailure } from "./failure.ts";
import { signingKey } from "./keys.ts";
import { assertSuccess, type Json, readJson, readTextAt, readTokenReply } from "./replies.ts";
import { type Account, type Credentials, claimNames, type Server, type Tokens } from "./server.ts";

export interface Peer {
  server: Server;
  credentials: Credentials;
  egress: Egress;
}

const newSecret = () => takeRandomBytes(32).toString("base64url");
export const newState = newSecret;
/** RFC 7636 §4.1 asks for 43 characters, of 32 random bytes. */
export const newVerifier = newSecret;
export const newNonce = newSecret;

export interface AuthorizeRequest {
  clientId: string;
  redirectUri: string;
  state: string;
  verifier: string;
  nonce: string;
  scopes: readonly string[];
  /** Additional parameters, such as `prompt`. */
  parameters?: Record<string, string>;
}

/** URLs without a query and without characters that need to be encoded. */
const plainUrl = /^https?:\/\/[a-z0-9.-]+(?::\d+)?\/[\w./-]*$/;

export function buildAuthorizeUrl(server: Server, request: AuthorizeRequest): string {
  const { authorizationEndpoint: endpoint } = server;
  const { scopes } = request;
  const parameters = {
    // OpenID Connect Core §11: without it the scope is ignored, and there is no refresh token.
    ...(server.discovered && scopes.includes("offline_access") ? { prompt: "consent" } : {}),
    ...server.authorizeParameters,
    ...request.parameters,
    ...(server.resource === undefined ? {} : { resource: server.resource }),
    response_type: "code",
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    state: request.state,
    // RFC 7636 §4.2. The library's function is asynchronous: it uses a thread, which costs more than the hash itself.
    code_challenge: hash("sha256", request.verifier, "base64url"),
    code_challenge_method: "S256",
    ...(scopes.length > 0 ? { [server.scopeParameter]: scopes.join(server.scopeSeparator) } : {}),
    ...(server.account?.from === "id_token" ? { nonce: request.nonce } : {}),
  };
  if (plainUrl.test(endpoint)) return `${endpoint}?${formatQuery(parameters)}`;
  const url = new URL(endpoint);
  // `url.searchParams.set` would parse the whole URL again for each parameter.
  const search = new URLSearchParams(url.search);
  for (const [name, value] of Object.entries(parameters)) search.set(name, value);
  url.search = search.toString();
  return url.href;
}

/** The same text as that of `URLSearchParams`, which takes several times as long. Few values need to be encoded. */
function formatQuery(parameters: Readonly<Record<string, string>>): string {
  let text = "";
  for (const name in parameters) {
    if (text !== "") text += "&";
    text += `${encodeParameter(name)}=${encodeParameter(parameters[name]!)}`;
  }
  return text;
}

const encodeParameter = (text: string): string =>
  /^[\w.*-]*$/.test(text)
    ? text
    : encodeURIComponent(text.toWellFormed()).replace(/%20|[!'()~]/g, (found) => formEncodings[found]!);

/** What `encodeURIComponent` encodes in another way than forms. */
const formEncodings: Readonly<Record<string, string>> = {
  "%20": "+",
  "!": "%21",
  "'": "%27",
  "(": "%28",
  ")": "%29",
  "~": "%7E",
};

export interface Redirect {
  /** The query of the redirect back to this instance. */
  parameters: URLSearchParams;
  redirectUri: string;
  state: string;
  verifier: string;
  nonce: string;
}

export interface TokenGrant {
  tokens: Tokens;
  /** Undefined when the server does not describe the account. */
  account: Account | undefined;
}

/** Checks the redirect against the request that started it, and exchanges its code for tokens. */
export async function exchangeCode(peer: Peer, redirect: Redirect): Promise<TokenGrant> {
  const { server } = peer;
  return translateErrors(async () => {
    const as = toLibraryServer(server);
    const client = { client_id: peer.credentials.clientId };
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      await authentication(peer),
      checkRedirect(server, redirect),
      redirect.redirectUri,
      redirect.verifier,
      { ...options(peer, server.tokenEndpoint), additionalParameters: listTokenParameters(server) },
    );
    const reply = await readTokenReply(response, server);
    const result = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      reply.response,
      reply.hasIdToken ? { expectedNonce: redirect.nonce } : {},
    );
    const tokens = toTokens(result);
    return {
      tokens,
      account: await findAccount(peer, tokens, oauth.getValidatedIdTokenClaims(result), reply.body),
    };
  });
}

/** RFC 8707 §2.2: the resource is repeated when a code or a refresh token is used. */
const listTokenParameters = ({ tokenParameters, resource }: Server): Record<string, string> =>
  resource === undefined ? tokenParameters : { ...tokenParameters, resource };

/** Throws when the server refused, or when the redirect is wrong, usually its `iss`. */
export function checkRedirect(server: Server, { parameters, state }: Redirect): URLSearchParams {
  const given = new URLSearchParams(parameters);
  // Without a configured issuer there is nothing to compare `iss` with.
  if (!server.issuer) given.delete("iss");
  try {
    return oauth.validateAuthResponse(toLibraryServer(server), { client_id: "-" }, given, state);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      const code = safeCode(server.errorNames[error.error] ?? error.error);
      throw new OAuthFailure("rejected", code, `The provider answered ${code}.`);
    }
    const iss = given.get("iss");
    if (iss === null ? server.issParameter : server.issuer && iss !== server.issuer) {
      throw new OAuthFailure(
        "rejected",
        "issuer_mismatch",
        "The answer does not come from the provider that was asked.",
      );
    }
    throw error;
  }
}

/** Uses a refresh token once. The caller must prevent a second use at the same time. */
export async function refreshTokens(peer: Peer, refreshToken: string): Promise<Tokens> {
  const { server } = peer;
  return translateErrors(async () => {
    const at = server.refreshEndpoint ?? server.tokenEndpoint;
    const as = { ...toLibraryServer(server), token_endpoint: at };
    const client = { client_id: peer.credentials.clientId };
    const response = await oauth.refreshTokenGrantRequest(
      as,
      client,
      await authentication(peer),
      refreshToken,
      {
        ...options(peer, at),
        additionalParameters: listTokenParameters(server),
      },
    );
    // The account is already known, so an ID token in this reply is not validated.
    const reply = await readTokenReply(response, { ...server, account: undefined });
    return toTokens(await oauth.processRefreshTokenResponse(as, client, reply.response));
  });
}

/** Revokes a token at the server. When this returns, the token is no longer valid. */
export async function revokeToken(
  peer: Peer,
  token: string,
  kind: "access_token" | "refresh_token",
): Promise<void> {
  const { server, credentials } = peer;
  const { revocation } = server;
  if (!revocation) throw new Error("This server offers no revocation.");
  return translateErrors(async () => {
    const url = revocation.endpoint.replace("{client_id}", encodeURIComponent(credentials.clientId));
    if (revocation.style === "rfc7009") {
      const as = { ...toLibraryServer(server), revocation_endpoint: url };
      const response = await oauth.revocationRequest(
        as,
        { client_id: credentials.clientId },
        await authentication(peer),
        token,
        { ...options(peer, url), additionalParameters: { token_type_hint: kind } },
      );
      const body = await readJson(response);
      // RFC 7009 has no error for an invalid token. Some servers send one, and it also means that the token is invalid.
      if (response.status < 500 && body?.error === "invalid_token") return;
      return assertSuccess(response, body, {});
    }
    const github = revocation.style === "github";
    const basic = Buffer.from(`${credentials.clientId}:${credentials.secret ?? ""}`).toString("base64");
    const response = await chooseFetch(peer)(url, {
      method: github ? "DELETE" : "POST",
      headers: {
        accept: "application/json",
        "user-agent": userAgent,
        authorization: github ? `Basic ${basic}` : `Bearer ${token}`,
        ...(github ? { "content-type": "application/json" } : {}),
      },
      ...(github ? { body: JSON.stringify({ access_token: token }) } : {}),
      redirect: "manual",
    });
    const body = await readJson(response);
    // These statuses mean that the token does not exist or no longer exists.
    const isRevoked = github ? [404, 422].includes(response.status) : response.status === 401;
    if (isRevoked || (body?.ok === false && /^(?:token_revoked|invalid_auth)$/.test(String(body.error))))
      return;
    assertSuccess(response, body, {});
  });
}

async function findAccount(
  peer: Peer,
  tokens: Tokens,
  claims: oauth.IDToken | undefined,
  reply: Json,
): Promise<Account | undefined> {
  const { account } = peer.server;
  switch (account?.from) {
    case "token_reply":
      return toAccount(reply, account.subject, account.names);
    case "userinfo":
      return toAccount(await requestAccount(peer, account, tokens), account.subject, account.names);
    case "id_token": {
      const said = claims && toAccount(claims, "sub", claimNames);
      if (!said || said.name !== undefined || !account.userinfo) return said;
      const more = await requestAccount(peer, { endpoint: account.userinfo, scheme: "Bearer" }, tokens);
      const asked = toAccount(more, "sub", claimNames);
      return asked?.subject === said.subject ? asked : said;
    }
    default:
      return undefined;
  }
}

function toAccount(from: unknown, subjectAt: string, namesAt: readonly string[]): Account | undefined {
  const subject = readTextAt(from, subjectAt);
  const name = namesAt.map((at) => readTextAt(from, at)).find((text) => text !== undefined);
  return subject === undefined ? undefined : { subject, name };
}

interface AccountRequest {
  endpoint: string;
  scheme: string;
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

/** Returns undefined without a usable answer. The tokens are valid, so they are kept even if the account is unknown. */
async function requestAccount(
  peer: Peer,
  { endpoint, scheme, body, headers }: AccountRequest,
  { accessToken }: Tokens,
) {
  try {
    const response = await chooseFetch(peer)(endpoint, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: {
        accept: "application/json",
        "user-agent": userAgent,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
        authorization: `${scheme} ${accessToken}`,
      },
      redirect: "manual",
    });
    return response.ok ? await readJson(response) : undefined;
  } catch (error) {
    if (toFailure(error) instanceof OAuthFailure) return undefined;
    throw error;
  }
}

function toTokens(reply: oauth.TokenEndpointResponse): Tokens {
  return {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token,
    expiresAt: reply.expires_in === undefined ? undefined : Date.now() + Math.floor(reply.expires_in * 1000),
    scopes: reply.scope?.split(" "),
  };
}

const userAgent = "Signalbox";
const timeoutMs = 10_000;

export const toLibraryServer = (server: Server): oauth.AuthorizationServer => ({
  issuer: server.issuer ?? new URL(server.authorizationEndpoint).origin,
  token_endpoint: server.tokenEndpoint,
  ...(server.issParameter && server.issuer ? { authorization_response_iss_parameter_supported: true } : {}),
  ...(server.account?.from === "id_token" && server.account.algorithms
    ? { id_token_signing_alg_values_supported: server.account.algorithms }
    : {}),
});

/** Addresses from a server's metadata were not chosen by the person who configured it, so stricter rules apply. */
export const chooseFetch = ({ server, egress }: Peer): typeof fetch => {
  const { fetch } = server.discovered && server.issuer ? egress.forAddressFrom(server.issuer) : egress;
  return (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
};

export const options = (peer: Peer, url: string) => ({
  [oauth.customFetch]: (at: string, init: oauth.CustomFetchOptions<"POST", URLSearchParams>) =>
    chooseFetch(peer)(
      at,
      peer.server.jsonBody
        ? {
            ...init,
            headers: { ...init.headers, "content-type": "application/json" },
            body: JSON.stringify(Object.fromEntries(init.body)),
          }
        : init,
    ),
  // Only true for addresses of this machine: see `endpoint`.
  [oauth.allowInsecureRequests]: url.startsWith("http:"),
  headers: { "user-agent": userAgent },
});

export async function authentication({ server, credentials }: Peer): Promise<oauth.ClientAuth> {
  switch (credentials.authMethod) {
    case "client_secret_basic":
      return oauth.ClientSecretBasic(credentials.secret ?? "");
    case "client_secret_post":
      return oauth.ClientSecretPost(credentials.secret ?? "");
    case "private_key_jwt":
      return oauth.PrivateKeyJwt(
        {
          key: await signingKey(credentials.privateKey ?? ""),
          ...(credentials.keyId ? { kid: credentials.keyId } : {}),
        },
        {
          [oauth.modifyAssertion](_header, payload) {
            if (!server.issuer) payload.aud = server.tokenEndpoint;
          },
        },
      );
    case "none":
      return oauth.None();
  }
}

export async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error);
  }
}
