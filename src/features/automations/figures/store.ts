import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, raw, type Sql, sql } from "../../../platform/db/index.ts";
import type { Tree } from "./tree.ts";

const instant = (ms: number) => sql`to_timestamp(${ms}::bigint / 1000.0)`;
const toTexts = (times: readonly number[]) => times.map((ms) => new Date(ms).toISOString());

/** The member whose rows count. Null means all members. */
export type Reach = string | null;
const ofMember = (reach: Reach, column: Sql) => (reach === null ? emptySql : sql`and ${column} = ${reach}`);

/** A time of the database with all its digits, because milliseconds would cut it. */
export type Mark = string;

/**
 * Locks the mark of an organization. Until the transaction ends, nobody else can move it or change the sums. An
 * organization that has none gets one, because there must be something to lock. Undefined: there is no such organization.
 */
export const lockMark = async (tx: Db, orgId: OrgId): Promise<Mark | undefined> => {
  await tx.run(sql`
    insert into automation_figure_marks (org_id, summed_until)
    select o.id, '-infinity' from organizations o where o.id = ${orgId} on conflict do nothing`);
  return (
    await tx.row<{ until: Mark }>(sql`
      select m.summed_until::text as until from automation_figure_marks m where m.org_id = ${orgId} for update`)
  )?.until;
};

/** The first statement of a transaction that reads: all that follow see the same rows as this one. */
export const findMarkInSnapshot = async (tx: Db, orgId: OrgId): Promise<Mark> => {
  await tx.run(sql`set transaction isolation level repeatable read`);
  const found = await tx.row<{ until: Mark }>(sql`
    select m.summed_until::text as until from automation_figure_marks m where m.org_id = ${orgId}`);
  return found?.until ?? "-infinity";
};

export const moveMark = (tx: Db, orgId: OrgId, until: Mark) =>
  tx.run(sql`
    update automation_figure_marks set summed_until = ${until}::timestamptz where org_id = ${orgId}`);

/**
 * What is older can be added up: a transaction that ended a run, or stored a report, half an hour ago has committed by
 * then. Whole hours, so that a day is not written more than 24 times.
 */
export const findNewestMarkAcrossOrganizations = async (db: Db): Promise<Mark> =>
  (await db.row<{ until: Mark }>(sql`
    select date_trunc('hour', now() - interval '30 minutes')::text as until`))!.until;

/** Organizations with runs or reports that can be added up. */
export const listOrgIdsToSumAcrossOrganizations = async (
  db: Db,
  until: Mark,
  limit: number,
): Promise<OrgId[]> =>
  (
    await db.rows<{ orgId: OrgId }>(sql`
      select o.id as "orgId" from organizations o left join automation_figure_marks m on m.org_id = o.id
      where exists (select from automation_runs r where r.org_id = o.id and r.finished_at < ${until}::timestamptz
          and r.finished_at >= coalesce(m.summed_until, '-infinity'))
        or exists (select from automation_usage u where u.org_id = o.id and u.reported_at < ${until}::timestamptz
          and u.reported_at >= coalesce(m.summed_until, '-infinity'))
      order by m.summed_until nulls first, o.id limit ${limit}`)
  ).map(({ orgId }) => orgId);

/**
 * How far the sums can go with one step of at most about `count` runs and `count` reports: to the last of them, never
 * back. Not to `until` itself: after a clock was ahead for a while, what ends before the time it showed would be left out.
 */
