import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import {
  checkBudgets,
  isMonthlyOfOrganization,
  isOwnServer,
  type PriceBook,
  priceTokens,
  readPriceBook,
} from "../../llm-providers/index.ts";
import { type AutomationSettings, defaults } from "../settings/index.ts";
import * as store from "./store.ts";

/** Which budget a report exceeded. */
type ExceededKind = "run_budget_exceeded" | "monthly_budget_exceeded" | "budget_exceeded";

/** A report as it was sent. */
export interface NewUsageReport extends store.UsageReport {
  /** Null: the cost was not reported. */
  costMicros: number | null;
}

/** The attempt that reports, and its automation. */
export interface Reporter extends store.ReportingAttempt {
  /** The provider that the automation names. Its budget counts, because a report can name any provider. */
  automationProvider: string | null;
}

const hasUsage = ({ inputTokens, outputTokens, costMicros }: NewUsageReport) =>
  inputTokens + outputTokens + (costMicros ?? 0) > 0;

/**
 * Counts the reports of a request once, in the transaction that accepts them. A cost that was not reported is computed
 * with the price of that time. Returns the budget that they exceeded.
 */
export async function countUsageReports(
  tx: Db,
  orgId: OrgId,
  { automationProvider, ...attempt }: Reporter,
  given: readonly NewUsageReport[],
): Promise<ExceededKind | undefined> {
  const reports = given.filter(hasUsage);
  if (reports.length === 0) return undefined;
  const unpriced = reports.filter(({ costMicros }) => costMicros === null);
  const terms = await store.findTerms(tx, orgId, attempt.memberId, automationProvider, unpriced);
  const { subjectIds, hasBudgets, monthlyBudgetMicros } = terms;
  const { runBudgetMicros, reportCostLimitMicros } = terms.settings ?? defaults;
  const book = readPriceBook(terms.prices);
  const costed = reports.map(({ costMicros, ...usage }): store.CostedReport => {
    const cost: store.ReportCost =
      costMicros === null
        ? computeReportCost(book, usage)
        : { costMicros, costSource: "reported", price: null };
    const report = { ...usage, ...cost };
    // An implausible report is accepted, so that the runner can continue. It counts after a person confirms it.
    return { ...report, isHeld: !isPlausible({ reportCostLimitMicros, monthlyBudgetMicros }, report) };
  });
  const { addedMicros, runMicros } = await store.count(tx, orgId, attempt, costed, subjectIds);
  if (addedMicros === 0) return undefined;
  const exceeded = hasBudgets ? await checkBudgets(tx, orgId, subjectIds) : undefined;
  if (exceeded) return isMonthlyOfOrganization(exceeded) ? "monthly_budget_exceeded" : "budget_exceeded";
  return runBudgetMicros !== null && runMicros >= runBudgetMicros ? "run_budget_exceeded" : undefined;
}

/**
 * A report can name a model of another provider than the automation's, so the provider is guessed then. What runs on
 * the organization's own server costs no provider's price.
 */
export function computeReportCost(book: PriceBook, usage: store.UsageReport): store.ReportCost {
  const priced =
    priceTokens(book, usage) ??
    (isOwnServer(book, usage.provider) ? undefined : priceTokens(book, { ...usage, provider: null }));
  return priced
    ? { ...priced, costSource: "computed" }
    : { costMicros: 0, costSource: "unpriced", price: null };
}

/** More input or output tokens in one report are implausible. */
const maxTokens = 1_000_000_000;

/** Whether one report can have these figures. A cost of a whole monthly budget is implausible. */
function isPlausible(
  {
    reportCostLimitMicros,
    monthlyBudgetMicros,
  }: Pick<AutomationSettings, "reportCostLimitMicros" | "monthlyBudgetMicros">,
  { inputTokens, outputTokens, costMicros }: store.UsageReport & store.ReportCost,
): boolean {
  if (inputTokens > maxTokens || outputTokens > maxTokens) return false;
  if (costMicros === 0) return true;
  return (
    costMicros <= (reportCostLimitMicros ?? costMicros) &&
    (monthlyBudgetMicros === null || costMicros < monthlyBudgetMicros)
  );
}
