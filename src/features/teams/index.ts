import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export { rightsToAdd } from "./service.ts";
export { addTo as addToTeams, countThere as countTeams, granteesOf } from "./store.ts";

export const room = defineRoom({
  name: "teams",
  tags: [{ name: "Teams", description: "Members who are granted things together." }],
  routes,
  permissions: ["teams:manage"] satisfies Permission[],
});
