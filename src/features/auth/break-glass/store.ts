import type { MemberId, OrgId, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

/** The organizations that require single sign-on and let this person in without it. */
export const listByUserAcrossOrganizations = (db: Db, userId: UserId) =>
  db.rows<{ orgId: OrgId; memberId: MemberId; organization: string }>(sql`
    select o.id as "orgId", m.id as "memberId", o.name as organization
    from members m join organizations o on o.break_glass_member_id = m.id and o.id = m.org_id
    where m.user_id = ${userId} and o.require_sso order by o.id`);

export const listOwners = (db: Db, orgId: OrgId) =>
  db.rows<{ email: string; name: string }>(sql`
    select u.email, u.name from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = 'owner' and m.deactivated_at is null order by m.id limit 50`);
