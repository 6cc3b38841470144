import type { OrgId } from "../../../platform/context.ts";
import { type Db, defineLease, filterOrder, join, listSource, raw, sql } from "../../../platform/db/index.ts";
import { type Id, idsBetween } from "../../../platform/ids.ts";
import type { StoredCredential } from "../run-credentials/index.ts";
import type { Assignment, Attempt, AutomationAsRun, Completion, NamedRun, Reason, Run } from "./contract.ts";
import type { LeaseState } from "./fence.ts";

export type RunId = Id<"run">;
/** The member whose runs a caller may read. Null means all members. */
export type Reach = string | null;

/** A heartbeat or an accepted event report renews it. The holder is a runner, so every write checks the attempt too. */
const lease = defineLease(60, sql`r.`);

const columns = sql`r.id, r.automation_id as "automationId", r.revision as "automationRevision",
  r.member_id as "memberId", r.trigger, r.retry_of as "retryOf", r.occurrence_at as "occurrenceAt", r.status, r.reason,
  r.reason_detail as "reasonDetail", r.attempt, r.lease_expires_at as "leaseExpiresAt",
  r.cancel_requested_at as "cancelRequestedAt", r.session_id as "sessionId", r.workspace_id as "workspaceId",
  r.result_summary as "resultSummary",
  case when r.error_message is not null or r.error_retryable is not null then
    json_build_object('message', r.error_message, 'retryable', r.error_retryable) end as error,
  (select count(*)::int from (
    select from automation_late_reports l where l.run_id = r.id order by l.id desc limit 1000) late) as "lateReports",
  r.created_at as "createdAt", r.queued_at as "queuedAt", r.started_at as "startedAt",
  r.finished_at as "finishedAt", r.events_pruned_at as "eventsPrunedAt"`;

/** Each name is a scalar subquery, because a join could read a whole table for one page of runs. */
const namedColumns = sql`${columns},
  (select v.name from automation_revisions v
    where v.automation_id = r.automation_id and v.revision = r.revision) as "automationName",
  (select u.name from members m join users u on u.id = m.user_id
    where m.id = r.member_id and m.org_id = r.org_id) as "memberName",
  (select t.runner_name from automation_run_attempts t
    where t.run_id = r.id and t.attempt = r.attempt) as "runnerName"`;

const withinReach = (orgId: OrgId, reach: Reach) =>
  sql`r.org_id = ${orgId} and (${reach}::text is null or r.member_id = ${reach})`;

export interface NewRun {
  id: RunId;
  automationId: string;
  revision: number;
  memberId: string;
  trigger: Run["trigger"];
  retryOf: string | null;
  occurrenceAt: number | null;
  status: "queued" | "skipped";
  reason: Reason | null;
  reasonDetail: string | null;
}

/** Undefined when a run for the occurrence exists. */
export const insert = (db: Db, orgId: OrgId, run: NewRun) =>
  db.row<NamedRun>(sql`
    insert into automation_runs as r (id, org_id, automation_id, revision, member_id, trigger, retry_of,
      occurrence_at, status, reason, reason_detail, finished_at)
    values (${run.id}, ${orgId}, ${run.automationId}, ${run.revision}, ${run.memberId}, ${run.trigger}, ${run.retryOf},
      to_timestamp(${run.occurrenceAt}::bigint / 1000.0), ${run.status}, ${run.reason}, ${run.reasonDetail},
      case when ${run.status} = 'skipped' then now() end)
    on conflict (automation_id, occurrence_at) where occurrence_at is not null do nothing
    returning ${namedColumns}`);

/** The provider of the model that a revision names. */
export const findModelProvider = async (
  db: Db,
  orgId: OrgId,
  automationId: string,
  revision: number,
): Promise<string | null> =>
  (
    await db.row<{ providerId: string | null }>(sql`
      select v.model_provider_id as "providerId" from automation_revisions v
      join automations a on a.id = v.automation_id
      where a.org_id = ${orgId} and v.automation_id = ${automationId} and v.revision = ${revision}`)
  )?.providerId ?? null;

