import { z } from "zod";
import { operator, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";

const tag = "Admin reporting";

export const figures = {
  runs: z.int().describe("Runs that ended in this time: the sum of the four outcomes."),
  succeeded: z.int().describe("Runs that succeeded."),
  failures: z.int().describe("Runs that failed."),
  cancelled: z.int().describe("Runs that were cancelled."),
  skipped: z.int().describe("Runs that were skipped, for example because no runner took them in time."),
  costMicros: z.int().describe("The cost that was reported and counts, in millionths of the currency."),
  inputTokens: z.int(),
  outputTokens: z.int(),
  reports: z.int().describe("Usage reports that were received in this time."),
  unpricedReports: z
    .int()
    .describe("Reports with tokens whose model has no known price. Their cost is not part of the sums."),
  heldReports: z.int().describe("Reports that do not count until a person confirms or corrects them."),
};
export const UsageFigures = z.strictObject(figures).meta({ id: "AdminUsageFigures" });
export type UsageFigures = z.output<typeof UsageFigures>;

/** The longest time that a report can cover. */
export const maxDays = 400;

const time = z.coerce
  .number()
  .int()
  .min(0)
  .max(Date.UTC(9999, 11, 31));

export const usageQuery = z.strictObject({
  from: time
    .optional()
    .describe(
      "From the UTC day of this time on, in milliseconds since 1970. Default: 29 days before the end.",
    ),
  to: time
    .optional()
    .describe("Up to and including the UTC day of this time, in milliseconds since 1970. Default: today."),
  interval: z.enum(["day", "week", "month"]).default("day").describe("Weeks begin on Monday."),
  groupBy: z.enum(["organization"]).optional().describe("One item for each organization with activity."),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().max(500).optional(),
});
export type UsageQuery = z.output<typeof usageQuery>;

const UsageItem = z
  .strictObject({
    start: z.string().describe("The first day of the interval, in UTC."),
    organizationId: idSchema("org").nullable().describe("Null without `groupBy=organization`."),
    organizationName: z.string().nullable().describe("Null without `groupBy=organization`."),
    ...figures,
  })
  .meta({ id: "AdminUsageItem" });
export type UsageItem = z.output<typeof UsageItem>;

export const list = route({
  method: "get",
  path: "/v1/admin/usage",
  tag,
  summary: "Read the usage of the instance over time",
  description: `Newest interval first. Without \`groupBy\`, intervals without activity are listed with zeros. A run counts on the day on which it ended, a report on the day on which it was received. Whole days in UTC, at most ${maxDays} of them; deleted organizations are not included.`,
  access: operator(),
  query: usageQuery,
  replies: {
    200: z
      .strictObject({
        from: z.string().describe("The first day of the report, in UTC."),
        to: z.string().describe("The last day of the report, in UTC."),
        items: z.array(UsageItem),
        totals: UsageFigures.describe("The sums of all intervals and organizations, whatever the page."),
        nextCursor: z.string().nullable(),
      })
      .meta({ id: "AdminUsagePage" }),
  },
});