export const findStepEnd = async (
  tx: Db,
  orgId: OrgId,
  from: Mark,
  until: Mark,
  count: number,
): Promise<Mark> => {
  const runs = sql`automation_runs r where r.org_id = ${orgId} and r.finished_at >= ${from}::timestamptz
    and r.finished_at < ${until}::timestamptz`;
  const reports = sql`automation_usage u where u.org_id = ${orgId} and u.reported_at >= ${from}::timestamptz
    and u.reported_at < ${until}::timestamptz`;
  return (await tx.row<{ end: Mark }>(sql`
    select coalesce(least(
      (select r.finished_at from ${runs} order by r.finished_at offset ${raw(String(count - 1))} limit 1),
      (select u.reported_at from ${reports} order by u.reported_at offset ${raw(String(count - 1))} limit 1),
      greatest((select max(r.finished_at) from ${runs}), (select max(u.reported_at) from ${reports}))
    ) + interval '1 microsecond', ${from}::timestamptz)::text as end`))!.end;
};

const dayOf = (time: Sql) => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD')`;
const quarterOf = (time: Sql) => sql`(floor(date_part('epoch', ${time}))::bigint % 86400 / 900)::int`;

/** Computed without the type `numeric`, which takes several times as long. */
const durationMs = sql`greatest(0, round(date_part('epoch', r.finished_at - r.started_at) * 1000000)::bigint / 1000)`;
const hasDuration = sql`r.status in ('succeeded', 'failed') and r.started_at is not null and r.finished_at is not null`;
/**
 * The size of a duration: sixteen steps for each factor of two, so that durations of the same size differ by at most
 * 4.4 %. Only the database computes it, because logarithms of other programs can differ in the last digit.
 */
const size = sql`case when ${hasDuration} then floor(ln(greatest(${durationMs}, 1)::float8) / ln(2::float8) * 16)::int end`;
const durationSums = sql`${size} as size, count(*)::int as runs,
  coalesce(sum(${durationMs}) filter (where ${hasDuration}), 0)::bigint as ms`;

/** Runs with the same keys. `size` is null when their duration does not count. */
interface Runs {
  status: string;
  reason: string | null;
  size: number | null;
  runs: number;
  /** The sum of their durations. */
  ms: number;
}

export interface RunSums extends Runs {
  memberId: string;
  day: string;
  quarter: number;
}

const groupRuns = (condition: Sql) => sql`
  select r.member_id as "memberId", ${dayOf(sql`r.created_at`)} as day, ${quarterOf(sql`r.created_at`)} as quarter, r.status,
    r.reason, ${durationSums}
  from automation_runs r where ${condition} group by 1, 2, 3, 4, 5, 6`;

export const listEndedRuns = (tx: Db, orgId: OrgId, from: Mark, to: Mark) =>
  tx.rows<RunSums>(
    groupRuns(sql`r.org_id = ${orgId} and r.finished_at >= ${from}::timestamptz
      and r.finished_at < ${to}::timestamptz`),
  );

/** Those of the runs that ended before a time. */
export const listRunsBefore = (tx: Db, orgId: OrgId, ids: readonly string[], before: Mark) =>
  tx.rows<RunSums>(
    groupRuns(
      sql`r.org_id = ${orgId} and r.id = any(${ids}::text[]) and r.finished_at < ${before}::timestamptz`,
    ),
  );

export interface CostSums {
  memberId: string;
  day: string;
  quarter: number;
  micros: number;
}

const costColumns = (time: Sql) => sql`${dayOf(time)} as day, ${quarterOf(time)} as quarter`;

/** A sum is not limited to what a reply can hold, because a correction takes off the whole cost of a report. */
export const listReportedCosts = (tx: Db, orgId: OrgId, from: Mark, to: Mark) =>
  tx.rows<CostSums>(sql`
    select u.member_id as "memberId", ${costColumns(sql`u.reported_at`)}, sum(u.cost_micros)::float8 as micros
    from automation_usage u where u.org_id = ${orgId} and u.reported_at >= ${from}::timestamptz
      and u.reported_at < ${to}::timestamptz
    group by 1, 2, 3`);

/** A report whose cost was replaced. */
export interface CostChange {
  runId: string;
  attempt: number;
  report: number;
  /** The new cost minus the earlier one. */
  micros: number;
}

