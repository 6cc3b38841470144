import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export { Member } from "./contract.ts";
export { deactivateMember, reactivateMember } from "./deactivation.ts";
export { addMember } from "./service.ts";
export {
  addFormer as addFormerMember,
  claimMembership,
  find as findMember,
  findByUser as findMemberByUser,
  findFormerReason,
  isFormerMember,
  isInactiveInDirectory,
  releaseManagedMembers,
  removeFormer as clearFormerMember,
  setManagement,
  setMappedRole,
  setRole as setMemberRole,
} from "./store.ts";

export const room = defineRoom({
  name: "members",
  tags: [{ name: "Members", description: "The people in an organization." }],
  routes,
  permissions: ["members:read", "members:manage"] satisfies Permission[],
});
