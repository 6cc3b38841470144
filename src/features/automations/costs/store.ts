import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, sql } from "../../../platform/db/index.ts";
import {
  addToSums,
  type PriceBookJson,
  type PriceReference,
  selectPriceBook,
  selectSubjects,
  type TokenUsage,
} from "../../llm-providers/index.ts";

/** The report number of a completion. Events have their sequence. */
export const completionReport = -1;

export type CostSource = "reported" | "computed" | "unpriced";

/** The attempt that reports belong to. */
export interface ReportingAttempt {
  runId: string;
  attempt: number;
  automationId: string;
  memberId: string;
}

export interface UsageReport extends Required<TokenUsage> {
  /** The sequence of the event, or `completionReport`. */
  report: number;
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

/** What decides how reports of an attempt count. */
export interface CountingTerms {
  /** Null: the organization has not changed its settings. */
  settings: { runBudgetMicros: number | null; reportCostLimitMicros: number | null } | null;
  monthlyBudgetMicros: number | null;
  /** Whom the costs belong to. */
  subjectIds: string[];
  /** Whether one of these subjects has a budget or an alert. */
  hasBudgets: boolean;
  prices: PriceBookJson;
}

/** Reads everything that counting needs with one statement, because the run is locked meanwhile. */
export const findTerms = async (
  tx: Db,
  orgId: OrgId,
  memberId: string,
  /** The provider that the automation names. */
  providerId: string | null,
  /** The reports whose cost is computed. */
  unpriced: readonly Pick<UsageReport, "provider" | "model">[],
): Promise<CountingTerms> =>
  (await tx.row<CountingTerms>(sql`
    with subjects as materialized (${selectSubjects(orgId, memberId, providerId)})
    select (select jsonb_build_object('runBudgetMicros', s.run_budget_micros,
        'reportCostLimitMicros', s.report_cost_limit_micros) from automation_settings s where s.org_id = ${orgId}) as settings,
      (select b.limit_micros from llm_budgets b where b.org_id = ${orgId} and b.subject_id = ${orgId}
        and b.period = 'month' and b.mode = 'budget') as "monthlyBudgetMicros",
      array(select id from subjects) as "subjectIds",
      exists (select from llm_budgets b where b.org_id = ${orgId} and b.subject_id in (select id from subjects))
        as "hasBudgets",
      ${selectPriceBook(orgId, unpriced)} as prices`))!;

/** A report with its cost. A held report does not count: its figures are stored as `reported` only. */
export interface CostedReport extends UsageReport, ReportCost {
  isHeld: boolean;
}

/** The figures that a person sees before they confirm a held report. */
const toReportedJson = ({ inputTokens, outputTokens, costMicros, costSource }: CostedReport) =>
  JSON.stringify({ inputTokens, outputTokens, costMicros: costSource === "unpriced" ? null : costMicros });

/**
 * Stores reports and adds their costs to the sums, with one statement. Reports that were stored before are skipped.
 * `addedMicros` is what the new ones cost, and `runMicros` what the run has cost with them.
 */
export const count = async (
  tx: Db,
  orgId: OrgId,
  { runId, attempt, automationId, memberId }: ReportingAttempt,
  reports: readonly CostedReport[],
  subjectIds: readonly string[],
) => {
  const each = <T>(value: (report: CostedReport) => T) => reports.map(value);
  const counted = (value: (report: CostedReport) => number) =>
    reports.map((report) => (report.isHeld ? 0 : value(report)));
  return (await tx.row<{ addedMicros: number; runMicros: number }>(sql`
    with added as (
      insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, provider, model,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, cost_micros,
        cost_source, price, priced_at, state, reported, spend_day, spend_subjects)
      select ${runId}, ${attempt}::int, g.report, ${orgId}, ${automationId}, ${memberId}, g.provider, g.model,
        g.input_tokens, g.output_tokens, g.cache_read_tokens, g.cache_write_tokens, g.cache_write_1h_tokens,
        g.cost_micros, g.cost_source, g.price::jsonb, to_timestamp(g.at / 1000.0), g.state, g.reported::jsonb,
        (now() at time zone 'UTC')::date, ${subjectIds}::text[]
      from unnest(${each(({ report }) => report)}::bigint[], ${each(({ provider }) => provider)}::text[],
        ${each(({ model }) => model)}::text[], ${counted(({ inputTokens }) => inputTokens)}::bigint[],
        ${counted(({ outputTokens }) => outputTokens)}::bigint[],
        ${counted(({ cacheReadTokens }) => cacheReadTokens)}::bigint[],
        ${counted(({ cacheWriteTokens }) => cacheWriteTokens)}::bigint[],
        ${counted(({ cacheWrite1hTokens }) => cacheWrite1hTokens)}::bigint[],
        ${counted(({ costMicros }) => costMicros)}::bigint[],
        ${each(({ isHeld, costSource }) => (isHeld ? "reported" : costSource))}::text[],
        ${each(({ isHeld, price }) => (isHeld || price === null ? null : JSON.stringify(price)))}::text[],
        ${each(({ at }) => at)}::bigint[], ${each(({ isHeld }) => (isHeld ? "held" : "counted"))}::text[],
        ${each((report) => (report.isHeld ? toReportedJson(report) : null))}::text[])
        g (report, provider, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
          cache_write_1h_tokens, cost_micros, cost_source, price, at, state, reported)
      on conflict do nothing returning cost_micros, spend_day
    ), spent as (
      ${addToSums(
        orgId,
        sql`select t.subject_id, a.spend_day as day, a.cost_micros as micros
          from added a cross join unnest(${subjectIds}::text[]) t (subject_id)`,
      )}
    )
    select least(a.micros, 9007199254740991)::bigint as "addedMicros",
      least(a.micros + coalesce((select sum(u.cost_micros) from automation_usage u
        where u.org_id = ${orgId} and u.run_id = ${runId}), 0),
        9007199254740991)::bigint as "runMicros"
    from (select coalesce(sum(cost_micros), 0) as micros from added) a`))!;
};

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
    select u.run_id as "runId", u.attempt, u.report, u.provider, u.model, u.input_tokens as "inputTokens",
      u.output_tokens as "outputTokens", u.cache_read_tokens as "cacheReadTokens", u.cache_write_tokens as "cacheWriteTokens",
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

/** Whether a run of the organization is queued, or running without a request to cancel. */
export const hasRunsToStop = async (tx: Db, orgId: OrgId): Promise<boolean> =>
  (await tx.row<{ id: string }>(sql`
    select r.id from automation_runs r
    where r.org_id = ${orgId} and r.status in ('queued', 'running') and r.cancel_requested_at is null
    limit 1`)) !== undefined;
