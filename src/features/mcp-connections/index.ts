import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { retriedCredentials } from "./credentials/index.ts";
import { fields } from "./fields.ts";
import { jobs } from "./jobs.ts";
import { routes } from "./routes.ts";
import { sealedColumns } from "./sealing.ts";

export {
  createRedaction,
  Discovery,
  DiscoveryInput,
  EvidenceItem,
  fitForKeeping,
  runDiscovery,
} from "./discovery/index.ts";
export { createExposedName } from "./names.ts";

export const room = defineRoom({
  name: "mcp-connections",
  tags: [
    {
      name: "MCP Connections",
      description:
        "Outside MCP servers: how they must be connected, who may use them, and their credentials.",
    },
    { name: "MCP Calls", description: "The log of calls of tools through MCP connections." },
  ],
  routes,
  fields,
  jobs,
  sealedColumns,
  state: [retriedCredentials],
  permissions: ["mcp:discover", "mcp_connections:use", "mcp_connections:manage"] satisfies Permission[],
});
