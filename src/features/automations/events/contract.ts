import { z } from "zod";
import { definePage, pageQuery, route, tooManyStreams } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { findContradiction } from "../../llm-providers/index.ts";
import { can } from "../../permissions/index.ts";
import { asReader, asReporter, oneOfNames, runId } from "../runs/index.ts";
import { readCounters } from "./usage-event.ts";

const tag = "Automation Runs";

const eventTypes = [
  "user",
  "assistant",
  "capability_search",
  "capability_execution",
  "usage",
  "warning",
  "terminal",
] as const;
const type = z.enum(eventTypes);
const position = { attempt: z.int().min(1), sequence: z.int().min(0) };

const RunEvent = z
  .strictObject({
    runId: idSchema("run"),
    ...position,
    type,
    payload: z.record(z.string(), z.unknown()),
    createdAt: z.int().describe("The runner's clock, as it was sent."),
    receivedAt: z.int().describe("When the service received it, in milliseconds since 1970."),
  })
  .meta({ id: "AutomationRunEvent" });
export type RunEvent = z.output<typeof RunEvent>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);
/** Not an object schema, because that would copy the payload and leave out some keys. */
const jsonObject = z
  .unknown()
  .refine(isObject, "Must be a JSON object.")
  .transform((value) => value as Record<string, unknown>)
  .meta({ type: "object", additionalProperties: true });

/** Unknown fields are ignored, so that newer runners can send them. */
const EventReport = z
  .object({
    ...position,
    type: type.nullish().describe("The type of the event. Required. `kind` is another name for it."),
    kind: type.nullish(),
    payload: jsonObject.describe(
      "Any JSON object, up to 256 KiB. Cache tokens of a `usage` event are part of its `inputTokens`, as in a completion; figures that contradict this are refused.",
    ),
    createdAt: z.int().min(0),
  })
  .transform(({ type, kind, ...rest }, issues) => {
    if (type && kind && type !== kind) {
      issues.addIssue({ code: "custom", path: ["kind"], message: "`type` and `kind` differ. Send one." });
      return z.NEVER;
    }
    const named = type ?? kind;
    if (!named) {
      issues.addIssue({
        code: "custom",
        path: ["type"],
        message: `Required: one of ${eventTypes.join(", ")}.`,
      });
      return z.NEVER;
    }
    const contradiction = named === "usage" ? findContradiction(readCounters(rest.payload)) : undefined;
    if (contradiction) {
      const { field, message } = contradiction;
      issues.addIssue({ code: "custom", path: ["payload", field], message });
      return z.NEVER;
    }
    return { ...rest, type: named };
  })
  .meta({
    id: "AutomationRunEventReport",
    ...oneOfNames("type", "kind"),
  });
export type EventReport = z.output<typeof EventReport>;

const maxEventReports = 500;

const knownTypes: ReadonlySet<unknown> = new Set(eventTypes);
const isIntFrom = (min: number, value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= min;

/** Recognizes every valid event that names its type in `type` and reports no usage. */
function recognizeEventReport(value: unknown): EventReport | undefined {
  if (!isObject(value)) return undefined;
  const { attempt, sequence, type, kind, payload, createdAt } = value;
  if (!isIntFrom(1, attempt) || !isIntFrom(0, sequence) || !isIntFrom(0, createdAt)) return undefined;
  if (!knownTypes.has(type) || type === "usage" || kind !== undefined || !isObject(payload)) return undefined;
  return { attempt, sequence, payload, createdAt, type: type as EventReport["type"] };
}

function recognizeEventReports(value: unknown): { events: EventReport[] } | undefined {
  const given = isObject(value) ? value.events : undefined;
  if (!Array.isArray(given) || given.length === 0 || given.length > maxEventReports) return undefined;
  const events: EventReport[] = [];
  for (const one of given) {
    const event = recognizeEventReport(one);
    if (!event) return undefined;
    events.push(event);
  }
  return { events };
}

const refusals = {
  404: "`automation_run_not_found`",
  409: {
    description:
      "`automation_runner_event_sequence_gap`: send `expected` next. `event_conflict`: another event has this number. `run_already_completed`: nothing follows a terminal event or a completion. `runner_lease_lost`: the attempt is not yours any more; the report was stored as a late report. `worker_takes_no_work`: it is the first report of a queued run, and the worker of the runner is paused or drains. `quota_exceeded`: the organization's storage is full. Sending the event again does not help; a completion is still accepted.",
    schema: z
      .looseObject({
        error: z.string(),
        message: z.string(),
        expected: z.int().optional().describe("The sequence that would be accepted."),
        index: z.int().optional().describe("The index of the first refused event of a batch."),
      })
      .meta({ id: "AutomationRunReportRefused" }),
  },
  413: "`payload_too_large`: a payload has more than 256 KiB, or the body more than 1 MiB.",
};

export const report = route({
  method: "post",
  path: "/v1/automation-runs/{id}/events",
  tag,
  summary: "Report an event of a run",
  description:
    "An acknowledged event is stored. A repeated event returns the stored one and writes nothing. The first event of an attempt has sequence 0 or 1, and each later event has the next number. The first report of a queued run claims the run.",
  access: asReporter,
  params: runId,
  query: z.object({}),
  body: EventReport,
  recognizeBody: recognizeEventReport,
  replies: { 200: z.strictObject({ event: RunEvent }) },
  errors: refusals,
});

export const reportBatch = route({
  method: "post",
  path: "/v1/automation-runs/{id}/events/batch",
  tag,
  summary: "Report several events of a run at once",
  description:
    "The events are stored in one commit or not at all. A refusal names the first refused event in `index`. All events must belong to one attempt: the first event of another attempt is refused with `runner_lease_lost`.",
  access: asReporter,
  params: runId,
  query: z.object({}),
  body: z.object({ events: z.array(EventReport).min(1).max(maxEventReports) }),
  recognizeBody: recognizeEventReports,
  replies: {
    200: z
      .strictObject({
        added: z.int().describe("The number of new events."),
        repeated: z.int().describe("The number of events that were already stored."),
        lastSequence: z
          .int()
          .describe("The last stored sequence of the attempt. The next event has the next number."),
      })
      .meta({ id: "AutomationRunEventsStored" }),
  },
  errors: refusals,
});

export const stream = route({
  method: "get",
  path: "/v1/automation-runs/{id}/stream",
  tag,
  summary: "Stream the events of a run",
  description:
    "Each message is an event. Its id is the sequence, and from the second attempt on `attempt.sequence`. Messages named `run` contain the run, whenever its state changes. To continue after a disconnect, send `Last-Event-ID`, or `lastEventId` where headers cannot be set. The stream ends with the run; 204 means that there are no further events.",
  access: can("automations:create"),
  params: runId,
  query: z.strictObject({ lastEventId: z.string().max(40).optional() }),
  raw: "text/event-stream",
  replies: { 200: z.string(), 204: null },
  errors: { 429: tooManyStreams },
});

export const listQuery = pageQuery.extend({
  order: z
    .enum(["asc", "desc"])
    .default("asc")
    .describe("`desc`: newest first. A cursor is valid only for the order that it was returned with."),
});

export const list = route({
  method: "get",
  path: "/v1/automation-runs/{id}/events",
  tag,
  summary: "List the events of a run, in order",
  description:
    "Ordered by attempt and sequence. A page also ends when it has about 2 MiB of payload. A run credential can read the events of its own run.",
  access: asReader,
  params: runId,
  query: listQuery,
  replies: { 200: definePage(RunEvent).meta({ id: "AutomationRunEventPage" }) },
});
