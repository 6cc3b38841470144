import { scopes } from "../contract.ts";
import { findResource, paths } from "../server/index.ts";
import type { ResourceMetadata, ServerMetadata } from "./contract.ts";

export const describeServer = (publicUrl: string): ServerMetadata => ({
  issuer: publicUrl,
  authorization_endpoint: publicUrl + paths.authorize,
  token_endpoint: publicUrl + paths.token,
  revocation_endpoint: publicUrl + paths.revoke,
  registration_endpoint: publicUrl + paths.register,
  scopes_supported: [...scopes, "offline_access"],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  protected_resources: [findResource(publicUrl).url],
  service_documentation: `${publicUrl}/docs`,
});

export const describeResource = (publicUrl: string): ResourceMetadata => ({
  resource: findResource(publicUrl).url,
  resource_name: "Signalbox",
  authorization_servers: [publicUrl],
  scopes_supported: [...scopes],
  bearer_methods_supported: ["header"],
  resource_documentation: `${publicUrl}/docs`,
});
