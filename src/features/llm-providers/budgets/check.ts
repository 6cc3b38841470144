import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { Refusal } from "../../../platform/errors.ts";
import { recordAsSystem } from "../../audit/index.ts";
import { announce } from "../../notifications/index.ts";
import type { LlmBudget } from "./contract.ts";
import * as store from "./store.ts";

export const computeState = ({
  spentMicros,
  limitMicros,
  warningPercent,
}: Pick<store.BudgetRow, "spentMicros" | "limitMicros" | "warningPercent">): LlmBudget["state"] => {
  if (spentMicros >= limitMicros) return "exceeded";
  return spentMicros >= (limitMicros / 100) * warningPercent ? "warned" : "within";
};

/** A budget that is spent. */
export interface ExceededBudget
  extends Pick<store.BudgetRow, "id" | "subjectKind" | "period" | "limitMicros"> {
  /** A sentence for a person. */
  message: string;
}

const toExceeded = ({
  id,
  subjectKind,
  subjectName,
  period,
  limitMicros,
}: store.BudgetRow): ExceededBudget => {
  const whose =
    subjectKind === "organization" ? "the organization" : `the ${subjectKind} ${subjectName ?? ""}`.trim();
  return {
    id,
    subjectKind,
    period,
    limitMicros,
    message: `The budget of ${whose} for this ${period} is spent.`,
  };
};

/** True for the monthly budget of the organization, which has its own reason for runs. */
export const isMonthlyOfOrganization = ({
  subjectKind,
  period,
}: Pick<ExceededBudget, "subjectKind" | "period">) => subjectKind === "organization" && period === "month";

/** Finds a budget of these subjects that is spent. The monthly budget of the organization comes first. */
export async function findExceededBudget(
  db: Db,
  orgId: OrgId,
  subjectIds: readonly string[],
): Promise<ExceededBudget | undefined> {
  const spent = (await store.listOfSubjects(db, orgId, subjectIds)).filter(
    (budget) => budget.mode === "budget" && computeState(budget) === "exceeded",
  );
  const first = spent.find(isMonthlyOfOrganization) ?? spent[0];
  return first && toExceeded(first);
}

export const refuseExceeded = ({ id, message }: ExceededBudget) =>
  new Refusal(402, {
    error: "budget_exceeded",
    message: `${message} Wait for the next period, or ask an admin to raise it.`,
    budget: id,
  });

/**
 * Checks the budgets of these subjects after a cost was counted, in the same transaction. People are notified once a
 * period at the warning and once at the limit. Returns a budget that is spent.
 */
export async function checkBudgets(
  tx: Db,
  orgId: OrgId,
  subjectIds: readonly string[],
): Promise<ExceededBudget | undefined> {
  const exceeded: ExceededBudget[] = [];
  for (const budget of await store.listOfSubjects(tx, orgId, subjectIds)) {
    const state = computeState(budget);
    if (state === "within") continue;
    const isFirst = (await store.markCrossed(tx, orgId, budget, state)) > 0;
    if (isFirst) await announceCrossing(tx, orgId, budget, state);
    if (state === "exceeded" && budget.mode === "budget") exceeded.push(toExceeded(budget));
  }
  return exceeded.find(isMonthlyOfOrganization) ?? exceeded[0];
}

async function announceCrossing(
  tx: Db,
  orgId: OrgId,
  budget: store.BudgetRow,
  state: "warned" | "exceeded",
): Promise<void> {
  const { id, subjectKind, subjectId, period, periodStart, mode, spentMicros, limitMicros } = budget;
  const percent = state === "warned" ? budget.warningPercent : 100;
  await announce(tx, orgId, {
    type: "budget.reached",
    budgetId: id,
    subjectKind,
    subjectId,
    period,
    periodStart,
    mode,
    percent,
    spentMicros,
    budgetMicros: limitMicros,
  });
  await recordAsSystem(tx, orgId, {
    action: state === "warned" ? "llm_budget.warned" : "llm_budget.exceeded",
    target: { type: "llm_budget", id },
    after: { periodStart, percent, spentMicros, limitMicros },
  });
}
