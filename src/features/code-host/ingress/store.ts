import { hash } from "node:crypto";
import type { OrgId } from "../../../platform/context.ts";
import { ByteParts, type Db, emptySql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import type { Dialect } from "../dialects/index.ts";
import type { EventTarget } from "../events/index.ts";
import { newestSync, onConflictWithQueued } from "../syncs/index.ts";

export type DeliveryId = Id<"whd">;

export interface Delivery {
  id: DeliveryId;
  /** `instance`, or the connector that the URL named. Delivery ids are unique within it. */
  scope: string;
  deliveryId: string;
  /** The organization of the connector that the URL named. */
  orgId: OrgId | null;
  dialect: Dialect;
  event: string;
  action: string | null;
  repository: string | null;
  ref: string | null;
  head: string | null;
  installationId: string | null;
  headers: Record<string, string>;
  body: Buffer;
}

/** A push of one ref to one commit, like nearly all deliveries. */
export interface PushDelivery extends Delivery {
  repository: string;
  ref: string;
  head: string;
  codehosts: readonly string[];
  connectorId: string | null;
  secretId: string | null;
  /** The id of the sync, if one is queued. */
  syncId: string;
}

export interface RecordedPush {
  stored: boolean;
  queued: boolean;
  /** The connector to sync. */
  connectorId: string | null;
  orgId: string | null;
  /** How many connectors follow that ref of that repository, with any installation. */
  candidates: number;
  /** Whether its id was stored before. Only looked up for a push without candidates. */
  isRepeated: boolean;
}

/**
 * The connectors that push `g` may concern, how many of them match its installation, and whether the only match has
 * something new to sync. A lateral query per push lets the planner find connectors by name. The connectors are locked, so
 * that none is removed before the delivery and the sync are committed, which have no foreign keys.
 */
const matchingConnectors = sql`
  select count(*) as candidates, count(*) filter (where c.matches) as targets,
    min(c.id) filter (where c.matches) as target_connector_id,
    min(c.org_id) filter (where c.matches) as target_org_id,
    bool_or(newest.status is null or newest.head is distinct from g.head or newest.status = 'failed')
      filter (where c.matches) as is_new
  from (
    select id, org_id,
      installation_id is null or installation_id is not distinct from g.installation_id as matches
    from connectors
    where repository_key = g.repository_key and ref = g.ref and status = 'active'
      and codehost = any(string_to_array(g.codehosts, ' '))
      and (g.connector_id is null or id = g.connector_id) and ${isNotSuspended(sql`org_id`)}
    for key share) c
  left join lateral (${newestSync}) newest on true`;

/**
 * The digest of a body up to this size is computed when it is read, which is seldom. For a push of 8 kB, it took a tenth of
 * the processor time of the whole request.
 */
const maxUndigested = 64 * 1024;

/** The SHA-256 of a delivery's body. A body that was not stored has a stored digest. */
export const bodyDigest = sql`coalesce(body_digest, sha256(body))`;

/**
 * The hot path: stores pushes that arrive together and queues their syncs, in one statement and one commit. A push is
 * stored only if it is new, concerns exactly one connector, and its organization is not in `full`. The result has the
 * order of `pushes`; the caller handles those that were not stored.
 */
export const recordPushesAcrossOrganizations = (
  db: Db,
  pushes: readonly PushDelivery[],
  full: readonly string[],
) => {
  let next = 1;
  const starts = pushes.map(({ body }) => {
    next += body.length;
    return next - body.length;
  });
  const bodies = new ByteParts(pushes.map(({ body }) => body));
  return db.rows<RecordedPush>(sql`
    with given as materialized (
      select *
      -- In the from clause, each function would first store all of its rows. The inner subquery
      -- hides the lengths of the arrays from the planner, so that PostgreSQL keeps one plan for all lengths.
      from (select unnest(a.place) as place, unnest(a.id) as id, unnest(a.scope) as scope,
        unnest(a.delivery_id) as delivery_id, unnest(a.org_id) as org_id, unnest(a.dialect) as dialect,
        unnest(a.event) as event, unnest(a.repository) as repository, unnest(a.repository_key) as repository_key,
        unnest(a.ref) as ref, unnest(a.head) as head, unnest(a.installation_id) as installation_id,
        unnest(a.headers)::jsonb as headers, unnest(a.codehosts) as codehosts,
        unnest(a.connector_id) as connector_id, unnest(a.secret_id) as secret_id, unnest(a.sync_id) as sync_id,
        unnest(a.start) as start, unnest(a.length) as length, unnest(a.digest) as digest
      from (select
        ${pushes.map((_, place) => place)}::int[] as place,
        ${pushes.map(({ id }) => id)}::text[] as id,
        ${pushes.map(({ scope }) => scope)}::text[] as scope,
        ${pushes.map(({ deliveryId }) => deliveryId)}::text[] as delivery_id,
        ${pushes.map(({ orgId }) => orgId)}::text[] as org_id,
        ${pushes.map(({ dialect }) => dialect)}::text[] as dialect,
        ${pushes.map(({ event }) => event)}::text[] as event,
        ${pushes.map(({ repository }) => repository)}::text[] as repository,
        ${pushes.map(({ repository }) => repository.toLowerCase())}::text[] as repository_key,
        ${pushes.map(({ ref }) => ref)}::text[] as ref,
        ${pushes.map(({ head }) => head)}::text[] as head,
        ${pushes.map(({ installationId }) => installationId)}::text[] as installation_id,
        ${pushes.map(({ headers }) => JSON.stringify(headers))}::text[] as headers,
        ${pushes.map(({ codehosts }) => codehosts.join(" "))}::text[] as codehosts,
        ${pushes.map(({ connectorId }) => connectorId)}::text[] as connector_id,
        ${pushes.map(({ secretId }) => secretId)}::text[] as secret_id,
        ${pushes.map(({ syncId }) => syncId)}::text[] as sync_id,
        ${starts}::int[] as start,
        ${pushes.map(({ body }) => body.length)}::int[] as length,
        ${pushes.map(({ body }) => (body.length > maxUndigested ? hash("sha256", body, "hex") : null))}::text[] as digest
        offset 0) a
      ) g
      cross join lateral (${matchingConnectors}) known
    ), keyed as (
      insert into webhook_delivery_keys (scope, delivery_id, id)
      select scope, delivery_id, id from given where targets = 1 and not (target_org_id = any(${full}::text[]))
      order by scope, delivery_id
      on conflict (scope, delivery_id) do nothing
      returning id
    ), fresh as (
      insert into webhook_deliveries (id, scope, delivery_id, org_id, dialect, event, repository, ref, head,
        installation_id, outcome, headers, body, body_digest, target_connector_id, target_org_id, target_sync_id)
      select id, scope, delivery_id, org_id, dialect, event, repository, ref, head, installation_id, 'accepted',
        headers, substring(${bodies}::bytea from start for length), decode(digest, 'hex'), target_connector_id,
        target_org_id, case when is_new then sync_id end
      from given where id in (select id from keyed)
      returning id, scope, head, target_connector_id, target_org_id, target_sync_id
    ), wanted as (
      select target_sync_id as sync_id, target_org_id as org_id, target_connector_id as connector_id, head,
        scope = 'instance' as head_unproven
      from fresh where target_sync_id is not null
    ), queued as (
      insert into connector_syncs (id, org_id, connector_id, head, head_unproven, cause)
      select sync_id, org_id, connector_id, head, head_unproven, 'push' from wanted
      order by connector_id, head
      ${onConflictWithQueued}
      returning id
    )${
      pushes.some(({ secretId }) => secretId !== null)
        ? sql`, touched as (
      update connector_secrets set last_used_at = now()
      where id = any(array(select secret_id from given))
        and (last_used_at is null or last_used_at < now() - interval '1 minute'))`
        : emptySql
    }
    select fresh.id is not null as stored, queued.id is not null as queued,
      fresh.target_connector_id as "connectorId", fresh.target_org_id as "orgId", given.candidates,
      case when given.candidates = 0 then exists (
        select from webhook_delivery_keys k where k.scope = given.scope and k.delivery_id = given.delivery_id)
      else false end as "isRepeated"
    from given left join fresh on fresh.id = given.id left join queued on queued.id = fresh.target_sync_id
    order by given.place`);
};

export interface Verdict {
  outcome: "accepted" | "ignored" | "invalid";
  reason: string | null;
}

/**
 * Returns false when a delivery with this id exists already. The row itself names a single target, and only an accepted
 * delivery keeps its body.
 */
export const insertAcrossOrganizations = async (
  db: Db,
  delivery: Delivery,
  { outcome, reason }: Verdict,
  [first, ...others]: readonly EventTarget[],
) => {
  const isKept = outcome === "accepted";
  return (
    (await db.run(sql`
    with keyed as (
      insert into webhook_delivery_keys (scope, delivery_id, id)
      values (${delivery.scope}, ${delivery.deliveryId}, ${delivery.id})
      on conflict (scope, delivery_id) do nothing
      returning id
    )
    insert into webhook_deliveries (id, scope, delivery_id, org_id, dialect, event, action, repository, ref, head,
      installation_id, outcome, reason, headers, body, body_digest, dropped_body_bytes, target_connector_id,
      target_org_id)
    select keyed.id, ${delivery.scope}, ${delivery.deliveryId}, ${delivery.orgId}, ${delivery.dialect},
      ${delivery.event}, ${delivery.action}, ${delivery.repository}, ${delivery.ref}, ${delivery.head},
      ${delivery.installationId}, ${outcome}, ${reason}, ${JSON.stringify(delivery.headers)}::text::jsonb,
      ${isKept ? delivery.body : Buffer.alloc(0)}::bytea, ${hash("sha256", delivery.body, "buffer")}::bytea,
      ${isKept ? null : delivery.body.length}, ${others.length === 0 ? (first?.connectorId ?? null) : null},
      ${others.length === 0 ? (first?.orgId ?? null) : null}
    from keyed`)) > 0
  );
};

/** Stores the body of a delivery that was ignored before and is accepted now. */
export const storeBodyAcrossOrganizations = (db: Db, id: DeliveryId, body: Buffer) =>
  db.run(sql`
    update webhook_deliveries set body = ${body}::bytea, dropped_body_bytes = null
    where id = ${id} and dropped_body_bytes is not null`);

export interface EarlierDelivery extends Verdict {
  id: DeliveryId;
  sameBody: boolean;
}

/** Counts a repeat of the delivery with this id and locks it. One that a deleted connector has left does not count. */
export const countRepeatAcrossOrganizations = (db: Db, { scope, deliveryId, body }: Delivery) => {
  const digest = hash("sha256", body, "buffer");
  return db.row<EarlierDelivery>(sql`
    update webhook_deliveries set repeats = repeats + 1, last_received_at = now(),
      altered_at = case when ${bodyDigest} = ${digest}::bytea then altered_at else coalesce(altered_at, now()) end
    where id = (
      select k.id from webhook_delivery_keys k where k.scope = ${scope} and k.delivery_id = ${deliveryId})
      and (target_connector_id is null or exists (select from connectors c where c.id = target_connector_id))
    returning id, outcome, reason, ${bodyDigest} = ${digest}::bytea as "sameBody"`);
};

/** Removes the delivery with this id when it was left by a deleted connector. A trigger removes its key. */
export const removeLeftoverAcrossOrganizations = (db: Db, { scope, deliveryId }: Delivery) =>
  db.run(sql`
    delete from webhook_deliveries
    where id = (
      select k.id from webhook_delivery_keys k where k.scope = ${scope} and k.delivery_id = ${deliveryId})
      and not exists (select from connectors c where c.id = target_connector_id)
      and target_connector_id is not null`);

export const setVerdictAcrossOrganizations = (db: Db, id: DeliveryId, { outcome, reason }: Verdict) =>
  db.run(sql`update webhook_deliveries set outcome = ${outcome}, reason = ${reason} where id = ${id}`);

/**
 * Records the connectors that the delivery concerned, and their queued syncs. A sync that was recorded before stays
 * unless there is a new one. The caller has locked the delivery. The connectors are locked, because the table has no
 * foreign keys; one that was removed is not recorded.
 */
export const addTargetsAcrossOrganizations = async (
  db: Db,
  id: DeliveryId,
  targets: readonly EventTarget[],
  queued: ReadonlyMap<string, string>,
) => {
  const single = (await db.row<{ id: string | null }>(
    sql`select target_connector_id as id from webhook_deliveries where id = ${id}`,
  ))!.id;
  const others = targets.filter(({ connectorId }) => connectorId !== single);
  const syncId = single === null ? undefined : queued.get(single);
  if (syncId !== undefined)
    await db.run(sql`update webhook_deliveries set target_sync_id = ${syncId} where id = ${id}`);
  if (others.length === 0) return;
  if (single !== null) await moveSingleTargetAcrossOrganizations(db, id);
  await db.run(sql`
    insert into webhook_delivery_targets as t (delivery, connector_id, org_id, sync_id)
    select ${id}, g.connector_id, g.org_id, g.sync_id
    from unnest(${others.map(({ connectorId }) => connectorId)}::text[],
      ${others.map(({ orgId }) => orgId)}::text[],
      ${others.map(({ connectorId }) => queued.get(connectorId) ?? null)}::text[]) g (connector_id, org_id, sync_id)
    join connectors c on c.id = g.connector_id
    for key share of c
    on conflict (delivery, connector_id) do update set sync_id = coalesce(excluded.sync_id, t.sync_id)`);
};

/**
 * Moves the single target of a delivery to the table for several targets, so that the delivery is not removed with one
 * connector. A process of an earlier version may have inserted it there already.
 */
const moveSingleTargetAcrossOrganizations = (db: Db, id: DeliveryId) =>
  db.run(sql`
    with moved as (
      update webhook_deliveries d
      set target_connector_id = null, target_org_id = null, target_sync_id = null
      from webhook_deliveries was where d.id = ${id} and was.id = d.id
      returning d.id, was.target_connector_id, was.target_org_id, was.target_sync_id)
    insert into webhook_delivery_targets (delivery, connector_id, org_id, sync_id)
    select m.* from moved m join connectors c on c.id = m.target_connector_id for key share of c
    on conflict (delivery, connector_id) do nothing`);