/** A queued or running run of this automation. */
export const findLive = (db: Db, orgId: OrgId, automationId: string) =>
  db.row<{ id: RunId; status: Run["status"] }>(sql`
    select r.id, r.status from automation_runs r
    where r.org_id = ${orgId} and r.automation_id = ${automationId} and r.status in ('queued', 'running')
    order by r.id limit 1`);

export interface RunFilter {
  automationId: string | null;
  memberId: string | null;
  statuses: readonly Run["status"][] | null;
  fromAt: number | null;
  toAt: number | null;
}

export const list = (db: Db, orgId: OrgId, reach: Reach, filter: RunFilter) => {
  const { automationId, memberId, fromAt, toAt } = filter;
  const conditions = [
    automationId === null ? null : sql`r.automation_id = ${automationId}`,
    memberId === null ? null : sql`r.member_id = ${memberId}`,
    filter.statuses === null ? null : sql`r.status = any(${filter.statuses}::text[])`,
    fromAt === null ? null : sql`r.created_at >= to_timestamp(${fromAt}::bigint / 1000.0)`,
    toAt === null ? null : sql`r.created_at < to_timestamp(${toAt}::bigint / 1000.0)`,
  ].filter((condition) => condition !== null);
  const matches = join([withinReach(orgId, reach), ...conditions], " and ");
  const { first = "", end } = idsBetween("run", fromAt ?? undefined, toAt ?? undefined);
  const ranges = listRanges(orgId, reach, filter);
  return listSource<NamedRun>(db, {
    filtered: conditions.length > 0,
    candidates: (after, count) => {
      const parts = ranges.map(
        ({ where, id }) => sql`(select r.id, ${matches} as matches from automation_runs r
          where ${where} and ${id} < ${end && end < after ? end : after} and ${id} >= ${first}
          order by ${id} desc limit ${count})`,
      );
      return sql`select * from (${join(parts, " union all ")}) r order by r.id desc limit ${count}`;
    },
    rows: (ids) => sql`select ${namedColumns} from automation_runs r where r.id = any(${ids})`,
    bytes: sql`coalesce(octet_length(page."resultSummary"), 0) + coalesce(octet_length(page.error::text), 0)`,
  });
};

/**
 * The narrowest index ranges that contain all runs of a filter, and no run that the caller may not read. With statuses,
 * there is a range for each of them.
 */
function listRanges(orgId: OrgId, reach: Reach, { automationId, memberId, statuses }: RunFilter) {
  const member = reach ?? memberId;
  const isOwn = sql`exists (select from automations a where a.id = ${automationId} and a.org_id = ${orgId})`;
  const parts = [
    automationId === null ? sql`r.org_id = ${orgId}` : sql`r.automation_id = ${automationId} and ${isOwn}`,
    member === null ? null : sql`r.member_id = ${member}`,
    // The caller may not read the runs of this member.
    reach !== null && memberId !== null && memberId !== reach ? sql`false` : null,
  ].filter((part) => part !== null);
  const range = join(parts, " and ");
  const id = filterOrder(sql`r.id`);
  if (statuses && statuses.length > 0 && !(automationId !== null && member !== null))
    return [...new Set(statuses)].map((status) => ({
      where: sql`${range} and r.status = ${literals[status]}`,
      id,
    }));
  return [{ where: range, id: automationId === null && member === null ? sql`r.id` : id }];
}

/** Literals and not parameters: the planner estimates a rare status well only when it knows the status. */
const literals = {
  queued: raw("'queued'"),
  running: raw("'running'"),
  succeeded: raw("'succeeded'"),
  failed: raw("'failed'"),
  cancelled: raw("'cancelled'"),
  skipped: raw("'skipped'"),
};

export const find = (db: Db, orgId: OrgId, reach: Reach, id: RunId) =>
  db.row<NamedRun>(sql`
    select ${namedColumns} from automation_runs r where r.id = ${id} and ${withinReach(orgId, reach)}`);

/** Reads a run without names, for the reply to a completion and for followers. */
export const findPlain = (db: Db, orgId: OrgId, id: RunId) =>
  db.row<Run>(sql`select ${columns} from automation_runs r where r.id = ${id} and r.org_id = ${orgId}`);

