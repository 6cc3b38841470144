import type { HttpAddress } from "../address.ts";
import type { Findings } from "../findings.ts";
import { type Authentication, createSection } from "../result.ts";
import type { CredentialsDemand } from "./access.ts";
import type { MetadataSearch } from "./resource-metadata.ts";

/** Decides how a client authenticates to a server without OAuth metadata: with a token entered by hand, or not at all. */
export function assessWithoutMetadata(
  findings: Findings,
  access: CredentialsDemand,
  tried: MetadataSearch["tried"],
): Authentication {
  const { server, status, challenges } = access;
  if (challenges.token?.scheme === "bearer") {
    requireHttps(findings, server);
    requireToken(findings, server, tried);
    const scopes = { requiredScopes: challenges.scopes, recommendedScopes: challenges.scopes };
    return { section: { ...createSection("manual_bearer"), ...scopes }, status: "manual_action_required" };
  }
  if (access.isUndeclared) return { section: createSection("unknown"), status: "unsupported" };
  if (status === 401 && challenges.list.length === 0) {
    findings.warn(
      "mcp_http_401",
      `${server.display} answered 401 and does not say which credentials it takes: there is no WWW-Authenticate header that could be read, and no OAuth metadata. Most servers that do so take an API key or token as a bearer token; the server's documentation says whether this one does.`,
    );
    requireHttps(findings, server);
    requireToken(findings, server, tried);
    return { section: createSection("manual_bearer"), status: "manual_action_required" };
  }
  const schemes = [...new Set(challenges.list.map(({ scheme }) => scheme.slice(0, 20)))].slice(0, 5);
  const demand =
    schemes.length > 0
      ? `asks for ${schemes.join(", ")} credentials, which no MCP client can obtain by signing in`
      : "does not say why (there is no WWW-Authenticate header)";
  const advice =
    status === 403
      ? "It may be closed to this network, or to everyone but listed accounts: ask its operator."
      : "Ask its operator for a bearer token or for OAuth support.";
  findings.warn(`mcp_http_${status}`, `${server.display} answered ${status} and ${demand}. ${advice}`);
  return { section: createSection("unknown"), status: "unsupported" };
}

/** Requires a bearer token, and lists the URLs where no OAuth metadata was found. */
export function requireToken(findings: Findings, server: HttpAddress, tried: MetadataSearch["tried"]) {
  const searched =
    tried.length > 0 ? ` No OAuth metadata was found (tried ${tried.map(({ url }) => url).join(", ")}).` : "";
  findings.require(
    "bearer_token",
    "Enter a bearer token",
    `${server.display} wants a token and offers no way to sign in for one.${searched} Create a token or API key in the product behind the server, or ask its operator, and save it here as the connection's bearer token.`,
  );
}

export function requireHttps(findings: Findings, server: HttpAddress) {
  if (!server.isUnencrypted) return;
  findings.require(
    "https_required",
    "Use https",
    `${server.display} is plain http: a token sent there could be read on the way. Use the server's https address, or have its operator offer one.`,
  );
}
