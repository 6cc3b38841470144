import type { AuthorizationServer } from "../contract.ts";
import { isLoopback, isSecure, parseHttpUrl, sameAddress, serverMetadataUrls, showUrl } from "./address.ts";
import type { MetadataOutcome } from "./exchange.ts";
import { booleanAt, type JsonObject, stringAt, wordsAt } from "./json.ts";
import { sentence } from "./resource.ts";
import type { Findings } from "./types.ts";
import type { Wire } from "./wire.ts";

const METADATA_MS = 5000;
/** With few servers all candidates are asked at once: it saves a round trip on every OpenID provider. */
const ASK_AT_ONCE = 2;

export interface ServerFinding {
  item: AuthorizationServer;
  /**
   * usable: a browser sign-in can be made with it. no_browser: it offers none. unknown: nothing is known of it.
   * broken: its metadata rules it out, and it is reported. dropped: it must not be used, and is not reported.
   */
  state: "usable" | "no_browser" | "unknown" | "broken" | "dropped";
  refresh: "supported" | "not_advertised" | "unknown";
  /** True when the guard keeps us from asking it, now or for a token. */
  refused: boolean;
  /** True when a client of this server has to keep a secret. */
  needsSecret: boolean;
}

/** Asks each authorization server for its metadata. The order of the list is kept; none is preferred. */
export async function findServers(
  wire: Wire,
  findings: Findings,
  issuers: readonly string[],
  { server, most }: { server: URL; most: number },
): Promise<ServerFinding[]> {
  const asked = issuers.slice(0, most);
  if (asked.length < issuers.length) {
    findings.warn(
      "oauth_servers_truncated",
      `The server names ${issuers.length} authorization servers; only the first ${asked.length} were examined.`,
    );
  }
  const atOnce = asked.length <= ASK_AT_ONCE;
  return Promise.all(
    asked.map((issuer) => findServer(wire, findings, issuer, { server, atOnce, quiet: false })),
  );
}

export async function findServer(
  wire: Wire,
  findings: Findings,
  issuer: string,
  { server, atOnce, quiet }: { server: URL; atOnce: boolean; quiet: boolean },
): Promise<ServerFinding> {
  const url = parseHttpUrl(issuer);
  if (
    !url ||
    url.href.includes("?") ||
    url.href.includes("#") ||
    url.username !== "" ||
    url.password !== ""
  ) {
    findings.warn(
      "oauth_server_metadata_unavailable",
      `The authorization server ${showUrl(issuer)} is not an issuer identifier (RFC 8414 §2: an https URL without query or fragment); it was left out.`,
    );
    return nothing(issuer, "dropped");
  }
  if (!isSecure(url, server)) {
    findings.warn(
      "oauth_insecure_endpoint",
      `The authorization server ${showUrl(url)} is reached over plain http, where tokens could be read on the way; it was left out. Its operator has to offer https.`,
    );
    return nothing(issuer, "dropped");
  }
  return readCandidates(wire, findings, issuer, url, { atOnce, quiet });
}

async function readCandidates(
  wire: Wire,
  findings: Findings,
  issuer: string,
  url: URL,
  { atOnce, quiet }: { atOnce: boolean; quiet: boolean },
): Promise<ServerFinding> {
  const ask = (candidate: URL) => wire.metadata("server_metadata", candidate, METADATA_MS);
  const candidates = serverMetadataUrls(url);
  const early = atOnce ? candidates.map(ask) : [];
  for (const asked of early) asked.catch(() => undefined);
  const tried: string[] = [];
  let refused = false;
  let other: string | undefined;
  for (const [index, candidate] of candidates.entries()) {
    const outcome = await (early[index] ?? ask(candidate));
    const named = outcome.kind === "document" ? stringAt(outcome.document, "issuer") : undefined;
    if (outcome.kind === "absent" || named === undefined) {
      const why = outcome.kind === "absent" ? outcome.why : "answered JSON that names no issuer";
      outcome.note.learn(sentence(why), ruleOf(candidate));
      tried.push(`${showUrl(candidate)} ${/^[A-Z]/.test(why) ? `(${why.replace(/\.$/, "")})` : why}`);
      refused ||= outcome.kind === "absent" && outcome.failure === "refused_by_policy";
      continue;
    }
    if (named !== issuer && sameAddress(named) !== sameAddress(issuer)) {
      outcome.note.learn(
        "The issuer in the document is another one; the document is not used.",
        "RFC 8414 §3.3: issuer must be identical",
      );
      other ??= named;
      continue;
    }
    if (named !== issuer) {
      findings.warn(
        "oauth_issuer_inexact",
        `${showUrl(issuer)} calls itself ${showUrl(named)}: the same address, written differently. Common, and harmless here; strict clients may refuse it.`,
      );
    }
    settleRest(early.slice(index + 1));
    return understand(findings, outcome, issuer, url, candidate, wire.refusal);
  }
  if (other !== undefined) {
    findings.warn(
      "oauth_issuer_mismatch",
      `The metadata of the authorization server ${showUrl(issuer)} is issued by ${showUrl(other)}. A document that speaks for somebody else must not be used, so this authorization server was left out. Its operator has to make both strings the same.`,
    );
    return nothing(issuer, "dropped");
  }
  if (!quiet) {
    findings.warn(
      refused ? "egress_refused" : "oauth_server_metadata_unavailable",
      `The authorization server ${showUrl(issuer)} publishes no metadata that can be read. Tried: ${tried.join("; ")}.`,
    );
  }
  return { ...nothing(issuer, "unknown"), refused };
}

