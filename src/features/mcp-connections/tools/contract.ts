import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { Policy } from "../model.ts";

const tag = "MCP Connections";
export const params = z.strictObject({ id: z.string().min(1).max(160) });

/** Worst first. docs/mcp-connections.md explains each. */
export const driftKinds = [
  "hint_flipped",
  "renamed",
  "instructions_changed",
  "text_changed",
  "schema_changed",
  "schema_widened",
  "schema_narrowed",
  "added",
  "removed",
] as const;
export type DriftKind = (typeof driftKinds)[number];

export const severities = ["high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];

const schema = z.record(z.string(), z.unknown());

/** A tool as the server describes it, reduced to what an agent sees. Fields that the server omits are missing. */
export const ToolDefinition = z
  .strictObject({
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    inputSchema: schema.describe("The JSON Schema of the arguments."),
    outputSchema: schema.optional().describe("The JSON Schema of structured results."),
    annotations: schema
      .optional()
      .describe("Hints of the server: `readOnlyHint`, `destructiveHint` and others. They are not proven."),
  })
  .meta({ id: "McpToolDefinition" });
export type ToolDefinition = z.output<typeof ToolDefinition>;

const reasons = ["held", "denied", "needs_approval", "removed"] as const;
export type Reason = (typeof reasons)[number];

const McpTool = z
  .strictObject({
    name: z.string().describe("The name at the server."),
    exposedName: z
      .string()
      .describe("The name at `/mcp`: the prefix of the connection, two underscores and the name."),
    title: z.string().nullable(),
    description: z.string().nullable(),
    inputSchema: schema.describe("The JSON Schema of the arguments."),
    outputSchema: schema.nullable().describe("The JSON Schema of structured results."),
    annotations: schema.nullable().describe("Hints of the server. They are not proven."),
    state: z
      .enum(["approved", "held", "removed"])
      .describe(
        "`held`: it waits for approval and cannot be called. `removed`: the server does not list it any more.",
      ),
    drift: z
      .array(z.enum(driftKinds))
      .describe("How the server's present description differs from the approved one, worst first."),
    renamedFrom: z.string().nullable().describe("The earlier name of a tool that seems to be renamed."),
    isDestructive: z.boolean().describe("Whether it counts as destructive under the policy."),
    executable: z
      .boolean()
      .describe("Whether it can be called now. With `needs_approval`, a call asks for it."),
    why: z
      .enum(reasons)
      .nullable()
      .describe(
        "Why it cannot simply be called: `held`, `denied` by the policy, `needs_approval` for each call, `removed`.",
      ),
    listed: z.boolean().describe("Whether agents find it in lists and searches."),
    approvedBy: z.string().nullable().describe("The member who approved it. Null: nobody, or they left."),
    approvedByName: z.string().nullable(),
    approvedAt: z.int().nullable().describe("When it was approved. Null: never."),
    firstSeenAt: z.int().describe("When the server listed it first."),
    changedAt: z.int().describe("When the server's description last changed."),
  })
  .meta({ id: "McpTool" });
export type McpTool = z.output<typeof McpTool>;

export const listQuery = pageQuery.extend({
  // It contains the name of a tool, which has up to 256 characters of three bytes.
  cursor: z.string().max(1100).optional().describe("`nextCursor` of the page before."),
  state: z.enum(["approved", "held", "removed"]).optional().describe("Only tools in this state."),
});

const toolsPage = definePage(McpTool).extend({
  listedAt: z.int().nullable().describe("When the server last listed its tools. Null: never."),
  omittedTools: z
    .int()
    .describe("How many tools of the server are not kept, because there are too many or they are too large."),
  instructions: z
    .string()
    .nullable()
    .describe("What the server tells agents about itself, as it was approved."),
});

export const list = route({
  method: "get",
  path: "/v1/mcp-connections/{id}/tools",
  tag,
  summary: "List the tools of an MCP connection",
  description:
    "By name. Descriptions are the approved ones; `GET …/drift` shows what the server says now. With the policy `warn` they are what the server says now. Members see the tools that the policy does not hide.",
  access: can("mcp_connections:use"),
  params,
  query: listQuery,
  replies: { 200: toolsPage.meta({ id: "McpToolPage" }) },
  errors: { 404: "`mcp_connection_not_found`" },
});

export const setPolicy = route({
  method: "put",
  path: "/v1/mcp-connections/{id}/tools/policy",
  tag,
  summary: "Set what may be done with the tools of a connection",
  description:
    "Omitted fields get their defaults: all tools allowed, none hidden, `hold_changed`, destructive tools allowed. It takes effect at once, also for tools that are held.",
  access: can("mcp_connections:manage"),
  params,
  body: Policy.partial(),
  replies: { 200: z.strictObject({ policy: Policy }) },
  errors: { 404: "`mcp_connection_not_found`" },
});
export type PolicyInput = z.output<(typeof setPolicy)["body"]>;
