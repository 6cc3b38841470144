import type { KeptDiscovery } from "../../mcp-discoveries/index.ts";
import type { Calendar } from "./calendar.ts";

type Result = KeptDiscovery["result"];
type Evidence = KeptDiscovery["evidence"][number];
type AuthorizationServer = Result["authentication"]["authorizationServers"][number];

export interface PlannedDiscovery {
  member: string;
  at: number;
  url: string;
  result: Result;
  evidence: Evidence[];
  durationMs: number;
}

const initializeRule = "MCP 2025-11-25, Lifecycle › Initialization";
const metadataRule = "RFC 8414 §3.1: well-known place of authorization server metadata";

/** A request of the sample discoveries. Most are sent by POST to the server itself. */
const request = (step: string, url: string, given: Partial<Evidence>): Evidence => ({
  ...{ step, method: step.endsWith("metadata") ? "GET" : "POST", url, startedMs: 0, ms: 40 },
  ...{ learned: "", rule: initializeRule, decided: [] },
  ...given,
});

const createServer = (issuer: string, registers: boolean): AuthorizationServer => ({
  issuer,
  authorizationEndpoint: `${issuer}/authorize`,
  tokenEndpoint: `${issuer}/token`,
  ...(registers ? { registrationEndpoint: `${issuer}/register` } : {}),
  clientIdMetadataDocumentSupported: false,
  scopesSupported: ["shipments:read", "shipments:write", "offline_access"],
  grantTypesSupported: ["authorization_code", "refresh_token"],
  codeChallengeMethodsSupported: ["S256"],
  tokenEndpointAuthMethodsSupported: ["client_secret_basic", "none"],
});

const noOauth: Omit<Result["authentication"], "kind"> = {
  authorizationServers: [],
  requiredScopes: [],
  recommendedScopes: [],
  refreshSupport: "unknown",
  availableRegistrationMethods: ["pre_registered"],
  recommendedRegistrationMethod: "pre_registered",
};

/** An open server with tools of every kind. */
function planDocs(): Pick<PlannedDiscovery, "url" | "result" | "evidence"> {
  const url = "https://mcp.atlasdocs.example/mcp";
  const reads = ["search_pages", "get_page", "list_spaces", "get_page_history"];
  return {
    url,
    result: {
      status: "ready",
      server: { url, protocolVersion: "2025-11-25", initialize: "succeeded" },
      authentication: { kind: "none", ...noOauth },
      tools: {
        visibility: "available_without_auth",
        count: 8,
        items: [
          ...reads.map((name) => ({ name, readOnlyHint: true })),
          { name: "create_page" },
          { name: "append_to_page" },
          { name: "import_from_url", openWorldHint: true },
          { name: "delete_page", destructiveHint: true },
        ],
      },
      manualRequirements: [],
      warnings: [],
    },
    evidence: [
      request("probe_discover", url, {
        ...{ status: 400, startedMs: 1.2, ms: 35.1 },
        learned: "Answered 400 with the JSON-RPC error -32601. Not proof of the newest revision.",
        rule: "MCP 2026-07-28, Discovery: every server of this revision answers server/discover",
      }),
      request("probe_initialize", url, {
        ...{ status: 200, startedMs: 9.5, ms: 28.4, learned: "The handshake succeeded without credentials." },
        decided: ["server.protocolVersion", "server.initialize"],
      }),
      request("initialized", url, {
        ...{ status: 202, startedMs: 38.3, ms: 16.2, learned: "The handshake is complete." },
      }),
      request("list_tools", url, {
        ...{ status: 200, startedMs: 55, ms: 27.1, learned: "8 tools on page 1, shown without credentials." },
        ...{
          rule: "MCP, Server Features › Tools › Listing Tools",
          decided: ["tools", "authentication.kind"],
        },
      }),
    ],
  };
}

