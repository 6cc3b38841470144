import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { WebhookSecret } from "./contract.ts";

export type ConnectorId = Id<"con">;
export type SecretId = Id<"whs">;

const columns = sql`s.id, s.last_used_at as "lastUsedAt", s.created_at as "createdAt"`;

/** Locks the connector, so that two requests that add a secret at the same time see each other's. */
export const lockConnector = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.row<{ id: string }>(
    sql`select id from connectors where org_id = ${orgId} and id = ${connectorId} for no key update`,
  );

export const hasConnector = (db: Db, orgId: OrgId, connectorId: string) =>
  db.row<{ id: string }>(sql`select id from connectors where org_id = ${orgId} and id = ${connectorId}`);

export const list = (db: Db, orgId: OrgId, connectorId: string, after: string, limit: number) =>
  db.rows<WebhookSecret>(sql`
    select ${columns} from connector_secrets s
    where s.org_id = ${orgId} and s.connector_id = ${connectorId} and s.id < ${after}
    order by s.id desc limit ${limit}`);

export const count = async (db: Db, orgId: OrgId, connectorId: string) =>
  (await db.row<{ count: number }>(sql`
    select count(*) from connector_secrets where org_id = ${orgId} and connector_id = ${connectorId}`))!
    .count;

export const insert = (tx: Db, orgId: OrgId, connectorId: string, id: SecretId, sealed: string) =>
  tx.row<WebhookSecret>(sql`
    insert into connector_secrets as s (id, org_id, connector_id, secret)
    values (${id}, ${orgId}, ${connectorId}, ${sealed}) returning ${columns}`);

export const remove = (db: Db, orgId: OrgId, connectorId: string, id: SecretId) =>
  db.run(sql`
    delete from connector_secrets
    where org_id = ${orgId} and connector_id = ${connectorId} and id = ${id}`);

/** Finds the secrets that verify a connector's deliveries. The id in the URL is not secret. */
export const findSecretsByToken = (db: Db, connectorId: ConnectorId) =>
  db.rows<{ orgId: OrgId; id: string | null; secret: string | null }>(sql`
    select c.org_id as "orgId", s.id, s.secret from connectors c
    left join connector_secrets s on s.connector_id = c.id
    where c.id = ${connectorId} order by s.id desc limit 5`);

/** Records the use of a secret, to the minute, so that few deliveries write it. */
export const setSecretLastUsed = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`
    update connector_secrets set last_used_at = now() where org_id = ${orgId} and id = ${id}
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`);
