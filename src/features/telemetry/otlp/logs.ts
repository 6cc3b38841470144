import { computeDigest } from "../digest.ts";
import { mapFields } from "../mapping/index.ts";
import type { Attributes, TelemetryRecord } from "../record.ts";
import type { Item } from "./items.ts";
import { Rejection } from "./rejection.ts";
import type { Translation } from "./translate.ts";
import {
  toAttributes,
  toHexId,
  toInteger,
  toMilliseconds,
  toNumber,
  toPlainValue,
  toText,
} from "./values.ts";

/** `ERROR` and `FATAL`. */
const firstErrorSeverity = 17;

export const createLogTranslation = (given: Item, keepsContents: boolean): Translation<TelemetryRecord> => ({
  reads: [given.item.attributes, given.item.body],
  translate: () => toLogRecord(given, keepsContents),
});

/** Translates a log record. It has no id, so all of it identifies it: equal records of one moment count once. */
export function toLogRecord(
  { resource, origin, scope, item }: Item,
  keepsContents: boolean,
): TelemetryRecord {
  const time = toInteger(item.timeUnixNano) || toInteger(item.observedTimeUnixNano);
  const at = toMilliseconds(time);
  if (at === undefined) throw new Rejection("A log record has no valid time.");
  const attributes = toAttributes(item.attributes);
  const body = toPlainValue(item.body);
  const name = findEventName(item.eventName, attributes, body, scope);
  const severity = toNumber(item.severityNumber) ?? 0;
  const traceId = toHexId(item.traceId, 16);
  const spanId = toHexId(item.spanId, 8);
  const mapped = mapFields(
    {
      signal: "log",
      name,
      attributes: {
        ...resource,
        ...attributes,
        ...(scope ? { "otel.scope.name": scope } : {}),
        ...(traceId ? { trace_id: traceId } : {}),
        ...(spanId ? { span_id: spanId } : {}),
        ...(keepsContents && body !== undefined && body !== name ? { body } : {}),
      },
      failed: severity >= firstErrorSeverity || name.endsWith("error"),
    },
    keepsContents,
  );
  const digest = computeDigest({
    ...{ time: String(time), name, severity, attributes, origin, body: body ?? null },
    ...{ traceId: traceId ?? null, spanId: spanId ?? null },
  });
  return { ...mapped, signal: "log", eventId: digest, digest, at, value: null };
}

/** A name, not a sentence that begins like one. */
const claudeCodeName = /^claude_code\.[\w.]+$/;

/** The name of an event, which older senders put into an attribute or the body. Other records are of type `log`. */
function findEventName(eventName: unknown, attributes: Attributes, body: unknown, scope: string): string {
  const own = toText(eventName);
  if (own) return own;
  if (typeof body === "string" && claudeCodeName.test(body)) return body;
  const attribute = attributes["event.name"];
  if (typeof attribute !== "string" || attribute === "") return "log";
  return scope.startsWith("com.anthropic.claude_code") && !attribute.startsWith("claude_code.")
    ? `claude_code.${attribute}`
    : attribute;
}
