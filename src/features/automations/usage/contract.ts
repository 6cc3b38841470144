import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "Automation Usage";

export const counters = {
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  costMicros: z.int().min(0).describe("Millionths of a US dollar."),
};

/** Sums of reports. */
const totals = {
  inputTokens: counters.inputTokens,
  outputTokens: counters.outputTokens,
  costMicros: counters.costMicros
    .nullable()
    .describe("Millionths of a US dollar: what is known of the cost. Null: nothing is known."),
  priced: z
    .boolean()
    .describe("False: some tokens have no known price, so the cost is higher than `costMicros`."),
};

export const UsageTotals = z.strictObject(totals).meta({ id: "AutomationUsageTotals" });
export type UsageTotals = z.output<typeof UsageTotals>;

const ReportedUsage = z
  .strictObject({ ...counters, costMicros: counters.costMicros.nullable() })
  .meta({ id: "AutomationReportedUsage" })
  .describe("The figures that were reported. A cost of null was not reported and could not be computed.");
export type ReportedUsage = z.output<typeof ReportedUsage>;

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
        "The name of the automation or member, or of the automation of the run. Null for a model or a day, and when the object does not exist any more.",
      ),
    runs: z.int().describe("The number of runs with usage reports."),
    ...totals,
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
  fromAt: time.optional().describe("Only reports at this time or later."),
  toAt: time.optional().describe("Only reports before this time."),
  automationId: z.string().max(160).optional(),
  memberId: z.string().max(160).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  // A cursor contains the name of a model, with up to 200 characters in any language.
  cursor: z.string().max(1100).optional(),
});

export const list = route({
  method: "get",
  path: "/v1/automation-usage",
  tag,
  summary: "Read usage and cost, by run, automation, member, model or day",
  description:
    "Every report of usage counts once; a repeated report counts nothing, and each attempt of a run counts. Without `usage:read` the sums cover the caller's own runs. Largest key first: newest day, newest run. Days that are over are stored as sums. With the embedded database one request adds up at most 250,000 reports of other days, or of runs. Request a shorter period when there are more.",
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
        "The number of held reports. They do not count until a person confirms or corrects them. The count stops at 1,000.",
      ),
    state: z
      .enum(["unlimited", "within", "warned", "exceeded"])
      .describe("`exceeded`: new runs are skipped until the month ends or the budget is raised."),
  })
  .meta({ id: "AutomationBudget" });

const place = {
  attempt: z.int().min(1),
  sequence: z.int().min(0).nullable().describe("The sequence of the event. Null for the completion."),
};

const HeldReport = z
  .strictObject({
    runId: idSchema("run"),
    ...place,
    automationId: idSchema("aut"),
    automationName: z.string().nullable().describe("Null when the automation does not exist any more."),
    memberId: idSchema("mem"),
    memberName: z.string().nullable().describe("Null when the member has left."),
    model: z.string().nullable(),
    reported: ReportedUsage,
    reportedAt: z.int(),
  })
  .meta({ id: "AutomationHeldReport" });
export type HeldReport = z.output<typeof HeldReport>;

export const listHeld = route({
  method: "get",
  path: "/v1/automation-usage/held",
  tag,
  summary: "List held usage reports",
  description:
    "A report is held when its cost is above `reportCostLimitMicros`, when its cost reaches the monthly budget, or when it has more than 1,000,000,000 input or output tokens. A held report does not count. Newest run first.",
  access: can("usage:read"),
  query: pageQuery,
  replies: { 200: definePage(HeldReport).meta({ id: "AutomationHeldReportPage" }) },
});

const Correction = z.strictObject({
  ...place,
  ...counters,
  reason: z.string().trim().min(1).max(500).describe("The reason. It is recorded in the audit log."),
});
export type Correction = z.output<typeof Correction>;

export const correct = route({
  method: "post",
  path: "/v1/automation-runs/{id}/usage-corrections",
  tag,
  summary: "Confirm or correct the usage in a report of a run",
  description:
    "These figures replace the reported ones, in the month of the report. To confirm a held report, send the figures that it reported.",
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
          reported: ReportedUsage,
        })
        .meta({ id: "AutomationCorrectedReport" }),
    }),
  },
  errors: { 404: "`usage_report_not_found`: the run has no usage report with this attempt and sequence." },
});

export const budget = route({
  method: "get",
  path: "/v1/automation-budget",
  tag,
  summary: "Read how much of this month's budget is spent",
  description: "The month is a calendar month in UTC.",
  access: can("automations:create"),
  replies: { 200: z.strictObject({ budget: Budget }) },
});

const UsageReport = z
  .strictObject({
    ...place,
    model: z.string().nullable(),
    provider: z.string().nullable().describe("The kind of provider, or the id of an LLM provider."),
    inputTokens: z.int().describe("All input tokens, with those of caches."),
    outputTokens: z.int(),
    cacheReadTokens: z.int(),
    cacheWriteTokens: z.int(),
    costMicros: z.int().nullable().describe("Null: the cost is not known."),
    costSource: z
      .enum(["reported", "computed", "unpriced"])
      .describe("`computed`: from tokens and `price`. `unpriced`: there is no price for the model."),
    price: z
      .strictObject({
        source: z.enum(["catalogue", "override"]),
        id: z.string().optional().describe("The id of the organization's own price."),
        date: z.string().optional().describe("The day of the catalogue."),
        provider: z.string(),
        model: z.string(),
        validFrom: z.string().nullable(),
      })
      .nullable()
      .describe("The price that a computed cost follows from."),
    previousCostMicros: z
      .int()
      .nullable()
      .describe(
        "The cost before a price was corrected. Null: it was not known, or was never computed again.",
      ),
    recomputedAt: z
      .int()
      .nullable()
      .describe("When the cost was computed again after a price was corrected."),
    state: z.enum(["counted", "held", "corrected"]),
    reportedAt: z.int(),
  })
  .meta({ id: "AutomationUsageReport" });
export type UsageReportView = z.output<typeof UsageReport>;

export const listReports = route({
  method: "get",
  path: "/v1/automation-runs/{id}/usage",
  tag,
  summary: "List the usage reports of a run, with the price of each cost",
  description: "In the order of attempts and events. The completion of an attempt comes first.",
  access: can("automations:create"),
  params: z.strictObject({ id: z.string().min(1).max(160) }),
  query: pageQuery,
  replies: { 200: definePage(UsageReport).meta({ id: "AutomationUsageReportPage" }) },
});
