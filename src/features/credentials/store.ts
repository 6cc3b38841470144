import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, type Sql, sql } from "../../platform/db/index.ts";
import type { CredentialEnding } from "../../platform/http/index.ts";
import { isSuspended } from "../suspension/index.ts";

/** A member and its role, as every lookup of a credential selects them. */
export interface MembershipRow {
  userId: UserId;
  memberId: MemberId;
  orgId: OrgId;
  role: string;
  rolePermissions: string[] | null;
  isSuspended: boolean;
}

/** For a credential that is also valid outside of an organization. */
export type NoMembership = { [column in keyof MembershipRow]: null };

/**
 * The columns of `MembershipRow`, for a lookup that joins `members m` and then `customRole`. Every credential of a
 * person is found with them, so none can be used in a suspended organization.
 */
export const membershipColumns = sql`m.user_id as "userId", m.id as "memberId", m.org_id as "orgId", m.role,
  custom.permissions as "rolePermissions", ${isSuspended(sql`m.org_id`)} as "isSuspended"`;
export const customRole = sql`left join roles custom on custom.id = m.role and custom.org_id = m.org_id`;

/** Every lookup of a credential has this condition on `members m`, so that a deactivated member has no access. */
export const isActiveMember = sql`m.deactivated_at is null`;

/** Undefined when the member is deactivated. */
export const findMembership = (db: Db, orgId: OrgId, memberId: MemberId) =>
  db.row<MembershipRow>(sql`
    select ${membershipColumns} from members m ${customRole}
    where m.org_id = ${orgId} and m.id = ${memberId} and ${isActiveMember}`);

/** For changes of the member by somebody else. The member may be deactivated. */
export const findRoleOfMember = (db: Db, orgId: OrgId, memberId: MemberId) =>
  db.row<Pick<MembershipRow, "role" | "rolePermissions">>(sql`
    select m.role, custom.permissions as "rolePermissions" from members m ${customRole}
    where m.org_id = ${orgId} and m.id = ${memberId}`);

/** The columns that record when a credential was last used. */
interface LastUse {
  table: Sql;
  set: Sql;
  /** Only rows with this condition are written. */
  where?: Sql;
}

/** Skips rows that somebody else is changing, so that no transaction waits for this one. */
export const recordUseAcrossOrganizations = (
  db: Db,
  { table, set, where = sql`true` }: LastUse,
  ids: readonly string[],
) =>
  db.run(sql`
    update ${table} set ${set}
    where id in (select id from ${table} where id = any(${ids}::text[]) for update skip locked) and ${where}`);

export const endOfUser = (db: Db, userId: UserId, ending: CredentialEnding) =>
  ending.end(db, sql`m.user_id = ${userId}`);

export const endOfMember = (db: Db, orgId: OrgId, memberId: MemberId, ending: CredentialEnding) =>
  ending.end(db, sql`m.org_id = ${orgId} and m.id = ${memberId}`);
