import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export {
  DiscoveryError,
  type DiscoveryResult,
  discoverRequirements,
  type Evidence,
} from "./engine/index.ts";
export { findUrlProblem } from "./url.ts";

export const room = defineRoom({
  name: "mcp-connections",
  tags: [{ name: "MCP Connections", description: "Outside MCP servers, and what connecting them takes." }],
  routes,
  permissions: ["mcp:discover"] satisfies Permission[],
});