/** The answers of candidates that turned out not to be needed. */
function settleRest(rest: Promise<MetadataOutcome>[]) {
  for (const asked of rest) {
    asked
      .then(({ note }) => note.learn("Not needed: a better place had answered.", "RFC 8414 §3.1"))
      .catch(() => undefined);
  }
}

function understand(
  findings: Findings,
  outcome: Extract<MetadataOutcome, { kind: "document" }>,
  issuer: string,
  url: URL,
  candidate: URL,
  refusal: Wire["refusal"],
): ServerFinding {
  const read = readServer(outcome.document, issuer, url, refusal);
  for (const { name, value } of read.insecure) {
    findings.warn(
      "oauth_insecure_endpoint",
      `${showUrl(issuer)} gives ${name} as ${showUrl(value)}, which is not https at an address of its own; it was left out. Its operator has to correct that.`,
    );
  }
  for (const { name, value, why } of read.refused) {
    findings.warn(
      "egress_refused",
      `${showUrl(issuer)} gives ${name} as ${showUrl(value)}, which this instance may not call: ${why}`,
    );
  }
  if (read.missing.length > 0) {
    findings.warn(
      "oauth_server_metadata_incomplete",
      `The metadata of ${showUrl(issuer)} at ${showUrl(candidate)} lacks a usable ${read.missing.join(" and ")}, so nobody can sign in with it.`,
    );
  }
  if (read.pkce === "unsupported") {
    findings.warn(
      "oauth_pkce_unsupported",
      `${showUrl(issuer)} lists code challenge methods without S256. MCP requires PKCE with S256, so no sign-in is possible until its operator enables it.`,
    );
  } else if (read.pkce === "absent" && read.finding.state === "usable") {
    findings.warn(
      "oauth_pkce_not_advertised",
      `${showUrl(issuer)} does not say whether it supports PKCE. Several large providers support S256 without saying so: sign-in is attempted with it. If it fails, ask the operator to advertise code_challenge_methods_supported.`,
    );
  }
  outcome.note.learn(
    `Metadata of ${showUrl(issuer)}: ${read.finding.state === "usable" ? "a browser sign-in is possible" : "no sign-in is possible as it stands"}.`,
    ruleOf(candidate),
    "authentication.authorizationServers",
    "authentication.refreshSupport",
    "authentication.availableRegistrationMethods",
  );
  return read.finding;
}

export interface ServerRead {
  finding: ServerFinding;
  insecure: { name: string; value: string }[];
  /** Endpoints that this instance would have to call and may not. */
  refused: { name: string; value: string; why: string }[];
  missing: string[];
  pkce: "s256" | "absent" | "unsupported";
}

/** Reads authorization server metadata (RFC 8414 §2). Lists that are absent have the defaults of the RFC. */
export function readServer(
  document: JsonObject,
  issuer: string,
  url: URL,
  refusal: (url: URL) => string | undefined,
): ServerRead {
  const insecure: ServerRead["insecure"] = [];
  const refused: ServerRead["refused"] = [];
  const endpoint = (name: string): string | undefined => {
    const value = stringAt(document, name);
    const parsed = parseHttpUrl(value);
    if (value === undefined) return undefined;
    // Of one's own machine only a server on that machine may speak: a browser would obey it as well.
    if (parsed && isSecure(parsed, url) && (!isLoopback(parsed) || isLoopback(url))) return value;
    insecure.push({ name, value });
    return undefined;
  };
  const called = (name: string, value: string | undefined): boolean => {
    const why = value === undefined ? undefined : refusal(new URL(value));
    if (value !== undefined && why !== undefined) refused.push({ name, value, why });
    return why === undefined;
  };
  const authorizationEndpoint = endpoint("authorization_endpoint");
  const tokenEndpoint = endpoint("token_endpoint");
  const tokenIsCallable = called("token_endpoint", tokenEndpoint);
  const offered = endpoint("registration_endpoint");
  const registrationEndpoint = called("registration_endpoint", offered) ? offered : undefined;
  const scopesSupported = wordsAt(document, "scopes_supported");
  const grantTypesSupported = wordsAt(document, "grant_types_supported");
  const codeChallengeMethodsSupported = wordsAt(document, "code_challenge_methods_supported");
  const tokenEndpointAuthMethodsSupported = wordsAt(document, "token_endpoint_auth_methods_supported");
  const responseTypes = wordsAt(document, "response_types_supported");

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
          booleanAt(document, "client_id_metadata_document_supported") === true,
        ...(scopesSupported === undefined ? {} : { scopesSupported }),
        ...(grantTypesSupported === undefined ? {} : { grantTypesSupported }),
        ...(codeChallengeMethodsSupported === undefined ? {} : { codeChallengeMethodsSupported }),
        ...(tokenEndpointAuthMethodsSupported === undefined ? {} : { tokenEndpointAuthMethodsSupported }),
      },
      state: broken ? "broken" : noBrowser ? "no_browser" : "usable",
      refresh: grantTypesSupported?.includes("refresh_token") ? "supported" : "not_advertised",
      refused: !tokenIsCallable,
      // RFC 8414 §2: left out means client_secret_basic.
      needsSecret: !(tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]).includes("none"),
    },
    insecure,
    refused,
    missing,
    pkce,
  };
}

function nothing(issuer: string, state: "unknown" | "dropped"): ServerFinding {
  const item = { issuer, clientIdMetadataDocumentSupported: false };
  return { item, state, refresh: "unknown", refused: false, needsSecret: true };
}

function ruleOf(candidate: URL): string {
  return candidate.pathname.includes("oauth-authorization-server")
    ? "RFC 8414 §3.1: well-known place of authorization server metadata"
    : "OpenID Connect Discovery 1.0 §4, allowed by MCP 2025-11-25 › Authorization Server Metadata Discovery";
}
