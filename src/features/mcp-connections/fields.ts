import type { FieldGuide } from "../../platform/http/index.ts";
import { callFields } from "./calls/index.ts";
import { fields as tools } from "./tools/index.ts";
import { fields as transfer } from "./transfer/index.ts";

const id = "mcn_01jz8q2d9xf4vvh0tbq8k3m5na";
const member = "mem_01jz8q2d9xf4vvh0tbq8k3m5na";
const team = "team_01jz8q2d9xf4vvh0tbq8k3m5na";
const automation = "aut_01jz8q2d9xf4vvh0tbq8k3m5na";
const at = 1_793_611_800_000;
const url = "https://mcp.example.com/mcp";
const issuer = "https://login.example.com";
const token = "mcp-EXAMPLE-TOKEN-7f31";
const origin = "https://signalbox.example.com";
const clientId = `${origin}/oauth/client-metadata.json`;
const redirectUri = `${origin}/v1/mcp-connections/connect/callback`;

const summary = {
  ...{ id, name: "Tickets", slug: "tickets", url, credential: "per_member", registration: "client_metadata" },
  ...{ enabled: true, status: "needs_consent", problem: null, toolCount: 12, heldTools: 0 },
  ...{ protocolVersion: "2026-07-28", authorizationServer: issuer, scopes: ["read"] },
  mine: {
    ...{ state: "needs_consent", missingScopes: ["write"], account: "ada@example.com", since: at },
    mayUse: true,
  },
  people: { granted: 14, connected: 9, needCare: 1 },
  ...{ callsLastDay: 310, verdictStatus: "ready", verdictDrift: [], discoveredAt: at, checkedAt: at },
  ...{ createdBy: member, createdAt: at, updatedAt: at },
};
const verdict = {
  status: "ready",
  server: { url, protocolVersion: "2026-07-28", initialize: "authentication_required" },
  authentication: {
    ...{ kind: "oauth", resource: url, requiredScopes: ["read"], recommendedScopes: ["read"] },
    authorizationServers: [
      {
        ...{ issuer, authorizationEndpoint: `${issuer}/authorize`, tokenEndpoint: `${issuer}/token` },
        clientIdMetadataDocumentSupported: true,
      },
    ],
    refreshSupport: "supported",
    availableRegistrationMethods: ["client_metadata", "pre_registered"],
    recommendedRegistrationMethod: "client_metadata",
  },
  ...{ tools: { visibility: "requires_auth" }, manualRequirements: [], warnings: [] },
};
const access = { organization: false, teamIds: [team], memberIds: [member], automationIds: [automation] };
const policy = {
  ...{ allow: null, deny: ["delete_*"], hide: [], onDrift: "hold_changed", destructive: "approve" },
  treatUnknownAsDestructive: false,
};
const limits = {
  ...{ callsPerMinute: 600, concurrency: 20, timeoutSeconds: 60, maxRequestBytes: 1_048_576 },
  ...{ maxResultBytes: 4_194_304, listingSeconds: 60 },
};
const detail = {
  ...summary,
  ...{ verdict, evidence: [], resource: url, clientId, redirectUri, policy, limits, access },
  ...{ logPayloads: false, payloadDays: 7 },
};

/** Fields of MCP connections. */
export const fields: FieldGuide = {
  ...tools,
  ...callFields,
  ...transfer,
  "/v1/mcp-connections/{id}": ["The MCP connection.", id],
  McpConnection: ["A whole example.", summary],
  McpConnectionDetail: ["A whole example.", detail],
  McpVerdictDrift: [
    "A whole example.",
    { field: "issuer", before: issuer, after: "https://login2.example.com", seenAt: at },
  ],
  McpToolPolicy: ["A whole example.", policy],
  McpConnectionLimits: ["A whole example.", limits],
  McpConnectionAccess: ["A whole example.", access],
  McpConnectionMember: [
    "A whole example.",
    {
      ...{ memberId: member, name: "Ada Lovelace", mayUse: true, state: "connected", missingScopes: [] },
      ...{ account: "ada@example.com", since: at, lastUsedAt: at },
    },
  ],
  McpConnectionTest: [
    "A whole example.",
    {
      ok: true,
      steps: [
        { step: "credential", ok: true, ms: 3.1, message: "There is a credential." },
        {
          step: "list_tools",
          ok: true,
          ms: 61.9,
          message: "The server speaks 2026-07-28 and lists 12 tools.",
        },
      ],
    },
  ],
  OauthClientMetadata: [
    "A whole example.",
    {
      ...{ client_id: clientId, client_name: "Signalbox", client_uri: origin, redirect_uris: [redirectUri] },
      ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
      ...{ token_endpoint_auth_method: "none", application_type: "web", software_id: "signalbox" },
    },
  ],
  McpConnectStart: ["A whole example.", { authorizeUrl: `${issuer}/authorize?response_type=code` }],
  McpChoiceRequired: [
    "A whole example.",
    {
      error: "mcp_choice_required",
      message: "Choose how to register, then send the request again.",
      choices: {
        recommended: "pre_registered",
        registrations: [
          {
            ...{ registration: "pre_registered", available: true, missing: ["clientId"] },
            note: "Register a client at https://login.example.com, then send its id.",
          },
        ],
        ...{ authorizationServers: [issuer], scopes: ["read"], verdict },
      },
    },
  ],
  McpRegistrationFailed: [
    "A whole example.",
    {
      error: "mcp_registration_failed",
      message: "https://login.example.com did not register this instance: invalid_redirect_uri.",
      reason: "invalid_redirect_uri",
    },
  ],
  McpServerUnsupported: [
    "A whole example.",
    {
      error: "mcp_server_unsupported",
      message:
        "https://mcp.example.com/sse speaks the HTTP+SSE transport of 2024-11-05, which was replaced in 2025 and cannot be connected here.",
    },
  ],
  "postV1McpConnections request": ["A whole example.", { url, name: "Tickets", credential: "per_member" }],
  "patchV1McpConnectionsById request": ["A whole example.", { limits: { callsPerMinute: 120 } }],
  "putV1McpConnectionsByIdAccess request": ["A whole example.", { teamIds: [team] }],
  "putV1McpConnectionsByIdCredential request": ["A whole example.", { bearerToken: token }],
  "postV1McpConnectionsByIdDiscover request": ["A whole example.", { accept: true }],
  "putV1McpConnectionsByIdAuthorizationServer request": [
    "A whole example.",
    { authorizationServer: issuer, registration: "dynamic" },
  ],
  "postV1McpConnectionsByIdConnectClaim request": ["A whole example.", { code: "8KQ2M-7FRTX" }],
};
