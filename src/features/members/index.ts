import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export { Member } from "./contract.ts";
export { addMember } from "./service.ts";
export { claimMembership, findByUser as findMemberByUser } from "./store.ts";

export const room = defineRoom({
  name: "members",
  tags: [{ name: "Members", description: "Who belongs to an organization." }],
  routes,
  permissions: ["members:read", "members:manage"] satisfies Permission[],
});
