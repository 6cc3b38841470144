export { definePersonalCredential } from "./kinds.ts";
export { createMembership } from "./membership.ts";
export { endCredentialsOfMember, endCredentialsOfUser } from "./service.ts";
export { CredentialLookup, findMembership, type LastUse, requestedOrganization } from "./store.ts";
