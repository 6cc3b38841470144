import type { MemberId, OrgId } from "../../../../platform/context.ts";
import { type Db, emptySql, raw, type Sql, sql } from "../../../../platform/db/index.ts";
import type { Days } from "../../rollups/index.ts";

const maxMicros = sql`9007199254740991`;
/** A sum that fits a JSON number, however much was reported. */
const total = (column: Sql) => sql`least(coalesce(sum(${column}), 0), ${maxMicros})::bigint`;
/** What reports add up to. `runs` is the number of their runs. */
export interface Sums {
  runs: number;
  reports: number;
  /** Reports whose cost is not known. */
  unpriced: number;
  inputTokens: number;
  outputTokens: number;
  costMicros: number;
}
type SumsOfReports = Omit<Sums, "runs">;

const reportSums = sql`count(*)::int as reports, count(*) filter (where u.cost_source = 'unpriced')::int as unpriced,
  ${total(sql`u.input_tokens`)} as "inputTokens", ${total(sql`u.output_tokens`)} as "outputTokens",
  ${total(sql`u.cost_micros`)} as "costMicros"`;

export const sumRun = async (db: Db, orgId: OrgId, runId: string): Promise<SumsOfReports> =>
  (await db.row<SumsOfReports>(sql`
    select ${reportSums} from automation_usage u where u.run_id = ${runId} and u.org_id = ${orgId}`))!;

const keys = {
  run: raw("u.run_id"),
  automation: raw("u.automation_id"),
  member: raw("u.member_id"),
  model: raw(`coalesce(u.model, '') collate "C"`),
  day: raw(`to_char(u.reported_at at time zone 'UTC', 'YYYY-MM-DD') collate "C"`),
};
export type Key = keyof typeof keys;
/** The keys that whole days are stored by. */
export type StoredKey = Exclude<Key, "run">;

const storedKeys: Record<StoredKey, Sql> = {
  automation: raw("u.automation_id"),
  member: raw("u.member_id"),
  model: raw("u.model"),
  day: raw(`to_char(u.day, 'YYYY-MM-DD') collate "C"`),
};

/** Null: all of them. */
export interface UsageFilter {
  memberId: MemberId | string | null;
  automationId: string | null;
}

const matchesFilter = (orgId: OrgId, { memberId, automationId }: UsageFilter) => sql`u.org_id = ${orgId}
  ${memberId === null ? emptySql : sql`and u.member_id = ${memberId}`}
  ${automationId === null ? emptySql : sql`and u.automation_id = ${automationId}`}`;

/** A page of groups: those with keys smaller than `after`, largest first. */
export interface GroupQuery<K extends Key = Key> extends UsageFilter {
  groupBy: K;
  after: string | null;
  limit: number;
}

/** Days in UTC whose sums are stored: from `from` to before `to`, without `except`. */
export interface StoredDays extends Days {
  except: readonly string[];
}

const isStoredDay = (day: Sql, { from, to, except }: StoredDays) => sql`
  ${day} >= ${from}::date and ${day} < ${to}::date and ${day} <> all(${except}::date[])`;

/** A period from `start`, inclusive, to `end`, exclusive, as times of the database. */
export interface Period {
  start: string;
  end: string;
  /** A run with a smaller id can have reports before the period. */
  firstRunId: string;
}

/** The groups of a page, and a row with the key null: the sums of all groups. */
type GroupRow = Sums & { key: string | null };

const cutGroups = ({ after, limit }: GroupQuery, grouped: Sql) => sql`
  with grouped as materialized (${grouped})
  (select * from grouped where ${after}::text is null or key < ${after} order by key desc limit ${limit})
  union all
  select null, 0, coalesce(sum(reports), 0)::int, coalesce(sum(unpriced), 0)::int, ${total(raw(`"inputTokens"`))},
    ${total(raw(`"outputTokens"`))}, ${total(raw(`"costMicros"`))} from grouped`;

/** Adds up stored days. A run that is in several of their rows counts once for a key. */
export const listStored = (db: Db, orgId: OrgId, query: GroupQuery<StoredKey>, days: StoredDays) => {
  const key = storedKeys[query.groupBy];
  const matches = sql`${matchesFilter(orgId, query)} and ${isStoredDay(raw("u.day"), days)}`;
  return db.rows<GroupRow>(
    cutGroups(
      query,
      sql`
        select s.key, (s.runs - coalesce(r.extra, 0))::int as runs, s.reports, s.unpriced, s."inputTokens",
          s."outputTokens", s."costMicros"
        from (
          select ${key} as key, sum(u.runs) as runs, sum(u.reports)::int as reports,
            sum(u.unpriced_reports)::int as unpriced, ${total(sql`u.input_tokens`)} as "inputTokens",
            ${total(sql`u.output_tokens`)} as "outputTokens", ${total(sql`u.cost_micros`)} as "costMicros"
          from automation_usage_days u where ${matches} group by 1) s
        left join (
          select key, sum(times - 1) as extra from (
            select ${key} as key, u.run_id, count(*) as times
            from automation_usage_repeated_runs u where ${matches} group by 1, 2) g
          group by 1) r on r.key = s.key`,
    ),
  );
};

