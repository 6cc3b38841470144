import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, type Sql, sql } from "../../../platform/db/index.ts";

/** Days in UTC, as `2026-11-16`. The last day is not included. */
export interface Days {
  from: string;
  to: string;
}

const startOf = (day: Sql) => sql`(${day})::timestamp at time zone 'UTC'`;
const isWithin = (time: Sql, day: Sql) =>
  sql`${time} >= ${startOf(day)} and ${time} < ${startOf(sql`${day} + 1`)}`;

/**
 * The figures of organization `o` on a day, from its runs and reports. Runs count on the day on which they ended, and
 * reports on the day on which they were received: both never change. Both are ranges of an index. Runs are removed after
 * their retention and reports stay, so a day that is added up again keeps the runs that were stored.
 */
const addUp = (day: Sql) => sql`
  left join lateral (
    select k.succeeded as kept_succeeded, k.failed as kept_failed, k.cancelled as kept_cancelled, k.skipped as kept_skipped
    from usage_days k where k.day = ${day} and k.org_id = o.id) stored on true
  cross join lateral (
    select greatest(count(*) filter (where r.status = 'succeeded'), stored.kept_succeeded) as succeeded,
      greatest(count(*) filter (where r.status = 'failed'), stored.kept_failed) as failed,
      greatest(count(*) filter (where r.status = 'cancelled'), stored.kept_cancelled) as cancelled,
      greatest(count(*) filter (where r.status = 'skipped'), stored.kept_skipped) as skipped
    from automation_runs r where r.org_id = o.id and ${isWithin(sql`r.finished_at`, day)}) ended
  cross join lateral (
    select count(*) as reports, count(*) filter (where u.state = 'held') as held_reports,
      count(*) filter (where u.state <> 'held' and u.cost_source = 'unpriced')
        as unpriced_reports,
      coalesce(sum(u.input_tokens), 0) as input_tokens, coalesce(sum(u.output_tokens), 0) as output_tokens,
      coalesce(sum(u.cost_micros), 0) as cost_micros
    from automation_usage u where u.org_id = o.id and ${isWithin(sql`u.reported_at`, day)}) used`;

const hasActivity = sql`ended.succeeded + ended.failed + ended.cancelled + ended.skipped + used.reports > 0`;

const columns = sql`succeeded, failed, cancelled, skipped, reports, unpriced_reports, held_reports, input_tokens,
  output_tokens, cost_micros`;
const excluded = sql`excluded.succeeded, excluded.failed, excluded.cancelled, excluded.skipped, excluded.reports,
  excluded.unpriced_reports, excluded.held_reports, excluded.input_tokens, excluded.output_tokens, excluded.cost_micros`;

/** The days of a period that are not complete, since the first organization. */
export const listIncompleteDaysAcrossOrganizations = async (db: Db, { from, to }: Days): Promise<string[]> =>
  (
    await db.rows<{ day: string }>(sql`
      select to_char(s.day, 'YYYY-MM-DD') as day from generate_series(
        (select greatest(min(o.created_at at time zone 'UTC')::date, ${from}::date)::timestamp from organizations o
          having count(*) > 0), ${to}::timestamp - interval '1 day', interval '1 day') s (day)
      where s.day::date not in (select c.day from usage_rollups c where c.completed_at is not null)`)
  ).map(({ day }) => day);

/** Only these organizations. Null: all. */
const isOneOf = (column: Sql, orgIds: readonly string[] | null) =>
  orgIds === null ? emptySql : sql`and ${column} = any(${orgIds}::text[])`;

/**
 * The figures of organizations by day. `open` days and days with corrected reports are added up from the rows; the other
 * days are read from the stored sums. The caller reads the list of open days first: of a series in this statement, the
 * planner would expect a thousand days.
 */
export const selectDayFigures = (
  { from, to }: Days,
  open: readonly string[],
  orgIds: readonly string[] | null = null,
): Sql => sql`
  select d.day, d.org_id, ${columns} from usage_days d
  where d.day >= ${from}::date and d.day < ${to}::date and d.day <> all(${open}::date[])
    ${isOneOf(sql`d.org_id`, orgIds)}
    and not exists (select from usage_reopened_days c where c.day = d.day and c.org_id = d.org_id)
  union all
  select g.day, o.id, ${columns} from unnest(${open}::date[]) g (day)
  join organizations o on o.created_at < ${startOf(sql`g.day + 1`)} ${isOneOf(sql`o.id`, orgIds)}
  ${addUp(sql`g.day`)}
  where ${hasActivity}
  union all
  select g.day, o.id, ${columns} from usage_reopened_days g join organizations o on o.id = g.org_id
  ${addUp(sql`g.day`)}
  where g.day >= ${from}::date and g.day < ${to}::date and g.day <> all(${open}::date[])
    ${isOneOf(sql`g.org_id`, orgIds)} and ${hasActivity}`;

/** The days that are added up, without those on which a report of the organization was corrected since. */
export const listCurrentDays = async (db: Db, orgId: OrgId, { from, to }: Days): Promise<string[]> =>
  (
    await db.rows<{ day: string }>(sql`
      select to_char(c.day, 'YYYY-MM-DD') as day from usage_rollups c
      where c.completed_at is not null and c.day >= ${from}::date and c.day < ${to}::date
        and not exists (select from usage_reopened_days g where g.day = c.day and g.org_id = ${orgId})
      order by c.day`)
  ).map(({ day }) => day);

/** Closes a day two hours after its end: a transaction that began on the day has ended by then. */
const lastClosed = sql`((now() - interval '2 hours') at time zone 'UTC')::date`;

