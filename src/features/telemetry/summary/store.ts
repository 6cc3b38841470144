import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, type Sql, sql } from "../../../platform/db/index.ts";
import type { Dimension, TelemetrySummaryItem } from "./contract.ts";

/** The key of a group. The empty text stands for "none", and for dimensions that are not asked for. */
export type GroupKey = Record<Dimension, string>;

type Figures = Pick<
  TelemetrySummaryItem,
  | "events"
  | "failures"
  | "inputTokens"
  | "outputTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "pricedEvents"
  | "unpricedEvents"
  | "durationMs"
  | "timedEvents"
  | "value"
> & { costMicros: number };

export type SummaryRow = GroupKey &
  Figures &
  Record<"memberName" | "teamName" | "workerName" | "automationName", string | null>;

/** A sum that fits a JSON number. */
const total = (column: Sql) => sql`least(sum(${column}), 9007199254740991)::bigint`;

interface SummaryFilter {
  /** `2026-11-16`. */
  firstDay: string;
  lastDay: string;
  memberId: string | null;
  by: Record<Dimension, boolean>;
  after: GroupKey | null;
  limit: number;
}

/** Sums all rows of each group in one statement, so each event counts once, also while a job merges rows. */
export const summarize = (
  db: Db,
  orgId: OrgId,
  { firstDay, lastDay, memberId, by, after, limit }: SummaryFilter,
) => {
  const own = sql`org_id = ${orgId} and day between ${firstDay}::date and ${lastDay}::date
    and (${memberId}::text is null or member_id = ${memberId})`;
  return db.rows<SummaryRow>(sql`
    with sums as (
      select * from telemetry_sums where ${own}
    ), grouped as (
      select case when ${by.day}::boolean then s.day::text else '' end collate "C" as day,
        case when ${by.type}::boolean then s.type else '' end collate "C" as type,
        case when ${by.member}::boolean then s.member_id else '' end collate "C" as member,
        coalesce(t.id, '') collate "C" as team,
        case when ${by.model}::boolean then s.model else '' end collate "C" as model,
        case when ${by.worker}::boolean then s.worker_id else '' end collate "C" as worker,
        case when ${by.automation}::boolean then s.automation_id else '' end collate "C" as automation,
        ${total(sql`s.events`)} as events, ${total(sql`s.failures`)} as failures,
        ${total(sql`s.input_tokens`)} as "inputTokens", ${total(sql`s.output_tokens`)} as "outputTokens",
        ${total(sql`s.cache_read_tokens`)} as "cacheReadTokens",
        ${total(sql`s.cache_write_tokens`)} as "cacheWriteTokens", ${total(sql`s.cost_micros`)} as "costMicros",
        ${total(sql`s.priced_events`)} as "pricedEvents", ${total(sql`s.unpriced_events`)} as "unpricedEvents",
        ${total(sql`s.duration_ms`)} as "durationMs", ${total(sql`s.timed_events`)} as "timedEvents",
        sum(s.value)::double precision as value
      from sums s
      left join (team_members x join teams t on t.id = x.team_id and t.org_id = ${orgId})
        on ${by.team}::boolean and x.member_id = s.member_id
      group by 1, 2, 3, 4, 5, 6, 7
    )
    select g.*,
      (select u.name from members m join users u on u.id = m.user_id
        where m.id = g.member and m.org_id = ${orgId}) as "memberName",
      (select n.name from teams n where n.id = g.team and n.org_id = ${orgId}) as "teamName",
      (select w.name from workers w where w.id = g.worker and w.org_id = ${orgId}) as "workerName",
      (select v.name from automations a join automation_revisions v on v.automation_id = a.id and v.revision = a.revision
        where a.id = g.automation and a.org_id = ${orgId}) as "automationName"
    from grouped g
    where true ${
      after === null
        ? emptySql
        : sql`and (g.day, g.type, g.member, g.team, g.model, g.worker, g.automation) < (${after.day}::text,
          ${after.type}::text, ${after.member}::text, ${after.team}::text, ${after.model}::text, ${after.worker}::text,
          ${after.automation}::text)`
    }
    order by g.day desc, g.type desc, g.member desc, g.team desc, g.model desc, g.worker desc, g.automation desc
    limit ${limit}`);
};
