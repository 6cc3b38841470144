import type { MessageType } from "./wire.ts";

/**
 * The messages of the OpenTelemetry protocol, with the fields that are read. Numbers and names are those of the
 * specification; names are as in OTLP/JSON.
 */
const many = (name: string, type: () => MessageType) => ({ name, type, repeated: true }) as const;
const one = (name: string, type: () => MessageType) => ({ name, type }) as const;

const anyValue: MessageType = {
  1: { name: "stringValue", type: "string" },
  2: { name: "boolValue", type: "bool" },
  3: { name: "intValue", type: "int64" },
  4: { name: "doubleValue", type: "double" },
  5: one("arrayValue", () => arrayValue),
  6: one("kvlistValue", () => keyValueList),
};
const arrayValue: MessageType = { 1: many("values", () => anyValue) };
const keyValue: MessageType = { 1: { name: "key", type: "string" }, 2: one("value", () => anyValue) };
const keyValueList: MessageType = { 1: many("values", () => keyValue) };
const resource: MessageType = { 1: many("attributes", () => keyValue) };
const scope: MessageType = {
  1: { name: "name", type: "string" },
  2: { name: "version", type: "string" },
};

const status: MessageType = { 3: { name: "code", type: "int32" } };

const span: MessageType = {
  1: { name: "traceId", type: "hex" },
  2: { name: "spanId", type: "hex" },
  4: { name: "parentSpanId", type: "hex" },
  5: { name: "name", type: "string" },
  7: { name: "startTimeUnixNano", type: "fixed64" },
  8: { name: "endTimeUnixNano", type: "fixed64" },
  9: many("attributes", () => keyValue),
  15: one("status", () => status),
};

const logRecord: MessageType = {
  1: { name: "timeUnixNano", type: "fixed64" },
  2: { name: "severityNumber", type: "int32" },
  5: one("body", () => anyValue),
  6: many("attributes", () => keyValue),
  9: { name: "traceId", type: "hex" },
  10: { name: "spanId", type: "hex" },
  11: { name: "observedTimeUnixNano", type: "fixed64" },
  12: { name: "eventName", type: "string" },
};

const numberPoint: MessageType = {
  2: { name: "startTimeUnixNano", type: "fixed64" },
  3: { name: "timeUnixNano", type: "fixed64" },
  4: { name: "asDouble", type: "double" },
  6: { name: "asInt", type: "sfixed64" },
  7: many("attributes", () => keyValue),
  8: { name: "flags", type: "int32" },
};
const histogramPoint: MessageType = {
  2: { name: "startTimeUnixNano", type: "fixed64" },
  3: { name: "timeUnixNano", type: "fixed64" },
  4: { name: "count", type: "fixed64" },
  5: { name: "sum", type: "double" },
  9: many("attributes", () => keyValue),
  10: { name: "flags", type: "int32" },
};
const exponentialPoint: MessageType = {
  1: many("attributes", () => keyValue),
  2: { name: "startTimeUnixNano", type: "fixed64" },
  3: { name: "timeUnixNano", type: "fixed64" },
  4: { name: "count", type: "fixed64" },
  5: { name: "sum", type: "double" },
  10: { name: "flags", type: "int32" },
};

const temporality = { name: "aggregationTemporality", type: "int32" } as const;

const metric: MessageType = {
  1: { name: "name", type: "string" },
  3: { name: "unit", type: "string" },
  5: one("gauge", () => ({ 1: many("dataPoints", () => numberPoint) })),
  7: one("sum", () => sum),
  9: one("histogram", () => histogram),
  10: one("exponentialHistogram", () => exponentialHistogram),
  11: one("summary", () => ({ 1: many("dataPoints", () => ({})) })),
};
const sum: MessageType = {
  1: many("dataPoints", () => numberPoint),
  2: temporality,
  3: { name: "isMonotonic", type: "bool" },
};
const histogram: MessageType = { 1: many("dataPoints", () => histogramPoint), 2: temporality };
const exponentialHistogram: MessageType = { 1: many("dataPoints", () => exponentialPoint), 2: temporality };

/** The request of a signal: resources, in them scopes, in them items. */
const exportRequest = (names: readonly [string, string, string], item: MessageType): MessageType => {
  const scopes: MessageType = { 1: one("scope", () => scope), 2: many(names[2], () => item) };
  const resources: MessageType = { 1: one("resource", () => resource), 2: many(names[1], () => scopes) };
  return { 1: many(names[0], () => resources) };
};

/** What differs between the signals. */
export const otlpSignals = {
  traces: {
    names: ["resourceSpans", "scopeSpans", "spans"],
    request: exportRequest(["resourceSpans", "scopeSpans", "spans"], span),
  },
  logs: {
    names: ["resourceLogs", "scopeLogs", "logRecords"],
    request: exportRequest(["resourceLogs", "scopeLogs", "logRecords"], logRecord),
  },
  metrics: {
    names: ["resourceMetrics", "scopeMetrics", "metrics"],
    request: exportRequest(["resourceMetrics", "scopeMetrics", "metrics"], metric),
  },
} as const;

export type OtlpSignal = keyof typeof otlpSignals;
