import type { OrgId } from "../../../platform/context.ts";
import {
  type Db,
  emptySql,
  filterOrder,
  join,
  listSource,
  type Sql,
  sql,
} from "../../../platform/db/index.ts";
import type { Dialect } from "../dialects/index.ts";
import type { EventTarget } from "../events/index.ts";
import { bodyDigest, type DeliveryId } from "../ingress/index.ts";
import { syncRetentionDays } from "../syncs/index.ts";
import type { ListQuery, WebhookDelivery } from "./contract.ts";

type ConnectorId = EventTarget["connectorId"];

/** Target `t` is a connector of the organization. Rows of a deleted one are left until a job has removed them. */
const isTarget = (orgId: OrgId) => sql`t.org_id = ${orgId} and exists (
  select from connectors c where c.org_id = ${orgId} and c.id = t.connector_id)`;

/**
 * The sync of target `t` of delivery `d`. A push records the id before it is known whether another delivery has queued
 * the same sync; then no sync has the id. Syncs that were removed because of their age are still shown.
 */
const syncId = sql`case when d.received_at < now() - make_interval(days => ${syncRetentionDays}::int)
  or exists (select from connector_syncs s where s.id = t.sync_id) then t.sync_id end`;

/**
 * Whether the organization is known to have access to the repository: its own secret verified delivery `d`, or one of
 * its connectors has read the pushed commit. A repository name or another commit proves nothing, because the
 * organization chooses both.
 */
const isProven = (orgId: OrgId) => sql`(d.org_id = ${orgId} or exists (
  select from webhook_targets t join connector_syncs s on s.connector_id = t.connector_id
  where t.delivery = d.id and ${isTarget(orgId)} and s.status = 'succeeded' and s.commit_sha = d.head))`;

/** Delivery `d`, with `p.proven`: whether its details may be shown. */
const shownColumns = (orgId: OrgId) =>
  sql`webhook_deliveries d cross join lateral (select ${isProven(orgId)} as proven) p`;

/** An organization sees the deliveries that concern its connectors. Their details stay null until proven. */
const columns = (orgId: OrgId) => sql`d.id, d.delivery_id as "deliveryId",
  case d.scope when 'instance' then 'instance' else 'connector' end as scope, d.dialect, d.event,
  case when p.proven then d.action end as action, case when p.proven then d.repository end as repository,
  case when p.proven then d.ref end as ref, case when p.proven then d.head end as head,
  case when p.proven then d.installation_id end as "installationId", d.outcome, d.reason,
  case when p.proven then coalesce(d.dropped_body_bytes, octet_length(d.body)) end as "bodyBytes",
  case when p.proven then encode(${bodyDigest}, 'hex') end as "bodySha256",
  d.dropped_body_bytes is null as "bodyStored", d.repeats, d.altered_at as "alteredAt", d.received_at as "receivedAt",
  d.last_received_at as "lastReceivedAt", (
    select json_agg(json_build_object('connectorId', t.connector_id, 'syncId', ${syncId}) order by t.connector_id)
    from webhook_targets t where t.delivery = d.id and ${isTarget(orgId)}) as targets`;

/** Filters by the connector alone: with the organization as well, the planner expects far too few rows. */
export const list = (db: Db, orgId: OrgId, { connectorId, outcome, event }: Omit<ListQuery, "limit">) => {
  const conditions = [
    outcome === undefined ? null : sql`d.outcome = ${outcome}`,
    event === undefined ? null : sql`d.event = ${event}`,
  ].filter((condition) => condition !== null);
  const isOwn = sql`exists (select from connectors c where c.id = ${connectorId} and c.org_id = ${orgId})`;
  const [deliveryRange, targetRange] =
    connectorId === undefined
      ? [sql`d.target_org_id = ${orgId}`, sql`t.org_id = ${orgId}`]
      : [
          sql`d.target_connector_id = ${connectorId} and ${isOwn}`,
          sql`t.connector_id = ${connectorId} and ${isOwn}`,
        ];
  const { where, id } = chooseRange(outcome, event);
  // With the limit, the planner cannot read the targets of all deliveries in advance.
  const hasTarget =
    connectorId === undefined
      ? sql`(exists (select from connectors c where c.org_id = ${orgId} and c.id = t.connector_id)
          or coalesce((
            select true from webhook_delivery_targets o join connectors c on c.id = o.connector_id
            where o.org_id = ${orgId} and c.org_id = ${orgId} and o.delivery = t.delivery limit 1), false))`
      : sql`true`;
  const matches =
    conditions.length === 0
      ? sql`true`
      : sql`(select ${join(conditions, " and ")} from webhook_deliveries d where d.id = t.delivery)`;
  return listSource<WebhookDelivery>(db, {
    filtered: conditions.length > 0,
    // A delivery for one connector names it in its own row. Others have rows in webhook_delivery_targets.
    candidates: (after, count) => sql`
      select t.delivery as id, ${matches} and ${hasTarget} as matches from (
        (select d.id as delivery, d.target_connector_id as connector_id from webhook_deliveries d
          where ${deliveryRange} ${where} and ${id} < ${after}
          order by ${id} desc limit ${count})
        union all
        (select u.delivery, null from (
            select distinct t.delivery from webhook_delivery_targets t
            where ${targetRange} and t.delivery < ${after}
            order by t.delivery desc limit ${count}) u)
        order by delivery desc limit ${count}) t`,
    rows: (ids) => sql`select ${columns(orgId)} from ${shownColumns(orgId)} where d.id = any(${ids})`,
  });
};

