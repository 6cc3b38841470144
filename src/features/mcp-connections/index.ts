import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { fields } from "./fields.ts";
import { routes } from "./routes.ts";

export { Discovery, DiscoveryInput, EvidenceItem } from "./contract.ts";
export { createExposedName } from "./names.ts";
export { runDiscovery } from "./service.ts";

export const room = defineRoom({
  name: "mcp-connections",
  tags: [
    { name: "MCP Connections", description: "Outside MCP servers, and the requirements to connect them." },
  ],
  routes,
  fields,
  permissions: ["mcp:discover", "mcp_connections:use", "mcp_connections:manage"] satisfies Permission[],
});
