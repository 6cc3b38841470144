import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, emptySql, filterOrder, join, listSource, type Sql, sql } from "../../platform/db/index.ts";
import type { Member } from "./contract.ts";

const columns = sql`m.id, m.user_id as "userId", u.email, u.name, m.role, coalesce(r.name, initcap(m.role)) as "roleName",
  coalesce((select json_agg(json_build_object('id', t.id, 'name', t.name) order by t.name)
    from team_members x join teams t on t.id = x.team_id where x.member_id = m.id), '[]') as teams,
  m.deactivated_at as "deactivatedAt", m.managed_by as "managedBy", m.managed_fields as "managedFields",
  m.created_at as "createdAt"`;
const tables = sql`members m join users u on u.id = m.user_id left join roles r on r.id = m.role and r.org_id = m.org_id`;

export const insert = (
  db: Db,
  orgId: OrgId,
  { id, userId, role }: { id: MemberId; userId: UserId; role: string },
) =>
  db.row<{ email: string }>(sql`
    insert into members as m (id, org_id, user_id, role) values (${id}, ${orgId}, ${userId}, ${role})
    returning (select u.email from users u where u.id = m.user_id) as email`);

export interface Filter {
  search?: string | undefined;
  role?: string | undefined;
  teamId?: string | undefined;
  status?: "active" | "deactivated" | undefined;
}

export const list = (db: Db, orgId: OrgId, { search, role, teamId, status }: Filter) => {
  const conditions = [
    teamId === undefined || role === undefined ? null : sql`m.role = ${role}`,
    status === undefined ? null : sql`(m.deactivated_at is null) = ${status === "active"}`,
    search === undefined ? null : sql`strpos(lower(u.name || ' ' || u.email), lower(${search})) > 0`,
  ].filter((condition) => condition !== null);
  const id = filterOrder(sql`m.id`);
  const next = (after: string, count: Sql) =>
    teamId !== undefined
      ? sql`select x.member_id as id from team_members x
          where x.team_id = ${teamId} and x.org_id = ${orgId} and x.member_id < ${after}
          order by x.member_id desc limit ${count}`
      : sql`select m.id from members m
          where m.org_id = ${orgId} ${role === undefined ? emptySql : sql`and m.role = ${role}`} and ${id} < ${after}
          order by ${id} desc limit ${count}`;
  // A scalar subquery looks up one row for each candidate. A join might read the whole table.
  const matches =
    conditions.length === 0
      ? sql`true`
      : sql`(select ${join(conditions, " and ")} from members m join users u on u.id = m.user_id where m.id = next.id)`;
  return listSource<Member>(db, {
    filtered: conditions.length > 0,
    candidates: (after, count) =>
      sql`select next.id, ${matches} as matches from (${next(after, count)}) next`,
    rows: (ids) => sql`select ${columns} from ${tables} where m.id = any(${ids})`,
  });
};

export const find = (db: Db, orgId: OrgId, id: MemberId) =>
  db.row<Member>(sql`select ${columns} from ${tables} where m.org_id = ${orgId} and m.id = ${id}`);

export const findByUser = (db: Db, orgId: OrgId, userId: UserId) =>
  db.row<Member>(sql`select ${columns} from ${tables} where m.org_id = ${orgId} and m.user_id = ${userId}`);

export const setRole = (db: Db, orgId: OrgId, id: MemberId, role: string) =>
  db.run(sql`update members set role = ${role} where org_id = ${orgId} and id = ${id}`);

/** Also deletes the member's keys, tokens, runners and team memberships. */
export const remove = (db: Db, orgId: OrgId, id: MemberId) =>
  db.run(sql`delete from members where org_id = ${orgId} and id = ${id}`);

/** Only active owners count. */
export const hasOtherOwner = async (db: Db, orgId: OrgId, id: MemberId): Promise<boolean> =>
  (await db.row(
    sql`select 1 from members where org_id = ${orgId} and role = 'owner' and id <> ${id}
      and deactivated_at is null limit 1`,
  )) !== undefined;

/** True for the owner who may sign in although the organization requires single sign-on. */
export const isBreakGlass = async (db: Db, orgId: OrgId, id: MemberId): Promise<boolean> =>
  (await db.row(
    sql`select 1 from organizations where id = ${orgId} and break_glass_member_id = ${id} and require_sso`,
  )) !== undefined;

