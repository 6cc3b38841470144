import type { FieldGuide } from "../../platform/http/index.ts";

const base = "https://signalbox.example.com";
const grant = "mcg_01jz8q2d9xf4vvh0tbq8k3m5na";
const client = "mcr_01jz8q2d9xf4vvh0tbq8k3m5na";
const redirect = "http://127.0.0.1:33418/callback";
const at = 1_793_611_800_000;
const uid = "q3nZ1xWm7Tt0c5bS2dVfY";

const mcpClient = {
  id: grant,
  name: "Editor",
  clientId: "https://editor.example.com/mcp-client.json",
  registration: "client_metadata",
  redirectHost: "127.0.0.1:33418",
  memberId: "mem_01jz8q2d9xf4vvh0tbq8k3m5na",
  memberName: "Ada Lovelace",
  scopes: ["mcp:read"],
  lastUsedAt: at,
  expiresAt: at + 2_592_000_000,
  createdAt: at,
};

/** Fields of the authorization server and of connected clients. */
export const fields: FieldGuide = {
  "/v1/mcp/clients/{id}": ["The connected client.", grant],
  "/oauth/consent/{uid}": ["The sign-in in progress.", uid],
  "/oauth/authorize/{uid}": ["The sign-in in progress.", uid],
  McpClient: ["A connected client.", mcpClient],
  "McpClient.memberId": ["The member who connected it.", mcpClient.memberId],
  "McpClient.memberName": ["The name of that member.", mcpClient.memberName],
  "McpClient.scopes": ["What it may do.", mcpClient.scopes],
  "postOauthConsentByUid request": ["The decision.", { scopes: ["mcp:read"] }],
  McpConsent: ["Where the browser goes next.", { continueAt: `/oauth/authorize/${uid}` }],
  OauthServerMetadata: [
    "The metadata of the authorization server.",
    {
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      revocation_endpoint: `${base}/oauth/revoke`,
      registration_endpoint: `${base}/oauth/register`,
      scopes_supported: ["mcp:read", "mcp:write", "offline_access"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      protected_resources: [`${base}/mcp`],
      service_documentation: `${base}/docs`,
    },
  ],
  authorization_endpoint: ["Where a browser asks for access.", `${base}/oauth/authorize`],
  token_endpoint: ["Where codes and refresh tokens are exchanged.", `${base}/oauth/token`],
  revocation_endpoint: ["Where a client gives tokens back.", `${base}/oauth/revoke`],
  registration_endpoint: ["Where a client registers itself.", `${base}/oauth/register`],
  scopes_supported: ["The scopes that can be asked for.", ["mcp:read", "mcp:write"]],
  response_types_supported: ["The flows that are offered.", ["code"]],
  response_modes_supported: ["How the answer reaches the client.", ["query"]],
  grant_types_supported: ["What can be exchanged for a token.", ["authorization_code", "refresh_token"]],
  revocation_endpoint_auth_methods_supported: ["How a client that revokes identifies itself.", ["none"]],
  code_challenge_methods_supported: ["The methods of PKCE.", ["S256"]],
  authorization_response_iss_parameter_supported: ["Whether answers name the issuer (RFC 9207).", true],
  client_id_metadata_document_supported: ["Whether a client's id can be the URL of its metadata.", true],
  protected_resources: ["What tokens are issued for.", [`${base}/mcp`]],
  service_documentation: ["The documentation for developers.", `${base}/docs`],
  OauthResourceMetadata: [
    "The metadata of the MCP endpoint.",
    {
      resource: `${base}/mcp`,
      resource_name: "Signalbox",
      authorization_servers: [base],
      scopes_supported: ["mcp:read", "mcp:write"],
      bearer_methods_supported: ["header"],
      resource_documentation: `${base}/docs`,
    },
  ],
  resource_name: ["The name of the resource.", "Signalbox"],
  authorization_servers: ["The authorization servers of the resource.", [base]],
  bearer_methods_supported: ["How a token is sent.", ["header"]],
  resource_documentation: ["The documentation for developers.", `${base}/docs`],
  OauthToken: [
    "The tokens.",
    {
      access_token: "sba_EXAMPLEexampleEXAMPLEexample000000000000",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "sbf_EXAMPLEexampleEXAMPLEexample000000000000",
      scope: "mcp:read",
    },
  ],
  "OauthToken.token_type": ["How the access token is sent.", "Bearer"],
  "OauthToken.expires_in": ["How long the access token is valid, in seconds.", 3600],
  "OauthToken.scope": ["The scopes that the person gave.", "mcp:read"],
  OauthRegistration: [
    "The registered client.",
    {
      client_id: client,
      client_name: "Editor",
      redirect_uris: [redirect],
      token_endpoint_auth_method: "none",
    },
  ],
  "OauthRegistration.client_id": ["The id that the client sends from now on.", client],
  "OauthRegistration.client_name": ["The name on the consent page.", "Editor"],
  "OauthRegistration.redirect_uris": ["Where browsers are sent back to.", [redirect]],
  "OauthRegistration.token_endpoint_auth_method": ["Always `none`.", "none"],
  postOauthRevoke: ["Nothing: the status says it all.", ""],
  postOauthToken: [
    "The form.",
    "grant_type=refresh_token&client_id=mcr_01jz8q2d9xf4vvh0tbq8k3m5na&refresh_token=sbf_EXAMPLE",
  ],
};
