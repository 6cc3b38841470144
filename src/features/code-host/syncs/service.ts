import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, notFound } from "../../../platform/errors.ts";
import { readPage } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import type { listQuery, Sync } from "./contract.ts";
import * as store from "./store.ts";

/** Tells workers that a sync was queued. The payload is the id of the connector. */
export const syncTopic = "connectors.sync";

const syncNotFound = () => notFound("connector_sync");
function parseSyncId(id: string): store.SyncId {
  if (!isId("syn", id)) throw syncNotFound();
  return id;
}

export async function list(ctx: MemberCtx, query: (typeof listQuery)["_output"]) {
  const filter = { connectorId: query.connectorId ?? null, status: query.status ?? null };
  return readPage(store.list(ctx.db, ctx.orgId, filter), query, "syn");
}

export async function read({ db, orgId }: MemberCtx, id: string): Promise<{ sync: Sync }> {
  const sync = await store.find(db, orgId, parseSyncId(id));
  if (!sync) throw syncNotFound();
  return { sync };
}

/**
 * Queues a sync for a connector that the caller has locked or just created. A sync reads the ref as it is when the sync
 * starts, so a sync that is already queued is used.
 */
export async function queueSync(
  { bus }: Pick<Platform, "bus">,
  tx: Db,
  orgId: OrgId,
  connectorId: string,
  { cause, requestedBy }: { cause: Sync["cause"]; requestedBy: string | null },
): Promise<store.SyncId> {
  const queued = await store.startQueuedNow(tx, orgId, connectorId);
  const id = queued?.id ?? newId("syn");
  if (!queued) await store.insert(tx, orgId, { id, connectorId, cause, requestedBy });
  await bus.publish(tx, syncTopic, connectorId);
  return id;
}

/** Queues syncs for the connectors of an event that a code host reported, and tells the workers. */
export async function queueEventSyncs(
  { bus }: Pick<Platform, "bus">,
  tx: Db,
  requests: readonly store.SyncRequest[],
  terms: store.QueueOptions,
): Promise<ReadonlyMap<store.ConnectorId, store.SyncId>> {
  if (requests.length === 0) return new Map();
  const queued = await store.queueAcrossOrganizations(tx, requests, terms);
  const connectorIds = queued.map(({ connectorId }) => connectorId);
  if (connectorIds.length > 0) await bus.publish(tx, syncTopic, ...connectorIds);
  return new Map(queued.map(({ id, connectorId }) => [connectorId, id]));
}

/** Tells workers about syncs that are committed. A worker that misses this finds them when it polls. */
export const announceSyncs = ({ bus, db }: Pick<Platform, "bus" | "db">, connectorIds: readonly string[]) =>
  bus.publish(db, syncTopic, ...connectorIds);

async function lockActiveConnector(
  tx: Db,
  orgId: OrgId,
  connectorId: string,
  lock = store.lockConnector,
): Promise<void> {
  const connector = isId("con", connectorId) && (await lock(tx, orgId, connectorId));
  if (!connector) throw notFound("connector");
  if (connector.status === "disabled")
    throw conflict("connector_disabled", "The connector is disabled. PATCH it with status active first.");
  if (connector.status === "disconnected") {
    throw conflict(
      "connector_disconnected",
      "The code host ended the connection. See statusReason, then PATCH the connector with status active.",
    );
  }
}

export async function start(ctx: MemberCtx, connectorId: string) {
  return ctx.db.transaction(async (tx) => {
    await lockActiveConnector(tx, ctx.orgId, connectorId);
    const requestedBy = ctx.member.id;
    const id = await queueSync(ctx, tx, ctx.orgId, connectorId, { cause: "manual", requestedBy });
    const target = { type: "connector", id: connectorId };
    await record(ctx, tx, { action: "connector.sync_requested", target, after: { syncId: id } });
    return read({ ...ctx, db: tx }, id);
  });
}

export async function retry(ctx: MemberCtx, id: string) {
  return ctx.db.transaction(async (tx) => {
    const { sync } = await read({ ...ctx, db: tx }, id);
    await lockActiveConnector(tx, ctx.orgId, sync.connectorId, store.lockConnectorAndPushes);
    const live = await store.findLive(tx, ctx.orgId, sync.connectorId);
    if (live && live.id !== id) {
      throw conflict(
        "sync_already_queued",
        "Another sync of this connector is under way and does the same.",
        {
          syncId: live.id,
        },
      );
    }
    if ((await store.requeueFailed(tx, ctx.orgId, parseSyncId(id))) === 0)
      throw conflict("sync_not_failed", "Only a failed sync can be tried again. To sync now, POST …/sync.");
    await ctx.bus.publish(tx, syncTopic, sync.connectorId);
    const target = { type: "connector", id: sync.connectorId };
    await record(ctx, tx, { action: "connector.sync_requested", target, after: { syncId: id } });
    return read({ ...ctx, db: tx }, id);
  });
}
