import { mapFields } from "../mapping/index.ts";
import type { TelemetryRecord } from "../record.ts";
import type { Item } from "./items.ts";
import { Rejection } from "./rejection.ts";
import type { Translation } from "./translate.ts";
import { toAttributes, toHexId, toInteger, toList, toMilliseconds, toObject, toText } from "./values.ts";
import type { Message } from "./wire.ts";

const statusError = 2n;

/** A span of a batch of embeddings has all their vectors. Its ids identify it, so it is stored without them. */
export const createSpanTranslation = (given: Item, keepsContents: boolean): Translation<TelemetryRecord> => ({
  reads: [given.item.attributes],
  translate: () => toSpanRecord(given, keepsContents),
  translateWithoutLists: () => toSpanRecord({ ...given, item: leaveOutLists(given.item) }, keepsContents),
});

const leaveOutLists = (span: Message): Message => ({
  ...span,
  attributes: toList(span.attributes).filter((attribute) => {
    const { arrayValue, kvlistValue } = toObject(toObject(attribute).value);
    return arrayValue === undefined && kvlistValue === undefined;
  }),
});

/** Translates a span. Its trace and span ids identify it. */
export function toSpanRecord({ resource, scope, item }: Item, keepsContents: boolean): TelemetryRecord {
  const traceId = toHexId(item.traceId, 16);
  const spanId = toHexId(item.spanId, 8);
  if (!traceId || !spanId)
    throw new Rejection("A span has no valid trace and span id. In JSON, ids are hexadecimal text.");
  const start = toMilliseconds(item.startTimeUnixNano);
  if (start === undefined) throw new Rejection("A span has no valid start time.");
  const own = toAttributes(item.attributes);
  const parentSpanId = toHexId(item.parentSpanId, 8);
  const mapped = mapFields(
    {
      signal: "span",
      name: toText(item.name),
      attributes: {
        ...resource,
        ...own,
        ...(scope ? { "otel.scope.name": scope } : {}),
        ...(parentSpanId ? { parent_span_id: parentSpanId } : {}),
      },
      durationMs: findDuration(item.startTimeUnixNano, item.endTimeUnixNano),
      failed: toInteger(toObject(item.status).code) === statusError,
    },
    keepsContents,
  );
  const eventId = `${traceId}:${spanId}`;
  return {
    ...mapped,
    signal: "span",
    eventId,
    // Trace and span id are the whole identity, so two spans with the same ids never differ.
    digest: spanId,
    at: start,
    value: null,
  };
}

function findDuration(start: unknown, end: unknown): number | null {
  const [from, to] = [toInteger(start), toInteger(end)];
  return from === undefined || to === undefined || to < from ? null : Number(to - from) / 1e6;
}
