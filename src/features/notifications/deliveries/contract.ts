import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { eventTypes } from "../facts.ts";

const tag = "Notifications";
const access = can("notifications:manage");

const statuses = ["pending", "succeeded", "failed"] as const;
/** The type of a test event. */
export const testType = "endpoint.test";

const Attempt = z
  .strictObject({
    attempt: z.int().describe("The number of the attempt, from 1."),
    at: z.int(),
    durationMs: z.int().nullable().describe("The duration in milliseconds. Null when it is unknown."),
    responseStatus: z
      .int()
      .nullable()
      .describe("The HTTP status of the response. Null when there was no response."),
    response: z
      .string()
      .nullable()
      .describe(
        "The beginning of the response body, at most 1,024 characters. Null when there was no response, and for callers who may not see the event.",
      ),
    error: z.string().nullable().describe("Why the attempt failed. Null when it succeeded."),
  })
  .meta({ id: "WebhookEndpointAttempt" });
export type Attempt = z.output<typeof Attempt>;

const fields = {
  id: idSchema("wed"),
  endpointId: idSchema("whe").describe("The endpoint that the event is sent to."),
  eventId: idSchema("evt").describe("The value of the `webhook-id` header. It is the same in every attempt."),
  type: z.enum([...eventTypes, testType]),
  status: z
    .enum(statuses)
    .describe("`pending`: waits for its next attempt. `failed`: is not retried automatically."),
  attempt: z.int().describe("The number of attempts so far."),
  nextAttemptAt: z.int().nullable().describe("When the next attempt is due. Null when there is none."),
  lastAttempt: Attempt.nullable(),
  createdAt: z.int(),
  finishedAt: z.int().nullable(),
};

const WebhookEndpointDelivery = z.strictObject(fields).meta({ id: "WebhookEndpointDelivery" });
export type WebhookEndpointDelivery = z.output<typeof WebhookEndpointDelivery>;

const WebhookEndpointDeliveryDetail = z
  .strictObject({
    ...fields,
    body: z.string().describe("The exact body that is sent."),
    attempts: z.array(Attempt).describe("The last 20 attempts, oldest first."),
  })
  .meta({ id: "WebhookEndpointDeliveryDetail" });
export type WebhookEndpointDeliveryDetail = z.output<typeof WebhookEndpointDeliveryDetail>;

const ofEndpoint = z.strictObject({ id: z.string().min(1).max(160) });
const noDelivery = { 404: "`webhook_endpoint_delivery_not_found`" };
const ofDelivery = ofEndpoint.extend({ deliveryId: z.string().min(1).max(160) });

export const listQuery = pageQuery.extend({
  status: z.enum(statuses).optional().describe("Only deliveries in this state."),
});
export type ListQuery = z.output<typeof listQuery>;

export const list = route({
  method: "get",
  path: "/v1/webhook-endpoints/{id}/deliveries",
  tag,
  summary: "List the deliveries to an endpoint and its responses",
  description: "Newest first. Deliveries are kept for 30 days, at most the newest 5,000 of each endpoint.",
  access,
  params: ofEndpoint,
  query: listQuery,
  replies: { 200: definePage(WebhookEndpointDelivery).meta({ id: "WebhookEndpointDeliveryPage" }) },
});

export const get = route({
  method: "get",
  path: "/v1/webhook-endpoints/{id}/deliveries/{deliveryId}",
  tag,
  summary: "Read a delivery with its body and its attempts",
  description:
    "Needs the permission to see the events of all members of this type. Signatures are not stored, because each attempt has its own.",
  access,
  params: ofDelivery,
  replies: { 200: z.strictObject({ delivery: WebhookEndpointDeliveryDetail }) },
  errors: noDelivery,
});

/** Each call causes a request to an address that a member chose. */
const limit = { attempts: 60, perSeconds: 60 };
const disabled = { 409: "`webhook_endpoint_disabled`: enable the endpoint first." };

export const retry = route({
  method: "post",
  path: "/v1/webhook-endpoints/{id}/deliveries/{deliveryId}/retry",
  tag,
  summary: "Send a delivery again",
  description:
    "It is sent at once, and retried like a new delivery. The `webhook-id` stays the same, so a receiver that already has the event can ignore it.",
  access,
  params: ofDelivery,
  replies: { 202: z.strictObject({ delivery: WebhookEndpointDelivery }) },
  errors: { ...noDelivery, ...disabled },
  limit,
});

export const test = route({
  method: "post",
  path: "/v1/webhook-endpoints/{id}/test",
  tag,
  summary: "Send a test event to an endpoint",
  description:
    "Sends an event of the type `endpoint.test`, whatever types the endpoint gets. The list of deliveries shows the outcome.",
  access,
  params: ofEndpoint,
  replies: { 202: z.strictObject({ delivery: WebhookEndpointDelivery }) },
  errors: disabled,
  limit,
});
