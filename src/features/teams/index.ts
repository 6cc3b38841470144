import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export { setMappedTeams } from "./mapped-teams.ts";
export { checkMayMap, findPermissionsToAdd } from "./service.ts";
export {
  addMember as addToTeams,
  countExisting as countTeams,
  joinTeams,
  leaveTeams,
  listGrantees,
  lock as lockTeams,
  releaseManagedTeams,
} from "./store.ts";

export const room = defineRoom({
  name: "teams",
  tags: [{ name: "Teams", description: "Members who are granted access together." }],
  routes,
  permissions: ["teams:manage"] satisfies Permission[],
});