/** Gives the provisional member of an unclaimed workspace, with everything it made, to this person. */
export const claimMembership = (db: Db, orgId: OrgId, userId: UserId) =>
  db.row<{ id: MemberId; formerUserId: UserId }>(sql`
    update members m set user_id = ${userId}, role = 'owner' from members before join users u on u.id = before.user_id
    where before.id = m.id and m.org_id = ${orgId} and u.provisional
    returning m.id, before.user_id as "formerUserId"`);

/** Who deactivated a member. A directory reactivates only members whom a directory deactivated. */
export type Deactivator = "admin" | "directory";

/** Null reactivates the member. The time of an earlier deactivation stays. */
export const setDeactivated = (db: Db, orgId: OrgId, id: MemberId, by: Deactivator | null) =>
  db.run(sql`
    update members set deactivated_by = ${by}::text,
      deactivated_at = case when ${by}::text is not null then coalesce(deactivated_at, now()) end
    where org_id = ${orgId} and id = ${id}`);

export const findDeactivator = async (db: Db, orgId: OrgId, id: MemberId): Promise<Deactivator | null> =>
  (
    await db.row<{ by: Deactivator | null }>(
      sql`select deactivated_by as by from members where org_id = ${orgId} and id = ${id}`,
    )
  )?.by ?? null;

type FormerReason = "removed" | "deprovisioned";

/**
 * Stores the address, because the person may delete the account and create a new one. If the directory removed the person,
 * the reason stays `deprovisioned` when an admin removes the member too.
 */
export const addFormer = (db: Db, orgId: OrgId, email: string, reason: FormerReason) =>
  db.run(sql`
    insert into former_members as f (org_id, email, reason) values (${orgId}, ${email}, ${reason})
    on conflict (org_id, email) do update set removed_at = now(),
      reason = case when f.reason = 'deprovisioned' then f.reason else excluded.reason end`);

export const removeFormer = (db: Db, orgId: OrgId, email: string) =>
  db.run(sql`delete from former_members where org_id = ${orgId} and email = ${email}`);

/** Undefined for somebody who was never removed, or was added or invited again since. */
export const findFormerReason = async (db: Db, orgId: OrgId, email: string) =>
  (
    await db.row<{ reason: FormerReason }>(
      sql`select reason from former_members where org_id = ${orgId} and email = ${email}`,
    )
  )?.reason;

export const isFormerMember = async (db: Db, orgId: OrgId, email: string): Promise<boolean> =>
  (await findFormerReason(db, orgId, email)) !== undefined;

/** Whether the directory has users with this address and none of them is active. They may be linked to no member. */
export const isInactiveInDirectory = async (db: Db, orgId: OrgId, email: string): Promise<boolean> =>
  (
    await db.row<{ isActive: boolean | null }>(sql`
      select bool_or(s.active) as "isActive" from scim_users s where s.org_id = ${orgId}
        and s.id in (
          select n.id from scim_users n where n.user_name_key = ${email} and n.org_id = ${orgId}
          union select e.user_id from scim_user_emails e where e.email_key = ${email} and e.org_id = ${orgId})`)
  )?.isActive === false;

/** What a directory decides about a member besides deactivation and removal. Null: nobody manages the member. */
export const setManagement = (
  db: Db,
  orgId: OrgId,
  id: MemberId,
  { managedBy, managesName }: { managedBy: string | null; managesName: boolean },
) =>
  db.run(sql`
    update members set managed_by = ${managedBy},
      managed_fields = case when ${managedBy}::text is null then '{}'
        else array_remove(managed_fields, 'name') || case when ${managesName} then '{name}'::text[] else '{}' end end
    where org_id = ${orgId} and id = ${id}`);

/**
 * Gives these members a role by mapping, or with `isMapped` false a role that people may change again. Owners are made
 * and changed by owners, so they stay as they are.
 */
export const setMappedRole = (
  db: Db,
  orgId: OrgId,
  ids: readonly MemberId[],
  { role, isMapped }: { role: string; isMapped: boolean },
) =>
  db.run(sql`
    update members set role = ${role},
      managed_fields = array_remove(managed_fields, 'role') || case when ${isMapped} then '{role}'::text[] else '{}' end
    where org_id = ${orgId} and id = any(${ids}::text[]) and role <> 'owner'`);

/** Members of a removed connector are managed by people again. Returns how many there were. */
export const releaseManagedMembers = async (db: Db, orgId: OrgId, managedBy: string) => {
  await db.run(sql`
    update former_members set reason = 'removed' where org_id = ${orgId} and reason = 'deprovisioned'`);
  return db.run(sql`
    update members set managed_by = null, managed_fields = '{}'
    where org_id = ${orgId} and managed_by = ${managedBy}`);
};
