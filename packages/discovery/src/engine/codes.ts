/** Steps that a person must take. Each is explained in docs/discovery.md. */
export const requirementCodes = [
  "oauth_client_registration",
  "authorization_server_selection",
  "bearer_token",
  "provider_access",
  "network_trust",
  "https_required",
  "server_url_correction",
] as const;

/** What was seen and matters. Each is explained in docs/discovery.md; `mcp_http_<status>` stands beside them. */
export const warningCodes = [
  "mcp_unreachable",
  "mcp_protocol_error",
  "mcp_version_unsupported",
  "mcp_response_too_large",
  "mcp_bot_protection",
  "mcp_insecure_transport",
  "mcp_authentication_undeclared",
  "legacy_sse_transport",
  "legacy_sse_suspected",
  "oauth_resource_metadata_unavailable",
  "oauth_resource_metadata_incomplete",
  "oauth_resource_mismatch",
  "oauth_resource_inexact",
  "oauth_server_metadata_unavailable",
  "oauth_server_metadata_incomplete",
  "oauth_issuer_mismatch",
  "oauth_issuer_inexact",
  "oauth_pkce_not_advertised",
  "oauth_pkce_unsupported",
  "oauth_insecure_endpoint",
  "oauth_dpop_required",
  "oauth_optional",
  "oauth_origin_discovery",
  "oauth_servers_truncated",
  "oauth_client_metadata_unreachable",
  "tools_unavailable",
  "tools_truncated",
  "redirected",
  "egress_refused",
  "discovery_incomplete",
] as const;

export type RequirementCode = (typeof requirementCodes)[number];
export type WarningCode = (typeof warningCodes)[number] | `mcp_http_${number}`;
