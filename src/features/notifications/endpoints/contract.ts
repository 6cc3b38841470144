import { z } from "zod";
import { lineOfText, pageOf, pageQuery, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { eventTypes } from "../facts.ts";

const tag = "Notifications";
const access = can("notifications:manage");

export const WebhookEndpoint = z
  .strictObject({
    id: z.string(),
    url: z.string().describe("Where events are sent, by POST."),
    description: z.string(),
    types: z.array(z.enum(eventTypes)).describe("The types of events it gets. Empty: all of them."),
    status: z.enum(["enabled", "disabled"]),
    disabledReason: z
      .enum(["member", "failing", "gone"])
      .nullable()
      .describe(
        "`member`: a person did. `failing`: every attempt failed for 5 days. `gone`: it answered 410.",
      ),
    disabledAt: z.int().nullable().describe("Since when nothing is sent to it."),
    failingSince: z.int().nullable().describe("Since when every attempt failed. Null: the last one did not."),
    lastSucceededAt: z.int().nullable().describe("When it last took an event, to the minute."),
    previousSecretExpiresAt: z
      .int()
      .nullable()
      .describe("Until when events are signed with the previous secret as well."),
    createdBy: z.string(),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "WebhookEndpoint" });
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

const shownOnce = z.string().describe("What signatures are verified with. It is shown once.");
const params = z.strictObject({ id: z.string().min(1).max(160) });

const fields = {
  url: z
    .string()
    .trim()
    .min(1)
    .max(2048)
    .describe("https; http only on this machine, where the egress guard allows it. No redirect is followed."),
  description: z.union([lineOfText(200), z.literal("")]).describe("What it is for."),
  types: z
    .array(z.enum(eventTypes))
    .max(20)
    .describe("Only events of these types. Empty: all of them, also those that come with later versions."),
};

export const list = route({
  method: "get",
  path: "/v1/webhook-endpoints",
  tag,
  summary: "Where events of the organization are sent",
  description: "Newest first, without secrets.",
  access,
  query: pageQuery,
  replies: { 200: pageOf(WebhookEndpoint).meta({ id: "WebhookEndpointPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/webhook-endpoints",
  tag,
  summary: "Send events to an address",
  description:
    "Events are signed by Standard Webhooks. `secret` is shown in this reply and never again; `…/rotate-secret` makes another one. Needs the permission to see every event of its types: `automations:manage`, `connections:manage`, `usage:read`, `connectors:read`.",
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
  summary: "One endpoint",
  description: "Its state, and since when it fails, if it does.",
  access,
  params,
  replies: { 200: z.strictObject({ webhookEndpoint: WebhookEndpoint }) },
});

export const change = route({
  method: "patch",
  path: "/v1/webhook-endpoints/{id}",
  tag,
  summary: "Change an endpoint, disable or enable it",
  description:
    "Deliveries that wait are sent to the new address. Disabling ends them as `failed`; enabling sends what happens from then on, and others can be retried. To change `url` or `types` needs the permissions that creating it would.",
  access,
  params,
  body: z.strictObject({ ...fields, status: z.enum(["enabled", "disabled"]) }).partial(),
  replies: { 200: z.strictObject({ webhookEndpoint: WebhookEndpoint }) },
});

export const remove = route({
  method: "delete",
  path: "/v1/webhook-endpoints/{id}",
  tag,
  summary: "Remove an endpoint and its log",
  description: "Nothing is sent to it any more.",
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
    "The new secret is shown once. For `overlapSeconds` events carry two signatures, by the new and by the old secret. An older one that was still in use ends at once.",
  access,
  params,
  body: z.strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(86_400)
      .describe("0: the old secret ends at once. A day by default, a week at most."),
  }),
  replies: { 201: z.strictObject({ webhookEndpoint: WebhookEndpoint, secret: shownOnce }) },
});
