import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, type Sql, sql } from "../../../platform/db/index.ts";

/** The member whose rows count. Null means all members. */
export type Reach = string | null;

/**
 * Times in milliseconds. `bounds` are the starts of the intervals; interval 0 is everything before the first of them.
 * They are computed from the time-zone data of this program, so that schedules and figures agree.
 */
export interface Span {
  start: number;
  end: number;
  bounds: readonly number[];
}

const instant = (ms: number) => sql`to_timestamp(${ms}::bigint / 1000.0)`;
const toTexts = (bounds: readonly number[]) => bounds.map((ms) => new Date(ms).toISOString());
const ofMember = (reach: Reach, column: Sql) => (reach === null ? emptySql : sql`and ${column} = ${reach}`);

export const countRuns = (db: Db, orgId: OrgId, reach: Reach, { start, end, bounds }: Span) =>
  db.rows<{ interval: number; status: string; reason: string | null; runs: number }>(sql`
    select width_bucket(r.created_at, ${toTexts(bounds)}::timestamptz[]) as interval, r.status, r.reason,
      count(*)::int as runs
    from automation_runs r
    where r.org_id = ${orgId} and r.created_at >= ${instant(start)} and r.created_at < ${instant(end)}
      ${ofMember(reach, sql`r.member_id`)}
    group by 1, 2, 3`);

/** Exact to the microsecond, and computed without the type `numeric`, which takes several times as long. */
const durationMs = sql`greatest(0, round(date_part('epoch', r.finished_at - r.started_at) * 1000000)::bigint / 1000)`;

/** The median duration before `middle`, and from `middle` on. */
export const findMedianDurations = (
  db: Db,
  orgId: OrgId,
  reach: Reach,
  { start, middle, end }: { start: number; middle: number; end: number },
) =>
  db.rows<{ isBefore: boolean; medianMs: number }>(sql`
    select r.created_at < ${instant(middle)} as "isBefore",
      percentile_disc(0.5) within group (order by ${durationMs}) as "medianMs"
    from automation_runs r
    where r.org_id = ${orgId} and r.created_at >= ${instant(start)} and r.created_at < ${instant(end)}
      and r.status in ('succeeded', 'failed') and r.started_at is not null and r.finished_at is not null
      ${ofMember(reach, sql`r.member_id`)}
    group by 1`);

export const sumCosts = (db: Db, orgId: OrgId, reach: Reach, { start, end, bounds }: Span) =>
  db.rows<{ interval: number; costMicros: number }>(sql`
    select width_bucket(u.reported_at, ${toTexts(bounds)}::timestamptz[]) as interval,
      least(sum(u.cost_micros), 9007199254740991)::bigint as "costMicros"
    from automation_usage u
    where u.org_id = ${orgId} and u.reported_at >= ${instant(start)} and u.reported_at < ${instant(end)}
      ${ofMember(reach, sql`u.member_id`)}
    group by 1`);

export const countUnpricedRuns = async (
  db: Db,
  orgId: OrgId,
  reach: Reach,
  { start, end }: Pick<Span, "start" | "end">,
): Promise<number> =>
  (await db.row<{ runs: number }>(sql`
    select count(distinct u.run_id)::int as runs from automation_usage u
    where u.org_id = ${orgId} and u.cost_source = 'unpriced'
      and u.reported_at >= ${instant(start)} and u.reported_at < ${instant(end)}
      ${ofMember(reach, sql`u.member_id`)}`))!.runs;

/** What a subject spent on each day of this month and of the seven days before today, and the day of its first cost. */
export const readSpend = async (db: Db, orgId: OrgId, subjectId: string) => {
  const days = await db.rows<{ day: string; costMicros: number }>(sql`
    select to_char(s.day, 'YYYY-MM-DD') as day, s.cost_micros as "costMicros" from llm_spend s
    where s.org_id = ${orgId} and s.subject_id = ${subjectId} and s.cost_micros > 0
      and s.day >= least(date_trunc('month', now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date - 7)
    order by s.day`);
  const first = await db.row<{ day: string | null; now: number }>(sql`
    select (select to_char(s.day, 'YYYY-MM-DD') from llm_spend s
      where s.org_id = ${orgId} and s.subject_id = ${subjectId} and s.cost_micros > 0
      order by s.day limit 1) as day, now() as now`);
  return { days, firstDay: first!.day, now: first!.now };
};
