import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export { Discovery, DiscoveryInput, EvidenceItem } from "./contract.ts";
export { runDiscovery } from "./service.ts";

export const room = defineRoom({
  name: "mcp-connections",
  tags: [
    { name: "MCP Connections", description: "Outside MCP servers, and the requirements to connect them." },
  ],
  routes,
  permissions: ["mcp:discover"] satisfies Permission[],
});
