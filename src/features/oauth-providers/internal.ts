import type { Permission } from "../permissions/index.ts";

/**
 * Each MCP connection with OAuth has a provider of its own, whose id is derived from the connection. Such a provider is
 * internal: no route of this room shows or changes it, and its connections are no accounts.
 */
const internalId = /^mcp-[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export const isInternalProvider = (providerId: string): boolean => internalId.test(providerId);

export const toProviderId = (mcpConnectionId: string): string => `mcp-${mcpConnectionId.slice(4)}`;
export const toMcpConnectionId = (providerId: string): string => `mcn_${providerId.slice(4)}`;

/** The beginning of the paths that connect an account. */
export const buildConnectPath = (providerId: string): string =>
  isInternalProvider(providerId)
    ? `/v1/mcp-connections/${toMcpConnectionId(providerId)}/connect`
    : `/v1/oauth-providers/${encodeURIComponent(providerId)}/connect`;

/** The permissions to connect an own account, and a shared one. */
export const findPermissions = (providerId: string): { own: Permission; shared: Permission } =>
  isInternalProvider(providerId)
    ? { own: "mcp_connections:use", shared: "mcp_connections:manage" }
    : { own: "connections:use", shared: "connections:manage" };
