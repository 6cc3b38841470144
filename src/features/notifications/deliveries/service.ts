import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { readPage } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { findEndpoint, listEnabledEndpoints, lockEndpoint } from "../endpoints/index.ts";
import { checkMaySee, maySee } from "../settings/index.ts";
import { type ListQuery, testType, type WebhookEndpointDelivery } from "./contract.ts";
import * as store from "./store.ts";

const noDelivery = () => notFound("webhook_endpoint_delivery");

export async function list(ctx: MemberCtx, endpointId: string, query: ListQuery) {
  const { id } = await findEndpoint(ctx.db, ctx, endpointId);
  const { items, nextCursor } = await readPage(store.list(ctx.db, ctx.orgId, id, query), query, "wed");
  return { items: items.map((delivery) => hideResponse(ctx, delivery)), nextCursor };
}

/** A response may repeat the body, so only callers who may see the body see the response. */
function hideResponse(ctx: MemberCtx, delivery: WebhookEndpointDelivery): WebhookEndpointDelivery {
  const { type, lastAttempt } = delivery;
  if (lastAttempt === null || type === testType || maySee(ctx, type)) return delivery;
  return { ...delivery, lastAttempt: { ...lastAttempt, response: null } };
}

export async function get(ctx: MemberCtx, endpointId: string, id: string) {
  const endpoint = await findEndpoint(ctx.db, ctx, endpointId);
  const delivery = isId("wed", id) ? await store.find(ctx.db, ctx.orgId, endpoint.id, id) : undefined;
  if (!delivery) throw noDelivery();
  if (delivery.type !== testType) checkMaySee(ctx, [delivery.type]);
  return { delivery };
}

export async function retry(ctx: MemberCtx, endpointId: string, id: string) {
  return ctx.db.transaction(async (tx) => {
    const endpoint = await lockEnabledEndpoint(ctx, tx, endpointId);
    const delivery = isId("wed", id) ? await store.requeue(tx, ctx.orgId, endpoint.id, id) : undefined;
    if (!delivery) throw noDelivery();
    const after = { deliveryId: id, eventId: delivery.eventId };
    const target = { type: "webhook_endpoint", id: endpoint.id };
    await record(ctx, tx, { action: "webhook_endpoint.delivery_retried", target, after });
    return { delivery: hideResponse(ctx, delivery) };
  });
}

export async function test(ctx: MemberCtx, endpointId: string) {
  return ctx.db.transaction(async (tx) => {
    const { id } = await lockEnabledEndpoint(ctx, tx, endpointId);
    const eventId = newId("evt");
    const data = {
      organizationId: ctx.orgId,
      endpointId: id,
      message: "This is a test. Nothing has happened.",
    };
    const message = { eventId, type: testType, body: createBody(testType, Date.now(), data) };
    const [delivery] = await store.insert(tx, ctx.orgId, [{ id: newId("wed"), endpointId: id }], message);
    const target = { type: "webhook_endpoint", id };
    await record(ctx, tx, { action: "webhook_endpoint.tested", target, after: { eventId } });
    return { delivery: delivery! };
  });
}

/** Locks the endpoint, so that it is not disabled meanwhile. */
async function lockEnabledEndpoint(ctx: MemberCtx, tx: Db, endpointId: string) {
  const endpoint = await lockEndpoint(tx, ctx, endpointId);
  if (endpoint.status === "disabled")
    throw conflict(
      "webhook_endpoint_disabled",
      "This endpoint is disabled. Set its status to enabled first.",
    );
  return endpoint;
}

interface AnnouncedEvent {
  id: string;
  type: string;
  createdAt: number;
  data: Record<string, unknown>;
}

/** Queues the event for every enabled endpoint of its type, in the transaction that fans the event out. */
export async function queueDeliveries(tx: Db, orgId: OrgId, event: AnnouncedEvent): Promise<void> {
  const endpoints = await listEnabledEndpoints(tx, orgId, event.type);
  if (endpoints.length === 0) return;
  const deliveries = endpoints.map(({ id: endpointId }) => ({ id: newId("wed"), endpointId }));
  const body = createBody(event.type, event.createdAt, event.data);
  await store.insert(tx, orgId, deliveries, { eventId: event.id, type: event.type, body });
}

/** The payload of Standard Webhooks. */
const createBody = (type: string, at: number, data: Record<string, unknown>): string =>
  JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
