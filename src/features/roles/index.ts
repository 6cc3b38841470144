import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes } from "./routes.ts";

export {
  canStillGrant,
  checkMayChangeMember,
  lockAuthority,
  lockRights,
  requireFreshForOwner,
  requireFreshToGive,
  requireGrantableRole,
  requireOwner,
} from "./authority.ts";

export const room = defineRoom({
  name: "roles",
  tags: [{ name: "Roles", description: "Sets of permissions that members have." }],
  routes,
  permissions: ["roles:manage"] satisfies Permission[],
});
