export { findAddress, findDomain } from "./address.ts";
export { applyMappings, listValidRoles } from "./mappings.ts";
export { applyUser, deprovisionUser } from "./service.ts";
export { hasMember } from "./store.ts";
