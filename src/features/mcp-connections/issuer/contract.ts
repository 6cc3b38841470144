import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { McpConnectionDetail } from "../contract.ts";

const ways = ["client_metadata", "dynamic", "pre_registered"] as const;

export const moveIssuer = route({
  method: "put",
  path: "/v1/mcp-connections/{id}/authorization-server",
  tag: "MCP Connections",
  summary: "Move an MCP connection to another authorization server",
  description:
    "For a server that accepts tokens of another issuer now. It is discovered again and must name this issuer. This instance is registered there, all accounts of the connection end, and their tokens are revoked at the earlier issuer and sent to nobody else. Members sign in again. Tools, policy and access stay.",
  access: can("mcp_connections:manage"),
  params: z.strictObject({ id: z.string().min(1).max(160) }),
  body: z.strictObject({
    authorizationServer: z.string().min(1).max(2048).describe("The issuer, as the server names it."),
    registration: z
      .enum(ways)
      .optional()
      .describe("How to register. Default: the recommended way, if nobody has to decide anything."),
    clientId: z
      .string()
      .regex(/^[\x21-\x7e]{1,500}$/, "Visible characters only.")
      .optional()
      .describe("For `pre_registered`."),
    clientSecret: z.string().min(1).max(4000).optional().describe("For `pre_registered`, if there is one."),
  }),
  replies: { 200: z.strictObject({ connection: McpConnectionDetail.describe("The connection.") }) },
  errors: {
    404: "`mcp_connection_not_found`",
    409: "`mcp_no_sign_in`: the connection takes a key, or nothing. `mcp_server_unreachable`: nothing is moved while the server does not answer. `mcp_choice_required` and `mcp_registration_failed` as for a new connection.",
    502: "`requirements_discovery_failed`: discovery itself failed, before anything could be said.",
  },
});
export type MoveInput = z.output<(typeof moveIssuer)["body"]>;
