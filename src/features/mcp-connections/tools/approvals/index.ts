export { routes } from "./routes.ts";
export { sealedColumns } from "./sealing.ts";
export { requireApproval, tidyApprovals } from "./service.ts";
