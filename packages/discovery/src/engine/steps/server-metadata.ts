import { type HttpAddress, parseAddress, redactUrl } from "../address.ts";
import type { Findings } from "../findings.ts";
import { type JsonObject, readBoolean, readString, readWords } from "../json.ts";
import type { AuthorizationServer } from "../result.ts";
import type { DiscoveryState } from "../state.ts";
import type { MetadataOutcome } from "../transport/outcomes.ts";

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

/** Reads the metadata of an authorization server, and reports what is wrong with it. */
export function assessServerMetadata(
  { namedEgress }: DiscoveryState,
  findings: Findings,
  { document, address: source }: Extract<MetadataOutcome, { kind: "document" }>,
  { issuer, address }: { issuer: string; address: HttpAddress },
): ServerFinding {
  const display = redactUrl(issuer);
  const metadata = parseServerMetadata(document, issuer, address, (url) => namedEgress.refusal(url));
  for (const { name, value } of metadata.insecure) {
    findings.warn(
      "oauth_insecure_endpoint",
      `${display} gives ${name} as ${redactUrl(value)}, which is not https at an address of its own; it was left out. Its operator has to correct that.`,
    );
  }
  for (const { name, value, why } of metadata.refused) {
    findings.warn(
      "egress_refused",
      `${display} gives ${name} as ${redactUrl(value)}, which this instance may not call: ${why}`,
    );
  }
  if (metadata.missing.length > 0) {
    findings.warn(
      "oauth_server_metadata_incomplete",
      `The metadata of ${display} at ${source.display} lacks a usable ${metadata.missing.join(" and ")}, so nobody can sign in with it.`,
    );
  }
  if (metadata.pkce === "unsupported") {
    findings.warn(
      "oauth_pkce_unsupported",
      `${display} lists code challenge methods without S256. MCP requires PKCE with S256, so no sign-in is possible until its operator enables it.`,
    );
  } else if (metadata.pkce === "absent" && metadata.finding.state === "usable") {
    findings.warn(
      "oauth_pkce_not_advertised",
      `${display} does not say whether it supports PKCE. Several large providers support S256 without saying so: sign-in is attempted with it. If it fails, ask the operator to advertise code_challenge_methods_supported.`,
    );
  }
  return metadata.finding;
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
