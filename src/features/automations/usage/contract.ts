import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

const tag = "Automation Usage";

export const counters = {
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  costMicros: z.int().min(0).describe("Millionths of the currency your prices are in."),
};

export const UsageTotals = z.strictObject(counters).meta({ id: "AutomationUsageTotals" });
export type UsageTotals = z.output<typeof UsageTotals>;

const UsageGroup = z
  .strictObject({
    key: z
      .string()
      .nullable()
      .describe("The run's, automation's or member's id, the model's name, or the day in UTC."),
    runs: z.int().describe("How many runs reported something."),
    ...counters,
  })
  .meta({ id: "AutomationUsageGroup" });
export type UsageGroup = z.output<typeof UsageGroup>;

const time = z.coerce
  .number()
  .int()
  .min(0)
  .max(Date.UTC(9999, 11, 31));

export const usageQuery = z.strictObject({
  groupBy: z.enum(["run", "automation", "member", "model", "day"]).default("day"),
  fromAt: time.optional().describe("Reported at this time or later."),
  toAt: time.optional().describe("Reported before this time."),
  automationId: z.string().max(160).optional(),
  memberId: z.string().max(160).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().max(500).optional(),
});

export const list = route({
  method: "get",
  path: "/v1/automation-usage",
  tag,
  summary: "What runs used and cost, by run, automation, member, model or day",
  description:
    "Every report that said what it used counts once; sending it again counts nothing, an attempt that was retried counts too. Without `usage:read` one sees one's own runs. Largest key first: newest day, newest run.",
  access: can("automations:create"),
  query: usageQuery,
  replies: {
    200: z
      .strictObject({ items: z.array(UsageGroup), totals: UsageTotals, nextCursor: z.string().nullable() })
      .meta({ id: "AutomationUsagePage" }),
  },
});

const Budget = z
  .strictObject({
    month: z.string().describe("The calendar month in UTC, `2026-11`."),
    spentMicros: z.int(),
    monthlyBudgetMicros: z.int().nullable(),
    state: z
      .enum(["unlimited", "within", "warned", "exceeded"])
      .describe("`exceeded`: new runs are skipped until the month ends or the budget is raised."),
  })
  .meta({ id: "AutomationBudget" });

export const budget = route({
  method: "get",
  path: "/v1/automation-budget",
  tag,
  summary: "How much of this month's budget is spent",
  access: can("automations:create"),
  replies: { 200: z.strictObject({ budget: Budget }) },
});
