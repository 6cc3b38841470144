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
    "Valid for twelve hours, and only while its member is one. A runner keeps its name over restarts: it is who holds a run. Ask again before the token ends; the old one stays valid until then.",
  access: can("automations:create"),
  body: z.strictObject({
    runnerId: printable(160).min(8).describe("The runner's own name, the same after a restart."),
    platform: printable(160).optional(),
    version: printable(160).optional(),
    concurrency: z.int().min(1).max(16).default(1).describe("How many runs it does at once."),
    serves: z
      .enum(["own", "organization"])
      .default("own")
      .describe("Whose runs it is told of; `organization` needs `automations:manage`."),
  }),
  replies: {
    200: z.strictObject({ token: z.string(), expiresAt: z.int(), eventsPath: z.string() }),
  },
});

const Runner = z
  .strictObject({
    id: idSchema("rnr"),
    runnerId: z.string().describe("The name it gave itself."),
    memberId: idSchema("mem"),
    platform: z.string().nullable(),
    version: z.string().nullable(),
    concurrency: z.int(),
    serves: z.enum(["own", "organization"]),
    running: z.int().describe("How many runs it holds."),
    lastSeenAt: z.int().describe("To within some seconds."),
    createdAt: z.int(),
  })
  .meta({ id: "AutomationRunner" });
export type Runner = z.output<typeof Runner>;

export const list = route({
  method: "get",
  path: "/v1/automation-runners",
  tag,
  summary: "My runners; those of every member with `automations:manage`",
  description: "Newest first, each with the time when it was last seen.",
  access: can("automations:create"),
  query: pageQuery,
  replies: { 200: definePage(Runner).meta({ id: "AutomationRunnerPage" }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/automation-runners/{id}",
  tag,
  summary: "End a runner's tokens at once and forget it",
  description: "What it holds is queued again when its leases end.",
  access: can("automations:create"),
  params: z.strictObject({ id: z.string() }),
  replies: { 204: null },
});

const Waiting = z
  .strictObject({
    runId: idSchema("run"),
    automationId: idSchema("aut"),
    automationName: z.string(),
    attempt: z.int().describe("The attempt that a claim would begin."),
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
  summary: "What can be claimed, oldest first, and what I hold",
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
  summary: "Be told when there is something to do",
  description:
    "Messages: `work` (a run can be claimed), `cancel` (stop a run that I hold), `sync` (something may have been missed: ask for the work). Each may come more than once. Come back with `Last-Event-ID` to hear only what is newer.",
  access: asReporter,
  raw: "text/event-stream",
  replies: { 200: z.string() },
  errors: { 429: tooManyStreams },
});
