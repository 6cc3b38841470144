import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "Webhooks";
const params = z.strictObject({ id: z.string() });

const hidden =
  "Null for a delivery to the whole instance until a connector of this organization has read the pushed commit.";

const fields = {
  id: idSchema("whd"),
  deliveryId: z.string().describe("The id that the code host gave the delivery."),
  scope: z
    .enum(["instance", "connector"])
    .describe("Whose secret verified it: the instance's, or that of the connector named in the URL."),
  dialect: z.string(),
  event: z.string(),
  action: z.string().nullable().describe(hidden),
  repository: z.string().nullable().describe(hidden),
  ref: z.string().nullable().describe(hidden),
  head: z.string().nullable().describe(`The commit that was pushed. ${hidden}`),
  installationId: z.string().nullable().describe(hidden),
  outcome: z
    .enum(["accepted", "ignored", "invalid"])
    .describe("`ignored`: `reason` says why nothing was queued. `invalid`: `reason` says what is wrong."),
  reason: z.string().nullable(),
  bodyBytes: z.int().nullable().describe(`The size of the body. ${hidden}`),
  bodySha256: z.string().nullable().describe(`The SHA-256 of the body, in hexadecimal. ${hidden}`),
  bodyStored: z
    .boolean()
    .describe("False when the delivery was ignored or invalid, because then its body is not stored."),
  repeats: z.int().describe("The number of repetitions."),
  alteredAt: z
    .int()
    .nullable()
    .describe(
      "When it was first repeated with another body, in milliseconds since 1970. That body is not used.",
    ),
  receivedAt: z.int(),
  lastReceivedAt: z.int(),
  targets: z
    .array(
      z.strictObject({
        connectorId: idSchema("con"),
        syncId: idSchema("syn")
          .nullable()
          .describe("The sync that it queued. Null when there was nothing new to do."),
      }),
    )
    .describe("The connectors of this organization that received it."),
};

const WebhookDelivery = z.strictObject(fields).meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

const WebhookDeliveryDetail = z
  .strictObject({
    ...fields,
    headers: z.record(z.string(), z.string()).nullable().describe("Without secrets and signatures."),
    body: z
      .string()
      .nullable()
      .describe(
        "The first MiB of the body. Null without `connectors:manage` and when the body was not stored. Also null for a delivery to the whole instance until a connector of this organization has read the pushed commit.",
      ),
    bodyEncoding: z.enum(["utf-8", "base64"]).nullable(),
    bodyTruncated: z.boolean(),
  })
  .meta({ id: "WebhookDeliveryDetail" });
export type WebhookDeliveryDetail = z.output<typeof WebhookDeliveryDetail>;

export const listQuery = pageQuery.extend({
  connectorId: z.string().max(100).optional(),
  outcome: z.enum(["accepted", "ignored", "invalid"]).optional(),
  event: z
    .string()
    .max(100)
    .optional()
    .describe("The name that the code host uses: `push`, `Push Hook`, `repo:push`."),
});
export type ListQuery = z.output<typeof listQuery>;

export const list = route({
  method: "get",
  path: "/v1/webhook-deliveries",
  tag,
  summary: "List webhook deliveries",
  description: "Newest first, with the outcome of each delivery and the reason.",
  access: can("connectors:read"),
  query: listQuery,
  replies: { 200: definePage(WebhookDelivery).meta({ id: "WebhookDeliveryPage" }) },
});

export const get = route({
  method: "get",
  path: "/v1/webhook-deliveries/{id}",
  tag,
  summary: "Read a delivery; with `connectors:manage` also its headers and body",
  description: "Secrets and signatures are left out of the headers.",
  access: can("connectors:read"),
  params,
  replies: { 200: z.strictObject({ delivery: WebhookDeliveryDetail }) },
});

export const replay = route({
  method: "post",
  path: "/v1/webhook-deliveries/{id}/replay",
  tag,
  summary: "Process a stored delivery again, for the connectors of this organization",
  description: "Queues nothing when the newest sync is for the same commit and has not failed.",
  access: can("connectors:manage"),
  params,
  replies: {
    202: z.strictObject({
      delivery: WebhookDelivery,
      queued: z.boolean(),
      reason: z.string().nullable().describe("Why nothing was queued."),
    }),
  },
  errors: {
    409: "`delivery_invalid`: the body does not match its event. `delivery_body_not_stored`: the delivery was ignored, so its body was not stored. Send it again from the code host.",
  },
});
