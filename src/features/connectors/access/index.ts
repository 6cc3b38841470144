export { authorized, type Credentials } from "./authorize.ts";
export { Access, AccessInput, installationId } from "./contract.ts";
export { type KeptAccess, keepAccess, sealedAccess } from "./keep.ts";
