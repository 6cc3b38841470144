import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export { findPermissionsToAdd } from "./service.ts";
export { addMember as addToTeams, countExisting as countTeams, listGrantees } from "./store.ts";

export const room = defineRoom({
  name: "teams",
  tags: [{ name: "Teams", description: "Members who are granted things together." }],
  routes,
  permissions: ["teams:manage"] satisfies Permission[],
});
