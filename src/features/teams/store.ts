import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import type { Team } from "./contract.ts";

export type TeamId = Id<"team">;

const columns = sql`t.id, t.name, t.description,
  (select count(*)::int from team_members x where x.team_id = t.id) as "memberCount",
  t.created_at as "createdAt", t.updated_at as "updatedAt"`;

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<Team>(sql`select ${columns} from teams t where t.org_id = ${orgId} and t.id < ${after}
    order by t.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, id: TeamId) =>
  db.row<Team>(sql`select ${columns} from teams t where t.org_id = ${orgId} and t.id = ${id}`);

export const insert = (db: Db, orgId: OrgId, id: TeamId, { name, description }: TeamContent) =>
  db.row<Team>(sql`insert into teams as t (id, org_id, name, description)
    values (${id}, ${orgId}, ${name}, ${description}) returning ${columns}`);

type TeamContent = Pick<Team, "name" | "description">;

export const update = (db: Db, orgId: OrgId, id: TeamId, { name, description }: TeamContent) =>
  db.row<Team>(sql`update teams t set name = ${name}, description = ${description}, updated_at = now()
    where t.org_id = ${orgId} and t.id = ${id} returning ${columns}`);

export const remove = (db: Db, orgId: OrgId, id: TeamId) =>
  db.run(sql`delete from teams where org_id = ${orgId} and id = ${id}`);

/** Counts those that are teams of this organization. */
export const countExisting = async (db: Db, orgId: OrgId, ids: readonly string[]): Promise<number> =>
  (await db.row<{ count: number }>(
    sql`select count(*)::int as count from teams where org_id = ${orgId} and id = any(${ids}::text[])`,
  ))!.count;

/** Returns how many teams the member joined. Missing teams and existing memberships are skipped. */
export const addMember = (db: Db, orgId: OrgId, memberId: MemberId, ids: readonly string[]) =>
  db.run(sql`
    insert into team_members (team_id, member_id, org_id)
    select t.id, m.id, t.org_id from teams t join members m on m.org_id = t.org_id
    where t.org_id = ${orgId} and t.id = any(${ids}::text[]) and m.id = ${memberId}
    on conflict do nothing`);

/** Puts the member into teams, and returns those that the member was not in before. Missing teams are skipped. */
export const joinTeams = async (db: Db, orgId: OrgId, memberId: MemberId, ids: readonly string[]) =>
  (
    await db.rows<{ id: TeamId }>(sql`
      insert into team_members (team_id, member_id, org_id)
      select t.id, m.id, t.org_id from teams t join members m on m.org_id = t.org_id
      where t.org_id = ${orgId} and t.id = any(${ids}::text[]) and m.id = ${memberId}
      on conflict do nothing returning team_id as id`)
  ).map(({ id }) => id);

/** Memberships that a directory manages stay. */
export const leaveTeams = (db: Db, orgId: OrgId, memberId: MemberId, ids: readonly string[]) =>
  db.run(sql`
    delete from team_members where org_id = ${orgId} and member_id = ${memberId} and team_id = any(${ids}::text[])
      and not managed`);

export const hasMember = async (db: Db, orgId: OrgId, memberId: MemberId): Promise<boolean> =>
  (await db.row(sql`select 1 from members where org_id = ${orgId} and id = ${memberId}`)) !== undefined;

export const removeMember = (db: Db, orgId: OrgId, memberId: MemberId, id: TeamId) =>
  db.run(sql`
    delete from team_members where org_id = ${orgId} and team_id = ${id} and member_id = ${memberId}`);

/** Lists whose grants apply to this member: the member's own, and those of their teams. */
export const listGrantees = async (db: Db, orgId: OrgId, memberId: MemberId): Promise<string[]> => {
  const teams = await db.rows<{ id: string }>(
    sql`select team_id as id from team_members where org_id = ${orgId} and member_id = ${memberId}`,
  );
  return [memberId, ...teams.map(({ id }) => id)];
};

/** Locks teams until the transaction ends, so that a grant to one of them at the same moment waits. */
export const lock = (tx: Db, orgId: OrgId, ids: readonly string[]) =>
  tx.run(sql`select from teams where org_id = ${orgId} and id = any(${ids}::text[]) order by id for update`);

/** Those of the teams that were granted a shared connection that has not ended. */
export const listGrantedConnections = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{ id: string }>(sql`
    select t.id from teams t where t.org_id = ${orgId} and t.id = any(${ids}::text[]) and exists (
      select from oauth_connection_team_grants g join oauth_connections c on c.id = g.connection_id
      where g.team_id = t.id and c.status <> 'ended')`);

/** Those of the teams that were granted an MCP connection. */
export const listGrantedMcpConnections = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{ id: string }>(sql`
    select distinct g.subject_id as id from mcp_connection_grants g
    where g.org_id = ${orgId} and g.team_id = any(${ids}::text[])`);

/** Those of the teams that were granted an LLM provider. */
export const listGrantedProviders = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{ id: string }>(sql`
    select distinct g.subject_id as id from llm_provider_grants g
    where g.org_id = ${orgId} and g.team_id = any(${ids}::text[])`);

/** Whether a directory put the member into the team and still manages the member. */
export const isManaged = async (db: Db, orgId: OrgId, memberId: MemberId, id: TeamId): Promise<boolean> =>
  (await db.row(sql`
    select 1 from team_members x join members m on m.id = x.member_id
    where x.org_id = ${orgId} and x.team_id = ${id} and x.member_id = ${memberId} and x.managed
      and m.managed_by is not null`)) !== undefined;

/** The memberships that a directory gave. `memberIds` null: of all members of the organization. */
export const listManaged = (db: Db, orgId: OrgId, memberIds: readonly MemberId[] | null) =>
  db.rows<{ teamId: string; memberId: MemberId }>(sql`
    select team_id as "teamId", member_id as "memberId" from team_members
    where org_id = ${orgId} and managed and (${memberIds}::text[] is null or member_id = any(${memberIds}::text[]))`);

/** Puts members into a team for a directory. Those whom people put into it are managed from then on. */
export const addManaged = (db: Db, orgId: OrgId, teamId: string, memberIds: readonly MemberId[]) =>
  db.run(sql`
    insert into team_members as x (team_id, member_id, org_id, managed)
    select t.id, m.id, t.org_id, true from teams t join members m on m.org_id = t.org_id
    where t.org_id = ${orgId} and t.id = ${teamId} and m.id = any(${memberIds}::text[])
    on conflict (team_id, member_id) do update set managed = true where not x.managed`);

export const removeManaged = (db: Db, orgId: OrgId, teamId: string, memberIds: readonly MemberId[]) =>
  db.run(sql`
    delete from team_members
    where org_id = ${orgId} and team_id = ${teamId} and member_id = any(${memberIds}::text[]) and managed`);

/** Members of these teams stay, and people decide about them again. */
export const releaseManagedTeams = (db: Db, orgId: OrgId) =>
  db.run(sql`update team_members set managed = false where org_id = ${orgId} and managed`);
