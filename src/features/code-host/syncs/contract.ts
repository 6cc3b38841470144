import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { errorCodes } from "../sync-errors.ts";

const tag = "Connector Syncs";

const syncStatuses = ["queued", "running", "succeeded", "failed", "superseded"] as const;

const Problem = z
  .strictObject({
    path: z.string(),
    line: z.int().nullable(),
    message: z.string(),
  })
  .describe("A file that did not become a template, and why.")
  .meta({ id: "SyncProblem" });

const Sync = z
  .strictObject({
    id: idSchema("syn"),
    connectorId: idSchema("con"),
    cause: z
      .enum(["push", "created", "changed", "manual", "sweep", "event"])
      .describe("`sweep`: the head had changed without a delivery."),
    status: z.enum(syncStatuses).describe("`superseded`: a later sync of the connector covers it."),
    head: z
      .string()
      .nullable()
      .describe(
        "The commit that was pushed. Null when the sync reads whatever the ref points to. Also null for a push verified by the instance's secret, until this connector has read that commit.",
      ),
    commit: z.string().nullable().describe("The commit that was read."),
    attempt: z.int(),
    dueAt: z.int().describe("When it is tried next, while it is queued."),
    error: z
      .strictObject({
        code: z.enum(errorCodes),
        message: z.string(),
        retryable: z.boolean().describe("Whether the sync is retried automatically."),
      })
      .nullable()
      .describe("The error of the last attempt."),
    changes: z
      .strictObject({ added: z.int(), changed: z.int(), removed: z.int(), unchanged: z.int() })
      .nullable(),
    problems: z.array(Problem).describe("The first hundred problems."),
    problemCount: z.int(),
    requestedBy: z.string().nullable().describe("The member who requested it. Null when nobody did."),
    createdAt: z.int(),
    startedAt: z.int().nullable(),
    finishedAt: z.int().nullable(),
  })
  .meta({ id: "ConnectorSync" });
export type Sync = z.output<typeof Sync>;
export type Problem = z.output<typeof Problem>;

const one = z.strictObject({ sync: Sync });
const params = z.strictObject({ id: z.string().min(1).max(160) });
const notActive =
  "`connector_disabled`, `connector_disconnected`: PATCH the connector with `status: active` first.";

export const listQuery = pageQuery.extend({
  connectorId: z.string().max(160).optional(),
  status: z.enum(syncStatuses).optional(),
});

export const list = route({
  method: "get",
  path: "/v1/connector-syncs",
  tag,
  summary: "List syncs, newest first",
  description: "The syncs of all connectors, or of the connector in `connectorId`.",
  access: can("connectors:read"),
  query: listQuery,
  replies: { 200: definePage(Sync).meta({ id: "ConnectorSyncPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/connector-syncs/{id}",
  tag,
  summary: "Read a sync",
  description: "Includes the files that could not be read, and why.",
  access: can("connectors:read"),
  params,
  replies: { 200: one },
});

export const retry = route({
  method: "post",
  path: "/v1/connector-syncs/{id}/retry",
  tag,
  summary: "Retry a failed sync now",
  description: "Queues the same sync again and starts at its first attempt. No new sync is created.",
  access: can("connectors:manage"),
  params,
  replies: { 202: one },
  errors: {
    409: `\`sync_not_failed\`: there is nothing to retry. \`sync_already_queued\`: a later sync covers it. ${notActive}`,
  },
});

export const start = route({
  method: "post",
  path: "/v1/connectors/{id}/sync",
  tag,
  summary: "Sync now",
  description: "When a sync is already queued, it is returned and started at once.",
  access: can("connectors:manage"),
  params,
  replies: { 202: one },
  errors: { 409: notActive },
});
