import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { findContradiction } from "../../llm-providers/index.ts";
import { can } from "../../permissions/index.ts";
import { AssignedConnection, AssignedTemplate } from "../resources/index.ts";
import { counters, UsageTotals } from "../usage/index.ts";

const tag = "Automation Runs";

const runStatuses = ["queued", "running", "succeeded", "failed", "cancelled", "skipped"] as const;

/** Why a run has its status. docs/automations.md explains each reason. */
export const reasons = [
  "overlap",
  "missed",
  "no_runner",
  "interrupted",
  "lease_lost",
  "timed_out",
  "reported",
  "requested",
  "automation_archived",
  "resource_missing",
  "run_budget_exceeded",
  "monthly_budget_exceeded",
  "budget_exceeded",
] as const;
export type Reason = (typeof reasons)[number];

export const Run = z
  .strictObject({
    id: idSchema("run"),
    automationId: idSchema("aut"),
    automationRevision: z.int(),
    memberId: idSchema("mem").describe("The member that the run acts for."),
    trigger: z.enum(["schedule", "manual"]),
    retryOf: z.string().nullable().describe("The id of the run that this run repeats."),
    occurrenceAt: z.int().nullable().describe("The time in the schedule that this run is for."),
    status: z.enum(runStatuses),
    reason: z.enum(reasons).nullable().describe("Why it is in this state."),
    reasonDetail: z.string().nullable().describe("The reason in a sentence for a person."),
    attempt: z
      .int()
      .describe(
        "The number of attempts so far. The next report of a queued run belongs to the next attempt.",
      ),
    leaseExpiresAt: z.int().nullable(),
    cancelRequestedAt: z.int().nullable(),
    sessionId: z.string().nullable(),
    workspaceId: z.string().nullable(),
    resultSummary: z.string().nullable(),
    error: z.strictObject({ message: z.string().nullable(), retryable: z.boolean().nullable() }).nullable(),
    lateReports: z
      .int()
      .describe(
        "How many reports came after the lease was lost. They were refused and kept. The count stops at 1,000.",
      ),
    createdAt: z.int(),
    queuedAt: z.int(),
    startedAt: z.int().nullable(),
    finishedAt: z.int().nullable(),
    eventsPrunedAt: z
      .int()
      .nullable()
      .describe(
        "When its events were deleted after their retention, in milliseconds since 1970. Null while they are kept.",
      ),
  })
  .meta({ id: "AutomationRun" });
export type Run = z.output<typeof Run>;

/** A run with names, for all replies except the reply to a completion. */
export const NamedRun = Run.extend({
  automationName: z.string().describe("The name in the revision that ran."),
  memberName: z.string().nullable().describe("Null when the member has left."),
  runnerName: z
    .string()
    .nullable()
    .describe(
      "The runner of the latest attempt. Null when there is no attempt, or when a person or an API key reports it.",
    ),
}).meta({ id: "AutomationRunWithNames" });
export type NamedRun = z.output<typeof NamedRun>;

/** The newest run of an automation, for lists of automations. */
export const LastRun = Run.pick({
  id: true,
  status: true,
  reason: true,
  createdAt: true,
  startedAt: true,
  finishedAt: true,
}).meta({ id: "AutomationLastRun" });

const Attempt = z
  .strictObject({
    attempt: z.int(),
    runnerId: z.string().nullable().describe("The name of the runner; null when a person or a key reported."),
    startedAt: z.int(),
    endedAt: z.int().nullable(),
    outcome: z.enum(["succeeded", "failed", "cancelled", "lease_lost", "timed_out"]).nullable(),
  })
  .meta({ id: "AutomationRunAttempt" });
export type Attempt = z.output<typeof Attempt>;

export const Model = z
  .strictObject({ providerId: z.string(), modelId: z.string() })
  .meta({ id: "AutomationModel" });

const AutomationAsRun = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    revision: z.int(),
    instructions: z.string(),
    model: Model.nullable(),
    maxRuntimeSeconds: z.int(),
    templateIds: z.array(z.string()),
    connectionIds: z.array(z.string()),
  })
  .meta({ id: "AutomationAsRun" })
  .describe("The revision of the automation that this run uses.");
export type AutomationAsRun = z.output<typeof AutomationAsRun>;

