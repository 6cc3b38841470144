import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "MCP Calls";

export const outcomes = ["ok", "tool_error", "refused", "failed", "cancelled", "timed_out"] as const;
export type Outcome = (typeof outcomes)[number];

const fields = {
  id: idSchema("mcl"),
  connectionId: z.string(),
  connectionName: z.string().nullable(),
  memberId: z.string().nullable(),
  memberName: z.string().nullable(),
  credential: z.string(),
  credentialId: z.string(),
  client: z.string().nullable(),
  tool: z.string(),
  outcome: z.enum(outcomes),
  code: z.string().nullable(),
  ms: z.int(),
  requestBytes: z.int(),
  resultBytes: z.int(),
  runId: z.string().nullable(),
  attempt: z.int().nullable(),
  createdAt: z.int(),
};

export const McpCall = z.strictObject(fields).meta({ id: "McpCall" });
export type McpCall = z.output<typeof McpCall>;

const McpCallPayload = z
  .strictObject({ arguments: z.unknown(), result: z.unknown(), expiresAt: z.int() })
  .meta({ id: "McpCallPayload" });
export type McpCallPayload = z.output<typeof McpCallPayload>;

const McpCallDetails = z
  .strictObject({ ...fields, payload: McpCallPayload.nullable() })
  .meta({ id: "McpCallDetails" });

const time = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const filtersOfConnection = {
  memberId: z.string().max(160).optional(),
  tool: z.string().max(256).optional(),
  outcome: z.enum(outcomes).optional(),
  runId: z.string().max(160).optional(),
  from: time.optional().describe("Only calls at this time or later, in milliseconds since 1970."),
  to: time.optional().describe("Only calls before this time, in milliseconds since 1970."),
};
const filters = { connectionId: z.string().max(160).optional(), ...filtersOfConnection };
export type Filter = z.output<z.ZodObject<typeof filters>>;

export const listQuery = z.strictObject({ ...pageQuery.shape, ...filters });
export const connectionQuery = z.strictObject({ ...pageQuery.shape, ...filtersOfConnection });
const exportQuery = z.strictObject({
  format: z.enum(["ndjson", "csv"]).default("ndjson").describe("`ndjson` is one JSON object per line."),
  ...filters,
});

const visibility = "Without `mcp_connections:manage` only the calls of the caller.";
const McpCallPage = definePage(McpCall).meta({ id: "McpCallPage" });

export const list = route({
  method: "get",
  path: "/v1/mcp-calls",
  tag,
  summary: "List calls of tools",
  description: `Calls through MCP connections, newest first. ${visibility}`,
  access: can("mcp_connections:use"),
  query: listQuery,
  replies: { 200: McpCallPage },
});

export const listOfConnection = route({
  method: "get",
  path: "/v1/mcp-connections/{id}/calls",
  tag,
  summary: "List calls of one connection",
  description: `Newest first. ${visibility}`,
  access: can("mcp_connections:use"),
  params: z.strictObject({ id: z.string() }),
  query: connectionQuery,
  replies: { 200: McpCallPage },
});

export const exportCalls = route({
  method: "get",
  path: "/v1/mcp-calls/export",
  tag,
  summary: "Export calls of tools",
  description: `All calls that match the filters, oldest first, as a stream, without arguments and results. ${visibility} A complete file ends with the line \`{"complete":true}\`, or \`# complete\` in CSV.`,
  access: can("mcp_connections:use"),
  query: exportQuery,
  raw: "application/x-ndjson",
  replies: { 200: z.string() },
});

export const read = route({
  method: "get",
  path: "/v1/mcp-calls/{id}",
  tag,
  summary: "Read a call",
  description: `Includes arguments and result when the connection stores them and they have not expired. ${visibility}`,
  access: can("mcp_connections:use"),
  params: z.strictObject({ id: z.string() }),
  replies: { 200: z.strictObject({ call: McpCallDetails }) },
});
