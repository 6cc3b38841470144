export { definePersonalCredential } from "./kinds.ts";
export { createMembership } from "./membership.ts";
export { endCredentialsOfMember, endCredentialsOfUser } from "./service.ts";
export { type CredentialLookup, findMembership, type LastUse, type MembershipRow } from "./store.ts";