/** The owner of a run, managers of automations, and the runners of both. */
export const asReporter = can("automations:create", { credentials: ["runner", "session", "key"] });
/** The program of a run may read too. */
export const asReader = can("automations:create", { credentials: ["runner", "session", "key", "run"] });
export const runId = z.strictObject({ id: z.string().min(1).max(160) });
const namedReply = z.strictObject({ run: NamedRun });
const time = z.coerce
  .number()
  .int()
  .min(0)
  .max(Date.UTC(9999, 11, 31));

export const runQuery = pageQuery.extend({
  automationId: z.string().max(160).optional(),
  memberId: z.string().max(160).optional(),
  status: z
    .string()
    .optional()
    .transform((text) => text?.split(","))
    .pipe(z.array(z.enum(runStatuses)).optional())
    .describe("One or several, separated by commas."),
  fromAt: time.optional().describe("Only runs that were created at this time or later."),
  toAt: time.optional().describe("Only runs that were created before this time."),
});

export const list = route({
  method: "get",
  path: "/v1/automation-runs",
  tag,
  summary: "List runs, newest first",
  description:
    "Lists the caller's own runs, or with `automations:manage` those of every member. A page also ends when it has about 2 MiB of results and errors.",
  access: can("automations:create"),
  query: runQuery,
  replies: { 200: definePage(NamedRun).meta({ id: "AutomationRunPage" }) },
});

const RunDetail = z.strictObject({
  run: NamedRun,
  automation: AutomationAsRun,
  usage: UsageTotals,
  attempts: z.array(Attempt),
});
export type RunDetail = z.output<typeof RunDetail>;

export const read = route({
  method: "get",
  path: "/v1/automation-runs/{id}",
  tag,
  summary: "Read a run, with its attempts and usage",
  description:
    "Includes its attempts, its usage and the revision of the automation that it runs. A run credential can read its own run.",
  access: asReader,
  params: runId,
  replies: { 200: RunDetail },
});

export const cancel = route({
  method: "post",
  path: "/v1/automation-runs/{id}/cancel",
  tag,
  summary: "Cancel a run",
  description:
    "A queued run is cancelled at once. For a running one, its runner is told to stop. If the runner does not respond, the run ends with its lease.",
  access: can("automations:create"),
  params: runId,
  replies: { 200: namedReply },
  errors: { 409: "`run_already_completed`: the run has already ended." },
});

export const retry = route({
  method: "post",
  path: "/v1/automation-runs/{id}/retry",
  tag,
  summary: "Retry a run",
  description:
    "Queues a new run of the same automation with the revision that the earlier run used; `retryOf` names the earlier run. The run must have ended. Send an `Idempotency-Key`, so that a repeated request creates no second run.",
  access: can("automations:create"),
  params: runId,
  replies: { 202: namedReply },
  errors: {
    404: "`automation_run_not_found`, or `automation_not_found`: the automation now belongs to another member.",
    409: "`run_not_ended`: wait for its end, or cancel it first. `automation_archived`, `owner_left`, `monthly_budget_exceeded`, `budget_exceeded`: as for running an automation.",
  },
});

const Assignment = z
  .strictObject({
    runId: idSchema("run"),
    automationId: idSchema("aut"),
    automationName: z.string(),
    instructions: z.string(),
    model: Model.nullable(),
    attempt: z.int(),
    timeoutMs: z.int(),
    leaseExpiresAt: z.int(),
    credential: z
      .string()
      .describe(
        "The run credential for the program. It is shown once and ends with the attempt; see docs/automations.md.",
      ),
    acceptsTelemetry: z
      .boolean()
      .describe(
        "Whether the credential can report telemetry, and the organization stores it. A runner then tells the program where to; see docs/runner.md.",
      ),
    templates: z.array(AssignedTemplate).describe("Read each with the credential: `GET /v1/templates/{id}`."),
    connections: z.array(AssignedConnection).describe("The connections whose tokens the credential can get."),
  })
  .meta({ id: "AutomationAssignment" });
export type Assignment = z.output<typeof Assignment>;

export const claim = route({
  method: "post",
  path: "/v1/automation-runs/{id}/claim",
  tag,
  summary: "Claim a queued run",
  description:
    "`assignment` is null when another holder has the run, when the run has ended, or when the worker of the runner is paused or drains. A claim also ends the run when a template or connection of it is missing, or when a budget is spent. The same runner can claim again: it gets the same assignment with a new credential, and the earlier credential ends.",
  access: asReporter,
  params: runId,
  replies: { 200: z.strictObject({ assignment: Assignment.nullable() }) },
});

const attempt = z.int().min(1);

