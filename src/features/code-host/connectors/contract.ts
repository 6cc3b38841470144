import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { Access, AccessInput, decimalId } from "../access/index.ts";
import { codehosts } from "../code-hosts.ts";
import { WebhookSecret } from "../secrets/index.ts";

const tag = "Connectors";

const Connector = z
  .strictObject({
    id: idSchema("con"),
    name: z.string(),
    codehost: z.enum(codehosts),
    baseUrl: z
      .string()
      .nullable()
      .describe("The address of a code host that is not the public one of its kind."),
    repository: z.string(),
    cloneUrl: z.string(),
    ref: z.string().describe("The full name of the ref, such as `refs/heads/main`."),
    folder: z
      .string()
      .describe("The path from the root of the repository. Empty means the whole repository."),
    installationId: z
      .string()
      .nullable()
      .describe("Only webhooks of this GitHub App installation are used. Null means any installation."),
    access: Access,
    status: z
      .enum(["active", "disabled", "disconnected"])
      .describe(
        "`disabled`: by a person. `disconnected`: by the code host. In both states nothing is synced.",
      ),
    statusReason: z.string().nullable(),
    webhookUrl: z.string().describe("The webhook URL to enter at the code host."),
    webhookSecrets: z.array(WebhookSecret),
    templateCount: z.int(),
    syncedCommit: z.string().nullable().describe("The commit that its templates are equal to."),
    syncedAt: z.int().nullable(),
    checkedAt: z
      .int()
      .nullable()
      .describe("When the sweep last compared the head of the ref, in milliseconds since 1970."),
    checkError: z.string().nullable().describe("Why the head could not be compared."),
    lastSync: z
      .strictObject({
        id: z.string(),
        status: z.enum(["queued", "running", "succeeded", "failed", "superseded"]),
        errorCode: z.string().nullable(),
        problemCount: z.int(),
      })
      .nullable(),
    createdBy: z.string(),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "Connector" });
export type Connector = z.output<typeof Connector>;

const Setup = z
  .strictObject({
    page: z.string().nullable().describe("The page of the code host for the webhook settings."),
    steps: z.array(
      z.strictObject({
        label: z.string().describe("The name of the field at the code host."),
        value: z
          .string()
          .nullable()
          .describe(
            "The value to copy. Null when there is nothing to copy, or when it was already shown once.",
          ),
        hint: z.string().nullable(),
      }),
    ),
    permissions: z.array(z.string()).describe("The permissions that the token or the application needs."),
  })
  .describe("What to enter at the code host.")
  .meta({ id: "ConnectorSetup" });
export type Setup = z.output<typeof Setup>;

const params = z.strictObject({ id: z.string().min(1).max(160) });
const text = (max: number) => z.string().trim().max(max);

export const list = route({
  method: "get",
  path: "/v1/connectors",
  tag,
  summary: "List connectors",
  description: "Newest first. Each connector includes its newest sync.",
  access: can("connectors:read"),
  query: pageQuery,
  replies: { 200: definePage(Connector).meta({ id: "ConnectorPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/connectors",
  tag,
  summary: "Connect a folder of a repository",
  description:
    "The first sync is queued at once. `webhookSecret` is shown only in this reply; `setup` says where to enter it.",
  access: can("connectors:manage"),
  body: z.strictObject({
    name: lineOfText(120),
    codehost: z.enum(codehosts),
    baseUrl: text(2048)
      .optional()
      .describe("The address of your own server, such as `https://git.example.com`."),
    repository: text(200).min(1).describe("`owner/name`."),
    cloneUrl: text(2048)
      .optional()
      .describe("http or https. When omitted, it is derived from the other fields."),
    ref: text(250).min(1).describe("`main`, `refs/heads/main` or `refs/tags/v1`."),
    folder: text(500).default("").describe("When omitted or empty: the whole repository."),
    installationId: decimalId.optional(),
    access: AccessInput.default({ kind: "none" }),
  }),
  replies: { 201: z.strictObject({ connector: Connector, webhookSecret: z.string(), setup: Setup }) },
  errors: { 409: "`quota_exceeded`: remove a connector first." },
});

export const read = route({
  method: "get",
  path: "/v1/connectors/{id}",
  tag,
  summary: "Read a connector, and what to enter at its code host",
  description: "Includes the webhook URL to enter at the code host. Secrets are not shown again.",
  access: can("connectors:read"),
  params,
  replies: { 200: z.strictObject({ connector: Connector, setup: Setup }) },
});

export const change = route({
  method: "patch",
  path: "/v1/connectors/{id}",
  tag,
  summary: "Change, disable or enable a connector",
  description:
    "A change that affects what is read queues a sync. When the address of the server changes, `access` must be given again, because a token is sent only to the server that it was given for.",
  access: can("connectors:manage"),
  params,
  body: z.strictObject({
    name: lineOfText(120).optional(),
    baseUrl: text(2048).nullish(),
    repository: text(200).min(1).optional(),
    cloneUrl: text(2048).optional(),
    ref: text(250).min(1).optional(),
    folder: text(500).optional(),
    installationId: decimalId.nullish(),
    access: AccessInput.optional(),
    status: z.enum(["active", "disabled"]).optional(),
  }),
  replies: { 200: z.strictObject({ connector: Connector, setup: Setup }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/connectors/{id}",
  tag,
  summary: "Remove a connector, its deliveries and syncs",
  description: "`templates` decides whether its templates are kept or removed.",
  access: can("connectors:manage"),
  params,
  query: z.strictObject({
    templates: z
      .enum(["keep", "remove"])
      .default("keep")
      .describe("`keep`: its templates stay, as templates that were created by hand."),
  }),
  replies: { 204: null },
});
