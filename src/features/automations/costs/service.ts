import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import {
  adjustSpend,
  checkBudgets,
  isMonthlyOfOrganization,
  isOwnServer,
  listSubjects,
  loadPriceBook,
  type PriceBook,
  priceTokens,
} from "../../llm-providers/index.ts";
import { type AutomationSettings, readSettings } from "../settings/index.ts";
import * as store from "./store.ts";

/** The budget that a report exceeded, and whether it is the first report that did. */
interface CrossedBudget {
  budget: "run_budget_exceeded" | "monthly_budget_exceeded" | "budget_exceeded";
  isFirst: boolean;
}

/** A report as it was sent. */
export interface NewUsageReport extends store.UsageReport {
  /** Null: the cost was not reported. */
  costMicros: number | null;
  /** The provider that the automation names. Its budget counts, because a report can name any provider. */
  automationProvider: string | null;
}

/**
 * Counts a report once, in the transaction that accepts it. A cost that was not reported is computed with the price of
 * that time. Returns the budget that the report exceeded.
 */
export async function countUsageReport(
  tx: Db,
  orgId: OrgId,
  { costMicros, automationProvider, ...usage }: NewUsageReport,
): Promise<CrossedBudget | undefined> {
  if (usage.inputTokens + usage.outputTokens + (costMicros ?? 0) === 0) return undefined;
  const settings = await readSettings(tx, orgId);
  const cost: store.ReportCost =
    costMicros === null
      ? computeReportCost(await loadPriceBook(tx, orgId), usage)
      : { costMicros, costSource: "reported", price: null };
  const subjectIds = await listSubjects(tx, orgId, usage.memberId, automationProvider);
  if (!isPlausible(settings, { ...usage, ...cost })) {
    // The report is accepted, so that the runner can continue. Its figures count after a person confirms them.
    const known = cost.costSource === "unpriced" ? null : cost.costMicros;
    await store.insertHeld(tx, orgId, usage, known, subjectIds);
    return undefined;
  }
  const counted = await store.count(tx, orgId, usage, cost, subjectIds);
  if (!counted || cost.costMicros === 0) return undefined;
  await adjustSpend(tx, orgId, [{ day: counted.day, subjectIds, micros: cost.costMicros }]);
  const exceeded = await checkBudgets(tx, orgId, subjectIds);
  if (exceeded && isMonthlyOfOrganization(exceeded))
    return { budget: "monthly_budget_exceeded", isFirst: exceeded.isFirst };
  if (exceeded) return { budget: "budget_exceeded", isFirst: exceeded.isFirst };
  const { runBudgetMicros } = settings;
  return runBudgetMicros !== null && counted.runMicros >= runBudgetMicros
    ? { budget: "run_budget_exceeded", isFirst: false }
    : undefined;
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
  { reportCostLimitMicros, monthlyBudgetMicros }: AutomationSettings,
  {
    inputTokens,
    outputTokens,
    costMicros,
  }: Pick<NewUsageReport, "inputTokens" | "outputTokens"> & store.ReportCost,
): boolean {
  if (inputTokens > maxTokens || outputTokens > maxTokens) return false;
  if (costMicros === 0) return true;
  return (
    costMicros <= (reportCostLimitMicros ?? costMicros) &&
    (monthlyBudgetMicros === null || costMicros < monthlyBudgetMicros)
  );
}