/** Where the costs of reports count that came before a time. */
export const placeChanges = (tx: Db, orgId: OrgId, changes: readonly CostChange[], before: Mark) =>
  tx.rows<CostSums>(sql`
    select u.member_id as "memberId", ${costColumns(sql`u.reported_at`)}, g.micros
    from unnest(${changes.map(({ runId }) => runId)}::text[], ${changes.map(({ attempt }) => attempt)}::int[],
      ${changes.map(({ report }) => report)}::bigint[], ${changes.map(({ micros }) => micros)}::bigint[])
      g (run_id, attempt, report, micros)
    join automation_usage u on u.org_id = ${orgId} and u.run_id = g.run_id and u.attempt = g.attempt
      and u.report = g.report
    where u.reported_at < ${before}::timestamptz`);

export interface Figures {
  runs: Tree;
  costs: Tree;
  durations: Tree;
  hourlyDurations: Tree;
}

/** The figures of a subject on a day. */
export interface DayFigures extends Figures {
  subjectId: string;
  day: string;
}

type Place = Pick<DayFigures, "subjectId" | "day">;
const unnestPlaces = (places: readonly Place[]) => sql`
  unnest(${places.map(({ subjectId }) => subjectId)}::text[], ${places.map(({ day }) => day)}::date[])`;

export const listFigures = (tx: Db, orgId: OrgId, places: readonly Place[]) =>
  tx.rows<DayFigures>(sql`
    select f.subject_id as "subjectId", to_char(f.day, 'YYYY-MM-DD') as day, f.runs, f.costs, f.durations,
      f.hourly_durations as "hourlyDurations"
    from ${unnestPlaces(places)} g (subject_id, day)
    join automation_figures f on f.org_id = ${orgId} and f.subject_id = g.subject_id and f.day = g.day`);

export const saveFigures = (tx: Db, orgId: OrgId, figures: readonly DayFigures[]) => {
  const texts = (name: keyof Figures) => figures.map((one) => JSON.stringify(one[name]));
  return tx.run(sql`
    insert into automation_figures (org_id, subject_id, day, runs, costs, durations, hourly_durations)
    select ${orgId}, g.subject_id, g.day::date, g.runs::jsonb, g.costs::jsonb, g.durations::jsonb,
      g.hourly_durations::jsonb
    from unnest(${figures.map(({ subjectId }) => subjectId)}::text[], ${figures.map(({ day }) => day)}::text[],
      ${texts("runs")}::text[], ${texts("costs")}::text[], ${texts("durations")}::text[],
      ${texts("hourlyDurations")}::text[]) g (subject_id, day, runs, costs, durations, hourly_durations)
    on conflict (org_id, subject_id, day) do update set runs = excluded.runs, costs = excluded.costs,
      durations = excluded.durations, hourly_durations = excluded.hourly_durations`);
};

export const removeFigures = (tx: Db, orgId: OrgId, places: readonly Place[]) =>
  tx.run(sql`
    delete from automation_figures f using ${unnestPlaces(places)} g (subject_id, day)
    where f.org_id = ${orgId} and f.subject_id = g.subject_id and f.day = g.day`);

