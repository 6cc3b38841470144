import type { KeptDiscovery } from "../../../mcp-discoveries/index.ts";
import type { Calendar } from "../calendar.ts";
import {
  designTools,
  docsTools,
  ledgerTools,
  type PlannedDrift,
  type PlannedTool,
  parcelTools,
  robotTools,
  roomTools,
  trackerDrift,
  trackerTools,
} from "./tools.ts";

type Verdict = KeptDiscovery["result"];

export interface PlannedServer {
  key: string;
  name: string;
  slug: string;
  url: string;
  credential: "shared" | "per_member";
  registration: "none" | "client_metadata" | "dynamic" | "pre_registered" | "bearer";
  scopes: string[];
  issuer: string | null;
  enabled: boolean;
  policy: Record<string, unknown>;
  verdict: Verdict;
  tools: PlannedTool[];
  drift: PlannedDrift[];
  savedBy: string;
  savedAt: number;
  approvedAt: number;
  driftAt: number | null;
  /** Since when it does not answer. */
  failingSince: number | null;
  access: { organization: boolean; teams: string[]; members: string[] };
  /** The members who connected an account, or the one who connected the shared one. */
  accounts: string[];
  /** What the server said to members: sign in again, or consent to more. */
  states: { member: string; state: "sign_in" | "needs_consent"; missingScopes: string[]; reason: string }[];
  /** Calls on the last day. */
  callsLastDay: number;
}

const oauthVerdict = (url: string, issuer: string, scopes: string[], metadata: boolean): Verdict => ({
  status: "ready",
  server: { url, initialize: "authentication_required" },
  authentication: {
    ...{ kind: "oauth", resource: url, requiredScopes: scopes, recommendedScopes: scopes },
    authorizationServers: [
      {
        ...{ issuer, authorizationEndpoint: `${issuer}/authorize`, tokenEndpoint: `${issuer}/token` },
        ...(metadata ? {} : { registrationEndpoint: `${issuer}/register` }),
        clientIdMetadataDocumentSupported: metadata,
      },
    ],
    refreshSupport: "supported",
    availableRegistrationMethods: [metadata ? "client_metadata" : "dynamic", "pre_registered"],
    recommendedRegistrationMethod: metadata ? "client_metadata" : "dynamic",
  },
  ...{ tools: { visibility: "requires_auth" }, manualRequirements: [], warnings: [] },
});

const keyVerdict = (url: string, kind: "none" | "manual_bearer"): Verdict => ({
  status: kind === "none" ? "ready" : "manual_action_required",
  server: { url, initialize: kind === "none" ? "succeeded" : "authentication_required" },
  authentication: {
    ...{ kind, authorizationServers: [], requiredScopes: [], recommendedScopes: [] },
    ...{ refreshSupport: "unknown", availableRegistrationMethods: ["pre_registered"] },
    recommendedRegistrationMethod: "pre_registered",
  },
  tools: { visibility: kind === "none" ? "available_without_auth" : "requires_auth" },
  ...{ manualRequirements: [], warnings: [] },
});

