export { checkAbove, couldGrant, grantableRole, lockAuthority, lockRights, ownersOnly } from "./authority.ts";
export { routes } from "./routes.ts";
