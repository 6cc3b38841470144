import { createHash, timingSafeEqual } from "node:crypto";
import type { Egress } from "@signalbox/discovery/egress";
import * as oauth from "oauth4webapi";
import {
  authentication,
  checkRedirect,
  chooseFetch,
  options,
  type Peer,
  type Redirect,
  toLibraryServer,
  translateErrors,
} from "./client.ts";
import { discover } from "./discovery.ts";
import { OAuthFailure } from "./failure.ts";
import { type Json, readJson, readTokenReply } from "./replies.ts";
import { isSecureUrl, Server } from "./server.ts";

/** An OpenID provider whose ID tokens are the proof of who somebody is. */
export interface OpenIdProvider {
  server: Server;
  jwksUri: string;
  /** How clients may authenticate. Undefined when the metadata does not say. */
  authMethods: string[] | undefined;
}

/** Signatures with a public key only: with a shared secret, everybody who knows the secret could sign. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

const clockSkewSeconds = 60;

/** Reads the metadata of an issuer. Throws when it does not issue signed ID tokens. */
export async function discoverOpenId(egress: Egress, issuer: string): Promise<OpenIdProvider> {
  const { server, jwksUri, authMethods } = await discover(egress, issuer);
  if (server.account?.from !== "id_token" || jwksUri === undefined || !isSecureUrl(jwksUri))
    throw new OAuthFailure("unusable", "metadata", "The issuer's metadata names no keys of ID tokens.");
  const offered = server.account.algorithms ?? algorithms;
  const accepted = offered.filter((name) => algorithms.includes(name));
  if (accepted.length === 0)
    throw new OAuthFailure("unusable", "metadata", "The issuer signs ID tokens with no accepted algorithm.");
  return {
    server: { ...server, account: { ...server.account, algorithms: accepted } },
    jwksUri,
    authMethods,
  };
}

interface Endpoints {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  jwksUri: string;
  userinfoEndpoint?: string | undefined;
}

/** For a provider without discovery. */
export const createOpenIdProvider = (given: Endpoints): OpenIdProvider => ({
  server: Server.parse({
    issuer: given.issuer,
    authorizationEndpoint: given.authorizationEndpoint,
    tokenEndpoint: given.tokenEndpoint,
    account: {
      from: "id_token",
      algorithms,
      ...(given.userinfoEndpoint ? { userinfo: given.userinfoEndpoint } : {}),
    },
  }),
  jwksUri: given.jwksUri,
  authMethods: undefined,
});

export interface OpenIdPeer extends Peer {
  provider: OpenIdProvider;
}

export interface OpenIdRedirect extends Redirect {
  /** The person must have signed in at the provider within this many seconds. */
  maxAgeSeconds?: number | undefined;
}

export interface OpenIdGrant {
  /** The claims of the verified ID token. */
  claims: Json & { sub: string };
  accessToken: string;
}

/**
 * Checks the redirect, exchanges its code, and verifies the ID token: signature, issuer, audience, times, nonce,
 * `at_hash`. The keys are read for each sign-in, so a rotated key needs nothing, and a wrong one causes no second read.
 */
export async function exchangeForClaims(peer: OpenIdPeer, redirect: OpenIdRedirect): Promise<OpenIdGrant> {
  const { server, provider } = peer;
  return translateErrors(async () => {
    const as = { ...toLibraryServer(server), jwks_uri: provider.jwksUri };
    const client = { client_id: peer.credentials.clientId, [oauth.clockTolerance]: clockSkewSeconds };
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      await authentication(peer),
      checkRedirect(server, redirect),
      redirect.redirectUri,
      redirect.verifier,
      options(peer, server.tokenEndpoint),
    );
    const reply = await readTokenReply(response, server);
    if (!reply.hasIdToken) throw refuseToken("missing", "The provider sent no ID token.");
    const result = await nameFailures(() =>
      oauth.processAuthorizationCodeResponse(as, client, reply.response, {
        expectedNonce: redirect.nonce,
        requireIdToken: true,
        ...(redirect.maxAgeSeconds === undefined ? {} : { maxAge: redirect.maxAgeSeconds }),
      }),
    );
    await nameFailures(() =>
      oauth.validateApplicationLevelSignature(as, reply.response, {
        [oauth.customFetch]: (at, init) => chooseFetch(peer)(at, init as RequestInit),
        [oauth.allowInsecureRequests]: provider.jwksUri.startsWith("http:"),
      }),
    );
    const claims = oauth.getValidatedIdTokenClaims(result)!;
    // OpenID Connect Core §2 limits its length. The subject is stored, and a column cannot hold every text.
    if (claims.sub.length > 255 || /\p{Cc}/u.test(claims.sub) || !claims.sub.isWellFormed())
      throw refuseToken(
        "sub_invalid",
        "The ID token has a sub with control characters, or with more than 255 characters.",
      );
    checkAccessTokenHash(result.id_token!, claims, result.access_token);
    return { claims: claims as unknown as OpenIdGrant["claims"], accessToken: result.access_token };
  });
}