/** Seven servers, in the states that connections can have. */
export function planServers({ at, now }: Calendar): PlannedServer[] {
  const usual = {
    ...{ enabled: true, policy: {}, drift: [], driftAt: null, failingSince: null, states: [] },
    ...{ scopes: [], issuer: null, savedBy: "bruno" },
  };
  const everybody = { organization: true, teams: [], members: [] };
  const teams = (...names: string[]) => ({ organization: false, teams: names, members: [] });
  const urls = {
    tracker: "https://mcp.tracker.example/mcp",
    parcels: "https://mcp.parcelworks.example/mcp",
    ledger: "https://mcp.ledger.example/v2/mcp",
    docs: "https://mcp.atlasdocs.example/mcp",
    robots: "https://robots.northwind.example:8443/mcp",
    design: "https://mcp.designlib.example/mcp",
    room: "https://mcp.dataroom.example/mcp",
  };
  const issuer = (name: string) => `https://login.${name}.example`;
  const planned = (day: number, clock: string) => ({
    savedAt: at(day, clock),
    approvedAt: at(day, clock) + 3 * 60_000,
  });
  return [
    {
      ...{ ...usual, key: "room", name: "Data room", slug: "data-room", url: urls.room, tools: roomTools },
      ...{ credential: "shared", registration: "bearer", verdict: keyVerdict(urls.room, "manual_bearer") },
      ...{ ...planned(2, "11:20"), enabled: false, access: teams(), accounts: ["bruno"], callsLastDay: 0 },
    },
    {
      ...{ ...usual, key: "design", name: "Design library", slug: "design-library", url: urls.design },
      ...{ credential: "shared", registration: "client_metadata", scopes: ["files:read"] },
      ...{ issuer: issuer("designlib"), tools: designTools, ...planned(2, "14:02") },
      verdict: oauthVerdict(urls.design, issuer("designlib"), ["files:read"], true),
      ...{ access: teams("Models"), accounts: ["bruno"], callsLastDay: 4 },
    },
    {
      ...{ ...usual, key: "robots", name: "Warehouse robots", slug: "warehouse-robots", url: urls.robots },
      ...{ credential: "shared", registration: "bearer", tools: robotTools, ...planned(3, "09:31") },
      verdict: keyVerdict(urls.robots, "manual_bearer"),
      policy: { destructive: "deny" },
      ...{ access: teams("Platform", "Operations"), accounts: ["bruno"], callsLastDay: 0 },
      failingSince: now - 26 * 3600_000,
    },
    {
      ...{ ...usual, key: "docs", name: "Atlas docs", slug: "atlas-docs", url: urls.docs, tools: docsTools },
      ...{ credential: "shared", registration: "none", verdict: keyVerdict(urls.docs, "none") },
      ...{ ...planned(3, "10:20"), access: everybody, accounts: [], callsLastDay: 241 },
      policy: { deny: ["delete_page"] },
    },
    {
      ...{ ...usual, key: "ledger", name: "Ledger", slug: "ledger", url: urls.ledger, tools: ledgerTools },
      ...{ credential: "per_member", registration: "pre_registered", savedBy: "ada" },
      ...{ scopes: ["ledger:read"], issuer: issuer("ledger"), ...planned(6, "15:10") },
      verdict: oauthVerdict(urls.ledger, issuer("ledger"), ["ledger:read"], false),
      ...{ access: teams("Operations"), accounts: ["ada", "hana", "grace"], callsLastDay: 10 },
      states: [
        {
          ...{ member: "ada", state: "needs_consent", missingScopes: ["ledger:write"] },
          reason: "post_entry needs the scope ledger:write.",
        },
      ],
    },
    {
      ...{ ...usual, key: "parcels", name: "Parcelworks", slug: "parcelworks", url: urls.parcels },
      ...{ credential: "per_member", registration: "dynamic", tools: parcelTools, savedBy: "ada" },
      ...{ scopes: ["shipments:read", "shipments:write"], issuer: issuer("parcelworks") },
      verdict: oauthVerdict(
        urls.parcels,
        issuer("parcelworks"),
        ["shipments:read", "shipments:write"],
        false,
      ),
      ...planned(-6, "10:05"),
      access: { organization: false, teams: ["Operations"], members: ["bruno", "felix"] },
      ...{ accounts: ["ada", "grace", "hana", "bruno"], callsLastDay: 32 },
      policy: { destructive: "approve" },
    },
    {
      ...{ ...usual, key: "tracker", name: "Issue tracker", slug: "issue-tracker", url: urls.tracker },
      ...{
        credential: "per_member",
        registration: "client_metadata",
        scopes: ["issues:read", "issues:write"],
      },
      ...{ issuer: issuer("tracker"), tools: trackerTools, drift: trackerDrift, ...planned(-8, "09:40") },
      verdict: oauthVerdict(urls.tracker, issuer("tracker"), ["issues:read", "issues:write"], true),
      ...{ driftAt: now - 3 * 3600_000, access: everybody, callsLastDay: 120 },
      accounts: ["ada", "bruno", "chiara", "dev", "felix", "elif"],
      states: [
        {
          ...{ member: "felix", state: "sign_in", missingScopes: [] },
          reason: "The server refused the token.",
        },
      ],
    },
  ];
}
