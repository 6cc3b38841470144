import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { RefusedDelivery } from "./contract.ts";

/** How many refusals are kept for each connector, at most `maxPerNetwork` of them from one network. */
export const maxPerConnector = 50;
const maxPerNetwork = 25;

export interface NewRefusal extends RefusedDelivery {
  connectorId: string;
}

/** Inserts the refusals whose connector exists, with the organization of that connector. */
export const insertAcrossOrganizations = (db: Db, refusals: readonly NewRefusal[]) =>
  db.run(sql`
    insert into refused_deliveries (id, org_id, connector_id, address, dialect, reason, refused_at)
    select g.id, c.org_id, c.id, g.address, g.dialect, g.reason, to_timestamp(g."refusedAt" / 1000.0)
    from json_to_recordset(${JSON.stringify(refusals)}::text::json)
      as g(id text, "connectorId" text, address text, dialect text, reason text, "refusedAt" bigint)
    join connectors c on c.id = g."connectorId"`);

/** The network as in `toNetwork`. An address may end in a zone (`%eth0`), which `inet` does not accept. */
const network = sql`case when address like '%:%'
  then network(set_masklen(split_part(address, '%', 1)::inet, 64))::text else address end`;

/**
 * Removes refusals beyond the limits of these connectors. It keeps the newest of every network before the second newest
 * of any, so that networks that send many do not displace a network that sends few.
 */
export const trimAcrossOrganizations = (db: Db, connectorIds: readonly string[]) =>
  db.run(sql`
    delete from refused_deliveries where id in (
      select r.id from unnest(${connectorIds}::text[]) as g(connector_id) cross join lateral (
        select id, place, row_number() over (order by place, id desc) as rank from (
          select id, row_number() over (partition by ${network} order by id desc) as place
          from refused_deliveries where connector_id = g.connector_id) placed) r
      where r.place > ${maxPerNetwork}::int or r.rank > ${maxPerConnector}::int)`);

export const list = (db: Db, orgId: OrgId, connectorId: string, after: string, limit: number) =>
  db.rows<RefusedDelivery>(sql`
    select id, address, dialect, reason, refused_at as "refusedAt" from (
      select * from refused_deliveries where connector_id = ${connectorId} order by id desc limit ${maxPerConnector}::int) r
    where org_id = ${orgId} and id < ${after} order by id desc limit ${limit}`);

/** Deletes refusals older than `days`, at most `limit` rows. Ids sort by time. */
export const removeOldAcrossOrganizations = (db: Db, days: number, limit: number) =>
  db.run(sql`
    delete from refused_deliveries where id in (
      select id from (select id, refused_at from refused_deliveries order by id limit ${limit}) oldest
      where refused_at < now() - make_interval(days => ${days}::int))`);
