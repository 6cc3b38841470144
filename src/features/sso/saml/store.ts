import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import type { ConnectorId } from "../connectors/index.ts";
import type { IdentityProvider } from "../saml-protocol/index.ts";

export interface MetadataRow {
  connectorId: ConnectorId;
  orgId: OrgId;
  url: string | null;
  checkedAt: number | null;
  failureCode: string | null;
  failure: string | null;
  pending: IdentityProvider | null;
  pendingSince: number | null;
}

const columns = sql`m.connector_id as "connectorId", m.org_id as "orgId", m.url, m.checked_at as "checkedAt",
  m.failure_code as "failureCode", m.failure, m.pending, m.pending_since as "pendingSince"`;

const hoursBetweenChecks = 6;

export const insert = (db: Db, orgId: OrgId, connectorId: ConnectorId, url: string | null) =>
  db.run(sql`
    insert into sso_saml_metadata (connector_id, org_id, url, checked_at, next_check_at)
    values (${connectorId}, ${orgId}, ${url}, now(),
      case when ${url}::text is not null then now() + make_interval(hours => ${hoursBetweenChecks}::int) end)`);

export const find = (db: Db, orgId: OrgId, connectorId: ConnectorId) =>
  db.row<MetadataRow>(sql`
    select ${columns} from sso_saml_metadata m where m.org_id = ${orgId} and m.connector_id = ${connectorId}`);

/** Postpones the next check of what is due, so that no other process checks it too, and returns it. */
export const claimDueAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<MetadataRow>(sql`
    update sso_saml_metadata m set next_check_at = now() + make_interval(hours => ${hoursBetweenChecks}::int)
    where m.connector_id in (
      select d.connector_id from sso_saml_metadata d join sso_connectors c on c.id = d.connector_id and c.enabled
      where d.next_check_at <= now() and ${isNotSuspended(sql`d.org_id`)} order by d.next_check_at limit ${limit} for update of d skip locked)
    returning ${columns}`);

/** Records a check. The time since when a change waits stays, unless the change is another one. */
export const recordCheck = (
  db: Db,
  orgId: OrgId,
  connectorId: ConnectorId,
  pending: IdentityProvider | null,
) => {
  const value = pending === null ? null : JSON.stringify(pending);
  return db.row<MetadataRow>(sql`
    update sso_saml_metadata m set checked_at = now(), failure_code = null, failure = null, pending = ${value}::jsonb,
      pending_since = case when ${value}::jsonb is null then null
        when m.pending = ${value}::jsonb then m.pending_since else now() end
    where m.org_id = ${orgId} and m.connector_id = ${connectorId} returning ${columns}`);
};

export const recordFailure = (
  db: Db,
  orgId: OrgId,
  connectorId: ConnectorId,
  { code, message }: { code: string; message: string },
) =>
  db.row<MetadataRow>(sql`
    update sso_saml_metadata m set checked_at = now(), failure_code = ${code}, failure = ${message}
    where m.org_id = ${orgId} and m.connector_id = ${connectorId} returning ${columns}`);

/** Remembers an accepted assertion until it has expired. Returns false for one that was accepted before. */
export const useAssertion = async (
  db: Db,
  orgId: OrgId,
  connectorId: ConnectorId,
  assertionId: string,
  until: number,
): Promise<boolean> =>
  (await db.run(sql`
    insert into sso_used_assertions (connector_id, org_id, assertion_id, expires_at)
    values (${connectorId}, ${orgId}, ${assertionId}, to_timestamp(${until}::float8 / 1000))
    on conflict (connector_id, assertion_id) do nothing`)) > 0;

/** Returns false when the warning was given before. */
export const insertCertificateNotice = async (
  db: Db,
  orgId: OrgId,
  connectorId: ConnectorId,
  fingerprint: string,
  days: number,
): Promise<boolean> =>
  (await db.run(sql`
    insert into sso_certificate_notices (connector_id, org_id, fingerprint, days)
    values (${connectorId}, ${orgId}, ${fingerprint}, ${days})
    on conflict (connector_id, fingerprint, days) do nothing`)) > 0;