const model = sql`case when v.model_id is not null then
  json_build_object('providerId', v.model_provider_id, 'modelId', v.model_id) end as model`;

export const findAutomationAsRun = (db: Db, orgId: OrgId, id: RunId) =>
  db.row<AutomationAsRun>(sql`
    select v.automation_id as id, v.name, v.revision, v.instructions, ${model},
      v.max_runtime_seconds as "maxRuntimeSeconds", v.template_ids as "templateIds",
      v.connection_ids as "connectionIds"
    from automation_runs r
    join automation_revisions v on v.automation_id = r.automation_id and v.revision = r.revision
    where r.id = ${id} and r.org_id = ${orgId}`);

export const listAttempts = (db: Db, orgId: OrgId, id: RunId) =>
  db.rows<Attempt>(sql`
    select a.attempt, a.runner_name as "runnerId", a.started_at as "startedAt", a.ended_at as "endedAt", a.outcome
    from automation_run_attempts a join automation_runs r on r.id = a.run_id
    where a.run_id = ${id} and r.org_id = ${orgId} order by a.attempt`);

export interface LockedRun extends LeaseState {
  id: RunId;
  automationId: string;
  memberId: string;
  cancelRequested: boolean;
  cancelReason: Reason | null;
  completionDigest: string | null;
  modelProviderId: string | null;
  modelId: string | null;
  startedAt: number | null;
  /** Its automation is archived. */
  archived: boolean;
}

const lockedColumns = sql`r.id, r.status, r.attempt, r.holder, coalesce(${lease.isLive}, false) as live,
  r.fenced, r.automation_id as "automationId", r.member_id as "memberId",
  r.cancel_requested_at is not null as "cancelRequested", r.cancel_reason as "cancelReason",
  r.completion_digest as "completionDigest",
  (select v.model_id from automation_revisions v
    where v.automation_id = r.automation_id and v.revision = r.revision) as "modelId",
  (select v.model_provider_id from automation_revisions v
    where v.automation_id = r.automation_id and v.revision = r.revision) as "modelProviderId",
  r.started_at as "startedAt",
  exists (select from automations a where a.id = r.automation_id and a.status = 'archived') as archived`;

/** Locks the run until the transaction ends. */
export const lock = (tx: Db, orgId: OrgId, reach: Reach, id: RunId) =>
  tx.row<LockedRun>(sql`
    select ${lockedColumns} from automation_runs r
    where r.id = ${id} and ${withinReach(orgId, reach)} for no key update`);

export type ClaimedRun = Omit<Assignment, "credential" | "acceptsTelemetry" | "templates" | "connections">;

/** Starts an attempt for this holder. The caller has locked the row and has checked that the run is queued. */
export const startAttempt = (
  tx: Db,
  orgId: OrgId,
  id: RunId,
  holder: string,
  credential: StoredCredential | null = null,
) =>
  tx.row<ClaimedRun>(sql`
    with started as (
      update automation_runs r set status = 'running', reason = null, reason_detail = null,
        attempt = r.attempt + 1, ${lease.take(holder)},
        started_at = coalesce(r.started_at, now()),
        deadline_at = now() + make_interval(secs => v.max_runtime_seconds)
      from automation_revisions v
      where r.id = ${id} and r.org_id = ${orgId} and v.automation_id = r.automation_id and v.revision = r.revision
      returning r.id, r.attempt, r.lease_expires_at, r.automation_id, v.name, v.instructions,
        v.model_provider_id, v.model_id, v.max_runtime_seconds
    ), noted as (
      insert into automation_run_attempts (run_id, attempt, holder, runner_name, token_hash, key_id,
        permissions)
      select id, attempt, ${holder}, (select name from automation_runners where id = ${holder}),
        ${credential?.hash ?? null}, ${credential?.keyId ?? null}, ${credential?.permissions ?? null}::text[]
      from started
    )
    select ${assignment} from started v`);

const assignment = sql`v.id as "runId", v.automation_id as "automationId", v.name as "automationName",
  v.instructions, ${model}, v.attempt, v.max_runtime_seconds * 1000::bigint as "timeoutMs",
  v.lease_expires_at as "leaseExpiresAt"`;

