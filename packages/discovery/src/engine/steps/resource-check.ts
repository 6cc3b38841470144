import { type HttpAddress, redactUrl } from "../address.ts";
import type { Findings } from "../findings.ts";
import type { DiscoveryState } from "../state.ts";
import type { Access } from "./access.ts";
import { requireHttps, requireToken } from "./manual-token.ts";
import type { MetadataSearch, ResourceMetadata } from "./resource-metadata.ts";

/**
 * Step 6: checks whether the metadata describes this server, and reports what a person must know about it. Returns
 * the issuers of the authorization servers that may be used.
 */
export function checkResourceMetadata(
  { findings, target }: DiscoveryState,
  access: Access,
  { resource: found, challenge }: MetadataSearch,
): string[] {
  if (!found || access.kind === "settled") return [];
  if (access.kind === "open") return found.isTrusted ? found.issuers : [];
  if (!found.isTrusted) {
    warnOfMismatch(findings, target, found);
    return [];
  }
  warnOfInexactName(findings, target, found);
  requireHttps(findings, access.server);
  if (found.issuers.length === 0) {
    findings.warn(
      "oauth_resource_metadata_incomplete",
      `The metadata at ${found.address.display} names no authorization server, so there is nowhere to sign in. A token has to come from the server's operator.`,
    );
    requireToken(findings, access.server, []);
  } else if (found.dpopRequired || challenge?.scheme === "dpop") {
    findings.warn(
      "oauth_dpop_required",
      "The server wants tokens that are bound to a key (DPoP, RFC 9449). A plain bearer token will be refused; ask its operator whether bearer tokens can be enabled if the connection fails.",
    );
  }
  return found.issuers;
}

function warnOfMismatch(findings: Findings, target: HttpAddress, found: ResourceMetadata) {
  const resource = found.resource === undefined ? "no resource at all" : redactUrl(found.resource);
  const isSameOrigin = found.match === "same_origin";
  findings.warn(
    "oauth_resource_mismatch",
    `The metadata at ${found.address.display} is about ${resource}, not about ${target.display}. A token made for another resource must not be sent here, so its authorization servers are withheld. ${
      isSameOrigin
        ? ""
        : `Do not sign in; the server's operator has to correct the document.${explainOtherScheme(found, target)}`
    }`.trim(),
  );
  if (!isSameOrigin) return;
  findings.require(
    "server_url_correction",
    "Use the address that the server names",
    `The server calls itself ${resource}. If that is the server you mean, discover again with that URL.`,
  );
}

/** The most common mismatch: a proxy terminates TLS, and the server behind it does not know its public address. */
function explainOtherScheme({ resource = "" }: ResourceMetadata, { url }: HttpAddress): string {
  const named = URL.parse(resource);
  if (named?.hostname !== url.hostname || named.protocol === url.protocol) return "";
  return " Only the scheme or port differs: the server probably stands behind a proxy and does not know its own public address.";
}

function warnOfInexactName(findings: Findings, target: HttpAddress, found: ResourceMetadata) {
  if (found.match === "exact") return;
  if (found.match === "unnamed") {
    findings.warn(
      "oauth_resource_metadata_incomplete",
      `The metadata at ${found.address.display} names no resource (RFC 9728 §2 requires it). It is on the server's own origin, so it was used; strict clients will refuse it.`,
    );
    return;
  }
  const difference = {
    trailing_slash: "only a trailing slash differs",
    parent: "it names a parent of it",
    query: "the query differs",
  }[found.match as "trailing_slash" | "parent" | "query"];
  findings.warn(
    "oauth_resource_inexact",
    `The metadata calls the server ${redactUrl(found.resource ?? "")}, while ${target.display} was asked for: ${difference}. Tokens are requested for the name in the metadata; strict clients may refuse it.`,
  );
}
