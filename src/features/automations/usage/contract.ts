import { z } from "zod";
import { pageOf, pageQuery, route } from "../../../platform/http/index.ts";
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
    name: z
      .string()
      .nullable()
      .describe(
        "Of the automation or member, or of the run's automation. Null: a model or a day, or it is gone.",
      ),
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
    "Every report that said what it used counts once; sending it again counts nothing, an attempt that was retried counts too. Without `usage:read` one sees one's own runs. Largest key first: newest day, newest run. On the embedded database one request adds up 250,000 reports at most: ask for a shorter time when there are more.",
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
    heldReports: z
      .int()
      .describe(
        "Reports that said an implausible cost; they count when somebody has confirmed or corrected them. 1,000 stands for 1,000 or more.",
      ),
    state: z
      .enum(["unlimited", "within", "warned", "exceeded"])
      .describe("`exceeded`: new runs are skipped until the month ends or the budget is raised."),
  })
  .meta({ id: "AutomationBudget" });

const place = {
  attempt: z.int().min(1),
  sequence: z.int().min(0).nullable().describe("Of the event; null: the completion."),
};

const HeldReport = z
  .strictObject({
    runId: z.string(),
    ...place,
    automationId: z.string(),
    automationName: z.string().nullable().describe("Null: the automation is gone."),
    memberId: z.string(),
    memberName: z.string().nullable().describe("Null: the member has left."),
    model: z.string().nullable(),
    reported: UsageTotals,
    reportedAt: z.int(),
  })
  .meta({ id: "AutomationHeldReport" });
export type HeldReport = z.output<typeof HeldReport>;

export const listHeld = route({
  method: "get",
  path: "/v1/automation-usage/held",
  tag,
  summary: "Reports whose cost is held, because it is implausible",
  description:
    "Above `reportCostLimitMicros`, a whole monthly budget, or a thousand million tokens in one report. Nothing of them counts. Newest run first.",
  access: can("usage:read"),
  query: pageQuery,
  replies: { 200: pageOf(HeldReport).meta({ id: "AutomationHeldReportPage" }) },
});

const Correction = z.strictObject({
  ...place,
  ...counters,
  reason: z.string().trim().min(1).max(500).describe("Why; it stands in the audit log."),
});
export type Correction = z.output<typeof Correction>;

export const correct = route({
  method: "post",
  path: "/v1/automation-runs/{id}/usage-corrections",
  tag,
  summary: "Confirm or correct what a report of a run said it used",
  description:
    "These figures count from now on in place of the reported ones, in the month of the report. To confirm a held report, send what it reported.",
  access: can("automations:manage"),
  params: z.strictObject({ id: z.string().min(1).max(160) }),
  body: Correction,
  replies: {
    201: z.strictObject({
      report: z
        .strictObject({
          runId: z.string(),
          ...place,
          ...counters,
          state: z.literal("corrected"),
          reported: UsageTotals,
        })
        .meta({ id: "AutomationCorrectedReport" }),
    }),
  },
  errors: { 404: "`usage_report_not_found`: no report of that number said what it used." },
});

export const budget = route({
  method: "get",
  path: "/v1/automation-budget",
  tag,
  summary: "How much of this month's budget is spent",
  description: "The month is a calendar month in UTC.",
  access: can("automations:create"),
  replies: { 200: z.strictObject({ budget: Budget }) },
});
