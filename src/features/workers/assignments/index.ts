export { assignedIds, label } from "./contract.ts";
export { routes } from "./routes.ts";
export { checkAssignments } from "./service.ts";