/** The usage of each run in periods, by key. With `isStored`, a stored day already counts the run for this key. */
const selectRuns = (
  orgId: OrgId,
  { groupBy, ...filter }: Pick<GroupQuery, "groupBy" | keyof UsageFilter>,
  days: StoredDays | null,
  periods: readonly Period[],
) => sql`
  select g.key, g."runId", g.reports, g.unpriced, g."inputTokens", g."outputTokens", g."costMicros", ${
    // No day is in both. Stored sums do not have runs as keys.
    days === null || groupBy === "day" || groupBy === "run" ? sql`false` : isCountedOn(orgId, groupBy, days)
  } as "isStored"
  from (
    select ${keys[groupBy]} as key, u.run_id as "runId", max(p.first_run_id collate "C") as "firstRunId", ${reportSums}
    from unnest(${periods.map(({ start }) => start)}::timestamptz[], ${periods.map(({ end }) => end)}::timestamptz[],
      ${periods.map(({ firstRunId }) => firstRunId)}::text[]) p (start_at, end_at, first_run_id)
    cross join lateral (
      select * from automation_usage u where ${matchesFilter(orgId, filter)}
        and u.reported_at >= p.start_at and u.reported_at < p.end_at
      -- Reads a range of the index for each period. As a join, the planner expects a ninth of the table and scans it.
      offset 0) u
    group by 1, 2) g`;

/**
 * Whether run `g` is counted for its key on a stored day. `automation_usage_repeated_runs` knows it when both days are
 * added up. Today is not, so the reports of runs that are older than their period are looked up.
 */
const isCountedOn = (orgId: OrgId, groupBy: StoredKey, days: StoredDays) => sql`(
  exists (select from automation_usage_repeated_runs u where u.org_id = ${orgId} and u.run_id = g."runId"
    and ${isStoredDay(raw("u.day"), days)} and ${storedKeys[groupBy]} = g.key)
  or g."runId" < g."firstRunId"
    and exists (select from automation_usage u where u.org_id = ${orgId} and u.run_id = g."runId"
      and ${isStoredDay(sql`(u.reported_at at time zone 'UTC')::date`, days)} and ${keys[groupBy]} = g.key))`;

/** Adds up the reports of periods. */
export const listReported = (
  db: Db,
  orgId: OrgId,
  query: GroupQuery<StoredKey>,
  days: StoredDays | null,
  periods: readonly Period[],
) =>
  db.rows<GroupRow>(
    cutGroups(
      query,
      sql`
        select key, count(*) filter (where not "isStored")::int as runs, sum(reports)::int as reports,
          sum(unpriced)::int as unpriced, ${total(raw(`"inputTokens"`))} as "inputTokens",
          ${total(raw(`"outputTokens"`))} as "outputTokens", ${total(raw(`"costMicros"`))} as "costMicros"
        from (${selectRuns(orgId, query, days, periods)}) r group by 1`,
    ),
  );

/** The usage of each run in a period, by key. */
export const sumPeriod = (
  db: Db,
  orgId: OrgId,
  query: Pick<GroupQuery, "groupBy" | keyof UsageFilter>,
  days: StoredDays | null,
  period: Period,
) =>
  db.rows<SumsOfReports & { key: string; runId: string; isStored: boolean }>(
    selectRuns(orgId, query, days, [period]),
  );

/**
 * Lists runs with ids before `endRunId`, newest first. With many reports in the period, runs are read in the order of the
 * primary key, and the statement ends with its last row. With few reports, the index of their times finds them.
 */
export const listByRun = (
  db: Db,
  orgId: OrgId,
  { limit, ...filter }: Omit<GroupQuery, "groupBy" | "after">,
  { start, end }: Pick<Period, "start" | "end">,
  endRunId: string | null,
  hasManyReports: boolean,
) =>
  db.rows<SumsOfReports & { key: string }>(sql`
    select u.run_id as key, ${reportSums} from automation_usage u
    where ${matchesFilter(orgId, filter)}
      and (u.reported_at >= ${start}::timestamptz and u.reported_at < ${end}::timestamptz)
        ${hasManyReports ? keepFromIndex : emptySql}
      ${endRunId === null ? emptySql : sql`and u.run_id < ${endRunId}`}
    group by 1 order by 1 desc limit ${limit}`);

/** Keeps the planner from using an index for a condition. */
const keepFromIndex = sql`is true`;

/** The time of the `count`th newest report of a period. Null when there are fewer reports. */
export const findStepStart = async (
  db: Db,
  orgId: OrgId,
  { start, end }: Pick<Period, "start" | "end">,
  count: number,
): Promise<string | null> =>
  (
    await db.row<{ start: string }>(sql`
      select u.reported_at::text as start from automation_usage u
      where u.org_id = ${orgId} and u.reported_at >= ${start}::timestamptz and u.reported_at < ${end}::timestamptz
      order by u.reported_at desc offset ${raw(String(count - 1))} limit 1`)
  )?.start ?? null;
