import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

const tag = "Automations";

const micros = z.int().min(0);

const limits = {
  eventRetentionDays: z.int().min(1).max(3650).describe("How long the events of finished runs are kept."),
  runRetentionDays: z.int().min(1).max(3650).describe("How long finished runs themselves are kept."),
  queueTimeoutMinutes: z
    .int()
    .min(1)
    .max(10_080)
    .describe("How long a run waits for a runner before it is skipped."),
  runBudgetMicros: micros.nullable().describe("The highest cost of one run. Null means no limit."),
  monthlyBudgetMicros: micros
    .nullable()
    .describe("The highest cost of all runs in a calendar month in UTC. Null means no limit."),
  reportCostLimitMicros: micros
    .nullable()
    .describe(
      "The highest cost that one report may have. A report with a higher cost, or with the cost of a whole monthly budget, is held: it counts after an admin has confirmed or corrected it. Null means that only the monthly budget applies.",
    ),
  budgetWarningPercent: z
    .int()
    .min(1)
    .max(100)
    .describe("The share of the budget at which owners and admins are notified."),
};

const AutomationSettings = z.strictObject(limits).meta({ id: "AutomationSettings" });
export type AutomationSettings = z.output<typeof AutomationSettings>;

const Reply = z.strictObject({ settings: AutomationSettings });

export const read = route({
  method: "get",
  path: "/v1/automation-settings",
  tag,
  summary: "Read the retention and budgets of runs",
  description: "How long runs and events are kept, and how much runs may cost.",
  access: can("automations:create"),
  replies: { 200: Reply },
});

export const change = route({
  method: "patch",
  path: "/v1/automation-settings",
  tag,
  summary: "Change retention and budgets",
  description: "A shorter retention takes effect within minutes. What it removes cannot be restored.",
  access: can("automations:manage"),
  body: z.strictObject(limits).partial(),
  replies: { 200: Reply },
});
