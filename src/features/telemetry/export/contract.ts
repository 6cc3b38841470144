import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

const time = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

export const exportQuery = z.strictObject({
  format: z.enum(["csv", "json"]).default("json").describe("`json` is one JSON object per line."),
  from: time.optional().describe("Only events at this time or later, in milliseconds since 1970."),
  to: time.optional().describe("Only events before this time, in milliseconds since 1970."),
});

export const exportEvents = route({
  method: "get",
  path: "/v1/telemetry/export",
  tag: "Telemetry",
  summary: "Export telemetry events",
  description:
    'All events of a period, oldest first, as a stream. Without `telemetry:read` only those of the caller. A complete file ends with the line `{"complete":true}`, or `# complete` in CSV.',
  access: can("telemetry:report"),
  query: exportQuery,
  raw: "application/x-ndjson",
  replies: { 200: z.string() },
});
