/** Why a sync did not succeed. docs/connectors.md explains each code. */
export const errorCodes = [
  "address_refused",
  "unreachable",
  "access_refused",
  "repository_not_found",
  "rate_limited",
  "server_error",
  "protocol_error",
  "unsupported_repository",
  "ref_not_found",
  "folder_not_found",
  "too_large",
  "too_many_templates",
  "connector_disabled",
  "connector_disconnected",
  "worker_lost",
  "internal_error",
] as const;
export type ErrorCode = (typeof errorCodes)[number];
