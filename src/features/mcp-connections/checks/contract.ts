import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { McpConnectionDetail } from "../contract.ts";

const tag = "MCP Connections";
const params = z.strictObject({ id: z.string().min(1).max(160) });
const errors = { 404: "`mcp_connection_not_found`" };

export const discoverAgain = route({
  method: "post",
  path: "/v1/mcp-connections/{id}/discover",
  tag,
  summary: "Discover the server of an MCP connection again",
  description:
    "Compares the verdict with the accepted one: issuer, scopes, endpoints and protocol. Differences are in `verdictDrift` until a person accepts them.",
  access: can("mcp_connections:manage"),
  params,
  body: z.strictObject({
    accept: z.literal(true).optional().describe("Accepts what the server answers now as the new verdict."),
  }),
  bodyOptional: true,
  replies: { 200: z.strictObject({ connection: McpConnectionDetail.describe("The connection.") }) },
  errors: {
    ...errors,
    409: "`mcp_verdict_changed`: something changed that was not in `verdictDrift` before. Read it, then accept. `mcp_issuer_moved`: the server accepts another issuer now; move the connection with `PUT …/authorization-server`. `mcp_server_unreachable`: nothing is accepted while the server does not answer.",
    502: "`requirements_discovery_failed`: discovery itself failed, before anything could be said.",
  },
});

const McpConnectionTest = z
  .strictObject({
    ok: z.boolean().describe("Whether every step succeeded."),
    steps: z
      .array(
        z.strictObject({
          step: z
            .enum(["credential", "reach", "list_tools"])
            .describe("What was tried. The steps after a failure are not tried."),
          ok: z.boolean().describe("Whether it succeeded."),
          ms: z.number().describe("How long it took, in milliseconds."),
          code: z.string().optional().describe("Why it failed, for programs."),
          message: z.string().describe("What was found, or why it failed and what to do."),
        }),
      )
      .describe("The steps, in their order."),
  })
  .meta({ id: "McpConnectionTest" });
export type McpConnectionTest = z.output<typeof McpConnectionTest>;

export const test = route({
  method: "post",
  path: "/v1/mcp-connections/{id}/test",
  tag,
  summary: "Test an MCP connection",
  description:
    "Opens a session with the caller's credential, or the shared one, and lists the tools. No tool is called.",
  access: can("mcp_connections:use"),
  params,
  replies: { 200: z.strictObject({ test: McpConnectionTest.describe("The result, step by step.") }) },
  errors,
});