/** Nearly all deliveries are pushes that were accepted, so the indexes leave them out. */
function chooseRange(outcome: ListQuery["outcome"], event: string | undefined): Record<"where" | "id", Sql> {
  const id = filterOrder(sql`d.id`);
  if (outcome !== undefined && outcome !== "accepted")
    return { where: sql`and d.outcome = ${outcome} and d.outcome <> 'accepted'`, id };
  if (event !== undefined && event !== "push")
    return { where: sql`and d.event = ${event} and d.event <> 'push'`, id };
  return { where: emptySql, id: sql`d.id` };
}

export const find = (db: Db, orgId: OrgId, id: DeliveryId) =>
  db.row<WebhookDelivery>(sql`
    select ${columns(orgId)} from ${shownColumns(orgId)}
    where d.id = ${id} and exists (
      select from webhook_targets t where t.delivery = d.id and ${isTarget(orgId)})`);

interface Contents {
  scope: string;
  headers: Record<string, string>;
  /** Null when it was not stored. */
  body: Uint8Array | null;
}

/** Headers and the first `maxBytes` of the body. Undefined unless the delivery is proven. */
export const findContents = (db: Db, orgId: OrgId, id: DeliveryId, maxBytes: number) =>
  db.row<Contents>(sql`
    select d.scope, d.headers,
      case when d.dropped_body_bytes is null then substring(d.body from 1 for ${maxBytes}::int) end as body
    from webhook_deliveries d where d.id = ${id} and ${isProven(orgId)}`);

interface Stored {
  dialect: Dialect;
  event: string;
  contentType: string | null;
  body: Uint8Array;
  outcome: WebhookDelivery["outcome"];
  isBodyStored: boolean;
  scope: string;
}

/** Everything that is needed to process the delivery again. */
export const findToReplay = (db: Db, orgId: OrgId, id: DeliveryId) =>
  db.row<Stored>(sql`
    select d.dialect, d.event, d.headers ->> 'content-type' as "contentType", d.body, d.outcome,
      d.dropped_body_bytes is null as "isBodyStored", d.scope
    from webhook_deliveries d
    where d.id = ${id} and exists (
      select from webhook_targets t where t.delivery = d.id and ${isTarget(orgId)})`);

/** Undefined when the delivery was removed. Otherwise it is locked until the transaction ends. */
export const lock = (db: Db, orgId: OrgId, id: DeliveryId) =>
  db.row<{ id: DeliveryId }>(sql`
    select d.id from webhook_deliveries d
    where d.id = ${id} and exists (
      select from webhook_targets t where t.delivery = d.id and ${isTarget(orgId)})
    for update`);

/** The table of deliveries, in partitions by id. */
export const deliveryTable = "webhook_deliveries";

/** Removes deliveries with smaller ids, at most `limit`, for rows that no partition of a week holds. */
export const removeSomeAcrossOrganizations = (db: Db, beforeId: string, limit: number) =>
  db.run(sql`
    delete from webhook_deliveries where id in (
      select d.id from webhook_deliveries d where d.id < ${beforeId} order by d.id limit ${limit})`);

/** Removes the keys of deliveries with smaller ids, at most `limit`. Their partition is dropped next. */
export const removeSomeKeysAcrossOrganizations = (db: Db, beforeId: string, limit: number) =>
  db.run(sql`
    delete from webhook_delivery_keys where (scope, delivery_id) in (
      select k.scope, k.delivery_id from webhook_delivery_keys k
      where k.id < ${beforeId} order by k.id limit ${limit})`);

export const removeSomeTargetsAcrossOrganizations = (db: Db, beforeId: string, limit: number) =>
  db.run(sql`
    delete from webhook_delivery_targets where (delivery, connector_id) in (
      select t.delivery, t.connector_id from webhook_delivery_targets t
      where t.delivery < ${beforeId} order by t.delivery limit ${limit})`);

/** Removes the rows that name connectors of a deleted organization as one of several targets. */
export const removeSomeTargets = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from webhook_delivery_targets where org_id = ${orgId} and ctid = any(array(
      select t.ctid from webhook_delivery_targets t where t.org_id = ${orgId} order by t.delivery desc limit ${limit}))`);

/** Removes deliveries to a connector of a deleted organization. A trigger removes their keys. */
export const removeSomeOfConnectors = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from webhook_deliveries where id = any(array(
      select d.id from webhook_deliveries d where d.target_org_id = ${orgId} order by d.id desc limit ${limit}))`);

/** Removes deliveries that a secret of a deleted organization verified. */
export const removeSomeOfSecrets = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from webhook_deliveries where id = any(array(
      select d.id from webhook_deliveries d where d.org_id = ${orgId} order by d.id desc limit ${limit}))`);

/** Removes the rows that name a deleted connector as one of several targets. */
export const removeSomeTargetsOfConnector = (db: Db, orgId: OrgId, connectorId: ConnectorId, limit: number) =>
  db.run(sql`
    delete from webhook_delivery_targets where org_id = ${orgId} and ctid = any(array(
      select t.ctid from webhook_delivery_targets t
      where t.org_id = ${orgId} and t.connector_id between ${connectorId} and ${connectorId}
      order by t.connector_id, t.delivery desc limit ${limit}))`);

/**
 * Removes deliveries to a deleted connector. A trigger removes their keys. A range, because for a single value the planner
 * would read the deliveries to all connectors from the newest one.
 */
export const removeSomeOfConnector = (db: Db, orgId: OrgId, connectorId: ConnectorId, limit: number) =>
  db.run(sql`
    delete from webhook_deliveries where target_org_id = ${orgId} and id = any(array(
      select d.id from webhook_deliveries d
      where d.target_org_id = ${orgId} and d.target_connector_id between ${connectorId} and ${connectorId}
      order by d.target_connector_id, d.id desc limit ${limit}))`);
