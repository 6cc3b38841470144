import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { reporters } from "../access.ts";
import { pricings, signals, sources } from "../record.ts";
import { eventAttributes } from "./attributes.ts";

const tag = "Telemetry";

const TelemetryEventInput = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(128)
      .describe("Chosen by the sender, such as a UUID. An event with a known id is not stored again."),
    type: lineOfText(120).describe("What happened. Any name; those of the sender are kept as they are."),
    at: z.int().min(0).describe("When it happened, in milliseconds since 1970."),
    memberId: z.string().max(160).optional().describe("The caller, unless it may report for other members."),
    workerId: z.string().max(160).optional(),
    runId: z.string().max(160).optional().describe("A run that the caller may report about."),
    model: lineOfText(120).optional(),
    attributes: eventAttributes
      .optional()
      .describe(
        "More about it. Names of the GenAI conventions become fields: `gen_ai.usage.input_tokens`, `gen_ai.tool.name` and others.",
      ),
  })
  .meta({ id: "TelemetryEventInput" });
export type TelemetryEventInput = z.output<typeof TelemetryEventInput>;

export const report = route({
  method: "post",
  path: "/v1/telemetry/events",
  tag,
  summary: "Report telemetry events",
  description:
    "Stores 1 to 500 events, all or none of them. An event whose id is known is a duplicate and changes nothing, so a request can be repeated until it succeeds. Without telemetry in the organization's settings, events are dropped.",
  access: reporters,
  body: z.strictObject({ events: z.array(TelemetryEventInput).min(1).max(500) }),
  bodyLimit: 4 * 1024 * 1024,
  replies: {
    200: z
      .strictObject({
        accepted: z.int().describe("New events."),
        duplicates: z.int().describe("Events that were stored before."),
        conflicts: z
          .array(z.string())
          .optional()
          .describe(
            "Ids that other events already have. These events were not stored. Absent when there are none.",
          ),
      })
      .meta({ id: "TelemetryReport" }),
  },
});

const tokens = z.int().nullable();

const TelemetryEvent = z
  .strictObject({
    id: z.string(),
    signal: z.enum(signals),
    eventId: z.string(),
    at: z.int(),
    type: z.string(),
    source: z.enum(sources),
    mappingVersion: z.int(),
    memberId: z.string().nullable(),
    workerId: z.string().nullable(),
    runId: z.string().nullable(),
    automationId: z.string().nullable(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
    costMicros: tokens,
    pricing: z.enum(pricings),
    countsUsage: z.boolean(),
    durationMs: z.int().nullable(),
    failed: z.boolean(),
    value: z.number().nullable(),
    toolName: z.string().nullable(),
    agentName: z.string().nullable(),
    conversationId: z.string().nullable(),
    attributes: z.record(z.string(), z.unknown()).nullable(),
    receivedAt: z.int(),
  })
  .meta({ id: "TelemetryEvent" });
export type TelemetryEvent = z.output<typeof TelemetryEvent>;

const time = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const filters = {
  type: z.string().max(120).optional(),
  memberId: z.string().max(160).optional(),
  runId: z.string().max(160).optional(),
  from: time.optional().describe("Only events at this time or later, in milliseconds since 1970."),
  to: time.optional().describe("Only events before this time, in milliseconds since 1970."),
};
export type Filter = z.output<z.ZodObject<typeof filters>>;

export const listQuery = z.strictObject({ ...pageQuery.shape, ...filters });

export const list = route({
  method: "get",
  path: "/v1/telemetry/events",
  tag,
  summary: "List telemetry events",
  description:
    "Events, spans, log records and metric points, newest first. Without `telemetry:read` only those of the caller. A page also ends when it has about 2 MiB of attributes.",
  access: can("telemetry:report"),
  query: listQuery,
  replies: { 200: definePage(TelemetryEvent).meta({ id: "TelemetryEventPage" }) },
});
