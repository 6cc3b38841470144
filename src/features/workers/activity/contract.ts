import { z } from "zod";
import { definePage, machine, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { Desired } from "../desired/index.ts";

const tag = "Worker Activity";
const params = z.strictObject({ id: z.string() });

const activityTypes = [
  "registered",
  "state_changed",
  "paused",
  "resumed",
  "drain_requested",
  "version_changed",
  "upgrade_changed",
  "token_rotated",
] as const;

const Activity = z
  .strictObject({
    id: idSchema("wac"),
    type: z.enum(activityTypes),
    detail: z
      .record(z.string(), z.unknown())
      .describe(
        "For `state_changed` `from` and `to`, for other types what changed. `repeats`: how often the same happened again after the limit of 20 entries in a day.",
      ),
    at: z.int(),
  })
  .meta({ id: "WorkerActivity" });
export type Activity = z.output<typeof Activity>;

export const heartbeat = route({
  method: "post",
  path: "/v1/workers/{id}/activity-heartbeat",
  tag,
  summary: "Say that a worker lives",
  description:
    "The reply is sent after the heartbeat is committed, and says when the next one is due. While many workers beat, a heartbeat waits up to a second for others. Heartbeats only move forward: one with a `sequence` that is not greater than the last changes nothing and is answered with 200 and the current `sequence`.",
  access: machine({ credentials: ["worker"] }),
  params,
  // A newer worker may send more fields.
  query: z.object({}),
  body: z.object({
    sequence: z
      .int()
      .min(0)
      .describe(
        "Greater than that of the heartbeat before, also after a restart. After 2^52 or more, a number below 2^52 starts again.",
      ),
    at: z.int().min(0).describe("The worker's own clock. Ages are measured with the server's clock."),
    status: z
      .enum(["busy", "idle", "draining", "stopped"])
      .describe("`stopped`: the last heartbeat of a process that ends."),
    runIds: z
      .array(z.string().regex(/^[\w-]{1,60}$/, "Use letters, digits, - and _ only, at most 60."))
      .max(16)
      .default([])
      .describe("The runs that it has."),
  }),
  replies: {
    200: z.strictObject({
      receivedAt: z.int().describe("When it was received, by the server's clock."),
      sequence: z.int().describe("The greatest sequence that the server has."),
      nextHeartbeatSeconds: z.number().describe("When the next heartbeat is due, with some jitter."),
      desired: Desired,
    }),
  },
});
export type Heartbeat = z.output<(typeof heartbeat)["body"]>;

export const list = route({
  method: "get",
  path: "/v1/workers/{id}/activity",
  tag,
  summary: "Read the timeline of a worker",
  description:
    "Newest first. Changes of the state are recorded within some seconds; a state that lasts shorter may be missing. Entries are kept for 30 days.",
  access: can("workers:read"),
  params,
  query: pageQuery,
  replies: { 200: definePage(Activity).meta({ id: "WorkerActivityPage" }) },
});
