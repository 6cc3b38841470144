import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";

interface MembershipRow {
  organizationId: OrgId;
  organizationName: string;
  organizationSlug: string;
  memberId: MemberId;
  role: string;
  roleName: string;
  suspendedAt: number | null;
  isDemo: boolean;
}

/** Lists the organizations of a person, who has few. An entry of the instance's audit chain names the demo workspace. */
export const listMemberships = (db: Db, userId: UserId) =>
  db.rows<MembershipRow>(sql`
    select o.id as "organizationId", o.name as "organizationName", o.slug as "organizationSlug", m.id as "memberId", m.role,
      coalesce(r.name, initcap(m.role)) as "roleName", o.suspended_at as "suspendedAt",
      exists (select from audit_events e where e.scope = 'instance' and e.target_id = o.id
        and e.action = 'demo.created') as "isDemo"
    from members m join organizations o on o.id = m.org_id left join roles r on r.id = m.role and r.org_id = m.org_id
    where m.user_id = ${userId} and m.deactivated_at is null order by m.id limit 500`);

export const isMember = async (db: Db, userId: UserId, orgId: string): Promise<boolean> =>
  (await db.row(
    sql`select 1 from members where user_id = ${userId} and org_id = ${orgId} and deactivated_at is null`,
  )) !== undefined;

/** Also true for a deactivated member of another organization. */
export const isMemberElsewhere = async (db: Db, userId: UserId, orgId: OrgId): Promise<boolean> =>
  (await db.row(sql`select 1 from members where user_id = ${userId} and org_id <> ${orgId} limit 1`)) !==
  undefined;

/** Whether the directory of an organization decides the name of this person. */
export const isNameManaged = async (db: Db, userId: UserId): Promise<boolean> =>
  (await db.row(sql`
    select 1 from members where user_id = ${userId} and managed_by is not null and 'name' = any(managed_fields)`)) !==
  undefined;

/** Until the transaction ends, this person cannot join an organization. */
export const lockUser = (tx: Db, userId: UserId) =>
  tx.row<{ id: UserId }>(sql`select id from users where id = ${userId} for update`);

interface RemainingOrganization {
  orgId: OrgId;
  memberId: MemberId;
  name: string;
  slug: string;
  role: string;
  hasOthers: boolean;
  hasOtherOwner: boolean;
  isDeactivated: boolean;
  isSuspended: boolean;
}

/** Lists the person's organizations, and whether each has other members and other owners. */
export const listRemainingOrganizations = (db: Db, userId: UserId) =>
  db.rows<RemainingOrganization>(sql`
    select o.id as "orgId", m.id as "memberId", o.name, o.slug, m.role,
      exists (select 1 from members x where x.org_id = o.id and x.id <> m.id) as "hasOthers",
      exists (select 1 from members x where x.org_id = o.id and x.role = 'owner' and x.id <> m.id
        and x.deactivated_at is null) as "hasOtherOwner", m.deactivated_at is not null as "isDeactivated",
      o.suspended_at is not null as "isSuspended"
    from members m join organizations o on o.id = m.org_id where m.user_id = ${userId} order by o.id`);
