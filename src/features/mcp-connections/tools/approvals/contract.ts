import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../../../platform/http/index.ts";
import { idSchema } from "../../../../platform/ids.ts";
import { can } from "../../../permissions/index.ts";

const tag = "MCP Connections";
const use = can("mcp_connections:use");
const manage = can("mcp_connections:manage");

export const statuses = ["pending", "approved", "denied", "used", "expired"] as const;
export type Status = (typeof statuses)[number];

export const McpApproval = z
  .strictObject({
    id: idSchema("mca"),
    connectionId: idSchema("mcn"),
    connectionName: z.string(),
    tool: z.string().describe("The name of the tool at the server."),
    arguments: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("The arguments of the call, at most 64 KiB. Null in lists."),
    argumentBytes: z.int().describe("The size of the arguments."),
    status: z
      .enum(statuses)
      .describe("`approved`: the call may be made once, until `expiresAt`. `used`: it was made."),
    memberId: idSchema("mem").nullable().describe("The member whose agent asked. Null when they left."),
    memberName: z.string().nullable(),
    runId: z.string().nullable().describe("The run that asked. Null outside of runs."),
    note: z.string().nullable().describe("What the person who decided wrote."),
    decidedBy: idSchema("mem").nullable(),
    decidedByName: z.string().nullable(),
    decidedAt: z.int().nullable().describe("When it was decided."),
    expiresAt: z.int().describe("Until when it can be decided, or the approved call can be made."),
    createdAt: z.int(),
  })
  .meta({ id: "McpApproval" });
export type McpApproval = z.output<typeof McpApproval>;

const one = z.strictObject({ approval: McpApproval });
const params = z.strictObject({ id: z.string().min(1).max(160) });
const errors = { 404: "`mcp_approval_not_found`" };

export const listQuery = pageQuery.extend({
  status: z.enum(statuses).optional(),
  connectionId: z.string().min(1).max(160).optional(),
});

export const list = route({
  method: "get",
  path: "/v1/mcp-approvals",
  tag,
  summary: "List calls of destructive tools that wait for approval, and earlier ones",
  description:
    "Newest first, without arguments. Members see what they asked for; with `mcp_connections:manage`, all of them. They are kept for 90 days.",
  access: use,
  query: listQuery,
  replies: { 200: definePage(McpApproval).meta({ id: "McpApprovalPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/mcp-approvals/{id}",
  tag,
  summary: "Read the approval of a call, with its arguments",
  description: "Visible to those who find it in the list.",
  access: use,
  params,
  replies: { 200: one },
  errors,
});

const decision = z.strictObject({ note: lineOfText(500).optional() });
const decided = {
  ...errors,
  409: "`mcp_approval_decided`: somebody decided before. `mcp_approval_expired`: the agent has to call again.",
};

export const approve = route({
  method: "post",
  path: "/v1/mcp-approvals/{id}/approve",
  tag,
  summary: "Approve one call",
  description:
    "The same caller may then make this call once, within an hour: the same tool with the same arguments. The decision is recorded in the audit log.",
  access: manage,
  params,
  body: decision,
  replies: { 200: one },
  errors: decided,
});

export const deny = route({
  method: "post",
  path: "/v1/mcp-approvals/{id}/deny",
  tag,
  summary: "Deny one call",
  description: "The same call is refused for an hour. The decision is recorded in the audit log.",
  access: manage,
  params,
  body: decision,
  replies: { 200: one },
  errors: decided,
});
export type Decision = z.output<typeof decision>;
