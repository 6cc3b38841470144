import type { Membership } from "../../platform/context.ts";
import { permissionsOfRole } from "../permissions/index.ts";
import type { MembershipRow } from "./store.ts";

/**
 * `limitedTo` are the permissions of the credential. It never has more than its member, and none in a suspended
 * organization.
 */
export function createMembership(
  row: Omit<MembershipRow, "userId">,
  limitedTo: readonly string[] | null = null,
): Membership {
  const all = row.isSuspended ? new Set<string>() : permissionsOfRole(row.role, row.rolePermissions);
  return {
    id: row.memberId,
    orgId: row.orgId,
    role: row.role,
    isSuspended: row.isSuspended,
    permissions: limitedTo ? new Set(limitedTo.filter((name) => all.has(name))) : all,
  };
}
