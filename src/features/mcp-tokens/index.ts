import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { jobs } from "./jobs.ts";
import { routes } from "./routes.ts";
import { mcpPrefix, resolveMcpToken } from "./service.ts";
import { touchMcpTokensOfAll } from "./store.ts";

export { removeMcpTokensOfUser } from "./store.ts";

export const room = defineRoom({
  name: "mcp-tokens",
  tags: [{ name: "MCP Tokens", description: "Tokens that MCP clients call with." }],
  routes,
  jobs,
  permissions: ["mcp_tokens:create"] satisfies Permission[],
  credentials: [
    {
      kind: "mcp",
      carrier: "bearer",
      prefix: mcpPrefix,
      resolve: resolveMcpToken,
      recordUse: touchMcpTokensOfAll,
      scheme: { name: "mcpAuth", description: "MCP token, `sbm_…`, for seven days." },
    },
  ],
});