/** Asks the userinfo endpoint. Its answer counts only if it is about the same person. */
export async function requestUserinfo(peer: OpenIdPeer, { claims, accessToken }: OpenIdGrant): Promise<Json> {
  const { account } = peer.server;
  const endpoint = account?.from === "id_token" ? account.userinfo : undefined;
  if (!endpoint) return {};
  return translateErrors(async () => {
    const response = await chooseFetch(peer)(endpoint, {
      headers: {
        accept: "application/json",
        authorization: `Bearer ${accessToken}`,
        "user-agent": "Signalbox",
      },
      redirect: "manual",
    });
    const body = response.ok ? await readJson(response) : undefined;
    if (!body)
      throw new OAuthFailure(
        response.status >= 500 ? "unavailable" : "unusable",
        "userinfo_unusable",
        `The userinfo endpoint answered with HTTP ${response.status} and no JSON object.`,
      );
    if (body.sub !== claims.sub)
      throw new OAuthFailure(
        "rejected",
        "userinfo_sub_mismatch",
        "The userinfo endpoint describes another person than the ID token.",
      );
    return body;
  });
}

const refuseToken = (what: string, message: string) =>
  new OAuthFailure("rejected", `id_token_${what}`, message);

interface Cause {
  claim?: string;
  header?: unknown;
  expected?: unknown;
}

/** The library has few codes for many reasons. The person who sets up a connector needs the reason. */
async function nameFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, cause } = (error ?? {}) as { code?: unknown; cause?: Cause };
    const claim =
      typeof cause?.claim === "string" && /^[a-z_]{1,20}$/.test(cause.claim) ? cause.claim : "claim";
    switch (code) {
      case oauth.JWT_CLAIM_COMPARISON:
        throw refuseToken(`${claim}_mismatch`, `The ID token has another ${claim} than expected.`);
      case oauth.JWT_TIMESTAMP_CHECK:
        if (claim === "auth_time")
          throw refuseToken("auth_time_too_old", "The person signed in at the provider too long ago.");
        throw refuseToken(
          `${claim}_out_of_range`,
          `The ID token has expired or is not valid yet (${claim}).`,
        );
      case oauth.KEY_SELECTION:
        throw refuseToken("key_unknown", "The provider has no key that could have signed the ID token.");
      case oauth.UNSUPPORTED_OPERATION:
        throw refuseToken(
          "algorithm_refused",
          "The ID token is signed with an algorithm that is not accepted.",
        );
      case oauth.INVALID_RESPONSE:
        if (cause?.header !== undefined && cause.expected !== undefined)
          throw refuseToken(
            "algorithm_refused",
            "The ID token is signed with an algorithm that is not accepted.",
          );
        if (error instanceof Error && /signature/i.test(error.message))
          throw refuseToken("signature_invalid", "The signature of the ID token is not right.");
        throw (
          nameMissingClaim(error) ??
          refuseToken("invalid", "The ID token is not valid, or lacks a claim that it must have.")
        );
      default:
        throw error;
    }
  }
}

function nameMissingClaim(error: unknown): OAuthFailure | undefined {
  const [, claim] =
    /"([a-z_]{2,20})" .*claim missing/.exec(error instanceof Error ? error.message : "") ?? [];
  if (!claim) return undefined;
  return refuseToken(
    `${claim}_missing`,
    claim === "auth_time"
      ? "The provider does not say when the person signed in there, which is needed here. Configure it to send the claim auth_time in the ID token."
      : `The ID token has no ${claim}.`,
  );
}

/** OpenID Connect Core §3.1.3.6: the left half of the hash of the access token. */
function checkAccessTokenHash(idToken: string, claims: oauth.IDToken, accessToken: string): void {
  if (claims.at_hash === undefined) return;
  const { alg } = JSON.parse(Buffer.from(idToken.split(".")[0]!, "base64url").toString()) as { alg: string };
  const digest = createHash(/256$/.test(alg) ? "sha256" : /384$/.test(alg) ? "sha384" : "sha512")
    .update(accessToken)
    .digest();
  const expected = Buffer.from(digest.subarray(0, digest.length / 2).toString("base64url"));
  const given = Buffer.from(String(claims.at_hash));
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw refuseToken("at_hash_mismatch", "The ID token belongs to another access token.");
}
