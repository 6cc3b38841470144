import { isLoopbackHost } from "@signalbox/discovery/egress";
import type { MemberCtx, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidField, notFound } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { newSigningSecret } from "../../../platform/secrets.ts";
import { record } from "../../audit/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { type EventType, eventTypes } from "../facts.ts";
import { checkMaySee } from "../settings/index.ts";
import { failPendingDeliveries } from "../store.ts";
import type { WebhookEndpoint } from "./contract.ts";
import { openSecret, sealSecret } from "./sealing.ts";
import * as store from "./store.ts";

const noEndpoint = () => notFound("webhook_endpoint");
function requireEndpointId(id: string): store.EndpointId {
  if (!isId("whe", id)) throw noEndpoint();
  return id;
}

export async function list({ db, orgId }: MemberCtx, query: PageQuery) {
  return cutPageById(await store.list(db, orgId, readIdCursor(query, "whe"), query.limit + 1), query);
}

/** Returns an endpoint of this organization, or refuses with 404. */
export async function find(db: Db, { orgId }: MemberCtx, id: string): Promise<WebhookEndpoint> {
  const endpoint = await store.find(db, orgId, requireEndpointId(id));
  if (!endpoint) throw noEndpoint();
  return endpoint;
}

/** Returns an endpoint of this organization, locked until the transaction ends. */
export async function lock(tx: Db, { orgId }: MemberCtx, id: string) {
  const endpoint = await store.lock(tx, orgId, requireEndpointId(id));
  if (!endpoint) throw noEndpoint();
  return endpoint;
}

export const read = async (ctx: MemberCtx, id: string) => ({ webhookEndpoint: await find(ctx.db, ctx, id) });

/** Returns the normalized URL. Refuses now what the egress guard would refuse later without a DNS lookup. */
function normalizeUrl({ egress }: Pick<Platform, "egress">, given: string): string {
  const url = URL.parse(given);
  if (!url) throw invalidField(["url"], "This is not a URL. Give a URL such as https://example.com/hooks.");
  if (url.hash !== "") throw invalidField(["url"], "Leave out the part after #: it is never sent.");
  const refusal = egress.refusal(url);
  if (refusal) throw invalidField(["url"], refusal);
  if (url.protocol !== "https:" && !isLoopbackHost(url.hostname))
    throw invalidField(["url"], "Events are only sent over https. Use an https address.");
  return url.href;
}

const toAuditState = ({ url, description, types, status }: WebhookEndpoint) => ({
  url,
  description,
  types,
  status,
});
const toTarget = (id: string) => ({ type: "webhook_endpoint", id });

/** The person who chooses the URL can see the events of all members, so they need the permissions for that. */
const checkTypes = (ctx: MemberCtx, types: readonly EventType[]) =>
  checkMaySee(ctx, types.length === 0 ? eventTypes : types);

export async function create(
  ctx: MemberCtx,
  given: { url: string; description: string; types: EventType[] },
) {
  const { keyring, orgId, member } = ctx;
  const target = { ...given, url: normalizeUrl(ctx, given.url), types: [...new Set(given.types)] };
  checkTypes(ctx, target.types);
  const id = newId("whe");
  const secret = newSigningSecret();
  const sealed = sealSecret(keyring, orgId, id, "secret", secret);
  return ctx.db.transaction(async (tx) => {
    await takeQuota(ctx, tx, orgId, "webhook_endpoints");
    const inserted = await store.insert(tx, orgId, { ...target, id, secret: sealed, createdBy: member.id });
    const webhookEndpoint = inserted!;
    const after = toAuditState(webhookEndpoint);
    await record(ctx, tx, { action: "webhook_endpoint.created", target: toTarget(id), after });
    return { webhookEndpoint, secret };
  });
}

interface Change {
  url?: string | undefined;
  description?: string | undefined;
  types?: EventType[] | undefined;
  status?: WebhookEndpoint["status"] | undefined;
}

export async function change(ctx: MemberCtx, id: string, given: Change) {
  const { orgId } = ctx;
  return ctx.db.transaction(async (tx) => {
    const before = await lock(tx, ctx, id);
    const endpointId = before.id as store.EndpointId;
    if (given.types !== undefined || given.url !== undefined) checkTypes(ctx, given.types ?? before.types);
    const url = given.url === undefined ? before.url : normalizeUrl(ctx, given.url);
    // Deliveries that were made before can still be sent, and sent again, to the new URL.
    if (url !== before.url)
      checkMaySee(ctx, await store.listDeliveredTypes(tx, orgId, endpointId, eventTypes));
    await store.update(tx, orgId, endpointId, {
      url,
      description: given.description ?? before.description,
      types: [...new Set(given.types ?? before.types)],
    });
    if (given.status === "enabled" && before.status === "disabled") await store.enable(tx, orgId, endpointId);
    if (given.status === "disabled" && before.status === "enabled") {
      await store.disable(tx, orgId, endpointId, "member");
      await failPendingDeliveries(tx, orgId, endpointId);
    }
    const webhookEndpoint = await find(tx, ctx, id);
    const states = { before: toAuditState(before), after: toAuditState(webhookEndpoint) };
    await record(ctx, tx, { action: "webhook_endpoint.changed", target: toTarget(id), ...states });
    return { webhookEndpoint };
  });
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const before = await lock(tx, ctx, id);
    await store.remove(tx, ctx.orgId, before.id as store.EndpointId);
    const state = { before: toAuditState(before) };
    await record(ctx, tx, { action: "webhook_endpoint.removed", target: toTarget(id), ...state });
  });
}

export async function rotateSecret(ctx: MemberCtx, id: string, overlapSeconds: number) {
  const { keyring, orgId } = ctx;
  return ctx.db.transaction(async (tx) => {
    const { secret: old } = await lock(tx, ctx, id);
    const endpointId = requireEndpointId(id);
    const secret = newSigningSecret();
    const previous =
      overlapSeconds === 0
        ? null
        : sealSecret(keyring, orgId, id, "previous_secret", openSecret(keyring, orgId, id, "secret", old));
    const sealed = sealSecret(keyring, orgId, id, "secret", secret);
    await store.setSecrets(tx, orgId, endpointId, { secret: sealed, previous, overlapSeconds });
    const after = { overlapSeconds };
    await record(ctx, tx, { action: "webhook_endpoint.secret_rotated", target: toTarget(id), after });
    return { webhookEndpoint: await find(tx, ctx, id), secret };
  });
}
