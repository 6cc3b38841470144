import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

const tag = "Telemetry";

const TelemetrySettings = z
  .strictObject({
    enabled: z
      .boolean()
      .describe("False: telemetry is accepted and dropped, so that senders need not be changed."),
    keepsContents: z
      .boolean()
      .describe("True: prompts, replies, arguments of tools and bodies of log records are stored too."),
    retentionDays: z
      .int()
      .min(7)
      .max(730)
      .describe("How long events are kept. Daily sums are kept for 800 days."),
  })
  .meta({ id: "TelemetrySettings" });
export type TelemetrySettings = z.output<typeof TelemetrySettings>;

const Reply = z.strictObject({ settings: TelemetrySettings });

export const read = route({
  method: "get",
  path: "/v1/telemetry/settings",
  tag,
  summary: "Read the telemetry settings",
  description: "Whether telemetry is stored, whether message contents are, and for how long.",
  access: can("telemetry:report"),
  replies: { 200: Reply },
});

export const change = route({
  method: "put",
  path: "/v1/telemetry/settings",
  tag,
  summary: "Change the telemetry settings",
  description:
    "Applies to what arrives from now on. A shorter retention takes effect within minutes. What it removes cannot be restored.",
  access: can("telemetry:manage"),
  body: TelemetrySettings,
  replies: { 200: Reply },
});
