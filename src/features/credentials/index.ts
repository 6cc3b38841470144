export { definePersonalCredential } from "./kinds.ts";
export { createMembership } from "./membership.ts";
export { endCredentialsOfMember, endCredentialsOfUser } from "./service.ts";
export { type CredentialLookup, findMembership, type LastUse } from "./store.ts";
