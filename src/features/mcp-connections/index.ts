import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { callFields } from "./calls/index.ts";
import { routes } from "./routes.ts";

export { Discovery, DiscoveryInput, EvidenceItem } from "./contract.ts";
export { runDiscovery } from "./service.ts";

export const room = defineRoom({
  name: "mcp-connections",
  tags: [
    { name: "MCP Connections", description: "Outside MCP servers, and the requirements to connect them." },
    { name: "MCP Calls", description: "The log of calls of tools through MCP connections." },
  ],
  routes,
  fields: callFields,
  permissions: ["mcp:discover", "mcp_connections:use", "mcp_connections:manage"] satisfies Permission[],
});
