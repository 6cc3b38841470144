import { z } from "zod";
import { pageQuery, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

export const dimensions = ["day", "type", "member", "team", "model", "worker", "automation"] as const;
export type Dimension = (typeof dimensions)[number];

const figures = {
  events: z.int().describe("The number of events."),
  failures: z.int().describe("The number of events that report a failure."),
  inputTokens: z.int().describe("Input tokens, with those that were read from or written to a cache."),
  outputTokens: z.int(),
  cacheReadTokens: z.int().describe("The part of the input tokens that was read from a cache."),
  cacheWriteTokens: z.int().describe("The part of the input tokens that was written to a cache."),
  costMicros: z
    .int()
    .nullable()
    .describe("Millionths of the currency of the prices. Null when no event has a cost: unknown is not 0."),
  pricedEvents: z.int().describe("Events with a cost, reported or estimated."),
  unpricedEvents: z.int().describe("Events with tokens for which no price is known. Their cost is missing."),
  durationMs: z.int().describe("The sum of all durations."),
  timedEvents: z.int().describe("Events with a duration."),
  value: z.number().describe("The sum of the values of metrics. Only useful for one type."),
};

const name = z.string().nullable().optional();

const TelemetrySummaryItem = z
  .strictObject({
    day: z.string().optional().describe("The day in UTC."),
    type: z.string().optional(),
    memberId: name,
    memberName: name.describe("Null when the member has left, or there is none."),
    teamId: name.describe("A team of the member today. Null for members without a team."),
    teamName: name,
    model: name,
    workerId: name,
    workerName: name.describe("Null when the worker was removed, or there is none."),
    automationId: name,
    automationName: name,
    ...figures,
  })
  .meta({ id: "TelemetrySummaryItem" });
export type TelemetrySummaryItem = z.output<typeof TelemetrySummaryItem>;

const time = z.coerce
  .number()
  .int()
  .min(0)
  .max(Date.UTC(9999, 11, 31));

export const summaryQuery = z.strictObject({
  from: time
    .optional()
    .describe("The first day: the one with this time, in milliseconds since 1970. By default 30 days ago."),
  to: time.optional().describe("The days end before this time. By default with today."),
  groupBy: z
    .string()
    .max(100)
    .default("day")
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(dimensions)).min(1))
    .describe(`What each item is about, separated by commas: ${dimensions.join(", ")}.`),
  ...pageQuery.shape,
  // A cursor contains a type and a model, each with up to 120 characters in any language.
  cursor: z.string().max(1600).optional().describe("`nextCursor` of the page before."),
});

export const summarize = route({
  method: "get",
  path: "/v1/telemetry/summary",
  tag: "Telemetry",
  summary: "Sum telemetry by day, type, member, team, model, worker or automation",
  description:
    "Sums of whole days in UTC, exact at any time, also right after late events. Every event counts once; with `team`, it counts for each team that its member is in today. An item has the fields of its groups. Usage of runs is another figure: see `/v1/automation-usage`. Without `telemetry:read` the sums cover the caller's own events. Largest key first: newest day.",
  access: can("telemetry:report"),
  query: summaryQuery,
  replies: {
    200: z
      .strictObject({ items: z.array(TelemetrySummaryItem), nextCursor: z.string().nullable() })
      .meta({ id: "TelemetrySummaryPage" }),
  },
});
