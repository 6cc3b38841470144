import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

/** The longest period, in days, and the longest one by hour. */
export const maxDays = 92;
export const maxHourlyDays = 7;
/** The most reports without a price that a request reads for a period. */
export const maxUnpricedReports = 20_000;

const time = z.coerce
  .number()
  .int()
  .min(0)
  .max(Date.UTC(9999, 11, 31));

export const runsQuery = z.strictObject({
  from: time
    .optional()
    .describe(
      "The start of the period, in milliseconds since 1970. Default: the start of the day 29 days before `to`.",
    ),
  to: time
    .optional()
    .describe("The end of the period, in milliseconds since 1970. It is not included. Default: now."),
  timeZone: z
    .string()
    .max(64)
    .default("UTC")
    .describe("The time zone whose days and hours are counted, by its IANA name."),
  interval: z
    .enum(["day", "hour"])
    .default("day")
    .describe(`\`hour\` takes a period of at most ${maxHourlyDays} days.`),
});
export type RunsQuery = z.output<typeof runsQuery>;

const figures = {
  runs: z.int().describe("Runs that were created in this time: the sum of the six states."),
  queued: z.int().describe("Of these, runs that wait for a runner now."),
  running: z.int().describe("Of these, runs that are running now."),
  succeeded: z.int().describe("Of these, runs that succeeded."),
  failed: z.int().describe("Of these, runs that failed."),
  cancelled: z.int().describe("Of these, runs that were cancelled."),
  skipped: z.int().describe("Of these, runs that were skipped."),
  costMicros: z.int().describe("The known cost that was reported in this time, in millionths of `currency`."),
};

const Interval = z
  .strictObject({
    start: z
      .int()
      .describe("The start, in milliseconds since 1970. The first interval can start within a day."),
    end: z.int().describe("The end, in milliseconds since 1970. It is not included."),
    local: z.string().describe("The start as local time in the time zone."),
    ...figures,
  })
  .meta({ id: "OverviewInterval" });
export type Interval = z.output<typeof Interval>;

const Period = z
  .strictObject({
    start: z.int().describe("The start, in milliseconds since 1970."),
    end: z.int().describe("The end, in milliseconds since 1970. It is not included."),
    ...figures,
    unpricedRuns: z
      .int()
      .describe(
        `Runs with tokens whose price is not known. Their cost is not part of \`costMicros\`. Only the newest ${maxUnpricedReports.toLocaleString("en-US")} reports without a price are looked at.`,
      ),
    medianDurationMs: z
      .int()
      .nullable()
      .describe(
        "The median time from the start to the end, of the runs that succeeded or failed, at most 5 % too small or too large. Null when there is none.",
      ),
  })
  .meta({ id: "OverviewPeriod" });
export type Period = z.output<typeof Period>;

const Reason = z
  .strictObject({
    status: z.enum(["failed", "cancelled", "skipped"]),
    reason: z.string().nullable().describe("The `reason` of the runs. Null when they have none."),
    runs: z.int().describe("Runs of the period."),
    runsBefore: z.int().describe("Runs of the period before."),
  })
  .meta({ id: "OverviewReason" });
export type Reason = z.output<typeof Reason>;

const Month = z
  .strictObject({
    month: z.string().describe("The calendar month in UTC, as for budgets."),
    endsAt: z.int().describe("When the month ends, in milliseconds since 1970."),
    spentMicros: z.int().describe("The cost of the month so far, in millionths of `currency`."),
    budgetMicros: z
      .int()
      .nullable()
      .describe(
        "The monthly budget of the organization. Null when there is none, or when only the caller's own costs are shown.",
      ),
    forecastMicros: z
      .int()
      .nullable()
      .describe(
        "The expected cost of the whole month: what is spent, plus the average of the last complete days for the rest of the month. Null when fewer than three complete days have passed since the first cost.",
      ),
    forecastDays: z
      .int()
      .describe("How many complete days the average covers: those since the first cost, at most 7."),
    budgetReachedAt: z
      .int()
      .nullable()
      .describe(
        "When the budget will be reached at this rate, in milliseconds since 1970. Null when it will not be reached in this month, or is reached already.",
      ),
  })
  .meta({ id: "OverviewMonth" });
export type Month = z.output<typeof Month>;

const scope = z
  .enum(["organization", "own"])
  .describe("`own`: the caller may only see their own, and the figures cover only these.");

const RunFigures = z
  .strictObject({
    timeZone: z.string(),
    interval: z.enum(["day", "hour"]),
    currency: z.literal("USD").describe("The currency of all costs."),
    runScope: scope,
    costScope: scope,
    period: Period,
    before: Period.describe("The period of the same length right before."),
    items: z.array(Interval).describe("The intervals of the period, oldest first, also those without runs."),
    reasons: z
      .array(Reason)
      .describe("Why runs of the period did not succeed, by number of runs, largest first."),
    month: Month,
  })
  .meta({ id: "OverviewRuns" });
export type RunFigures = z.output<typeof RunFigures>;

export const read = route({
  method: "get",
  path: "/v1/overview/runs",
  tag: "Overview",
  summary: "Read runs and costs over time, with the period before",
  description: `Runs count at the time of their creation, as in \`GET /v1/automation-runs\` with \`fromAt\` and \`toAt\`; costs count at the time of their report. Without \`automations:manage\` only the caller's own runs count, and without \`usage:read\` only their costs. At most ${maxDays} days.`,
  access: can("automations:create"),
  query: runsQuery,
  replies: { 200: RunFigures },
});
