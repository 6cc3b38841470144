import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

/** Worst first within a severity. docs/overview.md says when each appears. */
export const kinds = [
  "automation_failed",
  "budget_exceeded",
  "connection_needs_reconnect",
  "mcp_connection_failing",
  "mcp_tools_held",
  "mcp_sign_in",
  "mcp_consent",
  "sync_failed",
  "connector_disconnected",
  "worker_lost",
  "worker_upgrade_failed",
  "llm_key_refused",
  "webhook_endpoint_disabled",
  "sso_certificate_ends",
  "sso_domain_failing",
  "quota_nearly_full",
  "automation_skipped",
  "budget_warned",
  "usage_held",
  "deliveries_refused",
  "deliveries_altered",
  "webhook_endpoint_failing",
  "worker_stale",
  "mcp_approval_pending",
  "connection_uncertain",
  "connection_expires",
  "scim_token_expires",
  "api_key_expires",
  "invitation_expires",
] as const;
export type Kind = (typeof kinds)[number];

const subjectTypes = [
  "automation",
  "budget",
  "connection",
  "mcp_connection",
  "mcp_approval",
  "connector",
  "worker",
  "llm_provider_key",
  "webhook_endpoint",
  "sso_connector",
  "sso_domain",
  "scim_connector",
  "quota",
  "api_key",
  "invitation",
  "organization",
] as const;

const Subject = z
  .strictObject({
    type: z.enum(subjectTypes),
    id: z.string().describe("The id, or the name of a quota."),
    name: z.string().nullable().describe("The name, label, address or domain."),
    parentId: z
      .string()
      .nullable()
      .describe(
        "What it belongs to: the provider of a connection or of an LLM key, the MCP connection of a call.",
      ),
    parentName: z
      .string()
      .nullable()
      .describe("The name of the provider of a connection, or of the MCP connection of a call."),
  })
  .meta({ id: "AttentionSubject" });
export type Subject = z.output<typeof Subject>;

const Related = z
  .strictObject({ type: z.enum(["run", "sync", "upgrade"]), id: z.string() })
  .meta({ id: "AttentionRelated" });

const Item = z
  .strictObject({
    key: z.string().describe("Identifies the item while it lasts: its kind and its subject."),
    kind: z.enum(kinds),
    severity: z
      .enum(["error", "warning"])
      .describe("`error`: something does not work. `warning`: it may soon."),
    subject: Subject,
    owner: z
      .strictObject({ memberId: z.string(), name: z.string() })
      .nullable()
      .describe("The member who owns the subject. Null when it has no owner."),
    related: Related.nullable().describe("The run, sync or upgrade that shows the problem."),
    code: z
      .string()
      .nullable()
      .describe("The reason as a code, such as `lease_lost`. Null when there is none."),
    message: z.string().nullable().describe("The reason in a sentence. Null when there is none."),
    count: z
      .int()
      .describe(
        "How many: failed runs in a row (at most 10), refused deliveries, automations that use a connection, held tools, or members who must sign in.",
      ),
    since: z.int().nullable().describe("Since when, in milliseconds since 1970. Null when it is not known."),
    dueAt: z.int().nullable().describe("When it expires or resets, in milliseconds since 1970."),
    used: z
      .int()
      .nullable()
      .describe("What is spent or used, of a budget or quota. Costs are in millionths of a dollar."),
    limit: z.int().nullable().describe("The limit of the budget or quota."),
  })
  .meta({ id: "AttentionItem" });
export type Item = z.output<typeof Item>;

/** How many items of one kind are returned. */
export const maxPerKind = 20;

export const list = route({
  method: "get",
  path: "/v1/overview/attention",
  tag: "Overview",
  summary: "List what needs care, worst first",
  description: `What the caller's permissions reach: failing automations, accounts, MCP connections, repositories, workers, keys, budgets, certificates and quotas. At most ${maxPerKind} items of each kind. Quotas can be a minute out of date.`,
  access: can("organization:read"),
  replies: {
    200: z
      .strictObject({
        items: z.array(Item),
        errors: z.int().describe("How many items are errors."),
        warnings: z.int().describe("How many items are warnings."),
        isTruncated: z.boolean().describe("True when a kind has more items than are returned."),
      })
      .meta({ id: "Attention" }),
  },
});
