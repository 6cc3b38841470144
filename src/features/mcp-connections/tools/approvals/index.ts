export { routes } from "./routes.ts";
export { sealArguments, sealedColumns } from "./sealing.ts";
export { requireApproval, tidyApprovals } from "./service.ts";
