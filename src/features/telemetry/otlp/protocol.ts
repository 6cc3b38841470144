import { z } from "zod";
import type { Refusal } from "../../../platform/errors.ts";
import { protocol } from "../../../platform/http/index.ts";
import { encodeFields } from "./wire.ts";

export const protobufType = "application/x-protobuf";
export const jsonType = "application/json";

/** The reply of an export. `partialSuccess` is absent when everything was accepted. */
export interface ExportReply {
  partialSuccess?: { errorMessage: string } & Partial<Record<RejectedName, string>>;
}
type RejectedName = "rejectedSpans" | "rejectedLogRecords" | "rejectedDataPoints";

const Status = z
  .strictObject({
    code: z
      .int()
      .describe("The code of `google.rpc.Code` that is nearest to the HTTP status.")
      .meta({ examples: [3] }),
    message: z
      .string()
      .describe("What is wrong, and what to do.")
      .meta({ examples: ["The body is not valid gzip."] }),
  })
  .meta({ id: "OtlpStatus" });

/** The nearest codes of `google.rpc.Code`. Exporters decide by the HTTP status; the code is for people. */
const codes: Record<number, number> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  408: 4,
  409: 8,
  413: 3,
  415: 3,
  429: 8,
  500: 13,
  503: 14,
};

/** Texts for refusals of the platform that have only a code. */
const texts: Record<number, string> = {
  401: "The credential is missing or not valid. Set OTEL_EXPORTER_OTLP_HEADERS, for example to x-api-key=sbx_….",
  404: "There is no such path. Signals are sent to /otlp/v1/traces, /otlp/v1/logs and /otlp/v1/metrics.",
  500: "The server failed.",
};

const renderStatus = ({ status, body, message }: Refusal): z.output<typeof Status> => ({
  code: codes[status] ?? 2,
  message: (message === body.error ? texts[status] : undefined) ?? message,
});

/** OTLP/HTTP: protobuf or JSON, the reply in the encoding of the request, errors as `google.rpc.Status`. */
export const otlp = protocol({
  prefix: "/otlp",
  mediaTypes: [jsonType, protobufType],
  repliesLikeRequest: true,
  encode: { [protobufType]: encodeProtobufReply },
  error: { schema: Status, render: renderStatus },
});

export function encodeProtobufReply(body: unknown): Uint8Array {
  const { code, message, partialSuccess } = body as Partial<z.output<typeof Status>> & ExportReply;
  if (code !== undefined)
    return encodeFields([
      [1, code],
      [2, message],
    ]);
  if (!partialSuccess) return encodeFields([]);
  const { errorMessage, ...rejected } = partialSuccess;
  return encodeFields([
    [
      1,
      encodeFields([
        [1, Number(Object.values(rejected)[0] ?? 0)],
        [2, errorMessage],
      ]),
    ],
  ]);
}
