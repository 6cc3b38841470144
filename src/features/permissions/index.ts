import { member } from "../../platform/http/index.ts";
import type { Permission } from "./catalogue.ts";

export {
  builtInRoles,
  catalogue,
  ownerPermissions,
  type Permission,
  permissions,
  permissionsOfRole,
} from "./catalogue.ts";

/** The access of a route that needs a permission in the active organization. */
export const can = (permission: Permission, options: Parameters<typeof member>[0] = {}) =>
  ({ ...member(options), permission }) as const;

/** The same for members and for machines of the organization. The handler gets an `OrganizationCtx`. */
export const canWithMachines = (permission: Permission, options: Parameters<typeof member>[0] = {}) =>
  ({ ...can(permission, options), machines: true }) as const;
