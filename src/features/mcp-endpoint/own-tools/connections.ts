import { z } from "zod";
import { room } from "../../mcp-connections/index.ts";
import { defineTool, findRoute } from "./define.ts";

export const connectionTools = [
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
