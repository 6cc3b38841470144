import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, type Sql, sql } from "../../../platform/db/index.ts";

/** The member whose rows count. Null means all members. */
export type Reach = string | null;

const instant = (ms: number) => sql`to_timestamp(${ms}::bigint / 1000.0)`;
const ofMember = (reach: Reach, column: Sql) => (reach === null ? emptySql : sql`and ${column} = ${reach}`);

/** Reads the newest reports without a price, at most `max` of them. */
export const countUnpricedRuns = async (
  db: Db,
  orgId: OrgId,
  reach: Reach,
  { start, end }: { start: number; end: number },
  max: number,
): Promise<number> =>
  (await db.row<{ runs: number }>(sql`
    select count(distinct u.run_id)::int as runs from (
      select u.run_id from automation_usage u
      where u.org_id = ${orgId} and u.cost_source = 'unpriced'
        and u.reported_at >= ${instant(start)} and u.reported_at < ${instant(end)}
        ${ofMember(reach, sql`u.member_id`)}
      order by u.reported_at desc limit ${max}) u`))!.runs;

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
