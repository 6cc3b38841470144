export { checkMayChangeRequirement, checkMayRequireSso, endCredentialsOfLockedOut } from "./service.ts";
