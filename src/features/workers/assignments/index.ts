export { assignedIds, label } from "./contract.ts";
export { routes } from "./routes.ts";
export { checkAssignments, checkMayGetToken } from "./service.ts";
