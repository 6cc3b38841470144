import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "Connectors";

export const WebhookSecret = z
  .strictObject({
    id: idSchema("whs"),
    lastUsedAt: z.int().nullable().describe("When it last verified a delivery, in milliseconds since 1970."),
    createdAt: z.int(),
  })
  .meta({ id: "WebhookSecret" });
export type WebhookSecret = z.output<typeof WebhookSecret>;

const params = z.strictObject({ id: z.string().min(1).max(160) });

export const list = route({
  method: "get",
  path: "/v1/connectors/{id}/webhook-secrets",
  tag,
  summary: "List the webhook secrets of a connector, without their values",
  description:
    "A connector has at most two secrets. The second one is for the time in which you replace the first.",
  access: can("connectors:read"),
  params,
  query: pageQuery,
  replies: { 200: definePage(WebhookSecret).meta({ id: "WebhookSecretPage" }) },
});

export const add = route({
  method: "post",
  path: "/v1/connectors/{id}/webhook-secrets",
  tag,
  summary: "Create a second secret, to replace the first without losing deliveries",
  description: "The secret is shown only in this reply. Both secrets are valid until one is removed.",
  access: can("connectors:manage"),
  params,
  replies: { 201: z.strictObject({ webhookSecret: z.string(), secret: WebhookSecret }) },
  errors: { 409: "`too_many_webhook_secrets`: there are two already." },
});

export const remove = route({
  method: "delete",
  path: "/v1/connectors/{id}/webhook-secrets/{secretId}",
  tag,
  summary: "Revoke a secret at once",
  description: "Deliveries that are signed with it are refused from then on.",
  access: can("connectors:manage"),
  params: params.extend({ secretId: z.string().min(1).max(160) }),
  replies: { 204: null },
});