/** Days since the first organization that are over and not complete, newest first. */
export const listOpenDaysAcrossOrganizations = async (db: Db, limit: number): Promise<string[]> =>
  (
    await db.rows<{ day: string }>(sql`
      select to_char(s.day, 'YYYY-MM-DD') as day from generate_series(
        (select min(o.created_at at time zone 'UTC')::date::timestamp from organizations o having count(*) > 0),
        ${lastClosed}::timestamp - interval '1 day', interval '1 day') s (day)
      where s.day::date not in (select c.day from usage_rollups c where c.completed_at is not null)
      order by s.day desc limit ${limit}`)
  ).map(({ day }) => day);

/** Locks a day, so that one process at a time adds it up. Corrections do not wait for it. */
const lockDay = (tx: Db, day: string) =>
  tx.run(sql`
    insert into usage_rollups (day) values (${day}::date) on conflict (day) do update set day = excluded.day`);

const storeFigures = (tx: Db, day: string, condition: Sql) =>
  tx.run(sql`
    insert into usage_days (day, org_id, ${columns})
    select ${day}::date, o.id, ${columns} from organizations o ${addUp(sql`${day}::date`)}
    where ${hasActivity} ${condition}
    on conflict (day, org_id) do update set (${columns}) = row(${excluded})`);

const sumColumns = sql`runs, reports, unpriced_reports, input_tokens, output_tokens, cost_micros`;

/** Stores the usage of a day by automation, member and model. A report never leaves its day or changes one of these. */
const storeSums = (tx: Db, day: string, condition: Sql) =>
  tx.run(sql`
    insert into automation_usage_days (org_id, day, automation_id, member_id, model, ${sumColumns})
    select o.id, ${day}::date, used.* from organizations o
    cross join lateral (
      select u.automation_id, u.member_id, coalesce(u.model, '') as model, count(distinct u.run_id), count(*),
        count(*) filter (where u.cost_source = 'unpriced'), sum(u.input_tokens), sum(u.output_tokens), sum(u.cost_micros)
      from automation_usage u where u.org_id = o.id and ${isWithin(sql`u.reported_at`, sql`${day}::date`)}
      group by 1, 2, 3) used
    where true ${condition}
    on conflict (org_id, day, automation_id, member_id, model) do update set (${sumColumns}) =
      row(excluded.runs, excluded.reports, excluded.unpriced_reports, excluded.input_tokens, excluded.output_tokens,
        excluded.cost_micros)`);

/**
 * Stores the runs of a day that also reported on another day, or for several models: each of their days and models, also
 * those that are not added up yet.
 */
const storeRepeatedRuns = (tx: Db, day: string) =>
  tx.run(sql`
    insert into automation_usage_repeated_runs (org_id, run_id, day, model, automation_id, member_id)
    select distinct u.org_id, u.run_id, (u.reported_at at time zone 'UTC')::date, coalesce(u.model, ''),
      u.automation_id, u.member_id
    from organizations o
    cross join lateral (
      select u.run_id from automation_usage u
      where u.org_id = o.id and ${isWithin(sql`u.reported_at`, sql`${day}::date`)}
      group by u.run_id
      having count(distinct coalesce(u.model, '')) > 1 or exists (
        select from automation_usage x where x.org_id = o.id and x.run_id = u.run_id
          and not (${isWithin(sql`x.reported_at`, sql`${day}::date`)}))) r
    join automation_usage u on u.org_id = o.id and u.run_id = r.run_id
    on conflict do nothing`);

/**
 * Adds up a day, and marks it as complete. The marks of corrections are removed first, so that a correction that commits
 * later sets its mark again.
 */
export const storeDayAcrossOrganizations = async (tx: Db, day: string): Promise<void> => {
  await lockDay(tx, day);
  await tx.run(sql`delete from usage_reopened_days where day = ${day}::date`);
  await storeFigures(tx, day, emptySql);
  await storeSums(tx, day, emptySql);
  await storeRepeatedRuns(tx, day);
  await tx.run(sql`update usage_rollups set completed_at = now() where day = ${day}::date`);
};

export interface ReopenedDay {
  day: string;
  orgId: OrgId;
}

/** Complete days of organizations whose reports were corrected, newest first. */
export const listReopenedDaysAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<ReopenedDay>(sql`
    select to_char(g.day, 'YYYY-MM-DD') as day, g.org_id as "orgId" from usage_reopened_days g
    join usage_rollups c on c.day = g.day and c.completed_at is not null
    order by g.day desc, g.org_id limit ${limit}`);

/**
 * Adds up a day of an organization again. Waits for a correction of the day that is not committed. A correction changes
 * figures only, so the runs that reported repeatedly stay the same.
 */
export const storeReopenedDay = async (tx: Db, orgId: OrgId, day: string): Promise<void> => {
  await lockDay(tx, day);
  await tx.run(sql`delete from usage_reopened_days where day = ${day}::date and org_id = ${orgId}`);
  const isOrganization = sql`and o.id = ${orgId}`;
  await storeFigures(tx, day, isOrganization);
  await storeSums(tx, day, isOrganization);
};

/** For a deleted organization. */
export const removeSomeDays = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from automation_usage_days where org_id = ${orgId} and ctid = any(array(
      select u.ctid from automation_usage_days u where u.org_id = ${orgId} order by u.day limit ${limit}))`);

/** For a deleted organization. */
export const removeSomeRepeatedRuns = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from automation_usage_repeated_runs where org_id = ${orgId} and ctid = any(array(
      select u.ctid from automation_usage_repeated_runs u where u.org_id = ${orgId} order by u.run_id limit ${limit}))`);