/** For a deleted organization. */
export const removeSome = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from automation_figures where org_id = ${orgId} and ctid = any(array(
      select f.ctid from automation_figures f where f.org_id = ${orgId} order by f.subject_id, f.day limit ${limit}))`);

/** Days in UTC, as `2026-11-16`. The last day is included. */
export interface DayRange {
  first: string;
  last: string;
}

/** The stored figures of subjects. `hourlyDurations` is null except for the days in `hourly`. */
export const listDays = (
  db: Db,
  orgId: OrgId,
  subjectIds: readonly string[],
  { first, last }: DayRange,
  hourly: readonly string[],
) =>
  db.rows<Omit<DayFigures, "hourlyDurations"> & { hourlyDurations: Tree | null }>(sql`
    select f.subject_id as "subjectId", to_char(f.day, 'YYYY-MM-DD') as day, f.runs, f.costs, f.durations,
      case when f.day = any(${hourly}::date[]) then f.hourly_durations end as "hourlyDurations"
    from automation_figures f
    where f.org_id = ${orgId} and f.subject_id = any(${subjectIds}::text[]) and f.day >= ${first}::date
      and f.day <= ${last}::date`);

/** From `start` to before `end`, in milliseconds since 1970. */
export interface Period {
  start: number;
  end: number;
}

/** `bounds` are the starts of intervals. Interval 0 is everything before the first of them. */
export interface Span extends Period {
  bounds: readonly number[];
}

const intervalOf = (time: Sql, bounds: readonly number[]) =>
  sql`width_bucket(${time}, ${toTexts(bounds)}::timestamptz[])`;
const unnestPeriods = (periods: readonly Period[]) => sql`
  unnest(${toTexts(periods.map(({ start }) => start))}::timestamptz[],
    ${toTexts(periods.map(({ end }) => end))}::timestamptz[])`;

/**
 * Counts the runs of a span that the sums do not contain, and all ended runs of `periods`. Each part reads a range of an
 * index. A run does not end before it is created.
 */
export const countRuns = (
  db: Db,
  orgId: OrgId,
  reach: Reach,
  { start, end, bounds }: Span,
  mark: Mark,
  periods: readonly Period[],
) => {
  const isInSpan = sql`r.created_at >= ${instant(start)} and r.created_at < ${instant(end)}`;
  const columns = sql`r.member_id, r.created_at, r.status, r.reason, r.started_at, r.finished_at`;
  return db.rows<Runs & { interval: number }>(sql`
    select ${intervalOf(sql`r.created_at`, bounds)} as interval, r.status, r.reason, ${durationSums} from (
      select ${columns} from automation_runs r
      where r.org_id = ${orgId} and r.status in ('queued', 'running') and ${isInSpan}
      union all
      select ${columns} from automation_runs r
      where r.org_id = ${orgId} and r.finished_at >= greatest(${mark}::timestamptz, ${instant(start)})
        -- With an end, the planner expects a small part of the table.
        and r.finished_at < 'infinity' and ${isInSpan}
      union all
      select ${columns} from ${unnestPeriods(periods)} p (start_at, end_at)
      cross join lateral (
        select * from automation_runs r where r.org_id = ${orgId}
          and r.created_at >= p.start_at and r.created_at < p.end_at
          -- Not a condition of an index: the planner would read all runs that ended before.
          and (r.finished_at < ${mark}::timestamptz) is true
        offset 0) r) r
    where true ${ofMember(reach, sql`r.member_id`)}
    group by 1, 2, 3, 4`);
};

/** The same for costs. */
export const sumCosts = (
  db: Db,
  orgId: OrgId,
  reach: Reach,
  { start, end, bounds }: Span,
  mark: Mark,
  periods: readonly Period[],
) => {
  const columns = sql`u.member_id, u.reported_at, u.cost_micros`;
  return db.rows<{ interval: number; micros: number }>(sql`
    select ${intervalOf(sql`u.reported_at`, bounds)} as interval,
      least(sum(u.cost_micros), 9007199254740991)::bigint as micros
    from (
      select ${columns} from automation_usage u
      where u.org_id = ${orgId} and u.reported_at >= greatest(${mark}::timestamptz, ${instant(start)})
        and u.reported_at < ${instant(end)}
      union all
      select ${columns} from ${unnestPeriods(periods)} p (start_at, end_at)
      cross join lateral (
        select * from automation_usage u where u.org_id = ${orgId} and u.reported_at >= p.start_at
          and u.reported_at < least(p.end_at, ${mark}::timestamptz)
        offset 0) u) u
    where true ${ofMember(reach, sql`u.member_id`)}
    group by 1`);
};
