import { defineRoom } from "../../platform/rooms.ts";
import { mcpClientCredential } from "./credential.ts";
import { routes } from "./routes.ts";

export const room = defineRoom({
  name: "mcp-authorization",
  tags: [{ name: "MCP Clients", description: "MCP clients that people connected by signing in." }],
  routes,
  credentials: [mcpClientCredential],
});
