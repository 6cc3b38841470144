export { sealArguments, sealedColumns } from "./approvals/index.ts";
export {
  type Allowed,
  type CheckedConnection,
  checkCall,
  confirmTool,
} from "./check.ts";
export type { DriftKind, ToolDefinition } from "./contract.ts";
export { hashArguments, listingLimits, normalizeListing, type ToolListing } from "./definitions/index.ts";
export { fields } from "./fields.ts";
export { jobs } from "./jobs.ts";
export { type Drift, type RecordOptions, recordListing } from "./recording/index.ts";
export { routes } from "./routes.ts";
export { listInstructions, listTools, type ToolSource, type UsableTool } from "./service.ts";
