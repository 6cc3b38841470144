import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import {
  callBreaker,
  callJobs,
  callLimiter,
  callLog,
  limitReports,
  listingRefresher,
  sealedPayloads,
} from "./calls/index.ts";
import { retriedCredentials } from "./credentials/index.ts";
import { fields } from "./fields.ts";
import { jobs } from "./jobs.ts";
import { routes } from "./routes.ts";
import { sealedColumns } from "./sealing.ts";
import {
  callableLookups,
  comparedListings,
  sealedColumns as toolColumns,
  jobs as toolJobs,
} from "./tools/index.ts";
import { sessionPool } from "./upstream/index.ts";
import { watchJobs } from "./watch/index.ts";

export { listUsable } from "./access/index.ts";
export { callTool } from "./calls/index.ts";
export {
  createRedaction,
  Discovery,
  DiscoveryInput,
  EvidenceItem,
  fitForKeeping,
  runDiscovery,
} from "./discovery/index.ts";
export { mineStateOf } from "./member-states/index.ts";
export type { UsableConnection } from "./model.ts";
export { sealHeaders } from "./sealing.ts";
export { onToolChange } from "./tool-changes.ts";
export {
  type CallableTool,
  findCallable,
  hashArguments,
  listTools,
  normalizeListing,
  readExposedName,
  sealArguments,
  type UsableTool,
} from "./tools/index.ts";

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
  jobs: [...jobs, ...toolJobs, ...watchJobs, ...callJobs],
  sealedColumns: [...sealedColumns, ...toolColumns, sealedPayloads],
  state: [
    retriedCredentials,
    sessionPool,
    callLog,
    callLimiter,
    callBreaker,
    listingRefresher,
    limitReports,
    comparedListings,
    callableLookups,
  ],
  permissions: ["mcp:discover", "mcp_connections:use", "mcp_connections:manage"] satisfies Permission[],
});
