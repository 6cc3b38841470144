import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export { Organization } from "./contract.ts";
export {
  allowsAddress,
  deleteOrganizationRows,
  insertOrganization,
  removeOrganization,
} from "./service.ts";
export {
  find as findOrganization,
  listByUser as listOrganizations,
  lock as lockOrganization,
  markClaimed as markOrganizationClaimed,
  setSuspension,
} from "./store.ts";

export const room = defineRoom({
  name: "organizations",
  tags: [{ name: "Organizations", description: "Organizations, also called workspaces." }],
  routes,
  permissions: ["organization:read", "organization:update", "organization:delete"] satisfies Permission[],
});
