import { z } from "zod";
import { definePage, lineOfText, pageQuery, recordOf, route } from "../../platform/http/index.ts";
import { idSchema } from "../../platform/ids.ts";
import { can } from "../permissions/index.ts";
import { assignedIds, label } from "./assignments/index.ts";
import { Configuration } from "./desired/index.ts";
import { Freshness, Liveness, Reachability, Skew, State } from "./states/index.ts";
import { WorkerToken } from "./tokens/index.ts";

const tag = "Workers";

export const kind = z
  .enum(["local", "remote", "ephemeral"])
  .describe("`local`: a person's own machine. `remote`: a server. `ephemeral`: exists for a short time.");
export const labels = z
  .array(label)
  .max(20)
  .transform((given) => [...new Set(given)].sort())
  .describe("Words to find and select workers by.");

export const Worker = z
  .strictObject({
    id: idSchema("wrk"),
    name: z.string(),
    kind,
    labels: z.array(z.string()),
    state: State.describe("From what was last seen of it; docs/workers.md has the exact rule."),
    liveness: Liveness.describe("Whether its process lives, as its heartbeats show."),
    reachability: Reachability.describe(
      "Whether requests of the machine arrive, also those of the runner that it hosts.",
    ),
    freshness: Freshness.describe("Whether it runs what it should. Independent of whether it is seen."),
    skew: Skew.describe("Its API version compared with the server's."),
    version: z.string().nullable().describe("The version that it reported last."),
    desiredVersion: z.string().nullable(),
    runIds: z.array(z.string()).describe("The runs of its last heartbeat."),
    lastSeenAt: z.int().nullable(),
    unseenSeconds: z
      .int()
      .nullable()
      .describe("How long it was not seen, without times in which the server was down. Null: never seen."),
    removedAt: z.int().describe("When it is removed if it is not seen again, at the earliest."),
    pause: z
      .strictObject({ note: z.string(), at: z.int(), until: z.int().nullable() })
      .nullable()
      .describe("Null when it is not paused."),
    drainRequestedAt: z.int().nullable(),
    ownerId: idSchema("mem")
      .nullable()
      .describe("The member that it acts for. Null: the member has left, and it hosts no runner."),
    registrationTokenId: idSchema("wrt").nullable(),
    templateIds: z.array(z.string()),
    connectionIds: z.array(z.string()),
    llmProviderIds: z.array(z.string()),
    mcpConnectionIds: z.array(z.string()),
    configuration: Configuration.nullable(),
    configurationRevision: z.int(),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "Worker" });
export type Worker = z.output<typeof Worker>;

const one = z.strictObject({ worker: Worker });
const created = { 201: z.strictObject({ worker: Worker, token: z.string() }) };
const params = z.strictObject({ id: z.string() });
const name = lineOfText(100);
const errors = { 409: "`worker_name_taken`: another worker has this name." };

const listQuery = z.strictObject({
  ...pageQuery.shape,
  state: State.optional().describe("Only workers in this state."),
  liveness: Liveness.optional().describe("Only workers with this liveness. `alive`: all that are seen."),
  kind: kind.optional(),
  label: label.optional().describe("Only workers with this label."),
});

export const list = route({
  method: "get",
  path: "/v1/workers",
  tag,
  summary: "List workers",
  description: "Newest first, each with its state at this moment.",
  access: can("workers:read"),
  query: listQuery,
  replies: { 200: definePage(Worker).meta({ id: "WorkerPage" }) },
});

// 8,192 characters have fewer names.
const configuration = recordOf(z.string().min(1).max(100), z.unknown(), 2_000, "names").refine(
  (value) => JSON.stringify(value).length <= 8_192,
  "At most 8192 characters of JSON.",
);

