import type { OrgId } from "../../../platform/context.ts";
import { type Db, raw, type Sql, sql } from "../../../platform/db/index.ts";
import type { UsageFigures } from "./contract.ts";

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
const listOpenDays = async (db: Db, { from, to }: Days): Promise<string[]> =>
  (
    await db.rows<{ day: string }>(sql`
      select to_char(s.day, 'YYYY-MM-DD') as day from generate_series(
        (select greatest(min(o.created_at at time zone 'UTC')::date, ${from}::date)::timestamp from organizations o
          having count(*) > 0), ${to}::timestamp - interval '1 day', interval '1 day') s (day)
      where s.day::date not in (select c.day from usage_rollups c where c.completed_at is not null)`)
  ).map(({ day }) => day);

/**
 * The figures of all organizations by day: `open` days from the rows, and stored sums of the others. The list of open
 * days is read before, because the planner expects a thousand days of a series, and prepares for them.
 */
const dayFigures = ({ from, to }: Days, open: readonly string[]) => sql`
  select d.day, d.org_id, ${columns} from usage_days d
  where d.day >= ${from}::date and d.day < ${to}::date and d.day <> all(${open}::date[])
  union all
  select g.day, o.id, ${columns} from unnest(${open}::date[]) g (day)
  join organizations o on o.created_at < ${startOf(sql`g.day + 1`)}
  ${addUp(sql`g.day`)}
  where ${hasActivity}`;

/** A sum that fits a JSON number. */
const total = (column: string) => sql`least(coalesce(sum(${raw(column)}), 0), 9007199254740991)::bigint`;

const sums = sql`${total("succeeded + failed + cancelled + skipped")} as runs, ${total("succeeded")} as succeeded,
  ${total("failed")} as failures, ${total("cancelled")} as cancelled, ${total("skipped")} as skipped,
  ${total("cost_micros")} as "costMicros", ${total("input_tokens")} as "inputTokens",
  ${total("output_tokens")} as "outputTokens", ${total("reports")} as reports,
  ${total("unpriced_reports")} as "unpricedReports", ${total("held_reports")} as "heldReports"`;

export const sumAcrossOrganizations = async (db: Db, days: Days): Promise<UsageFigures> => {
  const open = await listOpenDays(db, days);
  return (await db.row<UsageFigures>(sql`select ${sums} from (${dayFigures(days, open)}) f`))!;
};

const intervals = { day: raw("'day'"), week: raw("'week'"), month: raw("'month'") };
export type Interval = keyof typeof intervals;

export const sumByIntervalAcrossOrganizations = async (db: Db, days: Days, interval: Interval) => {
  const open = await listOpenDays(db, days);
  return db.rows<UsageFigures & { start: string }>(sql`
    select to_char(date_trunc(${intervals[interval]}, f.day), 'YYYY-MM-DD') as start, ${sums}
    from (${dayFigures(days, open)}) f group by 1`);
};

/** A position in the list of organizations by interval, newest interval first. */
export interface GroupPosition {
  start: string;
  organizationId: string;
}

export const listGroupsAcrossOrganizations = async (
  db: Db,
  days: Days,
  interval: Interval,
  after: GroupPosition | null,
  limit: number,
) => {
  const open = await listOpenDays(db, days);
  return db.rows<UsageFigures & { start: string; organizationId: OrgId; organizationName: string }>(sql`
    select s.*, o.name as "organizationName" from (
      select to_char(date_trunc(${intervals[interval]}, f.day), 'YYYY-MM-DD') collate "C" as start,
        f.org_id as "organizationId", ${sums}
      from (${dayFigures(days, open)}) f group by 1, 2) s
    join organizations o on o.id = s."organizationId"
    where ${after?.start ?? null}::text is null
      or (s.start, s."organizationId") < (${after?.start ?? null}, ${after?.organizationId ?? null})
    order by s.start desc, s."organizationId" desc limit ${limit}`);
};

/** The figures of each of these organizations in the whole period. An organization without any is not in the result. */
export const sumByOrganizationAcrossOrganizations = async (db: Db, days: Days, orgIds: readonly string[]) => {
  const open = await listOpenDays(db, days);
  return db.rows<UsageFigures & { organizationId: OrgId }>(sql`
    select f.org_id as "organizationId", ${sums} from (
      select d.org_id, ${columns} from usage_days d
      where d.org_id = any(${orgIds}::text[]) and d.day >= ${days.from}::date and d.day < ${days.to}::date
        and d.day <> all(${open}::date[])
      union all
      select o.id, ${columns} from unnest(${open}::date[]) g (day)
      join organizations o on o.id = any(${orgIds}::text[]) and o.created_at < ${startOf(sql`g.day + 1`)}
      ${addUp(sql`g.day`)}
      where ${hasActivity}) f
    group by 1`);
};

/** Closes a day two hours after its end: a transaction that began on the day has ended by then. */
const lastClosed = sql`((now() - interval '2 hours') at time zone 'UTC')::date`;

/** Days since the first organization that are over and not complete, newest first. */
export const listOpenDaysAcrossOrganizations = async (
  db: Db,
  maxDays: number,
  limit: number,
): Promise<string[]> =>
  (
    await db.rows<{ day: string }>(sql`
      select to_char(s.day, 'YYYY-MM-DD') as day from generate_series(
        (select greatest(min(o.created_at at time zone 'UTC')::date, ${lastClosed} - ${maxDays}::int)::timestamp
          from organizations o having count(*) > 0),
        ${lastClosed}::timestamp - interval '1 day', interval '1 day') s (day)
      where s.day::date not in (select c.day from usage_rollups c where c.completed_at is not null)
      order by s.day desc limit ${limit}`)
  ).map(({ day }) => day);

/** Commit it before `lockDay…`, so that corrections find the day. */
export const insertDayAcrossOrganizations = (db: Db, day: string) =>
  db.run(sql`insert into usage_rollups (day) values (${day}::date) on conflict do nothing`);

/** Waits for corrections of the day. Those that come later wait for this transaction. */
export const lockDayAcrossOrganizations = (tx: Db, day: string) =>
  tx.run(sql`select from usage_rollups where day = ${day}::date for update`);

/** Replaces the stored figures of a day, and marks it as complete. */
export const storeDayAcrossOrganizations = async (tx: Db, day: string): Promise<void> => {
  await tx.run(sql`
    insert into usage_days (day, org_id, ${columns})
    select ${day}::date, o.id, ${columns} from organizations o ${addUp(sql`${day}::date`)}
    where ${hasActivity}
    on conflict (day, org_id) do update set (${columns}) = row(${excluded})`);
  await tx.run(sql`update usage_rollups set completed_at = now() where day = ${day}::date`);
};
