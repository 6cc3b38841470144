import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";

const tag = "MCP Tokens";

const scopes = ["mcp:read", "mcp:write"] as const;

const McpToken = z
  .strictObject({
    id: idSchema("mcp"),
    name: z.string(),
    start: z.string().describe("The first letters of the token, to tell tokens apart."),
    memberId: idSchema("mem"),
    scopes: z.array(z.enum(scopes)),
    expiresAt: z.int(),
    lastUsedAt: z
      .int()
      .nullable()
      .describe("When it was last used, in milliseconds since 1970. Accurate to some seconds."),
    createdAt: z.int(),
  })
  .meta({ id: "McpToken" });
export type McpToken = z.output<typeof McpToken>;

export const create = route({
  method: "post",
  path: "/v1/mcp/token",
  tag,
  summary: "Create a token for an MCP client, for myself in the active organization",
  description:
    "Valid for 7 days. The token is shown only in this reply. `GET /v1/me` tells whether it is valid.",
  access: can("mcp_tokens:create", { credentials: ["session"] }),
  body: z.strictObject({
    name: lineOfText(120).default("MCP client"),
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .max(scopes.length)
      .default(["mcp:read"])
      .describe("`mcp:write` does not include `mcp:read`."),
  }),
  bodyOptional: true,
  replies: { 201: z.strictObject({ mcpToken: McpToken, token: z.string() }) },
});

export const list = route({
  method: "get",
  path: "/v1/mcp/tokens",
  tag,
  summary: "List my MCP tokens; with `api_keys:manage` those of every member",
  description: "Newest first, without the tokens themselves: those are shown once, when they are made.",
  access: can("mcp_tokens:create"),
  query: pageQuery,
  replies: { 200: definePage(McpToken).meta({ id: "McpTokenPage" }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/mcp/tokens/{id}",
  tag,
  summary: "Revoke an MCP token at once",
  description: "Requests with it are refused from then on, in every process.",
  access: can("mcp_tokens:create"),
  params: z.strictObject({ id: z.string() }),
  replies: { 204: null },
  errors: { 404: "`mcp_token_not_found`" },
});
