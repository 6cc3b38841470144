import type { OrgId, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { MyNotificationSettings, NotificationSettings } from "./contract.ts";

export const find = async (db: Db, orgId: OrgId) =>
  (
    await db.row<{ settings: NotificationSettings }>(
      sql`select settings from notification_settings where org_id = ${orgId}`,
    )
  )?.settings;

export const save = (db: Db, orgId: OrgId, settings: NotificationSettings) =>
  db.run(sql`
    insert into notification_settings (org_id, settings) values (${orgId}, ${JSON.stringify(settings)}::text::jsonb)
    on conflict (org_id) do update set settings = excluded.settings, updated_at = now()`);

export const findByMember = async (db: Db, orgId: OrgId, memberId: string) =>
  (
    await db.row<{ settings: MyNotificationSettings }>(sql`
      select settings from member_notification_settings where org_id = ${orgId} and member_id = ${memberId}`)
  )?.settings;

export const saveForMember = (db: Db, orgId: OrgId, memberId: string, settings: MyNotificationSettings) =>
  db.run(sql`
    insert into member_notification_settings (member_id, org_id, settings)
    values (${memberId}, ${orgId}, ${JSON.stringify(settings)}::text::jsonb)
    on conflict (member_id) do update set settings = excluded.settings, updated_at = now()`);

export const isVerified = async (db: Db, userId: UserId): Promise<boolean> =>
  (
    await db.row<{ verified: boolean }>(
      sql`select email_verified as verified from users where id = ${userId}`,
    )
  )?.verified ?? false;

export interface Candidate {
  id: string;
  role: string;
  rolePermissions: string[] | null;
  settings: MyNotificationSettings | null;
  /** True when the address is confirmed. Only then mail is sent to it. */
  reachable: boolean;
}

/** Lists the member that an event concerns, owners and admins, and members who chose all events of the type. */
export const listCandidates = (db: Db, orgId: OrgId, memberId: string | null, type: string, limit: number) =>
  db.rows<Candidate>(sql`
    select m.id, m.role, r.permissions as "rolePermissions", s.settings,
      u.email_verified and not u.provisional as reachable
    from members m join users u on u.id = m.user_id
    left join roles r on r.id = m.role and r.org_id = m.org_id
    left join member_notification_settings s on s.member_id = m.id
    where m.org_id = ${orgId} and m.deactivated_at is null and m.id in (
      select ${memberId}::text
      union all
      (select a.id from members a where a.org_id = ${orgId} and a.role in ('owner', 'admin') and a.deactivated_at is null limit ${limit})
      union all
      (select w.member_id from member_notification_settings w
        where w.org_id = ${orgId} and w.settings -> 'mail' ->> ${type} = 'all' limit ${limit}))
    order by m.id`);

/** Owners and admins with a confirmed address. */
export const listAdmins = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{ id: string }>(sql`
    select m.id from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role in ('owner', 'admin') and m.deactivated_at is null
      and u.email_verified and not u.provisional
    order by m.id limit ${limit}`);
