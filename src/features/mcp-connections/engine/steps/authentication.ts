import type { Findings } from "../findings.ts";
import type { AuthenticationSection, DiscoveryStatus } from "../result.ts";
import type { DiscoveryState } from "../state.ts";
import type { Access, CredentialsDemand } from "./access.ts";
import type { FallbackSearch } from "./fallbacks.ts";
import { assessRegistration, listCommonMethods, recommendMethod } from "./registration.ts";
import { requireHttps, requireToken } from "./resource-check.ts";
import type { ResourceMetadata } from "./resource-metadata.ts";
import type { ServerFinding } from "./server-metadata.ts";

export interface Authentication {
  section: AuthenticationSection;
  status: DiscoveryStatus;
}

/** Step 8: decides how a client authenticates, and what a person has to do for it. */
export function assessAuthentication(
  state: DiscoveryState,
  access: Access,
  search: FallbackSearch,
  servers: ServerFinding[],
): Authentication {
  const { resource, originServer, requiredScopes } = search;
  if (access.kind === "settled")
    return { section: createSection(access.authentication), status: access.status };
  if (access.kind === "open")
    return { section: describeOptionalSignIn(state.findings, resource, servers), status: "ready" };
  if (resource && (!resource.isTrusted || resource.issuers.length === 0))
    return assessWithoutServers(resource, requiredScopes);
  if (resource) {
    const section = describeServers(servers, requiredScopes, resource);
    return { section, status: assessRegistration(state, servers) };
  }
  if (originServer) {
    const section = describeServers([originServer], requiredScopes);
    return { section, status: assessRegistration(state, [originServer]) };
  }
  return assessWithoutMetadata(state.findings, access, search.tried);
}

/** Returns a section that states only the kind of authentication. */
function createSection(kind: AuthenticationSection["kind"]): AuthenticationSection {
  return {
    kind,
    authorizationServers: [],
    requiredScopes: [],
    recommendedScopes: [],
    refreshSupport: "unknown",
    availableRegistrationMethods: ["pre_registered"],
    recommendedRegistrationMethod: "pre_registered",
  };
}

/** A server that works without credentials may still offer sign-in. */
function describeOptionalSignIn(
  findings: Findings,
  resource: ResourceMetadata | undefined,
  servers: ServerFinding[],
): AuthenticationSection {
  if (!resource?.isTrusted || resource.issuers.length === 0) return createSection("none");
  findings.warn(
    "oauth_optional",
    `The server works without signing in, and also accepts tokens (${resource.address.display}). Sign in if its operator says that more can be seen or done that way.`,
  );
  return { ...describeServers(servers, [], resource), kind: "none" };
}

/** The metadata describes another resource, or names no authorization server. */
function assessWithoutServers(resource: ResourceMetadata, requiredScopes: string[]): Authentication {
  const { isTrusted, match, scopes } = resource;
  // The scopes of metadata about another resource are withheld together with its authorization servers.
  const recommendedScopes = requiredScopes.length > 0 || !isTrusted ? requiredScopes : scopes;
  return {
    section: {
      ...createSection(isTrusted ? "manual_bearer" : "oauth"),
      ...describeResource(resource),
      requiredScopes,
      recommendedScopes,
    },
    status: isTrusted || match === "same_origin" ? "manual_action_required" : "unsupported",
  };
}

function assessWithoutMetadata(
  findings: Findings,
  access: CredentialsDemand,
  tried: FallbackSearch["tried"],
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

function describeServers(
  servers: readonly ServerFinding[],
  requiredScopes: string[],
  resource?: ResourceMetadata,
): AuthenticationSection {
  const reported = servers.filter(({ state }) => state !== "dropped");
  const usable = servers.filter(({ state }) => state === "usable");
  const methods = listCommonMethods(usable);
  const refreshSupport = summarizeRefresh(usable.length > 0 ? usable : reported);
  const scopes = requiredScopes.length > 0 ? requiredScopes : (resource?.scopes ?? []);
  const offersOfflineAccess =
    usable.length > 0 &&
    refreshSupport === "supported" &&
    usable.every(({ item }) => item.scopesSupported?.includes("offline_access"));
  return {
    kind: "oauth",
    ...(resource && describeResource(resource)),
    authorizationServers: reported.map(({ item }) => item),
    requiredScopes,
    recommendedScopes: [...new Set([...scopes, ...(offersOfflineAccess ? ["offline_access"] : [])])],
    refreshSupport,
    availableRegistrationMethods: methods,
    recommendedRegistrationMethod: recommendMethod(methods),
  };
}

function describeResource({ resource, address }: ResourceMetadata) {
  return { ...(resource === undefined ? {} : { resource }), protectedResourceMetadataUrl: address.href };
}

function summarizeRefresh(servers: readonly ServerFinding[]): AuthenticationSection["refreshSupport"] {
  if (servers.length === 0 || servers.some(({ refresh }) => refresh === "unknown")) return "unknown";
  return servers.every(({ refresh }) => refresh === "supported") ? "supported" : "not_advertised";
}
