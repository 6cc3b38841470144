import { z } from "zod";
import { definePage, pageQuery, route } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";

const tag = "MCP Clients";

export const scopes = ["mcp:read", "mcp:write"] as const;

const McpClient = z
  .strictObject({
    id: idSchema("mcg"),
    name: z.string().describe("The name that the client gives itself. Nobody checks it."),
    clientId: z
      .string()
      .describe("The URL of the client's metadata document, or the id from its registration."),
    registration: z
      .enum(["client_metadata", "dynamic"])
      .describe(
        "`client_metadata`: the host of `clientId` vouches for the client. `dynamic`: the client registered itself, and its name is only a claim.",
      ),
    redirectHost: z
      .string()
      .describe("Where the browser was sent after the consent: a host, or the scheme of an app."),
    memberId: idSchema("mem"),
    memberName: z.string(),
    scopes: z.array(z.enum(scopes)),
    lastUsedAt: z
      .int()
      .nullable()
      .describe("When it was last used, in milliseconds since 1970. Accurate to some seconds."),
    expiresAt: z
      .int()
      .describe("When the access ends if the client does not renew it, in milliseconds since 1970."),
    createdAt: z.int(),
  })
  .meta({ id: "McpClient" });
export type McpClient = z.output<typeof McpClient>;

export const list = route({
  method: "get",
  path: "/v1/mcp/clients",
  tag,
  summary: "List the MCP clients I connected; with `api_keys:manage` those of every member",
  description:
    "An MCP client is connected when a person signs in from it and allows access on the consent page. Newest first.",
  access: can("mcp_tokens:create"),
  query: pageQuery,
  replies: { 200: definePage(McpClient).meta({ id: "McpClientPage" }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/mcp/clients/{id}",
  tag,
  summary: "End the access of an MCP client at once",
  description:
    "Its access and refresh tokens are refused from then on, in every process. The client can ask the person again.",
  access: can("mcp_tokens:create"),
  params: z.strictObject({ id: z.string() }),
  replies: { 204: null },
  errors: { 404: "`mcp_client_not_found`" },
});
