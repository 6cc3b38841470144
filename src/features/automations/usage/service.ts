import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { notFound } from "../../../platform/errors.ts";
import { cutPage, defineCursor, type PageQuery } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { announce } from "../../notifications/index.ts";
import { type AutomationSettings, readSettings } from "../settings/index.ts";
import type { Correction, HeldReport, usageQuery } from "./contract.ts";
import * as store from "./store.ts";
import { readUsage } from "./sums.ts";

export { sumByRun } from "./store.ts";

/** The budget that a report exceeded, and whether it is the first report that did. */
interface CrossedBudget {
  budget: "run_budget_exceeded" | "monthly_budget_exceeded";
  isFirst: boolean;
}

/**
 * Counts a report once, in the transaction that accepts it. Returns the budget that it exceeded. People are notified
 * once a month at the warning and once at the limit.
 */
export async function countUsageReport(
  tx: Db,
  orgId: OrgId,
  usage: store.UsageReport,
): Promise<CrossedBudget | undefined> {
  if (usage.inputTokens + usage.outputTokens + usage.costMicros === 0) return undefined;
  const settings = await readSettings(tx, orgId);
  if (!isPlausible(settings, usage)) {
    // The report is accepted, so that the runner can continue. Its figures count after a person confirms them.
    await store.insertHeld(tx, orgId, usage);
    return undefined;
  }
  const counted = await store.count(tx, orgId, usage);
  if (!counted || usage.costMicros === 0) return undefined;
  const state = computeBudgetState(settings, counted.monthMicros);
  const isFirst =
    (state === "warned" || state === "exceeded") &&
    (await announceCrossing(tx, orgId, settings, counted.monthMicros, state));
  if (state === "exceeded") return { budget: "monthly_budget_exceeded", isFirst };
  const { runBudgetMicros } = settings;
  return runBudgetMicros !== null && counted.runMicros >= runBudgetMicros
    ? { budget: "run_budget_exceeded", isFirst: false }
    : undefined;
}

/** More input or output tokens in one report are implausible. */
const maxTokens = 1_000_000_000;

/** Whether one report can have these figures. A cost of a whole monthly budget is implausible. */
function isPlausible(
  { reportCostLimitMicros, monthlyBudgetMicros }: AutomationSettings,
  { inputTokens, outputTokens, costMicros }: store.UsageReport,
): boolean {
  if (inputTokens > maxTokens || outputTokens > maxTokens) return false;
  if (costMicros === 0) return true;
  return (
    costMicros <= (reportCostLimitMicros ?? costMicros) &&
    (monthlyBudgetMicros === null || costMicros < monthlyBudgetMicros)
  );
}

/** True when this month's budget is spent. */
export async function isMonthlyBudgetSpent(db: Db, orgId: OrgId): Promise<boolean> {
  const settings = await readSettings(db, orgId);
  if (settings.monthlyBudgetMicros === null) return false;
  return computeBudgetState(settings, (await store.findSpend(db, orgId)).spentMicros) === "exceeded";
}

type BudgetState = "unlimited" | "within" | "warned" | "exceeded";

function computeBudgetState(
  { monthlyBudgetMicros, budgetWarningPercent }: AutomationSettings,
  spent: number,
): BudgetState {
  if (monthlyBudgetMicros === null) return "unlimited";
  if (spent >= monthlyBudgetMicros) return "exceeded";
  return spent >= (monthlyBudgetMicros / 100) * budgetWarningPercent ? "warned" : "within";
}

/** Announces that a budget was crossed. Returns true for the first report that crossed it. */
async function announceCrossing(
  tx: Db,
  orgId: OrgId,
  { monthlyBudgetMicros, budgetWarningPercent }: AutomationSettings,
  spentMicros: number,
  state: "warned" | "exceeded",
): Promise<boolean> {
  if (monthlyBudgetMicros === null) return false;
  const crossed = await store.markCrossed(tx, orgId, state, monthlyBudgetMicros);
  if (!crossed) return false;
  const percent = state === "warned" ? budgetWarningPercent : 100;
  const fact = { month: crossed.month, percent, spentMicros, budgetMicros: monthlyBudgetMicros };
  await announce(tx, orgId, { type: "budget.reached", ...fact });
  return true;
}

const maxHeldCounted = 1_000;

