import { type Db, sql } from "../../../platform/db/index.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import type { Overview } from "./contract.ts";

export const countOrganizationsAcrossOrganizations = async (db: Db) =>
  (await db.row<Overview["organizations"]>(sql`
    select count(*) as total,
      count(*) filter (where suspended_at is null and provisional_until is null) as active,
      count(*) filter (where suspended_at is not null) as suspended,
      count(*) filter (where suspended_at is null and provisional_until is not null) as provisional
    from organizations`))!;

export const countMembersAcrossOrganizations = async (db: Db) =>
  (await db.row<Overview["members"]>(sql`
    select count(*) as total, count(*) filter (where deactivated_at is null) as active,
      count(*) filter (where deactivated_at is not null) as deactivated
    from members`))!;

/** The users of unclaimed workspaces are not people. */
export const countUsersAcrossOrganizations = async (db: Db) =>
  (await db.row<Overview["users"]>(sql`
    select count(*) as total, count(*) filter (where u.email_verified) as verified,
      count(*) filter (where u.id in (select f.user_id from two_factors f where f.confirmed_at is not null)
        or u.id in (select p.user_id from passkeys p)) as "withSecondFactor",
      count(*) filter (where u.id in (
        select s.user_id from sessions s where s.last_used_at > now() - interval '7 days')) as "activeLastWeek"
    from users u where not u.provisional`))!;

export const countLiveRunsAcrossOrganizations = async (db: Db) =>
  (await db.row<{ queued: number; running: number }>(sql`
    select count(*) filter (where r.status = 'queued') as queued,
      count(*) filter (where r.status = 'running') as running
    from automation_runs r where r.status in ('queued', 'running')`))!;

export interface WaitingRows {
  name: string;
  waiting: number;
  delayed: number;
  oldestAt: number | null;
}

/** The tables that are queues themselves. Each count is a range of the index by which the work is found. */
export const countWaitingRowsAcrossOrganizations = (db: Db) =>
  db.rows<WaitingRows>(sql`
    select 'runs' as name, count(*) as waiting, 0::bigint as delayed, min(r.queued_at) as "oldestAt"
    from automation_runs r where r.status = 'queued' and ${isNotSuspended(sql`r.org_id`)}
    union all
    select 'syncs', count(*) filter (where s.due_at <= now()), count(*) filter (where s.due_at > now()),
      min(s.due_at) filter (where s.due_at <= now())
    from connector_syncs s where s.status = 'queued' and ${isNotSuspended(sql`s.org_id`)}
    union all
    select 'webhook deliveries', count(*) filter (where d.due_at <= now()), count(*) filter (where d.due_at > now()),
      min(d.due_at) filter (where d.due_at <= now())
    from webhook_endpoint_deliveries d where d.status = 'pending' and ${isNotSuspended(sql`d.org_id`)}
    union all
    select 'notifications', count(*) filter (where e.due_at <= now()), count(*) filter (where e.due_at > now()),
      min(e.due_at) filter (where e.due_at <= now())
    from notification_events e where e.fanned_out_at is null and ${isNotSuspended(sql`e.org_id`)}`);

const databaseBytes = sql`pg_database_size(current_database())`;

export const findDatabaseSizeAcrossOrganizations = async (db: Db): Promise<number> =>
  (await db.row<{ bytes: number }>(sql`select ${databaseBytes} as bytes`))!.bytes;

export const listDatabaseSizesAcrossOrganizations = (db: Db, from: string) =>
  db.rows<Overview["database"]["history"][number]>(sql`
    select to_char(day, 'YYYY-MM-DD') as day, bytes from database_sizes where day >= ${from}::date order by day`);

/** The first measurement of a day stays. */
export const storeDatabaseSizeAcrossOrganizations = (db: Db) =>
  db.run(sql`
    insert into database_sizes (day, bytes) select (now() at time zone 'UTC')::date, ${databaseBytes}
    on conflict (day) do nothing`);

export const removeOldDatabaseSizesAcrossOrganizations = (db: Db, days: number) =>
  db.run(sql`delete from database_sizes where day < (now() at time zone 'UTC')::date - ${days}::int`);

export const countRunnersAcrossOrganizations = async (db: Db) =>
  (await db.row<{ runners: number; runnersSeen: number }>(sql`
    select count(*) as runners,
      count(*) filter (where last_seen_at > now() - interval '5 minutes') as "runnersSeen"
    from automation_runners`))!;

export const findVersionsAcrossOrganizations = async (db: Db) =>
  (await db.row<{ server: string; migration: number }>(sql`
    select current_setting('server_version') as server, max(version) as migration from schema_migrations`))!;