export const heartbeat = route({
  method: "post",
  path: "/v1/automation-runs/{id}/heartbeat",
  tag,
  summary: "Renew the lease, and learn whether to stop",
  description: "The lease lasts 60 seconds. Send a heartbeat about every 20 seconds.",
  access: asReporter,
  params: runId,
  body: z.strictObject({ attempt }),
  replies: {
    200: z.strictObject({
      attempt: z.int(),
      leaseValid: z.literal(true),
      cancelRequested: z.boolean(),
      leaseExpiresAt: z.int(),
    }),
  },
  errors: {
    409: "`runner_lease_lost`: the attempt is not yours any more. `run_already_completed`: the run is over.",
  },
});

const outcome = z.enum(["succeeded", "failed", "cancelled"]);
const optionalText = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);
const counter = z
  .int()
  .min(0)
  .nullish()
  .transform((value) => value ?? 0);

/** JSON Schema for a field with several names: at least one of them has a value. */
export const oneOfNames = (...names: string[]) => ({
  anyOf: names.map((name) => ({ required: [name], properties: { [name]: { not: { type: "null" } } } })),
});

/** Unknown fields are ignored, so that newer runners can send them. */
export const Completion = z
  .object({
    attempt,
    status: outcome.nullish().describe("How it ended. Required. `outcome` is another name for it."),
    outcome: outcome.nullish(),
    sessionId: optionalText(z.string().min(1).max(240)),
    workspaceId: optionalText(z.string().min(1).max(240)),
    resultSummary: optionalText(z.string().max(20_000)),
    usage: optionalText(
      z.object({
        inputTokens: counter,
        outputTokens: counter,
        costMicros: optionalText(z.int().min(0)).describe(
          `${counters.costMicros.description} When it is omitted, it is computed from the tokens and the price of the model.`,
        ),
        cacheReadTokens: counter.describe(
          "Input tokens that were read from a cache. They are part of `inputTokens`.",
        ),
        cacheWriteTokens: counter.describe(
          "Input tokens that were written to a cache. They are part of `inputTokens`.",
        ),
        cacheWrite1hTokens: counter.describe(
          "Those of `cacheWriteTokens` that were written to a cache that lasts an hour.",
        ),
        provider: optionalText(z.string().min(1).max(160)).describe(
          "The kind of provider, or the id of an LLM provider. By default that of the automation's model.",
        ),
        model: optionalText(z.string().min(1).max(200)).describe(
          "The model that was used. By default that of the automation.",
        ),
      }),
    ).describe("The usage of this attempt in addition to its usage events."),
    error: optionalText(
      z.object({
        message: optionalText(z.string()).describe(
          "Why the attempt failed, for a person to read. The first 20,000 characters are kept.",
        ),
        retryable: optionalText(z.boolean()),
      }),
    ),
  })
  .transform(({ status, outcome, ...rest }, issues) => {
    if (status && outcome && status !== outcome) {
      issues.addIssue({
        code: "custom",
        path: ["outcome"],
        message: "`status` and `outcome` differ. Send one.",
      });
      return z.NEVER;
    }
    const contradiction = rest.usage && findContradiction(rest.usage);
    if (contradiction) {
      const { field, message } = contradiction;
      issues.addIssue({ code: "custom", path: ["usage", field], message });
      return z.NEVER;
    }
    const ended = status ?? outcome;
    if (!ended) {
      issues.addIssue({
        code: "custom",
        path: ["status"],
        message: "Required: succeeded, failed or cancelled.",
      });
      return z.NEVER;
    }
    return { ...rest, status: ended };
  })
  .meta({ id: "AutomationRunCompletion", ...oneOfNames("status", "outcome") });
export type Completion = z.output<typeof Completion>;

export const complete = route({
  method: "post",
  path: "/v1/automation-runs/{id}/complete",
  tag,
  summary: "Report how a run ended",
  description:
    "An acknowledged report is stored. A repeated report returns the stored run and writes nothing. A different report is refused.",
  access: asReporter,
  params: runId,
  query: z.object({}),
  body: Completion,
  replies: { 200: z.strictObject({ run: Run }) },
  errors: {
    404: "`automation_run_not_found`",
    409: "`terminal_result_conflict`: the run ended with another report. `runner_lease_lost`: the attempt is not yours any more; the report was stored as a late report. `worker_takes_no_work`: nobody has claimed the run, and the worker of the runner is paused or drains.",
  },
});
