import type { OrgId } from "../../../platform/context.ts";
import { type Db, nothing, sql } from "../../../platform/db/index.ts";
import { syncsKeptDays } from "../../connectors/index.ts";
import type { Dialect } from "../dialects/index.ts";
import type { DeliveryId } from "../ingress/index.ts";
import type { ListQuery, WebhookDelivery } from "./contract.ts";

/**
 * The work that target `t` of `d` names. With a push it is named before it is known whether another delivery was
 * first to ask for the same; then there is no such work. Work that ended long ago is gone, and named all the same.
 */
const syncId = sql`case when d.received_at < now() - make_interval(days => ${syncsKeptDays}::int)
  or exists (select from connector_syncs s where s.id = t.sync_id) then t.sync_id end`;

/** A delivery is an organization's to see when it concerned a connector of theirs. */
const columns = (orgId: OrgId) => sql`d.id, d.delivery_id as "deliveryId",
  case d.scope when 'instance' then 'instance' else 'connector' end as scope, d.dialect, d.event, d.action,
  d.repository, d.ref, d.head, d.installation_id as "installationId", d.outcome, d.reason,
  octet_length(d.body) as "bodyBytes", d.repeats, d.altered_at as "alteredAt", d.received_at as "receivedAt",
  d.last_received_at as "lastReceivedAt", (
    select json_agg(json_build_object('connectorId', t.connector_id, 'syncId', ${syncId}) order by t.connector_id)
    from webhook_targets t where t.delivery = d.id and t.org_id = ${orgId}) as targets`;

/** Newest first. Of a connector by that alone: together with its organization, the planner expects far fewer. */
export const list = (
  db: Db,
  orgId: OrgId,
  { connectorId, outcome, event }: ListQuery,
  after: string,
  limit: number,
) =>
  db.rows<WebhookDelivery>(sql`
    select ${columns(orgId)} from (
      select distinct t.delivery from webhook_targets t join webhook_deliveries d on d.id = t.delivery
      where t.delivery < ${after} and ${
        connectorId === undefined
          ? sql`t.org_id = ${orgId}`
          : sql`t.connector_id = ${connectorId} and exists (
              select from connectors c where c.id = ${connectorId} and c.org_id = ${orgId})`
      }
        ${outcome === undefined ? nothing : sql`and d.outcome = ${outcome}`}
        ${event === undefined ? nothing : sql`and d.event = ${event}`}
      order by t.delivery desc limit ${limit}) page
    join webhook_deliveries d on d.id = page.delivery order by d.id desc`);

export const find = (db: Db, orgId: OrgId, id: DeliveryId) =>
  db.row<WebhookDelivery>(sql`
    select ${columns(orgId)} from webhook_deliveries d
    where d.id = ${id} and exists (
      select from webhook_targets t where t.delivery = d.id and t.org_id = ${orgId})`);

interface Contents {
  scope: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/**
 * Headers and the beginning of the body, for those who may read the repository anyway: whoever verified it
 * with a secret of their own, or has read the very commit that was pushed. Naming somebody else's repository is
 * not enough, and neither is having read another one: which is read, and what it is called, is the reader's choice.
 */
export const findContents = (db: Db, orgId: OrgId, id: DeliveryId, maxBytes: number) =>
  db.row<Contents>(sql`
    select d.scope, d.headers, substring(d.body from 1 for ${maxBytes}::int) as body from webhook_deliveries d
    where d.id = ${id} and (d.org_id = ${orgId} or exists (
      select from webhook_targets t join connector_syncs s on s.connector_id = t.connector_id
      where t.delivery = d.id and t.org_id = ${orgId} and s.status = 'succeeded' and s.commit_sha = d.head))`);

interface Stored {
  dialect: Dialect;
  event: string;
  contentType: string | null;
  body: Uint8Array;
  scope: string;
}

/** Everything it takes to process it again. */
export const findToReplay = (db: Db, orgId: OrgId, id: DeliveryId) =>
  db.row<Stored>(sql`
    select d.dialect, d.event, d.headers ->> 'content-type' as "contentType", d.body, d.scope
    from webhook_deliveries d
    where d.id = ${id} and exists (
      select from webhook_targets t where t.delivery = d.id and t.org_id = ${orgId})`);

/** Whether it is still there; if so, it is held until the transaction ends. */
export const hold = (db: Db, orgId: OrgId, id: DeliveryId) =>
  db.row<{ id: DeliveryId }>(sql`
    select d.id from webhook_deliveries d
    where d.id = ${id} and exists (
      select from webhook_targets t where t.delivery = d.id and t.org_id = ${orgId})
    for update`);

/** Removes the oldest ones, at most `limit`. Ids sort by time, so that no other index is needed. */
export const removeOldOfAll = (db: Db, days: number, limit: number) =>
  db.run(sql`
    delete from webhook_deliveries where id in (
      select id from (select id, received_at from webhook_deliveries order by id limit ${limit}) oldest
      where received_at < now() - make_interval(days => ${days}::int))`);
