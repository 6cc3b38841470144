import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { label } from "../assignments/index.ts";
import { deadlineAt, version } from "../upgrades/index.ts";

const tag = "Worker Runtime";
const params = z.strictObject({ id: z.string() });

const counts = z
  .strictObject({
    matching: z.int().describe("Workers with the labels."),
    selected: z.int().describe("Workers that the rollout has asked to upgrade."),
    upgraded: z.int(),
    failed: z.int().describe("Failed or timed out."),
    open: z.int().describe("Under way."),
  })
  .meta({ id: "WorkerRolloutCounts" });

const Rollout = z
  .strictObject({
    id: idSchema("wro"),
    version: z.string(),
    percent: z.int(),
    labels: z.array(z.string()),
    deadlineSeconds: z.int(),
    counts,
    endedAt: z.int().nullable().describe("Null while it applies, also to workers that register later."),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "WorkerRollout" });
export type Rollout = z.output<typeof Rollout>;

const one = z.strictObject({ rollout: Rollout });
const percent = z
  .int()
  .min(1)
  .max(100)
  .describe(
    "The share of workers. Which ones is decided by a hash of their ids, so a larger share adds to a smaller one.",
  );

export const create = route({
  method: "post",
  path: "/v1/worker-rollouts",
  tag,
  summary: "Upgrade a share of the workers",
  description:
    "Asks a stable share of the workers with all of these labels to upgrade. Workers that register later belong to it as well, until it ends. A worker that was off is asked again when it is back. Widen it with `PATCH`. A new rollout ends the earlier one for the same labels. The quota `worker_rollouts` limits how many apply at once; of those that have ended, the newest 200 are kept.",
  access: can("workers:manage"),
  body: z.strictObject({
    version,
    percent,
    labels: z.array(label).max(20).default([]).describe("Only workers with all of these labels."),
    deadlineAt,
  }),
  replies: { 201: one },
});

export const list = route({
  method: "get",
  path: "/v1/worker-rollouts",
  tag,
  summary: "List rollouts",
  description: "Newest first, each with how far it is.",
  access: can("workers:read"),
  query: pageQuery,
  replies: { 200: definePage(Rollout).meta({ id: "WorkerRolloutPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/worker-rollouts/{id}",
  tag,
  summary: "Read a rollout",
  description: "With the number of workers in each state.",
  access: can("workers:read"),
  params,
  replies: { 200: one },
});

export const widen = route({
  method: "patch",
  path: "/v1/worker-rollouts/{id}",
  tag,
  summary: "Widen a rollout",
  description: "The share only grows: workers that were asked to upgrade cannot be asked back.",
  access: can("workers:manage"),
  params,
  body: z.strictObject({ percent }),
  replies: { 200: one },
  errors: {
    409: "`rollout_ended`, or `rollout_not_smaller`: start another rollout with the version to go back to.",
  },
});

export const end = route({
  method: "delete",
  path: "/v1/worker-rollouts/{id}",
  tag,
  summary: "End a rollout",
  description:
    "Upgrades that no worker has acknowledged are cancelled. The others go on. Of workers that were not upgraded, the version is wanted that was wanted before. The rollout stays in the list.",
  access: can("workers:manage"),
  params,
  replies: { 204: null },
});
