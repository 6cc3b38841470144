import { type Sql, sql } from "../../../platform/db/index.ts";
import { lostAfterIntervals, removal, staleAfterIntervals, workerApi } from "./contract.ts";

/** Processes that answer workers say so this often. */
export const aliveEverySeconds = 5;
/** Without that for longer than this, no process answers workers. */
const outageAfterSeconds = 2 * aliveEverySeconds + 1;
export const outageAfter = sql`make_interval(secs => ${outageAfterSeconds}::int)`;

/** The interval that a worker was told at most. After it became shorter, some workers still have the longer one. */
export const judgedSeconds = sql`greatest(s.interval_seconds, case
  when s.interval_changed_at > now() - make_interval(secs => 3 * s.previous_seconds) then s.previous_seconds else 0 end)`;

/**
 * The seconds since a time in which the worker could have been seen: times without a process that answers workers do
 * not count. Needs `worker_service s`.
 */
const unseenSince = (time: Sql): Sql => sql`greatest(0, extract(epoch from
    least(now(), s.alive_at + ${outageAfter}) - ${time})
  - coalesce((select sum(extract(epoch from upper(o) - lower(o)))
    from unnest(s.outages * tstzmultirange(tstzrange(${time}, greatest(${time}, now())))) o), 0))::float8`;

/**
 * The tables that a state is derived from. `workers w` comes before. `d.unseen` are seconds, `d.every` the interval. They
 * are computed once a row: `offset 0` keeps the planner from repeating the expressions.
 */
export const stateSources = sql`
  join worker_beats b on b.worker_id = w.id
  cross join worker_service s
  cross join lateral (select ${unseenSince(sql`coalesce(b.seen_at, w.created_at)`)} as unseen,
    ${judgedSeconds} as every offset 0) d`;

export const isPaused = sql`(w.paused_at is not null and (w.paused_until is null or w.paused_until > now()))`;

/** Derived when it is read, so it is exact at that moment. Needs `stateSources`. */
export const state = sql`case
  when b.seen_at is null then 'never_connected'
  when b.status = 'stopped' then 'stopped'
  when d.unseen >= ${lostAfterIntervals}::int * d.every then 'lost'
  when d.unseen >= ${staleAfterIntervals}::int * d.every then 'stale'
  when ${isPaused} then 'paused'
  else b.status end`;

/** Whether the process lives, as its heartbeats show. */
export const liveness = sql`case
  when b.seen_at is null then 'never_seen'
  when b.status = 'stopped' then 'stopped'
  when d.unseen >= ${lostAfterIntervals}::int * d.every then 'lost'
  when d.unseen >= ${staleAfterIntervals}::int * d.every then 'uncertain'
  else 'alive' end`;

/** When the runner that the worker hosts last sent a request. */
const runnerSeenAt = sql`(select max(n.last_seen_at) from automation_runner_tokens k
  join automation_runners n on n.id = k.runner_id where k.worker_id = w.id)`;

/** A hosted runner requests work once a minute at least. */
const reachableSeconds = 150;

/** Whether requests of the machine arrive here, also those of the runner that it hosts. */
export const reachability = sql`case
  when b.seen_at is null and ${runnerSeenAt} is null then 'unknown'
  when d.unseen < ${staleAfterIntervals}::int * d.every then 'reachable'
  when ${runnerSeenAt} > now() - make_interval(secs => ${reachableSeconds}::int) then 'reachable'
  else 'unreachable' end`;

/** Needs `left join worker_runtimes r`. */
export const skew = sql`case
  when r.api_version is null then 'unknown'
  when r.api_version = ${workerApi.current}::int then 'current'
  when r.api_version between ${workerApi.oldestSupported}::int and ${workerApi.current}::int then 'supported'
  else 'unsupported' end`;

export const isDrifted = sql`coalesce((w.desired_version is not null and r.version <> w.desired_version)
  or (w.configuration_revision > 0 and r.configuration_revision is not null
    and r.configuration_revision <> w.configuration_revision), false)`;

export const freshness = sql`case
  when r.api_version is null then 'unknown'
  when ${skew} = 'unsupported' then 'unsupported'
  when ${isDrifted} then 'drifted'
  else 'current' end`;

const { ephemeral, others } = removal;
export const removeAfterSeconds = sql`case when w.kind = 'ephemeral'
  then ${ephemeral.afterHours * 3600}::int else ${others.afterHours * 3600}::int end`;
export const noticeAfterSeconds = sql`case when w.kind = 'ephemeral'
  then ${(ephemeral.afterHours - ephemeral.noticeHours) * 3600}::int
  else ${(others.afterHours - others.noticeHours) * 3600}::int end`;