/** A server that accepts accounts of two authorization servers. */
function planParcels(): Pick<PlannedDiscovery, "url" | "result" | "evidence"> {
  const url = "https://mcp.parcelworks.example/mcp";
  const metadata = "https://mcp.parcelworks.example/.well-known/oauth-protected-resource/mcp";
  const issuers = ["https://id.northwind.example", "https://login.parcelworks.example"] as const;
  const scopes = ["shipments:read", "shipments:write"];
  return {
    url,
    result: {
      status: "manual_action_required",
      server: { url, initialize: "authentication_required" },
      authentication: {
        ...{ kind: "oauth", resource: url, protectedResourceMetadataUrl: metadata },
        authorizationServers: [createServer(issuers[0], false), createServer(issuers[1], true)],
        ...{ requiredScopes: scopes, recommendedScopes: [...scopes, "offline_access"] },
        refreshSupport: "supported",
        availableRegistrationMethods: ["pre_registered"],
        recommendedRegistrationMethod: "pre_registered",
      },
      tools: { visibility: "requires_auth" },
      manualRequirements: [
        {
          code: "authorization_server_selection",
          label: "Choose an authorization server",
          reason: `The server accepts tokens of 2 authorization servers: ${issuers[0]} (needs a client registered by hand); ${issuers[1]} (registers clients by itself). Which of them holds your people's accounts is yours to know; choose one. None was picked for you.`,
          required: true,
        },
      ],
      warnings: [],
    },
    evidence: [
      request("probe_discover", url, {
        ...{ status: 401, startedMs: 1, ms: 96.2 },
        learned: "Answered 401; remembered, since some servers refuse every method they do not know.",
        rule: "MCP 2026-07-28, Discovery: every server of this revision answers server/discover",
      }),
      request("probe_initialize", url, {
        ...{ status: 401, startedMs: 8.2, ms: 94.7, learned: "Credentials are required (401)." },
        decided: ["server.initialize"],
      }),
      request("resource_metadata", metadata, {
        ...{ status: 200, startedMs: 104.5, ms: 56.3 },
        learned: "Metadata for this server, naming 2 authorization servers.",
        rule: "RFC 9728 §5.1: resource_metadata in the challenge",
        decided: [
          "authentication.kind",
          "authentication.resource",
          "authentication.protectedResourceMetadataUrl",
        ],
      }),
      ...issuers.map((issuer, i) =>
        request("server_metadata", `${issuer}/.well-known/oauth-authorization-server`, {
          ...{ status: 200, startedMs: 163.4 + i * 14, ms: 62.4 },
          ...{ learned: `Metadata of ${issuer}: a browser sign-in is possible.`, rule: metadataRule },
          decided: ["authentication.authorizationServers", "authentication.refreshSupport"],
        }),
      ),
    ],
  };
}

/** A server that wants a key and offers no sign-in. */
function planLedger(): Pick<PlannedDiscovery, "url" | "result" | "evidence"> {
  const url = "https://mcp.ledger.example/v2/mcp";
  return {
    url,
    result: {
      status: "manual_action_required",
      server: { url, initialize: "authentication_required" },
      authentication: { kind: "manual_bearer", ...noOauth },
      tools: { visibility: "requires_auth" },
      manualRequirements: [
        {
          code: "bearer_token",
          label: "Enter a bearer token",
          reason: `${url} wants a token and offers no way to sign in for one. Create a token or API key in the product behind the server, or ask its operator, and save it here as the connection's bearer token.`,
          required: true,
        },
      ],
      warnings: [],
    },
    evidence: [
      request("probe_initialize", url, {
        ...{ status: 401, startedMs: 1.1, ms: 118.6, learned: "Credentials are required (401)." },
        decided: ["server.initialize", "authentication.kind"],
      }),
      request("resource_metadata", "https://mcp.ledger.example/.well-known/oauth-protected-resource/v2/mcp", {
        ...{ status: 404, startedMs: 121, ms: 44.8, learned: "Nothing usable: answered 404." },
        rule: "RFC 9728 §3.1: well-known place of protected resource metadata",
      }),
    ],
  };
}

export function planDiscoveries(calendar: Calendar): PlannedDiscovery[] {
  return [
    { member: "bruno", at: calendar.at(3, "10:12"), ...planDocs(), durationMs: 84 },
    { member: "chiara", at: calendar.at(-4, "14:41"), ...planLedger(), durationMs: 168 },
    { member: "ada", at: calendar.at(-2, "09:26"), ...planParcels(), durationMs: 246 },
  ];
}
