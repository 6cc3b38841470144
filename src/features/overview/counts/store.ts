import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, type Sql, sql } from "../../../platform/db/index.ts";
import { isAccount, isUsableBy } from "../../connection-grants/index.ts";

const ofMember = (memberId: string | null, column: Sql) =>
  memberId === null ? emptySql : sql`and ${column} = ${memberId}`;

export const countLiveRuns = async (db: Db, orgId: OrgId, memberId: string | null) =>
  (await db.row<{ queued: number; running: number }>(sql`
    select count(*) filter (where r.status = 'queued')::int as queued,
      count(*) filter (where r.status = 'running')::int as running
    from automation_runs r
    where r.org_id = ${orgId} and r.status in ('queued', 'running') ${ofMember(memberId, sql`r.member_id`)}`))!;

export const countAutomations = async (db: Db, orgId: OrgId, memberId: string | null) =>
  (await db.row<{ active: number; inactive: number }>(sql`
    select count(*) filter (where a.status = 'active')::int as active,
      count(*) filter (where a.status = 'inactive')::int as inactive
    from automations a where a.org_id = ${orgId} ${ofMember(memberId, sql`a.member_id`)}`))!;

export const countPeople = async (db: Db, orgId: OrgId) =>
  (await db.row<{ members: number; deactivated: number; teams: number; customRoles: number }>(sql`
    select count(*) filter (where m.deactivated_at is null)::int as members,
      count(*) filter (where m.deactivated_at is not null)::int as deactivated,
      (select count(*)::int from teams t where t.org_id = ${orgId}) as teams,
      (select count(*)::int from roles r where r.org_id = ${orgId}) as "customRoles"
    from members m where m.org_id = ${orgId}`))!;

export const countInvitations = async (db: Db, orgId: OrgId): Promise<number> =>
  (await db.row<{ count: number }>(sql`
    select count(*)::int as count from invitations i
    where i.org_id = ${orgId} and i.accepted_at is null and i.cancelled_at is null and i.expires_at > now()`))!
    .count;

export const countTemplates = async (db: Db, orgId: OrgId): Promise<number> =>
  (await db.row<{ count: number }>(
    sql`select count(*)::int as count from templates t where t.org_id = ${orgId}`,
  ))!.count;

export const countConnectors = async (db: Db, orgId: OrgId): Promise<number> =>
  (await db.row<{ count: number }>(
    sql`select count(*)::int as count from connectors c where c.org_id = ${orgId}`,
  ))!.count;

/** Connections that have not ended. `memberId` null: all of them. */
export const countConnections = async (db: Db, orgId: OrgId, memberId: string | null): Promise<number> =>
  (await db.row<{ count: number }>(sql`
    select count(*)::int as count from oauth_connections c
    where c.org_id = ${orgId} and c.status <> 'ended' and ${isAccount}
      and (${memberId}::text is null or ${isUsableBy(sql`${memberId}`)})`))!.count;