export const create = route({
  method: "post",
  path: "/v1/workers",
  tag,
  summary: "Register a worker",
  description:
    "The token is shown in this reply and never again. Machines that register themselves use a registration token and `POST /v1/workers/register`. The worker acts for the caller: the runner that it hosts has no more rights than the caller.",
  access: can("workers:manage"),
  body: z.strictObject({
    name,
    kind,
    labels: labels.default([]),
    templateIds: assignedIds.templateIds.default([]),
    connectionIds: assignedIds.connectionIds.default([]),
    llmProviderIds: assignedIds.llmProviderIds.default([]),
    mcpConnectionIds: assignedIds.mcpConnectionIds.default([]),
    configuration: configuration.optional(),
  }),
  replies: created,
  errors,
});
export type NewWorker = z.output<(typeof create)["body"]>;

export const read = route({
  method: "get",
  path: "/v1/workers/{id}",
  tag,
  summary: "Read a worker",
  description: "With its tokens, newest first.",
  access: can("workers:read"),
  params,
  replies: { 200: z.strictObject({ worker: Worker, tokens: z.array(WorkerToken) }) },
});

export const change = route({
  method: "patch",
  path: "/v1/workers/{id}",
  tag,
  summary: "Rename a worker, or change its labels and what it is given",
  description: "Omitted fields do not change.",
  access: can("workers:manage"),
  params,
  body: z.strictObject({
    name: name.optional(),
    labels: labels.optional(),
    templateIds: assignedIds.templateIds.optional(),
    connectionIds: assignedIds.connectionIds.optional(),
    llmProviderIds: assignedIds.llmProviderIds.optional(),
    mcpConnectionIds: assignedIds.mcpConnectionIds.optional(),
    configuration: configuration.nullable().optional().describe("Replaces the whole configuration."),
    takeOver: z.literal(true).optional().describe("The worker acts for the caller from now on."),
  }),
  replies: { 200: one },
  errors,
});
export type WorkerChange = z.output<(typeof change)["body"]>;

export const pause = route({
  method: "post",
  path: "/v1/workers/{id}/pause",
  tag,
  summary: "Pause a worker",
  description: "It gets no new runs and finishes those it has. Pausing again replaces the note and the end.",
  access: can("workers:manage"),
  params,
  body: z.strictObject({
    note: lineOfText(500).describe("Why, for the next person."),
    until: z.int().min(0).optional().describe("When it resumes by itself, in milliseconds since 1970."),
  }),
  replies: { 200: one },
});

export const resume = route({
  method: "post",
  path: "/v1/workers/{id}/resume",
  tag,
  summary: "Resume a paused worker",
  description: "It can get runs again at once.",
  access: can("workers:manage"),
  params,
  replies: { 200: one },
});

export const drain = route({
  method: "post",
  path: "/v1/workers/{id}/drain",
  tag,
  summary: "Ask a worker to stop",
  description:
    "It reads this in the answer to its next heartbeat, finishes its runs, and ends. A process that is started later is not affected.",
  access: can("workers:manage"),
  params,
  replies: { 200: one },
});

export const remove = route({
  method: "delete",
  path: "/v1/workers/{id}",
  tag,
  summary: "Remove a worker",
  description:
    "Its tokens and those of the runner that it hosts are refused at once, on every replica. Runs that it has are queued again when their leases end. Its timeline is deleted.",
  access: can("workers:manage"),
  params,
  replies: { 204: null },
});

export const createToken = route({
  method: "post",
  path: "/v1/workers/{id}/tokens",
  tag,
  summary: "Rotate the token of a worker",
  description:
    "Earlier tokens work for 24 more hours. The token is shown in this reply and never again. Because the caller can then act as the worker, the worker acts for the caller from now on.",
  access: can("workers:manage"),
  params,
  body: z.strictObject({
    endEarlierTokens: z
      .boolean()
      .default(false)
      .describe("Ends earlier tokens at once, for a token that somebody else may know."),
  }),
  bodyOptional: true,
  replies: { 201: z.strictObject({ worker: Worker, token: z.string() }) },
});
