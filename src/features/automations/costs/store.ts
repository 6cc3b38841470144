import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, sql } from "../../../platform/db/index.ts";
import type { PriceReference, TokenUsage } from "../../llm-providers/index.ts";

/** The report number of a completion. Events have their sequence. */
export const completionReport = -1;

export type CostSource = "reported" | "computed" | "unpriced";

export interface UsageReport extends Required<TokenUsage> {
  runId: string;
  attempt: number;
  /** The sequence of the event, or `completionReport`. */
  report: number;
  automationId: string;
  memberId: string;
  provider: string | null;
  model: string | null;
  /** When the tokens were used, in milliseconds since 1970. */
  at: number;
}

export interface ReportCost {
  /** 0 for `unpriced`. */
  costMicros: number;
  costSource: CostSource;
  price: PriceReference | null;
}

/**
 * Counts a report. Undefined when it was counted before. `day` is the day in UTC for the sums, and `runMicros` what the
 * run has cost with this report.
 */
export const count = (
  tx: Db,
  orgId: OrgId,
  usage: UsageReport,
  cost: ReportCost,
  subjectIds: readonly string[],
) =>
  tx.row<{ day: string; runMicros: number }>(sql`
    with counted as (
      insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, provider, model,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, cost_micros,
        cost_source, price, priced_at, spend_day, spend_subjects)
      values (${usage.runId}, ${usage.attempt}, ${usage.report}, ${orgId}, ${usage.automationId}, ${usage.memberId},
        ${usage.provider}, ${usage.model}, ${usage.inputTokens}, ${usage.outputTokens}, ${usage.cacheReadTokens},
        ${usage.cacheWriteTokens}, ${usage.cacheWrite1hTokens}, ${cost.costMicros}, ${cost.costSource},
        ${cost.price && JSON.stringify(cost.price)}::text::jsonb, to_timestamp(${usage.at}::bigint / 1000.0),
        (now() at time zone 'UTC')::date, ${subjectIds}::text[])
      on conflict do nothing returning cost_micros, spend_day
    )
    select to_char(c.spend_day, 'YYYY-MM-DD') as day, least(c.cost_micros + coalesce((
      select sum(u.cost_micros) from automation_usage u where u.run_id = ${usage.runId}), 0),
      9007199254740991)::bigint as "runMicros"
    from counted c`);

/** Stores an implausible report with figures of 0, so that it does not count. */
export const insertHeld = (
  tx: Db,
  orgId: OrgId,
  usage: UsageReport,
  costMicros: number | null,
  subjectIds: readonly string[],
) =>
  tx.run(sql`
    insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, provider, model,
      input_tokens, output_tokens, cost_micros, state, reported, spend_day, spend_subjects)
    values (${usage.runId}, ${usage.attempt}, ${usage.report}, ${orgId}, ${usage.automationId}, ${usage.memberId},
      ${usage.provider}, ${usage.model}, 0, 0, 0, 'held',
      ${JSON.stringify({ inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, costMicros })}::text::jsonb,
      (now() at time zone 'UTC')::date, ${subjectIds}::text[])
    on conflict do nothing`);

export interface Position {
  /** With the precision of the database. */
  reportedAt: string;
  runId: string;
  attempt: number;
  report: number;
}

export interface ComputedReport extends UsageReport, ReportCost, Position {
  day: string;
  subjectIds: string[];
}

/** Locks the next reports whose cost was computed or is not known. Null as model: of every model. */
export const lockComputed = (
  tx: Db,
  orgId: OrgId,
  { fromAt, model }: { fromAt: number; model: string | null },
  after: Position | null,
  limit: number,
) =>
  tx.rows<ComputedReport>(sql`
    select u.run_id as "runId", u.attempt, u.report, u.automation_id as "automationId", u.member_id as "memberId",
      u.provider, u.model, u.input_tokens as "inputTokens", u.output_tokens as "outputTokens",
      u.cache_read_tokens as "cacheReadTokens", u.cache_write_tokens as "cacheWriteTokens",
      u.cache_write_1h_tokens as "cacheWrite1hTokens", u.cost_micros as "costMicros", u.cost_source as "costSource",
      u.price, u.reported_at::text as "reportedAt",
      (extract(epoch from coalesce(u.priced_at, u.reported_at)) * 1000)::bigint as at,
      to_char(coalesce(u.spend_day, (u.reported_at at time zone 'UTC')::date), 'YYYY-MM-DD') as day,
      coalesce(u.spend_subjects, array[u.org_id, u.member_id]) as "subjectIds"
    from automation_usage u
    where u.org_id = ${orgId} and u.cost_source <> 'reported' and u.state = 'counted'
      and u.reported_at >= to_timestamp(${fromAt}::bigint / 1000.0)
      ${model === null ? emptySql : sql`and lower(u.model) = ${model}`}
      ${
        after === null
          ? emptySql
          : sql`and (u.reported_at, u.run_id, u.attempt, u.report)
        > (${after.reportedAt}::timestamptz, ${after.runId}, ${after.attempt}::int, ${after.report}::bigint)`
      }
    order by u.reported_at, u.run_id, u.attempt, u.report limit ${limit} for no key update`);

/** Replaces a computed cost, and keeps the cost and the price before it. */
export const replaceCost = (
  tx: Db,
  orgId: OrgId,
  { runId, attempt, report }: Pick<Position, "runId" | "attempt" | "report">,
  { costMicros, costSource, price }: ReportCost,
) =>
  tx.run(sql`
    update automation_usage u set cost_micros = ${costMicros}, cost_source = ${costSource},
      price = ${price && JSON.stringify(price)}::text::jsonb, recomputed_at = now(),
      previous = jsonb_build_object('costMicros', case when u.cost_source <> 'unpriced' then u.cost_micros end,
        'price', u.price)
    where u.org_id = ${orgId} and u.run_id = ${runId} and u.attempt = ${attempt} and u.report = ${report}`);
