export { sealArguments, sealedColumns } from "./approvals/index.ts";
export { type CallableTool, callableLookups, findCallable, readExposedName } from "./callable.ts";
export {
  type Allowed,
  checkCall,
  confirmTool,
} from "./check.ts";
export { hashArguments, normalizeListing, type ToolListing } from "./definitions/index.ts";
export { fields } from "./fields.ts";
export { jobs } from "./jobs.ts";
export { comparedListings, forgetAccount, recordListing } from "./recording/index.ts";
export { routes } from "./routes.ts";
export { listTools, type UsableTool } from "./service.ts";