export const renewLease = (db: Db, orgId: OrgId, reach: Reach, id: RunId, attempt: number, holder: string) =>
  db.row<{ attempt: number; leaseExpiresAt: number; cancelRequested: boolean }>(sql`
    update automation_runs r set ${lease.renew}
    where r.id = ${id} and ${withinReach(orgId, reach)} and r.status = 'running' and r.attempt = ${attempt}::bigint
      and ${lease.isHeldBy(holder)} and ${lease.isLive}
    returning r.attempt, r.lease_expires_at as "leaseExpiresAt",
      r.cancel_requested_at is not null as "cancelRequested"`);

export const findAssignment = (db: Db, orgId: OrgId, id: RunId) =>
  db.row<ClaimedRun>(sql`
    select ${assignment} from (
      select r.id, r.attempt, r.lease_expires_at, v.automation_id, v.name, v.instructions, v.model_provider_id,
        v.model_id, v.max_runtime_seconds
      from automation_runs r
      join automation_revisions v on v.automation_id = r.automation_id and v.revision = r.revision
      where r.id = ${id} and r.org_id = ${orgId}) v`);

export const requeue = (tx: Db, orgId: OrgId, id: RunId, reason: Reason, detail: string) =>
  tx.run(sql`
    update automation_runs set status = 'queued', reason = ${reason}, reason_detail = ${detail},
      ${lease.release}, deadline_at = null, queued_at = now()
    where id = ${id} and org_id = ${orgId}`);

export interface Ending {
  status: "succeeded" | "failed" | "cancelled" | "skipped";
  reason: Reason | null;
  reasonDetail: string | null;
  /** The run ended without a report of its holder. */
  fenced: boolean;
}

export const endRun = (tx: Db, orgId: OrgId, id: RunId, { status, reason, reasonDetail, fenced }: Ending) =>
  tx.row<Run>(sql`
    update automation_runs r set status = ${status}, reason = ${reason}, reason_detail = ${reasonDetail},
      fenced = ${fenced}, lease_expires_at = null, deadline_at = null, finished_at = now()
    where r.id = ${id} and r.org_id = ${orgId} returning ${columns}`);

export const recordResult = (tx: Db, orgId: OrgId, id: RunId, digest: string, report: Completion) =>
  tx.run(sql`
    update automation_runs set completion_digest = ${digest}, session_id = ${report.sessionId},
      workspace_id = ${report.workspaceId}, result_summary = ${report.resultSummary},
      error_message = ${report.error?.message ?? null}, error_retryable = ${report.error?.retryable ?? null}
    where id = ${id} and org_id = ${orgId}`);

export const endAttempt = (
  tx: Db,
  orgId: OrgId,
  id: RunId,
  attempt: number,
  outcome: NonNullable<Attempt["outcome"]>,
) =>
  tx.run(sql`
    update automation_run_attempts a set ended_at = now(), outcome = ${outcome}, token_hash = null
    from automation_runs r where r.id = a.run_id and r.org_id = ${orgId}
      and a.run_id = ${id} and a.attempt = ${attempt} and a.ended_at is null`);

/** A second request changes nothing: the first reason is kept. A run that has ended stays as it is. */
export const requestCancel = (tx: Db, orgId: OrgId, id: RunId, reason: Reason) =>
  tx.run(sql`
    update automation_runs r set cancel_requested_at = coalesce(r.cancel_requested_at, now()),
      cancel_reason = coalesce(r.cancel_reason, ${reason})
    where r.id = ${id} and r.org_id = ${orgId} and r.status in ('queued', 'running')`);

export interface OverdueRun extends LockedRun {
  orgId: OrgId;
  /** The deadline of the attempt has passed. `longPast`: the time to stop has passed too. */
  pastDeadline: boolean;
  longPast: boolean;
}

const isOverdue = sql`r.status = 'running' and (${lease.isExpired}
  or (r.deadline_at <= now() and r.cancel_requested_at is null)
  or r.deadline_at <= now() - interval '60 seconds')`;

export const hasOverdue = sql`exists (select from automation_runs r where ${isOverdue})`;

