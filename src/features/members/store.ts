import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, emptySql, filterOrder, join, listSource, type Sql, sql } from "../../platform/db/index.ts";
import type { Member } from "./contract.ts";

const columns = sql`m.id, m.user_id as "userId", u.email, u.name, m.role, coalesce(r.name, initcap(m.role)) as "roleName",
  coalesce((select json_agg(json_build_object('id', t.id, 'name', t.name) order by t.name)
    from team_members x join teams t on t.id = x.team_id where x.member_id = m.id), '[]') as teams,
  m.created_at as "createdAt"`;
const tables = sql`members m join users u on u.id = m.user_id left join roles r on r.id = m.role and r.org_id = m.org_id`;

export const insert = (
  db: Db,
  orgId: OrgId,
  { id, userId, role }: { id: MemberId; userId: UserId; role: string },
) =>
  db.run(sql`insert into members (id, org_id, user_id, role) values (${id}, ${orgId}, ${userId}, ${role})`);

export interface Filter {
  search?: string | undefined;
  role?: string | undefined;
  teamId?: string | undefined;
}

export const list = (db: Db, orgId: OrgId, { search, role, teamId }: Filter) => {
  const conditions = [
    teamId === undefined || role === undefined ? null : sql`m.role = ${role}`,
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

export const hasOtherOwner = async (db: Db, orgId: OrgId, id: MemberId): Promise<boolean> =>
  (await db.row(
    sql`select 1 from members where org_id = ${orgId} and role = 'owner' and id <> ${id} limit 1`,
  )) !== undefined;

/** Gives the provisional member of an unclaimed workspace, with everything it made, to this person. */
export const claimMembership = (db: Db, orgId: OrgId, userId: UserId) =>
  db.row<{ id: MemberId; formerUserId: UserId }>(sql`
    update members m set user_id = ${userId}, role = 'owner' from members before join users u on u.id = before.user_id
    where before.id = m.id and m.org_id = ${orgId} and u.provisional
    returning m.id, before.user_id as "formerUserId"`);
