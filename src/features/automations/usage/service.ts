import type { MemberCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors.ts";
import { cutPage, defineCursor, type PageQuery } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { adjustSpend, findMonthlySpend } from "../../llm-providers/index.ts";
import { checkChangedCosts, completionReport } from "../costs/index.ts";
import { adjustCosts } from "../figures/index.ts";
import { type AutomationSettings, readSettings } from "../settings/index.ts";
import type { Correction, HeldReport, UsageReportView, usageQuery } from "./contract.ts";
import * as store from "./store.ts";
import { readUsage } from "./sums/index.ts";

type BudgetState = "unlimited" | "within" | "warned" | "exceeded";

function computeBudgetState(
  { monthlyBudgetMicros, budgetWarningPercent }: AutomationSettings,
  spent: number,
): BudgetState {
  if (monthlyBudgetMicros === null) return "unlimited";
  if (spent >= monthlyBudgetMicros) return "exceeded";
  return spent >= (monthlyBudgetMicros / 100) * budgetWarningPercent ? "warned" : "within";
}

const maxHeldCounted = 1_000;

export async function readBudget({ db, orgId }: MemberCtx) {
  const settings = await readSettings(db, orgId);
  const { month, spentMicros } = await findMonthlySpend(db, orgId);
  const { monthlyBudgetMicros } = settings;
  const heldReports = await store.countHeld(db, orgId, maxHeldCounted);
  const state = computeBudgetState(settings, spentMicros);
  return { budget: { month, spentMicros, monthlyBudgetMicros, heldReports, state } };
}

export async function listHeld({ db, orgId }: MemberCtx, query: PageQuery) {
  const after = heldCursor.read(query, null);
  const rows = await store.listHeld(db, orgId, after, query.limit + 1);
  return cutPage<HeldReport>(rows, query, ({ runId, attempt, sequence }) =>
    heldCursor.write({ runId, attempt, report: sequence ?? completionReport }),
  );
}

const heldCursor = defineCursor<store.Position>({
  write: ({ runId, attempt, report }) => `${runId} ${attempt} ${report}`,
  read(text) {
    const found = /^(run_\w{26}) (\d{1,9}) (-1|\d{1,16})$/.exec(text);
    return found ? { runId: found[1]!, attempt: Number(found[2]), report: Number(found[3]) } : undefined;
  },
});

const reportCursor = defineCursor<{ attempt: number; report: number }>({
  write: ({ attempt, report }) => `report ${attempt} ${report}`,
  read(text) {
    const found = /^report (\d{1,9}) (-1|\d{1,16})$/.exec(text);
    return found ? { attempt: Number(found[1]), report: Number(found[2]) } : undefined;
  },
});

/** The reports of a run that the caller may read. */
export async function listReports({ db, orgId }: MemberCtx, runId: string, query: PageQuery) {
  const after = reportCursor.read(query, null);
  const rows = await store.listReports(db, orgId, runId, after, query.limit + 1);
  return cutPage<UsageReportView>(rows, query, ({ attempt, sequence }) =>
    reportCursor.write({ attempt, report: sequence ?? completionReport }),
  );
}

/** Replaces or confirms the figures of a report, and updates what was spent on the day of the report. */
export async function correct(
  ctx: MemberCtx,
  id: string,
  { attempt, sequence, reason, ...usage }: Correction,
) {
  const { db, orgId } = ctx;
  return db.transaction(async (tx) => {
    const place = { runId: id, attempt, report: sequence ?? completionReport };
    const before = isId("run", id) ? await store.lockReport(tx, orgId, place) : undefined;
    if (!before) throw notFound("usage_report");
    await store.replaceFigures(tx, orgId, place, usage);
    const { reported, day, subjectIds, ...counted } = before;
    const micros = usage.costMicros - counted.costMicros;
    await adjustCosts(tx, orgId, [{ ...place, micros }]);
    await adjustSpend(tx, orgId, [{ day, subjectIds, micros }]);
    if (micros !== 0) await checkChangedCosts(ctx, tx, orgId, subjectIds);
    const after = { ...usage, state: "corrected" as const };
    const target = { type: "automation_run", id };
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
    const totals = { inputTokens: 0, outputTokens: 0, costMicros: 0, priced: true };
    return { items: [], totals, nextCursor: null };
  }
  const { rows, totals } = await readUsage(db, orgId, {
    groupBy: query.groupBy,
    memberId: everyones ? (query.memberId ?? null) : member.id,
    automationId: query.automationId ?? null,
    fromAt: query.fromAt ?? null,
    toAt: query.toAt ?? null,
    after,
    limit: query.limit + 1,
  });
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
