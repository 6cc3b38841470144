import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { pushTargets, queuePushes, type Target, touchSecrets } from "../../connectors/index.ts";
import type { Dialect } from "../dialects/index.ts";

export type DeliveryId = Id<"whd">;

export interface Delivery {
  id: DeliveryId;
  /** `instance`, or the connector that the URL named: a number is the code host's own within that. */
  scope: string;
  deliveryId: string;
  /** Of the connector that the URL named. */
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
  digest: Buffer;
}

/** A push of one ref to one commit: what nearly all deliveries are. */
export interface PushDelivery extends Delivery {
  repository: string;
  ref: string;
  head: string;
  codehosts: readonly string[];
  connectorId: string | null;
  secretId: string | null;
  /** For the work, should there be any. */
  syncId: string;
}

export interface Recorded {
  stored: boolean;
  queued: boolean;
  /** Whose work it is. */
  connectorId: string | null;
  /** How many connectors follow that ref of that repository, whatever else they ask for. */
  candidates: number;
}

/**
 * The hot path: everything that was pushed at one moment, with the work that follows from it, in one
 * statement and one commit. Only what is new and about exactly one connector is stored; the rest is told
 * apart by the answer and looked at by itself. The answer has the order of what was given.
 */
export const recordPushesOfAll = (db: Db, pushes: readonly PushDelivery[]) => {
  let start = 1;
  const given = pushes.map((push, place) => {
    const from = start;
    start += push.body.length;
    return {
      place,
      id: push.id,
      scope: push.scope,
      delivery_id: push.deliveryId,
      org_id: push.orgId,
      dialect: push.dialect,
      event: push.event,
      repository: push.repository,
      repository_key: push.repository.toLowerCase(),
      ref: push.ref,
      head: push.head,
      installation_id: push.installationId,
      headers: push.headers,
      digest: push.digest.toString("hex"),
      codehosts: push.codehosts.join(" "),
      connector_id: push.connectorId,
      secret_id: push.secretId,
      sync_id: push.syncId,
      start: from,
      length: push.body.length,
    };
  });
  const bodies = pushes.length === 1 ? pushes[0]!.body : Buffer.concat(pushes.map(({ body }) => body));
  return db.rows<Recorded>(sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(given)}::text::json) as g(place int, id text, scope text,
        delivery_id text, org_id text, dialect text, event text, repository text, repository_key text, ref text,
        head text, installation_id text, headers jsonb, digest text, codehosts text, connector_id text,
        secret_id text, sync_id text, start int, length int)
    ), matched as materialized (${pushTargets}
    ), sole as materialized (
      select * from matched m where m.suits and not exists (
        select from matched other where other.place = m.place and other.suits
          and other.connector_id <> m.connector_id)
    ), fresh as (
      insert into webhook_deliveries (id, scope, delivery_id, org_id, dialect, event, repository, ref, head,
        installation_id, outcome, headers, body, body_digest)
      select g.id, g.scope, g.delivery_id, g.org_id, g.dialect, g.event, g.repository, g.ref, g.head,
        g.installation_id, 'accepted', g.headers, substring(${bodies}::bytea from g.start for g.length),
        decode(g.digest, 'hex')
      from given g join sole using (place)
      order by g.scope, g.delivery_id
      on conflict (scope, delivery_id) do nothing
      returning id
    ), wanted as (
      select g.sync_id, sole.org_id, sole.connector_id, g.head
      from given g join fresh using (id) join sole using (place) where sole.is_new
    ), queued as (${queuePushes}
    ), targets as (
      insert into webhook_delivery_targets (delivery, connector_id, org_id, sync_id)
      select g.id, sole.connector_id, sole.org_id, queued.id
      from given g join fresh using (id) join sole using (place) left join queued on queued.id = g.sync_id
    ), touched as (${touchSecrets})
    select fresh.id is not null as stored, queued.id is not null as queued, sole.connector_id as "connectorId",
      (select count(*) from matched m where m.place = g.place) as candidates
    from given g left join sole using (place) left join fresh on fresh.id = g.id
      left join queued on queued.id = g.sync_id
    order by g.place`);
};

export interface Verdict {
  outcome: "accepted" | "ignored" | "invalid";
  reason: string | null;
}

/** False when a delivery of that number is there already. */
export const insertOfAll = async (db: Db, delivery: Delivery, { outcome, reason }: Verdict) =>
  (await db.run(sql`
    insert into webhook_deliveries (id, scope, delivery_id, org_id, dialect, event, action, repository, ref, head,
      installation_id, outcome, reason, headers, body, body_digest)
    values (${delivery.id}, ${delivery.scope}, ${delivery.deliveryId}, ${delivery.orgId}, ${delivery.dialect},
      ${delivery.event}, ${delivery.action}, ${delivery.repository}, ${delivery.ref}, ${delivery.head},
      ${delivery.installationId}, ${outcome}, ${reason}, ${JSON.stringify(delivery.headers)}::text::jsonb,
      ${delivery.body}::bytea, ${delivery.digest}::bytea)
    on conflict (scope, delivery_id) do nothing`)) > 0;

export interface Earlier extends Verdict {
  id: DeliveryId;
  sameBody: boolean;
}

/** The delivery that has this number, held until the transaction ends, with one more repeat on it. */
export const repeatOfAll = (db: Db, { scope, deliveryId, digest }: Delivery) =>
  db.row<Earlier>(sql`
    update webhook_deliveries set repeats = repeats + 1, last_received_at = now(),
      altered_at = case when body_digest = ${digest}::bytea then altered_at else coalesce(altered_at, now()) end
    where scope = ${scope} and delivery_id = ${deliveryId}
    returning id, outcome, reason, body_digest = ${digest}::bytea as "sameBody"`);

export const setVerdictOfAll = (db: Db, id: DeliveryId, { outcome, reason }: Verdict) =>
  db.run(sql`update webhook_deliveries set outcome = ${outcome}, reason = ${reason} where id = ${id}`);

/** Whom it concerned, and the work it led to. Work that is there already stays where there is no new one. */
export const addTargetsOfAll = (
  db: Db,
  id: DeliveryId,
  targets: readonly Target[],
  queued: ReadonlyMap<string, string>,
) =>
  db.run(sql`
    insert into webhook_delivery_targets as t (delivery, connector_id, org_id, sync_id)
    select ${id}, * from unnest(${targets.map(({ connectorId }) => connectorId)}::text[],
      ${targets.map(({ orgId }) => orgId)}::text[],
      ${targets.map(({ connectorId }) => queued.get(connectorId) ?? null)}::text[])
    on conflict (delivery, connector_id) do update set sync_id = coalesce(excluded.sync_id, t.sync_id)`);
