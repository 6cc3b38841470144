import { z } from "zod";
import { definePage, pageQuery, route, tooManyStreams } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { asReporter } from "../runs/index.ts";

const tag = "Automation Runners";

const printable = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), "Without control characters.");

export const token = route({
  method: "post",
  path: "/v1/automation-runners/token",
  tag,
  summary: "Get a token for a runner of mine",
  description:
    "Valid for twelve hours, and only while its member belongs to the organization. A runner keeps its name after a restart, because the name identifies the holder of a run. Request a new token before this one expires; the old one stays valid until then.",
  access: can("automations:create"),
  body: z.strictObject({
    runnerId: printable(160).min(8).describe("The runner's own name, the same after a restart."),
    platform: printable(160).optional(),
    version: printable(160).optional(),
    concurrency: z.int().min(1).max(16).default(1).describe("The number of runs that it executes at once."),
    serves: z
      .enum(["own", "organization"])
      .default("own")
      .describe("Whose runs it gets. `organization` needs `automations:manage`."),
  }),
  replies: {
    200: z.strictObject({ token: z.string(), expiresAt: z.int(), eventsPath: z.string() }),
  },
});

const Runner = z
  .strictObject({
    id: idSchema("rnr"),
    runnerId: z.string().describe("The name that the runner chose."),
    memberId: idSchema("mem"),
    platform: z.string().nullable(),
    version: z.string().nullable(),
    concurrency: z.int(),
    serves: z.enum(["own", "organization"]),
    running: z.int().describe("How many runs it holds."),
    lastSeenAt: z
      .int()
      .describe("When it was last used, in milliseconds since 1970. Accurate to some seconds."),
    createdAt: z.int(),
  })
  .meta({ id: "AutomationRunner" });
export type Runner = z.output<typeof Runner>;

export const list = route({
  method: "get",
  path: "/v1/automation-runners",
  tag,
  summary: "List my runners; with `automations:manage` those of every member",
  description: "Newest first, each with the time when it was last seen.",
  access: can("automations:create"),
  query: pageQuery,
  replies: { 200: definePage(Runner).meta({ id: "AutomationRunnerPage" }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/automation-runners/{id}",
  tag,
  summary: "Delete a runner and revoke its tokens at once",
  description: "Runs that it holds are queued again when their leases end.",
  access: can("automations:create"),
  params: z.strictObject({ id: z.string() }),
  replies: { 204: null },
});

const Waiting = z
  .strictObject({
    runId: idSchema("run"),
    automationId: idSchema("aut"),
    automationName: z.string(),
    attempt: z.int().describe("The attempt that a claim would start."),
    queuedAt: z.int(),
  })
  .meta({ id: "AutomationRunWaiting" });
export type Waiting = z.output<typeof Waiting>;

const Held = z
  .strictObject({
    runId: idSchema("run"),
    attempt: z.int(),
    leaseExpiresAt: z.int(),
    cancelRequested: z.boolean(),
  })
  .meta({ id: "AutomationRunHeld" });
export type Held = z.output<typeof Held>;

export const work = route({
  method: "get",
  path: "/v1/automation-runner/work",
  tag,
  summary: "List the runs that a runner can claim, oldest first, and those it holds",
  description: "A runner calls this after a wake-up, and once a minute without one.",
  access: asReporter,
  replies: {
    200: z.strictObject({
      items: z.array(Waiting).describe("Up to 100."),
      held: z.array(Held),
    }),
  },
});

export const events = route({
  method: "get",
  path: "/v1/automation-runners/events",
  tag,
  summary: "Stream wake-up messages for a runner",
  description:
    "Messages: `work` (a run can be claimed), `cancel` (stop a run that the runner holds), `sync` (messages may have been lost: request the work list). Each may arrive more than once. Reconnect with `Last-Event-ID` to get only newer messages.",
  access: asReporter,
  raw: "text/event-stream",
  replies: { 200: z.string() },
  errors: { 429: tooManyStreams },
});
