import type { FieldGuide } from "../../platform/http/index.ts";

const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDk3vGvUvTHrs=";
const endpoint = "whe_01jz8q2d9xf4vvh0tbq8k3m5na";
const delivery = "wed_01jz8q2d9xf4vvh0tbq8k3m5na";
const url = "https://hooks.example.com/signalbox";

const attempt = {
  attempt: 1,
  at: 1_793_611_800_000,
  durationMs: 84,
  responseStatus: 200,
  response: "ok",
  error: null,
};

/** Fields of notification settings, webhook endpoints and their deliveries. */
export const fields: FieldGuide = {
  NotificationSettings: [
    "A whole example.",
    {
      mail: {
        "run.failed": ["member"],
        "connection.needs_attention": ["member"],
        "budget.reached": ["admins"],
        "sync.failed": ["admins"],
        "worker.unseen": ["admins"],
        "mcp_connection.drift": ["admins"],
        "mcp_connection.failing": ["admins"],
        "mcp_approval.requested": ["admins"],
      },
    },
  ],
  MyNotificationSettings: [
    "A whole example.",
    {
      mail: {
        "run.failed": "all",
        "connection.needs_attention": null,
        "budget.reached": "off",
        "sync.failed": null,
        "worker.unseen": null,
        "mcp_connection.drift": null,
        "mcp_connection.failing": null,
        "mcp_approval.requested": null,
      },
    },
  ],
  "WebhookEndpoint.id": ["The id of the endpoint.", endpoint],
  "/v1/webhook-endpoints/{id}": ["The endpoint.", endpoint],
  "/v1/webhook-endpoints/{id}/deliveries/{deliveryId}": ["The delivery.", delivery],
  webhookEndpoint: ["The endpoint, without its secret."],
  "WebhookEndpoint.url": ["Where events are sent, by POST.", url],
  "postV1WebhookEndpoints.url": ["Where events are sent, by POST.", url],
  "patchV1WebhookEndpointsById.url": ["Where events are sent, by POST.", url],
  "WebhookEndpoint.description": ["The purpose of it, for people.", "Pages the person on call."],
  "postV1WebhookEndpoints.description": ["The purpose of it, for people.", "Pages the person on call."],
  "patchV1WebhookEndpointsById.description": ["The purpose of it, for people.", "Pages the person on call."],
  types: ["Types of events.", ["run.failed"]],
  "WebhookEndpoint.status": ["Whether events are sent to it.", "enabled"],
  disabledReason: ["Why it is disabled. Null when it is enabled.", null],
  disabledAt: ["When it was disabled, in milliseconds since 1970. Null when it is enabled.", null],
  failingSince: ["Since when every attempt failed. Null when the last attempt succeeded.", null],
  previousSecretExpiresAt: [
    "Until when requests are also signed with the previous secret. Null when they are not.",
    null,
  ],
  "postV1WebhookEndpoints.secret": ["The secret that verifies signatures. It is shown once.", secret],
  "postV1WebhookEndpointsByIdRotateSecret.secret": ["The new secret. It is shown once.", secret],
  WebhookEndpointAttempt: ["One attempt to deliver an event.", attempt],
  "WebhookEndpointDelivery.id": ["The id of the delivery.", delivery],
  "WebhookEndpointDeliveryDetail.id": ["The id of the delivery.", delivery],
  endpointId: ["The endpoint.", endpoint],
  eventId: ["The id of the event.", "evt_01jz8q2d9xf4vvh0tbq8k3m5na"],
  lastAttempt: ["The last attempt. Null before the first attempt.", attempt],
  "WebhookEndpointDelivery.status": ["The state of the delivery.", "succeeded"],
  "WebhookEndpointDeliveryDetail.status": ["The state of the delivery.", "succeeded"],
  nextAttemptAt: ["When the next attempt is due. Null when there is none.", null],
  "WebhookEndpointDeliveryDetail.body": [
    "The body of the request.",
    '{"type":"run.failed","timestamp":"2026-11-02T09:30:00.000Z","data":{"organizationId":"org_01jz8q2d9xf4vvh0tbq8k3m5na","runId":"run_01jz8q2d9xf4vvh0tbq8k3m5na"}}',
  ],
};
