import type { Membership } from "../../platform/context.ts";
import { permissionsOfRole } from "./catalogue.ts";

/** What a store selects to know what a credential may do in an organization. */
export interface MembershipRow {
  memberId: Membership["id"];
  orgId: Membership["orgId"];
  role: string;
  rolePermissions: string[] | null;
  sessionMaxAgeMinutes: number | null;
  requireSso: boolean;
}

/** `narrowedTo` are the permissions a key was limited to; it never has more than its member. */
export function membershipFrom(row: MembershipRow, narrowedTo: readonly string[] | null = null): Membership {
  const all = permissionsOfRole(row.role, row.rolePermissions);
  return {
    id: row.memberId,
    orgId: row.orgId,
    role: row.role,
    permissions: narrowedTo ? new Set(narrowedTo.filter((name) => all.has(name))) : all,
    sessionMaxAgeMinutes: row.sessionMaxAgeMinutes,
    requireSso: row.requireSso,
  };
}
