const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

interface Quota {
  /** `count`: objects that exist now. `bytes`: storage. `per_day`: since midnight UTC. */
  unit: "count" | "bytes" | "per_day";
  description: string;
  /** Null: no limit. */
  limit: number | null;
  /** The limit for an unclaimed workspace. It is small, because its creator is unknown. */
  provisional: number | null;
}

/** All quotas. QUOTAS changes the limits of an instance; `organization_quotas` overrides them for one organization. */
export const quotas = {
  members: { unit: "count", description: "Members who are not deactivated.", limit: 10_000, provisional: 5 },
  invitations: { unit: "count", description: "Open invitations.", limit: 1_000, provisional: 5 },
  teams: { unit: "count", description: "Teams.", limit: 1_000, provisional: 5 },
  roles: { unit: "count", description: "Custom roles.", limit: 100, provisional: 5 },
  api_keys: { unit: "count", description: "API keys that have not expired.", limit: 5_000, provisional: 5 },
  mcp_tokens: {
    unit: "count",
    description: "MCP tokens that have not expired.",
    limit: 5_000,
    provisional: 5,
  },
  mcp_clients: {
    unit: "count",
    description: "MCP clients that members connected by signing in.",
    limit: 20_000,
    provisional: 5,
  },
  scim_users: { unit: "count", description: "Users of the directory.", limit: 20_000, provisional: 5 },
  scim_groups: { unit: "count", description: "Groups of the directory.", limit: 5_000, provisional: 5 },
  automations: {
    unit: "count",
    description: "Automations, including archived automations.",
    limit: 10_000,
    provisional: 10,
  },
  automation_revisions: {
    unit: "count",
    description: "Revisions that are kept for each automation. Older revisions that no run uses are deleted.",
    limit: 200,
    provisional: 10,
  },
  runners: {
    unit: "count",
    description: "Runners, without those that workers host.",
    limit: 1_000,
    provisional: 5,
  },
  workers: { unit: "count", description: "Workers.", limit: 20_000, provisional: 5 },
  worker_registration_tokens: {
    unit: "count",
    description: "Registration tokens of workers.",
    limit: 200,
    provisional: 2,
  },
  worker_rollouts: {
    unit: "count",
    description: "Rollouts that have not ended.",
    limit: 100,
    provisional: 2,
  },
  templates: { unit: "count", description: "Templates.", limit: 10_000, provisional: 10 },
  template_versions: {
    unit: "count",
    description: "Versions that are kept for each template. Older versions are deleted.",
    limit: 100,
    provisional: 10,
  },
  connectors: { unit: "count", description: "Connectors.", limit: 500, provisional: 5 },
  oauth_providers: { unit: "count", description: "Custom OAuth providers.", limit: 200, provisional: 5 },
  mcp_connections: { unit: "count", description: "Saved MCP connections.", limit: 500, provisional: 3 },
  sso_connectors: { unit: "count", description: "Single sign-on connectors.", limit: 20, provisional: 0 },
  sso_domains: {
    unit: "count",
    description: "Domains for single sign-on.",
    limit: 100,
    provisional: 0,
  },
  llm_providers: { unit: "count", description: "LLM providers.", limit: 200, provisional: 0 },
  llm_provider_keys: { unit: "count", description: "Keys of LLM providers.", limit: 1_000, provisional: 0 },
  llm_prices: { unit: "count", description: "Prices of the organization.", limit: 1_000, provisional: 0 },
  llm_budgets: { unit: "count", description: "Budgets and alerts.", limit: 5_000, provisional: 0 },
  webhook_endpoints: {
    unit: "count",
    description: "Webhook endpoints.",
    limit: 20,
    provisional: 0,
  },
  webhook_endpoint_deliveries: {
    unit: "count",
    description: "Deliveries that are kept for each webhook endpoint. Older deliveries are deleted.",
    limit: 5_000,
    provisional: 100,
  },
  automation_storage: {
    unit: "bytes",
    description: "Runs, their events, results and late reports, and revisions of automations.",
    limit: 20 * GiB,
    provisional: 8 * MiB,
  },
  template_storage: {
    unit: "bytes",
    description: "Template versions.",
    limit: 5 * GiB,
    provisional: 1 * MiB,
  },
  webhook_storage: {
    unit: "bytes",
    description: "Webhook deliveries and their bodies.",
    limit: 10 * GiB,
    provisional: 1 * MiB,
  },
  telemetry_storage: {
    unit: "bytes",
    description: "Telemetry events and points of cumulative metrics.",
    limit: 20 * GiB,
    provisional: 1 * MiB,
  },
  audit_storage: {
    unit: "bytes",
    description: "The audit log. Only an unclaimed workspace has a limit.",
    limit: null,
    provisional: 4 * MiB,
  },
  idempotency_keys: {
    unit: "per_day",
    description: "Requests with an Idempotency-Key per day. One credential may use half of the limit.",
    limit: 200_000,
    provisional: 2_000,
  },
  idempotency_storage: {
    unit: "per_day",
    description:
      "Bytes of replies that are stored for Idempotency-Key per day. One credential may use half of the limit. Above the limit a repeated request is still not executed again, but its reply is not available.",
    limit: 64 * MiB,
    provisional: 2 * MiB,
  },
} as const satisfies Record<string, Quota>;

export type QuotaName = keyof typeof quotas;
type NamesWithUnit<Unit> = {
  [Name in QuotaName]: (typeof quotas)[Name]["unit"] extends Unit ? Name : never;
}[QuotaName];
/** Objects that people create. They are counted exactly, in the transaction that creates them. */
export type CountQuota = Exclude<NamesWithUnit<"count">, KeptQuota>;
/** How many items are kept for one object. Older items are deleted. */
export type KeptQuota = "automation_revisions" | "template_versions" | "webhook_endpoint_deliveries";
/** Bytes that programs write. Each process meters its own writes. */
export type ByteQuota = NamesWithUnit<"bytes">;

export const quotaNames = Object.keys(quotas) as QuotaName[];

/** Limits of the whole instance. */
export const instanceLimits = {
  /** For all networks together, because one person can have many addresses. */
  provisional_workspaces: 1_000,
  provisional_workspaces_per_network: 20,
} as const;
export type InstanceLimit = keyof typeof instanceLimits;