/** Selects runs in turns: the first of each organization, then the second of each organization, and so on. */
const inTurns = (condition: ReturnType<typeof sql>, limit: number) => sql`r.id in (
  select t.id from (
    select r.id, row_number() over (partition by r.org_id order by r.id) as turn from automation_runs r
    where ${condition}) t
  order by t.turn, t.id limit ${limit})`;

/** Locks runs whose lease or deadline has passed, in turns by organization. Rows with another lock are skipped. */
export const lockOverdueAcrossOrganizations = (tx: Db, limit: number) =>
  tx.rows<OverdueRun>(sql`
    select ${lockedColumns}, r.org_id as "orgId", r.deadline_at <= now() as "pastDeadline",
      r.deadline_at <= now() - interval '60 seconds' as "longPast"
    from automation_runs r
    where ${isOverdue} and ${inTurns(isOverdue, limit)}
    order by r.id for no key update skip locked`);

/** Locks runs that waited for a runner longer than their organization allows, in turns by organization. */
export const lockUnclaimedAcrossOrganizations = (tx: Db, defaultMinutes: number, limit: number) => {
  const isUnclaimed = sql`r.status = 'queued' and r.queued_at <= now() - make_interval(mins => coalesce(
    (select s.queue_timeout_minutes from automation_settings s where s.org_id = r.org_id), ${defaultMinutes}::int))`;
  return tx.rows<{ id: RunId; orgId: OrgId; attempt: number }>(sql`
    select r.id, r.org_id as "orgId", r.attempt from automation_runs r
    where ${isUnclaimed} and ${inTurns(isUnclaimed, limit)}
    order by r.id for no key update skip locked`);
};

/** Queued and running runs of an organization without a request to cancel. */
export const listLive = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{ id: RunId }>(sql`
    select r.id from automation_runs r
    where r.org_id = ${orgId} and r.status in ('queued', 'running') and r.cancel_requested_at is null
    order by r.id limit ${limit}`);

export const lockQueued = (tx: Db, orgId: OrgId, automationId: string) =>
  tx.rows<{ id: RunId }>(sql`
    select r.id from automation_runs r
    where r.org_id = ${orgId} and r.status = 'queued' and r.automation_id = ${automationId}
    order by r.id for no key update`);

/** Finished runs whose events are older than the retention of the organization. */
export const listToPrune = (db: Db, orgId: OrgId, days: number, limit: number) =>
  db.rows<{ id: RunId; no: number }>(sql`
    select r.id, r.no from automation_runs r
    where r.org_id = ${orgId} and r.events_pruned_at is null
      and r.finished_at < now() - make_interval(days => ${days}::int)
    order by r.finished_at limit ${limit}`);

export const markPruned = (db: Db, orgId: OrgId, id: RunId) =>
  db.run(sql`update automation_runs set events_pruned_at = now() where id = ${id} and org_id = ${orgId}`);

/** Locks runs that are older than the retention of the organization. */
export const lockOld = (tx: Db, orgId: OrgId, days: number, limit: number) =>
  tx.rows<{ id: RunId }>(sql`
    select r.id from automation_runs r
    where r.org_id = ${orgId} and r.finished_at < now() - make_interval(days => ${days}::int)
    order by r.finished_at limit ${limit} for update`);

/** Returns how many runs were removed. Another job removes their events. */
export const remove = (tx: Db, orgId: OrgId, ids: readonly RunId[]) =>
  tx.run(sql`delete from automation_runs where org_id = ${orgId} and id = any(${ids}::text[])`);

/** The organizations that have runs, in pages. */
export const listOrgIdsAcrossOrganizations = (db: Db, after: string, limit: number) =>
  db.rows<{ orgId: OrgId }>(sql`
    select o.id as "orgId" from organizations o
    where o.id > ${after} and exists (select from automation_runs r where r.org_id = o.id)
    order by o.id limit ${limit}`);

/** Returns how many runs were removed. Another job removes their events. */
export const removeSome = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from automation_runs where id in (
      select r.id from automation_runs r where r.org_id = ${orgId} order by r.id desc limit ${limit})`);
