import type { OrgId } from "../../../../platform/context.ts";
import { type Db, sql } from "../../../../platform/db/index.ts";

interface TroubledConnector {
  id: string;
  name: string;
  reason: string | null;
  since: number | null;
}

/** Connectors whose code host has ended the access. */
export const listDisconnected = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<TroubledConnector>(sql`
    select c.id, c.name, c.status_reason as reason, c.updated_at as since from connectors c
    where c.org_id = ${orgId} and c.status = 'disconnected' order by c.id desc limit ${limit}`);

/** Active connectors whose last sync that ended failed. */
export const listFailedSyncs = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<TroubledConnector & { syncId: string; message: string | null }>(sql`
    select c.id, c.name, s.id as "syncId", s.error_code as reason, s.error_message as message, s.finished_at as since
    from connectors c cross join lateral (
      select s.id, s.status, s.error_code, s.error_message, s.finished_at from connector_syncs s
      where s.connector_id = c.id and s.status in ('succeeded', 'failed') order by s.id desc limit 1) s
    where c.org_id = ${orgId} and c.status = 'active' and s.status = 'failed'
    order by s.finished_at desc limit ${limit}`);

/** Connectors with refused deliveries in the last seven days. The log keeps a limited number of them. */
export const listRefused = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<TroubledConnector & { count: number }>(sql`
    select c.id, c.name, d.reason, d.count, d.since from connectors c cross join lateral (
      select count(*)::int as count, min(d.refused_at) as since,
        (array_agg(d.reason order by d.id desc))[1] as reason
      from refused_deliveries d
      where d.connector_id = c.id and d.refused_at > now() - interval '7 days') d
    where c.org_id = ${orgId} and c.status = 'active' and d.count > 0
    order by d.count desc, c.id limit ${limit}`);

/**
 * Deliveries of the last seven days that were repeated with another body, by connector. A delivery to the instance that
 * concerns several connectors has no organization of its own, and names them in another table.
 */
export const listAltered = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{ id: string; name: string; count: number; since: number | null }>(sql`
    select c.id, c.name, count(*)::int as count, min(d.altered_at) as since
    from (
      select coalesce(d.target_connector_id, d.scope) as connector_id, d.altered_at from webhook_deliveries d
      where coalesce(d.target_org_id, d.org_id) = ${orgId} and d.altered_at > now() - interval '7 days'
      union all
      select t.connector_id, d.altered_at from webhook_deliveries d
      join webhook_delivery_targets t on t.delivery = d.id and t.org_id = ${orgId}
      where coalesce(d.target_org_id, d.org_id) is null and d.altered_at > now() - interval '7 days') d
    join connectors c on c.id = d.connector_id and c.org_id = ${orgId}
    group by c.id, c.name order by 3 desc, c.id limit ${limit}`);
