import { z } from "zod";
import { definePage, lineOfText, machine, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { assignedIds } from "../assignments/index.ts";
import { kind, labels, Worker } from "../contract.ts";

const tag = "Workers";
const params = z.strictObject({ id: z.string() });

const RegistrationToken = z
  .strictObject({
    id: idSchema("wrt"),
    name: z.string(),
    kind,
    labels: z.array(z.string()),
    templateIds: z.array(z.string()),
    connectionIds: z.array(z.string()),
    llmProviderIds: z.array(z.string()),
    mcpConnectionIds: z.array(z.string()),
    ownerId: idSchema("mem").describe("The member that workers act for."),
    uses: z.int().describe("How many workers have registered with it."),
    maxUses: z.int().nullable().describe("Null: any number of workers."),
    expiresAt: z.int().nullable().describe("Null: valid until it is removed."),
    secrets: z
      .array(z.strictObject({ start: z.string(), expiresAt: z.int().nullable(), createdAt: z.int() }))
      .describe("The secrets that are valid now: two for a day after a rotation."),
    createdAt: z.int(),
  })
  .meta({ id: "WorkerRegistrationToken" });
export type RegistrationToken = z.output<typeof RegistrationToken>;

export const list = route({
  method: "get",
  path: "/v1/worker-registration-tokens",
  tag,
  summary: "List registration tokens",
  description: "Newest first, without their secrets.",
  access: can("workers:manage"),
  query: pageQuery,
  replies: { 200: definePage(RegistrationToken).meta({ id: "WorkerRegistrationTokenPage" }) },
});

const shown = { 201: z.strictObject({ registrationToken: RegistrationToken, token: z.string() }) };

export const create = route({
  method: "post",
  path: "/v1/worker-registration-tokens",
  tag,
  summary: "Create a registration token",
  description:
    "Machines exchange it for a worker and a token of their own with `POST /v1/workers/register`. It can do nothing else. It is shown in this reply and never again.",
  access: can("workers:manage"),
  body: z.strictObject({
    name: lineOfText(100),
    kind,
    labels: labels.default([]),
    templateIds: assignedIds.templateIds.default([]),
    connectionIds: assignedIds.connectionIds.default([]),
    llmProviderIds: assignedIds.llmProviderIds.default([]),
    mcpConnectionIds: assignedIds.mcpConnectionIds.default([]),
    maxUses: z.int().min(1).max(1_000_000).optional().describe("How many workers can register with it."),
    expiresAt: z
      .int()
      .min(0)
      .optional()
      .describe("In milliseconds since 1970. Without it, it does not expire."),
  }),
  replies: shown,
});
export type NewRegistrationToken = z.output<(typeof create)["body"]>;

export const rotate = route({
  method: "post",
  path: "/v1/worker-registration-tokens/{id}/rotate",
  tag,
  summary: "Rotate a registration token",
  description:
    "The earlier secret works for 24 more hours. Workers that register with the token act for the caller from now on.",
  access: can("workers:manage"),
  params,
  body: z.strictObject({
    endEarlierSecrets: z.boolean().default(false).describe("Ends the earlier secret at once."),
  }),
  bodyOptional: true,
  replies: shown,
});

export const remove = route({
  method: "delete",
  path: "/v1/worker-registration-tokens/{id}",
  tag,
  summary: "Remove a registration token",
  description: "No worker can register with it any more. Workers that have registered stay.",
  access: can("workers:manage"),
  params,
  replies: { 204: null },
});

export const register = route({
  method: "post",
  path: "/v1/workers/register",
  tag,
  summary: "Register this machine as a worker",
  description:
    "Takes a registration token as Bearer. A machine that registers again with the same `instanceId`, because it lost the reply or its state, gets the same worker with a new token, and earlier tokens of that worker end.",
  access: machine({ credentials: ["worker_registration"] }),
  // A newer worker may send more fields.
  query: z.object({}),
  body: z.object({
    instanceId: z
      .string()
      .regex(/^[\w.:-]{8,100}$/, "Use 8 to 100 letters, digits and . _ : - only.")
      .describe("Chosen by the machine once and kept."),
    name: lineOfText(100)
      .optional()
      .describe("If another worker has this name, some letters are added. Without it, the instance id."),
    labels: labels.default([]).describe("In addition to those of the registration token."),
  }),
  replies: { 201: z.strictObject({ worker: Worker, token: z.string() }) },
  errors: {
    409: "`instance_taken`: a worker with this instance id was registered with another token. `registration_token_used_up`.",
  },
});
export type Registration = z.output<(typeof register)["body"]>;