export async function readBudget({ db, orgId }: MemberCtx) {
  const settings = await readSettings(db, orgId);
  const { month, spentMicros } = await store.findSpend(db, orgId);
  const { monthlyBudgetMicros } = settings;
  const heldReports = await store.countHeld(db, orgId, maxHeldCounted);
  const state = computeBudgetState(settings, spentMicros);
  return { budget: { month, spentMicros, monthlyBudgetMicros, heldReports, state } };
}

export async function listHeld({ db, orgId }: MemberCtx, query: PageQuery) {
  const after = heldCursor.read(query, null);
  const rows = await store.listHeld(db, orgId, after, query.limit + 1);
  return cutPage<HeldReport>(rows, query, ({ runId, attempt, sequence }) =>
    heldCursor.write({ runId, attempt, report: sequence ?? store.completionReport }),
  );
}

const heldCursor = defineCursor<store.Position>({
  write: ({ runId, attempt, report }) => `${runId} ${attempt} ${report}`,
  read(text) {
    const found = /^(run_\w{26}) (\d{1,9}) (-1|\d{1,16})$/.exec(text);
    return found ? { runId: found[1]!, attempt: Number(found[2]), report: Number(found[3]) } : undefined;
  },
});

/** Replaces or confirms the figures of a report, and updates the spend of the month of the report. */
export async function correct(
  ctx: MemberCtx,
  id: string,
  { attempt, sequence, reason, ...usage }: Correction,
) {
  const { db, orgId } = ctx;
  return db.transaction(async (tx) => {
    const place = { runId: id, attempt, report: sequence ?? store.completionReport };
    const before = isId("run", id) ? await store.lockReport(tx, orgId, place) : undefined;
    if (!before) throw notFound("usage_report");
    await store.replaceFigures(tx, orgId, place, usage);
    const after = { ...usage, state: "corrected" as const };
    const target = { type: "automation_run", id };
    const { reported, ...counted } = before;
    await record(ctx, tx, {
      action: "automation_usage.corrected",
      target,
      before: { ...counted, reported, attempt, sequence },
      after: { ...after, reported, attempt, sequence, reason },
    });
    return { report: { runId: id, attempt, sequence, ...after, reported } };
  });
}

export async function list(ctx: MemberCtx, query: (typeof usageQuery)["_output"]) {
  const { db, orgId, member } = ctx;
  const cursor = createKeyCursor(query.groupBy);
  const after = cursor.read(query, null);
  const everyones = member.permissions.has("usage:read");
  // Without the permission, the usage of another member is an empty list: members are not secret, their usage is.
  if (!everyones && query.memberId !== undefined && query.memberId !== member.id) {
    return { items: [], totals: { inputTokens: 0, outputTokens: 0, costMicros: 0 }, nextCursor: null };
  }
  const filter = {
    memberId: everyones ? (query.memberId ?? null) : member.id,
    automationId: query.automationId ?? null,
    fromAt: query.fromAt ?? null,
    toAt: query.toAt ?? null,
  };
  const { rows, totals } = await readUsage(db, orgId, query.groupBy, filter, after, query.limit + 1);
  const { items, nextCursor } = cutPage(rows, query, ({ key }) => cursor.write(key));
  const names = await findNames(ctx, query.groupBy, items);
  return {
    items: items.map(({ key, ...item }) => ({
      key: key === "" ? null : key,
      name: names.get(key) ?? null,
      ...item,
    })),
    totals,
    nextCursor,
  };
}

async function findNames(
  { db, orgId }: MemberCtx,
  groupBy: (typeof usageQuery)["_output"]["groupBy"],
  items: readonly { key: string }[],
): Promise<Map<string, string | null>> {
  if (groupBy === "day" || groupBy === "model" || items.length === 0) return new Map();
  const keys = items.map(({ key }) => key);
  const rows = await store.listNames(db, orgId, groupBy, keys);
  return new Map(rows.map(({ key, name }) => [key, name]));
}

/** A key can be any text, for example a model name. The grouping before it shows which list the cursor is from. */
const createKeyCursor = (groupBy: string) =>
  defineCursor<string>({
    write: (key) => `${groupBy} ${key}`,
    read: (text) =>
      text.startsWith(`${groupBy} `) && !text.includes("\0") ? text.slice(groupBy.length + 1) : undefined,
    exact: true,
    message: "This is not a cursor of this list. Start without one.",
  });
