import { z } from "zod";
import { definePage, pageQuery, route } from "../../../../platform/http/index.ts";
import { can } from "../../../permissions/index.ts";
import { driftKinds, params, severities, ToolDefinition } from "../contract.ts";

const tag = "MCP Connections";

const Change = z
  .strictObject({
    field: z.string().describe("Where, such as `description` or `inputSchema.properties.priority.enum`."),
    change: z.enum(["added", "removed", "changed"]),
    before: z.unknown().describe("The approved value. Null when it was added."),
    after: z.unknown().describe("The present value. Null when it was removed."),
  })
  .meta({ id: "McpToolChange" });

const McpDrift = z
  .strictObject({
    subject: z.enum(["tool", "instructions"]).describe("A tool, or the server's instructions for agents."),
    tool: z.string().nullable().describe("The name of the tool. Null for the instructions."),
    exposedName: z.string().nullable().describe("The name at `/mcp`. Null for the instructions."),
    kinds: z.array(z.enum(driftKinds)).describe("What changed, worst first."),
    severity: z.enum(severities).describe("How dangerous the change can be."),
    renamedFrom: z.string().nullable().describe("The earlier name of a tool that seems to be renamed."),
    isHeld: z.boolean().describe("Whether calls are refused until it is approved."),
    before: ToolDefinition.nullable().describe("The approved definition. Null: there is none."),
    after: ToolDefinition.nullable().describe("The present definition. Null: the tool is gone."),
    changes: z.array(Change).describe("The differences, field by field. At most 200."),
    isCut: z.boolean().describe("True when there are more differences than `changes` has."),
    accounts: z
      .int()
      .nullable()
      .describe(
        "With an account per member: how many accounts list it like this. It holds the tool for these members only. Null: it concerns everybody.",
      ),
    otherVariants: z
      .int()
      .describe("How many further accounts list the tool in yet another way, which is shown after this one."),
    seenAt: z.int().describe("When the change was seen."),
    approvedBy: z.string().nullable().describe("The member who approved `before`."),
    approvedByName: z.string().nullable(),
    approvedAt: z.int().nullable().describe("When `before` was approved."),
    callsLastDay: z.int().describe("How often the tool was called in the last 24 hours."),
  })
  .meta({ id: "McpDrift" });
export type McpDrift = z.output<typeof McpDrift>;

const revision = z
  .string()
  .describe("Identifies all differences as they are listed. Give it when you approve what you saw.");

export const list = route({
  method: "get",
  path: "/v1/mcp-connections/{id}/drift",
  tag,
  summary: "List what the server changed since its tools were approved",
  description: "The worst first, then by name. Empty when the server says what was approved.",
  access: can("mcp_connections:manage"),
  params,
  query: pageQuery,
  replies: {
    200: definePage(McpDrift)
      .extend({ revision, tools: z.int().describe("How many tools the server lists.") })
      .meta({ id: "McpDriftPage" }),
  },
  errors: { 404: "`mcp_connection_not_found`" },
});

export const approve = route({
  method: "post",
  path: "/v1/mcp-connections/{id}/drift/approve",
  tag,
  summary: "Approve what the server changed",
  description:
    "The present definitions become the approved ones, and held tools can be called. Approving a removed tool forgets it; approving a renamed one forgets its earlier name. Give the `revision` of the list of differences, and exactly what you saw is approved: it is refused when something has changed since. Without it, what differs at this moment is approved. It is recorded in the audit log with both definitions.",
  access: can("mcp_connections:manage"),
  params,
  body: z.strictObject({
    tools: z
      .array(z.string().min(1).max(512))
      .min(1)
      .max(1000)
      .optional()
      .describe("The names of the tools. Omitted: all of them, and the instructions."),
    instructions: z
      .boolean()
      .optional()
      .describe("Also approve the instructions. Only needed together with `tools`."),
    revision: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        "The `revision` of the list that the caller saw. Refused when something changed since. Omitted: what differs at this moment is approved, seen or not.",
      ),
  }),
  bodyOptional: true,
  replies: {
    200: z.strictObject({
      baseline: z
        .strictObject({
          approved: z.array(z.string()).describe("The tools that were approved."),
          instructions: z.boolean().describe("Whether the instructions were approved."),
          remaining: z.int().describe("How many differences are left."),
          revision,
        })
        .meta({ id: "McpBaseline" }),
    }),
  },
  errors: {
    404: "`mcp_connection_not_found`, or `mcp_tool_not_found`: a named tool has no difference.",
    409: "`mcp_drift_changed`: since `revision`, the server changed its tools again. Read the differences again, then approve.",
  },
});
export type ApproveInput = z.output<(typeof approve)["body"]>;
