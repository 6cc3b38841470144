import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { Access, NewAccess } from "../model.ts";

const tag = "MCP Connections";
const id = z.string().min(1).max(160);
const reply = z.strictObject({ access: Access.describe("Who may use it.") });
const params = z.strictObject({ id });
const errors = { 404: "`mcp_connection_not_found`" };

export const read = route({
  method: "get",
  path: "/v1/mcp-connections/{id}/access",
  tag,
  summary: "Read who may use an MCP connection",
  description: "The organization, teams, members and automations that it is granted to.",
  access: can("mcp_connections:manage"),
  params,
  replies: { 200: reply },
  errors,
});

export const replace = route({
  method: "put",
  path: "/v1/mcp-connections/{id}/access",
  tag,
  summary: "Say who may use an MCP connection",
  description:
    "Replaces all grants; omitted lists are empty. It takes effect with the next call. A run may use the connection when everybody may, or when its automation is granted.",
  access: can("mcp_connections:manage"),
  params,
  body: NewAccess,
  replies: { 200: reply },
  errors,
});
