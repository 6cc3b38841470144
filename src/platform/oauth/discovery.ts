import type { Egress } from "@signalbox/discovery/egress";
import * as oauth from "oauth4webapi";
import { OAuthFailure, toFailure } from "./failure.ts";
import { claimNames, isSecureUrl, Server } from "./server.ts";

export interface Discovered {
  server: Server;
  /** Undefined when the metadata does not say. */
  authMethods: string[] | undefined;
  scopes: string[] | undefined;
  /** Where the keys of ID tokens are. */
  jwksUri: string | undefined;
}

/** Reads the metadata of an issuer: OpenID Connect Discovery, else RFC 8414. */
export async function discover(egress: Egress, issuer: string): Promise<Discovered> {
  const url = new URL(issuer);
  let first: unknown;
  for (const algorithm of ["oidc", "oauth2"] as const) {
    try {
      const response = await oauth.discoveryRequest(url, {
        algorithm,
        [oauth.customFetch]: (at, init) => egress.fetch(at, { ...init, signal: AbortSignal.timeout(8_000) }),
        [oauth.allowInsecureRequests]: url.protocol === "http:",
      });
      if (response.status >= 500 || response.status === 429)
        throw new OAuthFailure(
          "unavailable",
          `http_${response.status}`,
          `The provider answered HTTP ${response.status} instead of its metadata.`,
        );
      return parseMetadata(await oauth.processDiscoveryResponse(url, response));
    } catch (error) {
      first ??= toFailure(error);
      if (!(toFailure(error) instanceof OAuthFailure)) throw error;
    }
  }
  throw first;
}

/** Leaves out what is no name of an algorithm: it may contain what the database cannot store. */
const listAlgorithms = (given: unknown) =>
  Array.isArray(given)
    ? given.filter((name) => typeof name === "string" && /^[\w-]{1,40}$/.test(name))
    : given;

function parseMetadata(metadata: oauth.AuthorizationServer): Discovered {
  const offersUserinfo = metadata.userinfo_endpoint !== undefined && isSecureUrl(metadata.userinfo_endpoint);
  const openId =
    metadata.jwks_uri !== undefined && metadata.id_token_signing_alg_values_supported !== undefined;
  const parsed = Server.safeParse({
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    ...(metadata.revocation_endpoint && isSecureUrl(metadata.revocation_endpoint)
      ? { revocation: { endpoint: metadata.revocation_endpoint } }
      : {}),
    ...(openId
      ? {
          account: {
            from: "id_token",
            algorithms: listAlgorithms(metadata.id_token_signing_alg_values_supported),
            ...(offersUserinfo ? { userinfo: metadata.userinfo_endpoint } : {}),
          },
        }
      : offersUserinfo
        ? {
            account: {
              from: "userinfo",
              endpoint: metadata.userinfo_endpoint,
              subject: "sub",
              names: claimNames,
            },
          }
        : {}),
    ...(metadata.authorization_response_iss_parameter_supported ? { issParameter: true } : {}),
    discovered: true,
  });
  if (!parsed.success) {
    throw new OAuthFailure(
      "unusable",
      "metadata",
      `The issuer's metadata cannot be used: ${parsed.error.issues[0]!.path.join(".")} is missing or not https.`,
    );
  }
  return {
    server: parsed.data,
    authMethods: metadata.token_endpoint_auth_methods_supported,
    scopes: metadata.scopes_supported,
    jwksUri: metadata.jwks_uri,
  };
}
