export { routes } from "./routes.ts";
export { sealArguments, sealedColumns } from "./sealing.ts";
export { type ApprovedCall, requireApproval, tidyApprovals } from "./service.ts";
