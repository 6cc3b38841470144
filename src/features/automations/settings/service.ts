import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { record } from "../../audit/index.ts";
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

export const readSettings = async (db: Db, orgId: OrgId): Promise<AutomationSettings> =>
  (await store.find(db, orgId)) ?? defaults;

export async function change(
  ctx: MemberCtx,
  changes: { [Name in keyof AutomationSettings]?: AutomationSettings[Name] | undefined },
) {
  return ctx.db.transaction(async (tx) => {
    const changedFields = Object.fromEntries(
      Object.entries(changes).filter(([, value]) => value !== undefined),
    );
    const before = await readSettings(tx, ctx.orgId);
    const settings: AutomationSettings = { ...before, ...changedFields };
    await store.save(tx, ctx.orgId, settings);
    const target = { type: "automation_settings", id: ctx.orgId };
    await record(ctx, tx, { action: "automation_settings.changed", target, before, after: settings });
    return { settings };
  });
}
