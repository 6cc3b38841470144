import { z } from "zod";
import { room } from "../../mcp-connections/index.ts";
import { defineTool, findRoute, page, readOnly } from "./define.ts";

export const connectionTools = [
  defineTool({
    name: "list_connections",
    title: "List MCP connections",
    description:
      "Lists the connections to outside MCP servers that you may use, and what a person must do before they work. With the permission mcp_connections:manage, all connections. Newest first.",
    route: findRoute(room.routes, "getV1McpConnections"),
    input: z.strictObject(page),
    annotations: readOnly,
    toInput: (query) => ({ query }),
  }),
  defineTool({
    name: "discover_mcp_server",
    title: "Discover an MCP server",
    description:
      "Finds out how an outside MCP server must be connected: authentication, authorization servers, scopes, registration and tools. Nothing is registered or stored, and no tool is called.",
    route: findRoute(room.routes, "postV1McpConnectionsDiscover"),
    input: z.strictObject({
      url: z.string().max(2048).describe("Where the MCP server answers. http or https, without credentials."),
    }),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    toInput: (body) => ({ body }),
  }),
];
