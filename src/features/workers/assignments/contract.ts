import { z } from "zod";
import { machine, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";

const tag = "Workers";
const maxPerKind = 20;

export const label = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._:/=-]{0,62}$/,
    "Use lower-case letters, digits and . _ : / = - only, at most 63, and begin with a letter or digit.",
  );

const ids = (what: string) =>
  z
    .array(z.string().max(160))
    .max(maxPerKind)
    .transform((given) => [...new Set(given)])
    .describe(`${what} At most ${maxPerKind}.`);

/** What a worker is given. */
export const assignedIds = {
  templateIds: ids("The ids of the templates that it can read."),
  connectionIds: ids(
    "The ids of the connections whose tokens it can get. The member who registered it must be allowed to use them.",
  ),
  llmProviderIds: ids(
    "The ids of the LLM providers whose credentials it can get. Changing them needs `llm_providers:manage`.",
  ),
  mcpConnectionIds: ids(
    "The ids of the only MCP connections that runs on this worker can use. Empty: no limit of its own. Changing them needs `mcp_connections:manage`. A run also needs access to the connection.",
  ),
};

const WorkerAssignments = z
  .strictObject({
    templates: z.array(
      z.strictObject({ id: idSchema("tpl"), slug: z.string(), name: z.string(), version: z.int() }),
    ),
    connections: z.array(
      z.strictObject({ id: idSchema("ocn"), providerId: z.string(), account: z.string() }),
    ),
    llmProviders: z
      .array(z.strictObject({ id: idSchema("llp"), kind: z.string(), name: z.string() }))
      .describe("Their credentials come from `GET /v1/llm-providers/{id}/credential`."),
  })
  .meta({ id: "WorkerAssignments" });
export type WorkerAssignments = z.output<typeof WorkerAssignments>;

const access = machine({ credentials: ["worker"] });

export const list = route({
  method: "get",
  path: "/v1/workers/{id}/assignments",
  tag,
  summary: "List what a worker was given",
  description:
    "For the worker itself. Templates that were deleted, and connections that have ended or may not be used any more, are missing.",
  access,
  params: z.strictObject({ id: z.string() }),
  replies: { 200: WorkerAssignments },
});

const WorkerTemplate = z
  .strictObject({
    id: idSchema("tpl"),
    slug: z.string(),
    name: z.string(),
    version: z.int(),
    body: z.string(),
  })
  .meta({ id: "WorkerTemplate" });
export type WorkerTemplate = z.output<typeof WorkerTemplate>;

export const readTemplate = route({
  method: "get",
  path: "/v1/workers/{id}/templates/{templateId}",
  tag,
  summary: "Read a template that a worker was given",
  description: "For the worker itself.",
  access,
  params: z.strictObject({ id: z.string(), templateId: z.string() }),
  replies: { 200: z.strictObject({ template: WorkerTemplate }) },
});

export const issueToken = route({
  method: "post",
  path: "/v1/workers/{id}/connections/{connectionId}/token",
  tag,
  summary: "Get an access token of a connection that a worker was given",
  description:
    "For the worker itself. The token is refreshed when needed. The member who registered the worker must still be allowed to use the connection.",
  access,
  params: z.strictObject({ id: z.string(), connectionId: z.string() }),
  body: z.strictObject({
    minTtlSeconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(60)
      .describe("The time for which the token must still be valid."),
  }),
  bodyOptional: true,
  replies: {
    200: z
      .strictObject({
        accessToken: z.string(),
        tokenType: z.literal("Bearer"),
        expiresAt: z.int().nullable(),
        scopes: z.array(z.string()),
        connectionId: idSchema("ocn"),
        account: z.string(),
      })
      .meta({ id: "WorkerAccessToken" }),
  },
  errors: {
    404: "`connection_not_found`: the worker was not given this connection, or it has ended.",
    409: "`reconnect_required`: the token cannot be refreshed. `worker_without_owner`: the member who registered the worker has left.",
    503: "`provider_unavailable`: try again later.",
  },
});
