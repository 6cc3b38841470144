import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, nothing, type Sql, sql } from "../../platform/db/index.ts";
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

/**
 * The page is found first, in the order of an index, and only then filled in. Its largest size is written
 * down, because a plan that does not know the limit expects a tenth of all rows and reads tables for them.
 */
export const list = (db: Db, orgId: OrgId, filter: Filter, after: string, limit: number) =>
  db.rows<Member>(sql`
    select ${columns}
    from (${pageOf(orgId, filter, after)}) m join users u on u.id = m.user_id
    left join roles r on r.id = m.role and r.org_id = m.org_id
    order by m.id desc limit ${limit}`);

function pageOf(orgId: OrgId, { search, role, teamId }: Filter, after: string): Sql {
  const id = teamId === undefined ? sql`m.id` : sql`x.member_id`;
  return sql`
    select m.* from members m
      ${teamId === undefined ? nothing : sql`join team_members x on x.member_id = m.id and x.team_id = ${teamId}`}
      ${search === undefined ? nothing : sql`join users u on u.id = m.user_id`}
    where m.org_id = ${orgId} and ${id} < ${after}
      ${role === undefined ? nothing : sql`and m.role = ${role}`}
      ${search === undefined ? nothing : sql`and strpos(lower(u.name || ' ' || u.email), lower(${search})) > 0`}
    order by ${id} desc limit 101`;
}

export const find = (db: Db, orgId: OrgId, id: MemberId) =>
  db.row<Member>(sql`select ${columns} from ${tables} where m.org_id = ${orgId} and m.id = ${id}`);

export const findByUser = (db: Db, orgId: OrgId, userId: UserId) =>
  db.row<Member>(sql`select ${columns} from ${tables} where m.org_id = ${orgId} and m.user_id = ${userId}`);

export const setRole = (db: Db, orgId: OrgId, id: MemberId, role: string) =>
  db.run(sql`update members set role = ${role} where org_id = ${orgId} and id = ${id}`);

/** What hangs on a member goes along: keys, tokens, runners, places in teams. */
export const remove = (db: Db, orgId: OrgId, id: MemberId) =>
  db.run(sql`delete from members where org_id = ${orgId} and id = ${id}`);

export const hasOwnerBeside = async (db: Db, orgId: OrgId, id: MemberId): Promise<boolean> =>
  (await db.row(
    sql`select 1 from members where org_id = ${orgId} and role = 'owner' and id <> ${id} limit 1`,
  )) !== undefined;

/** The member of a workspace that nobody owned becomes this person, with all that was made under its name. */
export const becomeOwner = (db: Db, orgId: OrgId, userId: UserId) =>
  db.row<{ id: MemberId; formerUserId: UserId }>(sql`
    update members m set user_id = ${userId}, role = 'owner' from members before join users u on u.id = before.user_id
    where before.id = m.id and m.org_id = ${orgId} and u.provisional
    returning m.id, before.user_id as "formerUserId"`);
