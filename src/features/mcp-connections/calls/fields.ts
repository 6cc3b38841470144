import type { FieldGuide } from "../../../platform/http/index.ts";

const connectionId = "mcn_01jz8q2d9xf4vvh0tbq8k3m5na";
const memberId = "mem_01jz8q2d9xf4vvh0tbq8k3m5na";
const runId = "run_01jz8q2d9xf4vvh0tbq8k3m5na";

const call = {
  id: "mcl_01jz8q2d9xf4vvh0tbq8k3m5na",
  connectionId,
  connectionName: "Issue tracker",
  memberId,
  memberName: "Ada Lovelace",
  credential: "mcp",
  credentialId: "mct_01jz8q2d9xf4vvh0tbq8k3m5na",
  client: "claude-code 2.1.0",
  tool: "create_issue",
  outcome: "ok",
  code: null,
  ms: 184,
  requestBytes: 212,
  resultBytes: 1_480,
  runId: null,
  attempt: null,
  createdAt: 1_793_611_800_000,
};

const payload = {
  arguments: { title: "The build fails on ARM" },
  result: { content: [{ type: "text", text: "Created issue 812." }] },
  expiresAt: 1_794_216_600_000,
};

const tool = "Only calls of this tool, by its name at its server, without a prefix.";

const describe = (schema: string): FieldGuide => ({
  [`${schema}.connectionId`]: ["The connection. It may have been deleted since.", connectionId],
  [`${schema}.connectionName`]: ["The name of the connection. Null when it was deleted.", "Issue tracker"],
  [`${schema}.memberId`]: ["The member that called, or for whom a run called.", memberId],
  [`${schema}.memberName`]: ["The name of the member. Null when it is no longer known.", "Ada Lovelace"],
  [`${schema}.credential`]: ["The kind of credential that the caller used.", "mcp"],
  [`${schema}.credentialId`]: ["The credential that the caller used.", call.credentialId],
  [`${schema}.client`]: ["The MCP client, as it names itself. Null when it is not known.", call.client],
  [`${schema}.tool`]: ["The name of the tool at its server.", "create_issue"],
  [`${schema}.outcome`]: [
    "`tool_error`: the tool answered with an error. `refused`: the call was not sent, or the server refused the credential. `failed`: the server did not answer as it should.",
    "ok",
  ],
  [`${schema}.code`]: ["The code of the error. Null when the call succeeded.", "mcp_server_failed"],
  [`${schema}.ms`]: ["How long the call took, in milliseconds.", 184],
  [`${schema}.requestBytes`]: ["The size of the arguments as JSON.", 212],
  [`${schema}.resultBytes`]: ["The size of the result as JSON.", 1_480],
  [`${schema}.runId`]: ["The run that called. Null for a call outside of a run.", runId],
  [`${schema}.attempt`]: ["The attempt of the run.", 1],
});

export const callFields: FieldGuide = {
  McpCall: ["A call of a tool.", call],
  ...describe("McpCall"),
  McpCallDetails: ["A call of a tool, with its arguments and result.", { ...call, payload }],
  ...describe("McpCallDetails"),
  "McpCallDetails.payload": ["Null when arguments and result are not stored, or not any more.", payload],
  McpCallPayload: ["The arguments and the result of a call.", payload],
  "McpCallPayload.arguments": ["What the caller sent.", payload.arguments],
  "McpCallPayload.result": ["What the tool answered. Null when there is no result.", payload.result],
  "McpCallPayload.expiresAt": ["When both are deleted.", payload.expiresAt],
  "/v1/mcp-calls/{id}": ["The call.", call.id],
  "getV1McpCallsById.call": ["The call.", { ...call, payload }],
  "getV1McpCalls.connectionId": ["Only calls of this connection.", connectionId],
  "getV1McpCalls.memberId": ["Only calls of this member.", memberId],
  "getV1McpCalls.tool": [tool, "create_issue"],
  "getV1McpCalls.outcome": ["Only calls with this outcome.", "failed"],
  "getV1McpCalls.runId": ["Only calls of this run.", runId],
  "getV1McpConnectionsByIdCalls.memberId": ["Only calls of this member.", memberId],
  "getV1McpConnectionsByIdCalls.tool": [tool, "create_issue"],
  "getV1McpConnectionsByIdCalls.outcome": ["Only calls with this outcome.", "failed"],
  "getV1McpConnectionsByIdCalls.runId": ["Only calls of this run.", runId],
  "getV1McpCallsExport.connectionId": ["Only calls of this connection.", connectionId],
  "getV1McpCallsExport.memberId": ["Only calls of this member.", memberId],
  "getV1McpCallsExport.tool": [tool, "create_issue"],
  "getV1McpCallsExport.outcome": ["Only calls with this outcome.", "failed"],
  "getV1McpCallsExport.runId": ["Only calls of this run.", runId],
  getV1McpCallsExport: ["Calls, one per line.", `${JSON.stringify(call)}\n`],
};
