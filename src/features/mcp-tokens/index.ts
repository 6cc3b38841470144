import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { mcpCredential } from "./credential.ts";
import { jobs } from "./jobs.ts";
import { routes } from "./routes.ts";

export const room = defineRoom({
  name: "mcp-tokens",
  tags: [{ name: "MCP Tokens", description: "Tokens for MCP clients." }],
  routes,
  jobs,
  permissions: ["mcp_tokens:create"] satisfies Permission[],
  credentials: [mcpCredential],
});
