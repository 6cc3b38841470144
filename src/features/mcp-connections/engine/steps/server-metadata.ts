import { type HttpAddress, parseAddress } from "../address.ts";
import { type JsonObject, readBoolean, readString, readWords } from "../json.ts";
import type { AuthorizationServer } from "../result.ts";

export interface ServerFinding {
  item: AuthorizationServer;
  /**
   * usable: people can sign in with a browser. no_browser: it offers no such sign-in. unknown: it has no metadata.
   * broken: its metadata rules it out, and it is reported. dropped: it must not be used, and is not reported.
   */
  state: "usable" | "no_browser" | "unknown" | "broken" | "dropped";
  refresh: "supported" | "not_advertised" | "unknown";
  /** True when this instance may not call it, now or for a token. */
  isRefused: boolean;
  /** True when a client of this server has to keep a secret. */
  needsSecret: boolean;
}

export interface ServerMetadata {
  finding: ServerFinding;
  insecure: { name: string; value: string }[];
  /** Endpoints that this instance would have to call and may not. */
  refused: { name: string; value: string; why: string }[];
  missing: string[];
  pkce: "s256" | "absent" | "unsupported";
}

/** Reads authorization server metadata (RFC 8414 §2). Missing lists have the defaults of the RFC. */
export function parseServerMetadata(
  document: JsonObject,
  issuer: string,
  address: HttpAddress,
  /** Returns the reason why this instance may not call a URL. */
  findRefusal: (url: URL) => string | undefined,
): ServerMetadata {
  const insecure: ServerMetadata["insecure"] = [];
  const refused: ServerMetadata["refused"] = [];
  const readEndpoint = (name: string): string | undefined => {
    const value = readString(document, name);
    const endpoint = parseAddress(value);
    if (value === undefined) return undefined;
    // Only a server on this machine may name this machine, because browsers follow the endpoint too.
    if (endpoint?.isSecureFrom(address) && (!endpoint.isLoopback || address.isLoopback)) return value;
    insecure.push({ name, value });
    return undefined;
  };
  const isCallable = (name: string, value: string | undefined): boolean => {
    const why = value === undefined ? undefined : findRefusal(new URL(value));
    if (value !== undefined && why !== undefined) refused.push({ name, value, why });
    return why === undefined;
  };
  const authorizationEndpoint = readEndpoint("authorization_endpoint");
  const tokenEndpoint = readEndpoint("token_endpoint");
  const isTokenCallable = isCallable("token_endpoint", tokenEndpoint);
  const offered = readEndpoint("registration_endpoint");
  const registrationEndpoint = isCallable("registration_endpoint", offered) ? offered : undefined;
  const scopesSupported = readWords(document, "scopes_supported");
  const grantTypesSupported = readWords(document, "grant_types_supported");
  const codeChallengeMethodsSupported = readWords(document, "code_challenge_methods_supported");
  const tokenEndpointAuthMethodsSupported = readWords(document, "token_endpoint_auth_methods_supported");
  const responseTypes = readWords(document, "response_types_supported");

  const offersCode = (grantTypesSupported ?? ["authorization_code"]).includes("authorization_code");
  const noBrowser = !offersCode || (responseTypes !== undefined && !responseTypes.includes("code"));
  const missing = [
    ...(authorizationEndpoint === undefined && !noBrowser ? ["authorization_endpoint"] : []),
    ...(tokenEndpoint === undefined ? ["token_endpoint"] : []),
  ];
  const methods = codeChallengeMethodsSupported;
  const pkce = methods === undefined ? "absent" : methods.includes("S256") ? "s256" : "unsupported";
  const broken = missing.length > 0 || (pkce === "unsupported" && !noBrowser);
  return {
    finding: {
      item: {
        issuer,
        ...(authorizationEndpoint === undefined ? {} : { authorizationEndpoint }),
        ...(tokenEndpoint === undefined ? {} : { tokenEndpoint }),
        ...(registrationEndpoint === undefined ? {} : { registrationEndpoint }),
        clientIdMetadataDocumentSupported:
          readBoolean(document, "client_id_metadata_document_supported") === true,
        ...(scopesSupported === undefined ? {} : { scopesSupported }),
        ...(grantTypesSupported === undefined ? {} : { grantTypesSupported }),
        ...(codeChallengeMethodsSupported === undefined ? {} : { codeChallengeMethodsSupported }),
        ...(tokenEndpointAuthMethodsSupported === undefined ? {} : { tokenEndpointAuthMethodsSupported }),
      },
      state: broken ? "broken" : noBrowser ? "no_browser" : "usable",
      refresh: grantTypesSupported?.includes("refresh_token") ? "supported" : "not_advertised",
      isRefused: !isTokenCallable,
      // RFC 8414 §2: the default is client_secret_basic.
      needsSecret: !(tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]).includes("none"),
    },
    insecure,
    refused,
    missing,
    pkce,
  };
}

/** Returns the finding for a server without usable metadata. */
export function createEmptyFinding(issuer: string, state: "unknown" | "dropped"): ServerFinding {
  const item = { issuer, clientIdMetadataDocumentSupported: false };
  return { item, state, refresh: "unknown", isRefused: false, needsSecret: true };
}
