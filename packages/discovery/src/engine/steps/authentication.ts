import type { Findings } from "../findings.ts";
import { type Authentication, type AuthenticationSection, createSection } from "../result.ts";
import type { DiscoveryState } from "../state.ts";
import type { Access } from "./access.ts";
import type { FallbackSearch } from "./fallbacks.ts";
import { assessWithoutMetadata } from "./manual-token.ts";
import { assessRegistration, listCommonMethods, recommendMethod } from "./registration.ts";
import type { ResourceMetadata } from "./resource-metadata.ts";
import type { ServerFinding } from "./server-metadata.ts";

/** Step 8: decides how a client authenticates, and what a person has to do for it. */
export function assessAuthentication(
  state: DiscoveryState,
  access: Access,
  search: FallbackSearch,
  servers: ServerFinding[],
): Authentication {
  const { resource, originServer, requiredScopes } = search;
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
  if (access.kind === "credentials_required")
    return assessWithoutMetadata(state.findings, access, search.tried);
  return { section: createSection(access.authentication), status: access.status };
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
