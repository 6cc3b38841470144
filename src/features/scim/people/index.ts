export { applyMappings, listValidRoles } from "./mappings.ts";
export { applyUser, deprovisionUser } from "./service.ts";
