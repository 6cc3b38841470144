export { definePersonalCredential } from "./kinds.ts";
export { createMembership } from "./membership.ts";
export { endCredentialsOfMember, endCredentialsOfUser, keepCredential } from "./service.ts";
export {
  customRole,
  findMembership,
  findRoleOfMember,
  isActiveMember,
  type MembershipRow,
  membershipColumns,
  type NoMembership,
  recordUseAcrossOrganizations,
} from "./store.ts";
