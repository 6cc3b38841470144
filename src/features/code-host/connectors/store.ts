import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { SealedAccess } from "../access/index.ts";
import type { Connector } from "./contract.ts";

export type ConnectorId = Id<"con">;

/** Everything except the webhook URL, which depends on the public URL of this instance. */
export type ConnectorRow = Omit<Connector, "webhookUrl">;

const columns = sql`c.id, c.name, c.codehost, c.base_url as "baseUrl", c.repository, c.clone_url as "cloneUrl",
  c.ref, c.folder, c.installation_id as "installationId",
  c.access_settings || jsonb_build_object('kind', c.access_kind) as access,
  c.status, c.status_reason as "statusReason",
  (select coalesce(json_agg(json_build_object('id', s.id,
      'lastUsedAt', floor(extract(epoch from s.last_used_at) * 1000)::bigint,
      'createdAt', floor(extract(epoch from s.created_at) * 1000)::bigint) order by s.id desc), '[]')
    from connector_secrets s where s.connector_id = c.id) as "webhookSecrets",
  (select count(*) from templates t where t.connector_id = c.id) as "templateCount",
  c.synced_commit as "syncedCommit", c.synced_at as "syncedAt", c.checked_at as "checkedAt",
  c.check_error as "checkError",
  (select json_build_object('id', y.id, 'status', y.status, 'errorCode', y.error_code,
      'problemCount', y.problem_count)
    from connector_syncs y where y.connector_id = c.id order by y.id desc limit 1) as "lastSync",
  c.created_by as "createdBy", c.created_at as "createdAt", c.updated_at as "updatedAt"`;

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<ConnectorRow>(sql`
    select ${columns} from connectors c
    where c.org_id = ${orgId} and c.id < ${after} order by c.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, id: ConnectorId) =>
  db.row<ConnectorRow>(sql`select ${columns} from connectors c where c.org_id = ${orgId} and c.id = ${id}`);

/** Locks before reading, so that the changes of the previous holder are visible. */
export const lock = async (tx: Db, orgId: OrgId, id: ConnectorId) => {
  const locked = await tx.row<{ id: ConnectorId }>(
    sql`select id from connectors where org_id = ${orgId} and id = ${id} for no key update`,
  );
  return locked && find(tx, orgId, id);
};

/** The settings that decide what is read, and where. */
export interface Settings {
  name: string;
  baseUrl: string | null;
  repository: string;
  cloneUrl: string;
  ref: string;
  folder: string;
  installationId: string | null;
}

export const insert = (
  tx: Db,
  orgId: OrgId,
  connector: Settings & {
    id: ConnectorId;
    codehost: Connector["codehost"];
    access: SealedAccess;
    createdBy: MemberId;
  },
) =>
  tx.run(sql`
    insert into connectors (id, org_id, name, codehost, repository, repository_key, base_url, clone_url, ref,
      folder, installation_id, access_kind, access_secret, access_settings, created_by)
    values (${connector.id}, ${orgId}, ${connector.name}, ${connector.codehost}, ${connector.repository},
      ${connector.repository.toLowerCase()}, ${connector.baseUrl}, ${connector.cloneUrl}, ${connector.ref},
      ${connector.folder}, ${connector.installationId}, ${connector.access.kind}, ${connector.access.secret},
      ${JSON.stringify(connector.access.settings)}::text::jsonb, ${connector.createdBy})`);

export const update = (tx: Db, orgId: OrgId, id: ConnectorId, settings: Settings) =>
  tx.run(sql`
    update connectors set name = ${settings.name}, repository = ${settings.repository},
      repository_key = ${settings.repository.toLowerCase()}, base_url = ${settings.baseUrl},
      clone_url = ${settings.cloneUrl}, ref = ${settings.ref}, folder = ${settings.folder},
      installation_id = ${settings.installationId}, updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const setAccess = (tx: Db, orgId: OrgId, id: ConnectorId, { kind, secret, settings }: SealedAccess) =>
  tx.run(sql`
    update connectors set access_kind = ${kind}, access_secret = ${secret},
      access_settings = ${JSON.stringify(settings)}::text::jsonb, updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const setStatus = (
  tx: Db,
  orgId: OrgId,
  id: ConnectorId,
  status: Connector["status"],
  reason: string | null,
) =>
  tx.run(sql`
    update connectors set status = ${status}, status_reason = ${reason}, updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

/**
 * A trigger also deletes its queued and running syncs. Its other syncs and its deliveries are left, with a mark: a job
 * removes them.
 */
export const remove = (tx: Db, orgId: OrgId, id: ConnectorId) =>
  tx.run(sql`delete from connectors where org_id = ${orgId} and id = ${id}`);

export interface DeletedConnector {
  orgId: OrgId;
  connectorId: ConnectorId;
  /** Statements that add rows lock the connector. For ten minutes, rows of one that did not are looked for too. */
  isSettled: boolean;
}

/** Deleted connectors with rows that are not removed yet. */
export const listDeletedAcrossOrganizations = (db: Db, after: string, limit: number) =>
  db.rows<DeletedConnector>(sql`
    select l.org_id as "orgId", l.connector_id as "connectorId",
      l.deleted_at < now() - interval '10 minutes' as "isSettled"
    from connector_leftovers l where l.connector_id > ${after} order by l.connector_id limit ${limit}`);

export const removeMark = (db: Db, orgId: OrgId, id: ConnectorId) =>
  db.run(sql`delete from connector_leftovers where org_id = ${orgId} and connector_id = ${id}`);
