import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { reporters } from "../access.ts";
import { maxBodyBytes } from "./body.ts";
import { jsonType, otlp, protobufType } from "./protocol.ts";

const tag = "OpenTelemetry";

const rejected = z.string().regex(/^\d+$/).optional().describe("How many were not stored.");

const exportReply = (name: "rejectedSpans" | "rejectedLogRecords" | "rejectedDataPoints", id: string) =>
  z
    .strictObject({
      partialSuccess: z
        .strictObject({
          [name]: rejected.meta({ examples: ["1"] }),
          errorMessage: z
            .string()
            .describe("Why some were not stored, or what else the sender should know.")
            .meta({ examples: ["A span has no valid start time."] }),
        })
        .optional()
        .describe("Absent when everything was stored, now or before."),
    })
    .meta({ id });

const description =
  "OTLP/HTTP, as OpenTelemetry SDKs and collectors send it: protobuf or JSON, with or without gzip, at most 4 MiB. The reply has the encoding of the request. Repeated items are stored once. Only 429 and 503 are worth a retry; both have `Retry-After`.";

const common = {
  method: "post",
  tag,
  description,
  access: reporters,
  protocol: otlp,
  bytes: [protobufType, jsonType],
  bodyLimit: maxBodyBytes,
  requestHeaders: {
    "content-encoding": { description: "`gzip`, or absent.", example: "gzip" },
  },
  errors: {
    409: "The telemetry of the organization has used up its quota.",
    415: "The body is neither protobuf nor JSON, or has another encoding than gzip.",
  },
} as const;

export const exportTraces = route({
  ...common,
  path: "/otlp/v1/traces",
  summary: "Receive spans",
  replies: { 200: exportReply("rejectedSpans", "OtlpTraceReply") },
});

export const exportLogs = route({
  ...common,
  path: "/otlp/v1/logs",
  summary: "Receive log records",
  replies: { 200: exportReply("rejectedLogRecords", "OtlpLogsReply") },
});

export const exportMetrics = route({
  ...common,
  path: "/otlp/v1/metrics",
  summary: "Receive metrics",
  replies: { 200: exportReply("rejectedDataPoints", "OtlpMetricsReply") },
});
