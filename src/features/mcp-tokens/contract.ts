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
    lastUsedAt: z.int().nullable().describe("To within some seconds."),
    createdAt: z.int(),
  })
  .meta({ id: "McpToken" });
export type McpToken = z.output<typeof McpToken>;

export const create = route({
  method: "post",
  path: "/v1/mcp/token",
  tag,
  summary: "Make a token for an MCP client, for myself in the active organization",
  description: "Good for 7 days, shown in this reply and never again. `GET /v1/me` tells whether it is good.",
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
  replies: { 201: z.strictObject({ mcpToken: McpToken, token: z.string() }) },
});

export const list = route({
  method: "get",
  path: "/v1/mcp/tokens",
  tag,
  summary: "My MCP tokens; those of every member with `api_keys:manage`",
  description: "Newest first, without the tokens themselves: those are shown once, when they are made.",
  access: can("mcp_tokens:create"),
  query: pageQuery,
  replies: { 200: definePage(McpToken).meta({ id: "McpTokenPage" }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/mcp/tokens/{id}",
  tag,
  summary: "End an MCP token at once",
  description: "Calls with it are refused from then on, in every process.",
  access: can("mcp_tokens:create"),
  params: z.strictObject({ id: z.string() }),
  replies: { 204: null },
  errors: { 404: "`mcp_token_not_found`" },
});
