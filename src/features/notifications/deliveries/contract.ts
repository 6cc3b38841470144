import { z } from "zod";
import { pageOf, pageQuery, route } from "../../../platform/http/index.ts";
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
    durationMs: z.int().nullable().describe("How long it took, in milliseconds. Null: it is not known."),
    responseStatus: z.int().nullable().describe("The HTTP status of the answer. Null: there was none."),
    response: z.string().nullable().describe("The first 1,024 characters of the answer."),
    error: z.string().nullable().describe("Why there was no answer, or why it does not count."),
  })
  .meta({ id: "WebhookEndpointAttempt" });
export type Attempt = z.output<typeof Attempt>;

const fields = {
  id: z.string(),
  endpointId: z.string().describe("The endpoint it is for."),
  eventId: z.string().describe("The `webhook-id` header: the same in every attempt."),
  type: z.enum([...eventTypes, testType]),
  status: z
    .enum(statuses)
    .describe("`pending`: it waits for its next attempt. `failed`: it is not tried again by itself."),
  attempt: z.int().describe("How many attempts there were."),
  nextAttemptAt: z.int().nullable().describe("When it is tried again. Null: it is not."),
  lastAttempt: Attempt.nullable(),
  createdAt: z.int(),
  finishedAt: z.int().nullable(),
};

const WebhookEndpointDelivery = z.strictObject(fields).meta({ id: "WebhookEndpointDelivery" });
export type WebhookEndpointDelivery = z.output<typeof WebhookEndpointDelivery>;

const WebhookEndpointDeliveryDetail = z
  .strictObject({
    ...fields,
    body: z.string().describe("What is sent, byte for byte."),
    attempts: z.array(Attempt).describe("The last 20 attempts, oldest first."),
  })
  .meta({ id: "WebhookEndpointDeliveryDetail" });
export type WebhookEndpointDeliveryDetail = z.output<typeof WebhookEndpointDeliveryDetail>;

const ofEndpoint = z.strictObject({ id: z.string().min(1).max(160) });
const ofDelivery = ofEndpoint.extend({ deliveryId: z.string().min(1).max(160) });

export const listQuery = pageQuery.extend({
  status: z.enum(statuses).optional().describe("Only deliveries in this state."),
});
export type ListQuery = z.output<typeof listQuery>;

export const list = route({
  method: "get",
  path: "/v1/webhook-endpoints/{id}/deliveries",
  tag,
  summary: "What was sent to an endpoint, and how it answered",
  description: "Newest first. Kept for 30 days, at most the newest 5,000 of an endpoint.",
  access,
  params: ofEndpoint,
  query: listQuery,
  replies: { 200: pageOf(WebhookEndpointDelivery).meta({ id: "WebhookEndpointDeliveryPage" }) },
});

export const get = route({
  method: "get",
  path: "/v1/webhook-endpoints/{id}/deliveries/{deliveryId}",
  tag,
  summary: "One delivery with its body and its attempts",
  description:
    "Takes the permission that shows everybody's events of this type. Signatures are not kept: each attempt has its own.",
  access,
  params: ofDelivery,
  replies: { 200: z.strictObject({ delivery: WebhookEndpointDeliveryDetail }) },
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
    "At once, and then as often as a new one. It has the same `webhook-id`, so a receiver that has it already may drop it.",
  access,
  params: ofDelivery,
  replies: { 202: z.strictObject({ delivery: WebhookEndpointDelivery }) },
  errors: disabled,
  limit,
});

export const test = route({
  method: "post",
  path: "/v1/webhook-endpoints/{id}/test",
  tag,
  summary: "Send a test event to an endpoint",
  description:
    "An event of the type `endpoint.test`, whatever types the endpoint is for. The log says how it went.",
  access,
  params: ofEndpoint,
  replies: { 202: z.strictObject({ delivery: WebhookEndpointDelivery }) },
  errors: disabled,
  limit,
});
