import { z } from "zod";
import { definePage, lineOfText, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { eventTypes } from "../facts.ts";

const tag = "Notifications";
const access = can("notifications:manage");

export const WebhookEndpoint = z
  .strictObject({
    id: idSchema("whe"),
    url: z.string().describe("The URL that events are sent to, by POST."),
    description: z.string(),
    types: z
      .array(z.enum(eventTypes))
      .describe("The types of events that the endpoint gets. Empty for all types."),
    status: z.enum(["enabled", "disabled"]),
    disabledReason: z
      .enum(["member", "failing", "gone"])
      .nullable()
      .describe(
        "`member`: a member disabled it. `failing`: every attempt failed for 5 days. `gone`: it answered 410.",
      ),
    disabledAt: z.int().nullable().describe("When it was disabled."),
    failingSince: z
      .int()
      .nullable()
      .describe("When the current series of failed attempts began. Null while attempts succeed."),
    lastSucceededAt: z.int().nullable().describe("When it last accepted an event, to the minute."),
    previousSecretExpiresAt: z
      .int()
      .nullable()
      .describe("Until this time, events are signed with the previous secret too."),
    createdBy: z.string(),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "WebhookEndpoint" });
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

const shownOnce = z.string().describe("The secret to verify signatures with. It is shown only once.");
const params = z.strictObject({ id: z.string().min(1).max(160) });

const fields = {
  url: z
    .string()
    .trim()
    .min(1)
    .max(2048)
    .describe(
      "An https URL. http is allowed only for this machine, if the egress guard allows it. Redirects are not followed.",
    ),
  description: z.union([lineOfText(200), z.literal("")]).describe("What the endpoint is for."),
  types: z
    .array(z.enum(eventTypes))
    .max(20)
    .describe("The types of events to send. Empty for all types, including those of later versions."),
};

export const list = route({
  method: "get",
  path: "/v1/webhook-endpoints",
  tag,
  summary: "List the webhook endpoints of the organization",
  description: "Newest first, without secrets.",
  access,
  query: pageQuery,
  replies: { 200: definePage(WebhookEndpoint).meta({ id: "WebhookEndpointPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/webhook-endpoints",
  tag,
  summary: "Create a webhook endpoint",
  description:
    "Events are signed as in Standard Webhooks. `secret` is shown only in this reply; `…/rotate-secret` replaces it. The caller needs the permission to see every event of the types: `automations:manage`, `connections:manage`, `usage:read`, `connectors:read`.",
  access,
  body: z.strictObject({
    url: fields.url,
    description: fields.description.default(""),
    types: fields.types.default([]),
  }),
  replies: { 201: z.strictObject({ webhookEndpoint: WebhookEndpoint, secret: shownOnce }) },
});

export const read = route({
  method: "get",
  path: "/v1/webhook-endpoints/{id}",
  tag,
  summary: "Read a webhook endpoint",
  description: "Includes its status and, if it fails, since when.",
  access,
  params,
  replies: { 200: z.strictObject({ webhookEndpoint: WebhookEndpoint }) },
});

export const change = route({
  method: "patch",
  path: "/v1/webhook-endpoints/{id}",
  tag,
  summary: "Change, disable or enable an endpoint",
  description:
    "Pending deliveries are sent to the new `url`. Disabling marks them as `failed`. After enabling, only new events are sent; failed deliveries can be retried. Changing `url` or `types` needs the same permissions as creating the endpoint. Changing `url` also needs those for the types of its earlier deliveries.",
  access,
  params,
  body: z.strictObject({ ...fields, status: z.enum(["enabled", "disabled"]) }).partial(),
  replies: { 200: z.strictObject({ webhookEndpoint: WebhookEndpoint }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/webhook-endpoints/{id}",
  tag,
  summary: "Remove a webhook endpoint and its deliveries",
  description: "No more events are sent to it.",
  access,
  params,
  replies: { 204: null },
});

export const rotateSecret = route({
  method: "post",
  path: "/v1/webhook-endpoints/{id}/rotate-secret",
  tag,
  summary: "Replace the secret of an endpoint",
  description:
    "The new secret is shown only once. For `overlapSeconds`, events have two signatures, with the new and the old secret. An even older secret that was still valid ends at once.",
  access,
  params,
  body: z.strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(86_400)
      .describe(
        "How long the old secret stays valid: a day by default, a week at most. With 0 it ends at once.",
      ),
  }),
  bodyOptional: true,
  replies: { 201: z.strictObject({ webhookEndpoint: WebhookEndpoint, secret: shownOnce }) },
});
