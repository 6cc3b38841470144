import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { record } from "../../audit/index.ts";
import { findMonthlyBudget, lockMonthlyBudget, setMonthlyBudget } from "../../llm-providers/index.ts";
import { lockOrganization } from "../../organizations/index.ts";
import type { AutomationSettings } from "./contract.ts";
import * as store from "./store.ts";

/** The settings of an organization that has not changed them. The table has the same defaults. */
export const defaults: AutomationSettings = {
  eventRetentionDays: 90,
  runRetentionDays: 400,
  queueTimeoutMinutes: 1440,
  runBudgetMicros: null,
  monthlyBudgetMicros: null,
  reportCostLimitMicros: 1_000_000_000,
  budgetWarningPercent: 80,
};

/** The days after which no organization keeps events. */
export const findLongestEventRetention = async (db: Db): Promise<number> =>
  Math.max(defaults.eventRetentionDays, (await store.findLongestEventRetentionAcrossOrganizations(db)) ?? 0);

/** The monthly budget is one of the budgets of the organization, and has a warning level of its own. */
export async function readSettings(db: Db, orgId: OrgId): Promise<AutomationSettings> {
  const stored = (await store.find(db, orgId)) ?? defaults;
  const budget = await findMonthlyBudget(db, orgId);
  return {
    ...stored,
    monthlyBudgetMicros: budget?.limitMicros ?? null,
    budgetWarningPercent: budget?.warningPercent ?? stored.budgetWarningPercent,
  };
}

export async function change(
  ctx: MemberCtx,
  changes: { [Name in keyof AutomationSettings]?: AutomationSettings[Name] | undefined },
) {
  return ctx.db.transaction(async (tx) => {
    // Changes of other fields and of budgets at the same moment wait, so that none is lost.
    await lockOrganization(tx, ctx.orgId);
    await lockMonthlyBudget(tx, ctx.orgId);
    const changedFields = Object.fromEntries(
      Object.entries(changes).filter(([, value]) => value !== undefined),
    );
    const before = await readSettings(tx, ctx.orgId);
    const settings: AutomationSettings = { ...before, ...changedFields };
    await store.save(tx, ctx.orgId, settings);
    const { monthlyBudgetMicros, budgetWarningPercent } = settings;
    if ("monthlyBudgetMicros" in changedFields || "budgetWarningPercent" in changedFields)
      await setMonthlyBudget(ctx, tx, ctx.orgId, ctx.member.id, monthlyBudgetMicros, budgetWarningPercent);
    const target = { type: "automation_settings", id: ctx.orgId };
    await record(ctx, tx, { action: "automation_settings.changed", target, before, after: settings });
    return { settings };
  });
}
