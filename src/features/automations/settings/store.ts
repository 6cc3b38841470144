import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { AutomationSettings } from "./contract.ts";

const columns = sql`s.event_retention_days as "eventRetentionDays", s.run_retention_days as "runRetentionDays",
  s.queue_timeout_minutes as "queueTimeoutMinutes", s.run_budget_micros as "runBudgetMicros",
  s.report_cost_limit_micros as "reportCostLimitMicros", s.budget_warning_percent as "budgetWarningPercent"`;

/** The settings without the monthly budget, which is one of the budgets of the organization. */
type StoredSettings = Omit<AutomationSettings, "monthlyBudgetMicros">;

export const find = (db: Db, orgId: OrgId) =>
  db.row<StoredSettings>(sql`select ${columns} from automation_settings s where s.org_id = ${orgId}`);

export const save = (db: Db, orgId: OrgId, settings: StoredSettings) =>
  db.run(sql`
    insert into automation_settings (org_id, event_retention_days, run_retention_days, queue_timeout_minutes,
      run_budget_micros, report_cost_limit_micros, budget_warning_percent)
    values (${orgId}, ${settings.eventRetentionDays}, ${settings.runRetentionDays}, ${settings.queueTimeoutMinutes},
      ${settings.runBudgetMicros}, ${settings.reportCostLimitMicros}, ${settings.budgetWarningPercent})
    on conflict (org_id) do update set
      event_retention_days = excluded.event_retention_days, run_retention_days = excluded.run_retention_days,
      queue_timeout_minutes = excluded.queue_timeout_minutes, run_budget_micros = excluded.run_budget_micros,
      report_cost_limit_micros = excluded.report_cost_limit_micros,
      budget_warning_percent = excluded.budget_warning_percent, updated_at = now()`);

export const findLongestEventRetentionAcrossOrganizations = async (db: Db): Promise<number | null> =>
  (await db.row<{ days: number | null }>(
    sql`select max(event_retention_days) as days from automation_settings`,
  ))!.days;
