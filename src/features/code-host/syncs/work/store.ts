import type { OrgId } from "../../../../platform/context.ts";
import { type Db, defineLease, leaseConditions, sql } from "../../../../platform/db/index.ts";
import { isNotSuspended } from "../../../suspension/index.ts";
import { type TargetRow, targetColumns } from "../../source/index.ts";
import type { Problem } from "../contract.ts";
import type { SyncId } from "../store.ts";

/** The worker renews it while it reads the repository. */
const lease = defineLease(60);
const isRunning = sql`r.status = 'running' and ${leaseConditions(sql`r.`).isLive}`;

const isDue = sql`s.status in ('queued', 'running') and s.due_at <= now()
  and (s.status = 'queued' or ${leaseConditions(sql`s.`).isExpired})
  and not exists (select 1 from connector_syncs r where r.connector_id = s.connector_id and ${isRunning})`;

export const hasDue = sql`exists (select from connector_syncs s where ${isDue})`;

/**
 * Lists organizations with due syncs that no worker has: first those with the fewest running syncs across all
 * processes, then those that have waited longest.
 */
export const listWaitingAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<{ orgId: OrgId }>(sql`
    select w.org_id as "orgId" from (
      select s.org_id, min(s.due_at) as since from connector_syncs s
      where ${isDue} and ${isNotSuspended(sql`s.org_id`)} group by s.org_id) w
    order by (select count(*) from connector_syncs r where r.org_id = w.org_id and ${isRunning}), w.since
    limit ${limit}`);

/**
 * Locks a connector with a due sync that no worker has. Read its syncs afterwards: this statement may not see what
 * another worker has just taken.
 */
export const lockIdle = (tx: Db, orgId: OrgId) =>
  tx.row<TargetRow>(sql`
    select ${targetColumns} from connectors c
    where c.org_id = ${orgId} and ${isNotSuspended(sql`c.org_id`)} and c.id in (
      select s.connector_id from connector_syncs s
      where s.org_id = ${orgId} and ${isDue}
      order by s.due_at limit 50)
    limit 1
    for no key update of c skip locked`);

export interface LiveSync {
  id: SyncId;
  status: "queued" | "running";
  attempt: number;
  /** How many workers died during this sync, without the current one. */
  workerDeaths: number;
  /** The commit that the last attempt read. */
  commit: string | null;
  /** It is due, or its worker has died. */
  due: boolean;
  /** A worker has it. */
  isHeld: boolean;
}

export const listLive = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.rows<LiveSync>(sql`
    select id, status, attempt, worker_deaths as "workerDeaths", commit_sha as commit, (status = 'running' or due_at <= now()) as due,
      (status = 'running' and ${lease.isLive}) as "isHeld"
    from connector_syncs
    where org_id = ${orgId} and connector_id = ${connectorId} and status in ('queued', 'running')
    order by id desc`);

export const supersede = (tx: Db, orgId: OrgId, ids: string[]) =>
  tx.run(sql`
    update connector_syncs set status = 'superseded', ${lease.release},
      finished_at = now()
    where org_id = ${orgId} and id = any(${ids}::text[])`);

export const claim = (tx: Db, orgId: OrgId, id: SyncId, holder: string, deaths: number) =>
  tx.run(sql`
    update connector_syncs set status = 'running', attempt = attempt + 1, worker_deaths = ${deaths},
      ${lease.take(holder)}, started_at = now()
    where org_id = ${orgId} and id = ${id}`);

/** Matches the sync only while this holder has its lease. */
const isHeldBy = (orgId: OrgId, id: SyncId, holder: string) =>
  sql`org_id = ${orgId} and id = ${id} and ${lease.isHeldBy(holder)} and status = 'running'`;

export const renew = (db: Db, orgId: OrgId, id: SyncId, holder: string) =>
  db.run(sql`update connector_syncs set ${lease.renew} where ${isHeldBy(orgId, id, holder)}`);

/** Records the commit that this attempt reads. */
export const recordCommit = (db: Db, orgId: OrgId, id: SyncId, holder: string, commit: string) =>
  db.run(sql`update connector_syncs set commit_sha = ${commit} where ${isHeldBy(orgId, id, holder)}`);

/** Locks the connector before its sync, like a worker that claims one. */
export const lockTarget = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.row<TargetRow>(sql`
    select ${targetColumns} from connectors c
    where c.org_id = ${orgId} and c.id = ${connectorId} for no key update`);

export const lockHeld = (tx: Db, orgId: OrgId, id: SyncId, holder: string) =>
  tx.row<{ id: SyncId }>(
    sql`select id from connector_syncs where ${isHeldBy(orgId, id, holder)} for no key update`,
  );

export interface SyncResult {
  commit: string;
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  /** Only the first `shownProblems` are stored. */
  problems: Problem[];
  problemCount: number;
}

const shownProblems = 100;

export const setSucceeded = (tx: Db, orgId: OrgId, id: SyncId, result: SyncResult) =>
  tx.run(sql`
    update connector_syncs set status = 'succeeded', ${lease.release},
      finished_at = now(), commit_sha = ${result.commit}, error_code = null, error_message = null,
      error_retryable = null, added = ${result.added}, changed = ${result.changed},
      removed = ${result.removed}, unchanged = ${result.unchanged},
      problems = ${JSON.stringify(result.problems.slice(0, shownProblems))}::text::jsonb,
      problem_count = ${result.problemCount}
    where org_id = ${orgId} and id = ${id}`);

export const setSyncedCommit = (tx: Db, orgId: OrgId, connectorId: string, commit: string) =>
  tx.run(sql`
    update connectors set synced_commit = ${commit}, synced_at = now(), checked_at = now(), check_error = null
    where org_id = ${orgId} and id = ${connectorId}`);

export interface SyncFailure {
  code: string;
  message: string;
  retryable: boolean;
  /** The commit that was being read, if it was resolved. */
  commit: string | null;
  /** Seconds until the next attempt. Null when there is none. */
  retryInSeconds: number | null;
}

/** Undefined when another worker has the lease by now. That worker records the outcome. */
export const setFailed = (db: Db, orgId: OrgId, id: SyncId, holder: string | null, failure: SyncFailure) =>
  db.row<{ syncedAt: number | null }>(sql`
    update connector_syncs set status = ${failure.retryInSeconds === null ? "failed" : "queued"},
      ${lease.release}, error_code = ${failure.code}, error_message = ${failure.message},
      error_retryable = ${failure.retryable}, commit_sha = ${failure.commit},
      due_at = now() + make_interval(secs => ${failure.retryInSeconds ?? 0}::float8),
      finished_at = case when ${failure.retryInSeconds === null}::boolean then now() end
    where ${holder === null ? sql`org_id = ${orgId} and id = ${id}` : isHeldBy(orgId, id, holder)}
    returning (select c.synced_at from connectors c where c.id = connector_id) as "syncedAt"`);

/** Returns an unfinished sync to the queue. The attempt does not count. */
export const release = (db: Db, orgId: OrgId, id: SyncId, holder: string) =>
  db.run(sql`
    update connector_syncs set status = 'queued', ${lease.release}, due_at = now(),
      attempt = attempt - 1
    where ${isHeldBy(orgId, id, holder)}`);

/** Removes syncs that ended more than `days` ago, at most `limit`. */
export const removeOldAcrossOrganizations = (db: Db, days: number, limit: number) =>
  db.run(sql`
    delete from connector_syncs where id in (
      select id from connector_syncs
      where finished_at < now() - make_interval(days => ${days}::int) limit ${limit})`);
