import { isLoopback, showUrl } from "./address.ts";
import type { Resource, ResourceSearch } from "./resource.ts";
import type { Findings } from "./types.ts";

interface Asked {
  /** The address that answered, and the one that was asked for. */
  server: URL;
  given: URL;
}

export function explainMismatch(findings: Findings, { given }: Asked, found: Resource) {
  const resource = found.resource === undefined ? "no resource at all" : showUrl(found.resource);
  const sameOrigin = found.match === "same_origin";
  findings.warn(
    "oauth_resource_mismatch",
    `The metadata at ${showUrl(found.url)} is about ${resource}, not about ${showUrl(given)}. A token made for another resource must not be sent here, so its authorization servers are withheld. ${
      sameOrigin
        ? ""
        : `Do not sign in; the server's operator has to correct the document.${schemeHint(found, given)}`
    }`.trim(),
  );
  if (!sameOrigin) return;
  findings.require(
    "server_url_correction",
    "Use the address that the server names",
    `The server calls itself ${resource}. If that is the server you mean, discover again with that URL.`,
  );
}

export function explainInexact(findings: Findings, { given }: Asked, found: Resource) {
  if (found.match === "exact") return;
  if (found.match === "unnamed") {
    findings.warn(
      "oauth_resource_metadata_incomplete",
      `The metadata at ${showUrl(found.url)} names no resource (RFC 9728 §2 requires it). It is on the server's own origin, so it was used; strict clients will refuse it.`,
    );
    return;
  }
  const how = {
    trailing_slash: "only a trailing slash differs",
    parent: "it names a parent of it",
    query: "the query differs",
  }[found.match as "trailing_slash" | "parent" | "query"];
  findings.warn(
    "oauth_resource_inexact",
    `The metadata calls the server ${showUrl(found.resource ?? "")}, while ${showUrl(given)} was asked for: ${how}. Tokens are requested for the name in the metadata; strict clients may refuse it.`,
  );
}

export function requireToken(findings: Findings, { server }: Asked, search?: ResourceSearch) {
  const looked =
    search && search.tried.length > 0
      ? ` No OAuth metadata was found (tried ${search.tried.map(({ url }) => url).join(", ")}).`
      : "";
  findings.require(
    "bearer_token",
    "Enter a bearer token",
    `${showUrl(server)} wants a token and offers no way to sign in for one.${looked} Create a token or API key in the product behind the server, or ask its operator, and save it here as the connection's bearer token.`,
  );
}

export function requireHttps(findings: Findings, server: URL) {
  if (server.protocol === "https:" || isLoopback(server)) return;
  findings.require(
    "https_required",
    "Use https",
    `${showUrl(server)} is plain http: a token sent there could be read on the way. Use the server's https address, or have its operator offer one.`,
  );
}

/** The mistake behind most mismatches: TLS ends at a proxy that the server does not know about. */
function schemeHint({ resource = "" }: Resource, given: URL): string {
  const named = URL.canParse(resource) ? new URL(resource) : undefined;
  if (named?.hostname !== given.hostname || named.protocol === given.protocol) return "";
  return " Only the scheme or port differs: the server probably stands behind a proxy and does not know its own public address.";
}
