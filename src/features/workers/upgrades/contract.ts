import { z } from "zod";
import { definePage, machine, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "Worker Runtime";
const params = z.strictObject({ id: z.string() });

export const version = z
  .string()
  .regex(/^[\w.+~-]{1,60}$/, "Use letters, digits and . + ~ _ - only, at most 60.")
  .describe("The product version to run.");

const upgradeStates = [
  "requested",
  "acknowledged",
  "draining",
  "upgraded",
  "failed",
  "timed_out",
  "cancelled",
] as const;

const Upgrade = z
  .strictObject({
    id: idSchema("wup"),
    workerId: idSchema("wrk"),
    rolloutId: idSchema("wro").nullable().describe("The rollout that requested it. Null: requested alone."),
    version: z.string(),
    fromVersion: z.string().nullable().describe("What the worker ran before. Null when it was not known."),
    state: z
      .enum(upgradeStates)
      .describe("`requested` → `acknowledged` → `draining` → `upgraded`, or another end."),
    reason: z.string().nullable().describe("Why it failed, timed out or was cancelled."),
    deadlineAt: z.int(),
    createdAt: z.int(),
    acknowledgedAt: z.int().nullable(),
    drainingAt: z.int().nullable(),
    endedAt: z.int().nullable(),
  })
  .meta({ id: "WorkerUpgrade" });
export type Upgrade = z.output<typeof Upgrade>;

const one = z.strictObject({ upgrade: Upgrade });
export const deadlineAt = z
  .int()
  .min(0)
  .optional()
  .describe("In milliseconds since 1970. Defaults to an hour from now.");

export const request = route({
  method: "post",
  path: "/v1/workers/{id}/runtime/upgrade",
  tag,
  summary: "Upgrade a worker",
  description:
    "The worker reads the desired version in the answer to its next heartbeat. An upgrade to another version that is under way is cancelled.",
  access: can("workers:manage"),
  params,
  body: z.strictObject({ version, deadlineAt }),
  replies: { 202: one },
});

export const report = route({
  method: "patch",
  path: "/v1/workers/{id}/runtime/upgrade",
  tag,
  summary: "Report the progress of an upgrade",
  description:
    "For the worker itself. States only move forward; a repeated report changes nothing. `upgraded` is not reported: it follows from a runtime report with the desired version.",
  access: machine({ credentials: ["worker"] }),
  params,
  body: z.strictObject({
    upgradeId: z.string().max(60),
    state: z.enum(["acknowledged", "draining", "failed"]),
    reason: z.string().trim().max(500).optional().describe("Why it failed, for people."),
  }),
  replies: { 200: one },
  errors: {
    404: "`worker_not_found`, or `worker_upgrade_not_found`.",
    409: "`upgrade_ended`: it was cancelled, has failed, or its time is over.",
  },
});

export const list = route({
  method: "get",
  path: "/v1/workers/{id}/runtime/upgrades",
  tag,
  summary: "List the upgrades of a worker",
  description: "Newest first.",
  access: can("workers:read"),
  params,
  query: pageQuery,
  replies: { 200: definePage(Upgrade).meta({ id: "WorkerUpgradePage" }) },
});
