import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidField } from "../../../platform/errors.ts";
import { type AutomationSettings, settingsOf } from "../settings/index.ts";
import type { usageQuery } from "./contract.ts";
import * as store from "./store.ts";

export { ofRun } from "./store.ts";

/** Which budget a report went over, and whether it was the first to. */
interface Crossing {
  budget: "run_budget_exceeded" | "monthly_budget_exceeded";
  isNews: boolean;
}

/**
 * Counts a report once, in the transaction that accepts it, and says which budget it went over. People
 * are told once a month at the warning and once at the limit.
 */
export async function countReport(
  { mail }: Pick<Platform, "mail">,
  tx: Db,
  orgId: OrgId,
  usage: store.UsageReport,
): Promise<Crossing | undefined> {
  if (usage.inputTokens + usage.outputTokens + usage.costMicros === 0) return undefined;
  const counted = await store.count(tx, orgId, usage);
  if (!counted || usage.costMicros === 0) return undefined;
  const settings = await settingsOf(tx, orgId);
  const state = stateOf(settings, counted.monthMicros);
  const isNews =
    (state === "warned" || state === "exceeded") &&
    (await tell(mail, tx, orgId, settings, counted.monthMicros, state));
  if (state === "exceeded") return { budget: "monthly_budget_exceeded", isNews };
  const { runBudgetMicros } = settings;
  return runBudgetMicros !== null && counted.runMicros >= runBudgetMicros
    ? { budget: "run_budget_exceeded", isNews: false }
    : undefined;
}

/** True when this month's money is gone. */
export async function isMonthSpent(db: Db, orgId: OrgId): Promise<boolean> {
  const settings = await settingsOf(db, orgId);
  if (settings.monthlyBudgetMicros === null) return false;
  return stateOf(settings, (await store.findSpend(db, orgId)).spentMicros) === "exceeded";
}

type State = "unlimited" | "within" | "warned" | "exceeded";

function stateOf({ monthlyBudgetMicros, budgetWarningPercent }: AutomationSettings, spent: number): State {
  if (monthlyBudgetMicros === null) return "unlimited";
  if (spent >= monthlyBudgetMicros) return "exceeded";
  return spent >= (monthlyBudgetMicros / 100) * budgetWarningPercent ? "warned" : "within";
}

async function tell(
  mail: Platform["mail"],
  tx: Db,
  orgId: OrgId,
  { monthlyBudgetMicros, budgetWarningPercent }: AutomationSettings,
  spent: number,
  state: "warned" | "exceeded",
): Promise<boolean> {
  if (monthlyBudgetMicros === null) return false;
  if (!(await store.markCrossed(tx, orgId, state, monthlyBudgetMicros))) return false;
  const figures = `${micros(spent)} of ${micros(monthlyBudgetMicros)} are spent.`;
  for (const { email, organization } of await store.listAdminEmails(tx, orgId)) {
    await mail.send(tx, {
      to: email,
      subject:
        state === "warned"
          ? `${organization}: ${budgetWarningPercent} % of this month's automation budget is spent`
          : `${organization}: this month's automation budget is spent`,
      text:
        state === "warned"
          ? `${figures}\n\nAt the limit, runs that are under way are cancelled and new ones are skipped.`
          : `${figures}\n\nRuns under way are being cancelled, and new ones are skipped until the month ends or an owner or admin raises the budget.`,
    });
  }
  return true;
}

const micros = (amount: number) => (amount / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 2 });

export async function readBudget({ db, orgId }: MemberCtx) {
  const settings = await settingsOf(db, orgId);
  const { month, spentMicros } = await store.findSpend(db, orgId);
  const { monthlyBudgetMicros } = settings;
  return { budget: { month, spentMicros, monthlyBudgetMicros, state: stateOf(settings, spentMicros) } };
}

export async function list(ctx: MemberCtx, query: (typeof usageQuery)["_output"]) {
  const { db, orgId, member } = ctx;
  const everyones = member.permissions.has("usage:read");
  // Somebody else's, asked for without the right to see it, is empty: that they exist is no secret, what they spend is.
  if (!everyones && query.memberId !== undefined && query.memberId !== member.id) {
    return { items: [], totals: { inputTokens: 0, outputTokens: 0, costMicros: 0 }, nextCursor: null };
  }
  const filter = {
    memberId: everyones ? (query.memberId ?? null) : member.id,
    automationId: query.automationId ?? null,
    fromAt: query.fromAt ?? null,
    toAt: query.toAt ?? null,
  };
  const after = query.cursor === undefined ? null : Buffer.from(query.cursor, "base64url").toString("utf8");
  if (after?.includes("\0"))
    throw invalidField(["cursor"], "This is not a cursor of ours. Start without one.");
  const [rows, totals] = await Promise.all([
    store.list(db, orgId, query.groupBy, filter, after, query.limit + 1),
    store.totals(db, orgId, filter),
  ]);
  const items = rows.slice(0, query.limit);
  const last = items.at(-1);
  return {
    items: items.map((item) => ({ ...item, key: item.key === "" ? null : item.key })),
    totals,
    nextCursor: rows.length > query.limit && last ? Buffer.from(last.key).toString("base64url") : null,
  };
}
