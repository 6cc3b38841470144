import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isNotSuspended } from "../../suspension/index.ts";

type ConnectorId = Id<"con">;

/** Which connectors an event may concern. */
export interface EventScope {
  /** Connectors of these code hosts. */
  codehosts: readonly string[];
  /** Only this connector: the URL named it, and its secret verified the delivery. */
  connectorId: string | null;
  /** Only connectors of this organization. */
  orgId: string | null;
}

/** A connector that an event concerns. */
export interface EventTarget {
  connectorId: ConnectorId;
  orgId: OrgId;
  ref: string;
  installationId: string | null;
  cloneUrl: string;
}

const targetColumns = sql`c.id as "connectorId", c.org_id as "orgId", c.ref, c.installation_id as "installationId",
  c.clone_url as "cloneUrl"`;

/** Connector `c` is in the scope, and its organization is not suspended. */
const isInScope = ({ codehosts, connectorId, orgId }: EventScope) => sql`
  c.codehost = any(${codehosts}::text[]) and ${isNotSuspended(sql`c.org_id`)}
  ${connectorId === null ? emptySql : sql`and c.id = ${connectorId}`}
  ${orgId === null ? emptySql : sql`and c.org_id = ${orgId}`}`;

/** Locked, so that none is removed before the transaction ends. */
export const listByRefAcrossOrganizations = (
  db: Db,
  scope: EventScope,
  repository: string,
  refs: readonly string[],
) =>
  db.rows<EventTarget>(sql`
    select ${targetColumns} from connectors c
    where c.repository_key = ${repository.toLowerCase()} and c.ref = any(${refs}::text[])
      and c.status = 'active' and ${isInScope(scope)}
    order by c.id for key share`);

/** All connectors of the repository, also those that are not active: the name changes for all. */
export const listByRepositoryAcrossOrganizations = (db: Db, scope: EventScope, repository: string) =>
  db.rows<EventTarget>(sql`
    select ${targetColumns} from connectors c
    where c.repository_key = ${repository.toLowerCase()} and ${isInScope(scope)}
    order by c.id for no key update`);

/** Null `repositories` means all repositories of the installation. */
export const listByInstallationAcrossOrganizations = (
  db: Db,
  scope: EventScope,
  installationId: string,
  repositories: readonly string[] | null,
) =>
  db.rows<EventTarget>(sql`
    select ${targetColumns} from connectors c
    where c.installation_id = ${installationId} and ${isInScope(scope)}
      ${
        repositories === null
          ? emptySql
          : sql`and c.repository_key = any(${repositories.map((name) => name.toLowerCase())}::text[])`
      }
    order by c.id for no key update`);

/** Undefined when the connector was removed. Otherwise it stays until the transaction ends. */
export const lockTarget = (db: Db, orgId: OrgId, id: ConnectorId) =>
  db.row<EventTarget>(sql`
    select ${targetColumns} from connectors c where c.org_id = ${orgId} and c.id = ${id} for key share`);

const listIds = (targets: readonly EventTarget[]) => targets.map(({ connectorId }) => connectorId);

/** Connectors that a person disabled stay disabled. The newest reason replaces an earlier one. */
export const disconnectAcrossOrganizations = (db: Db, targets: readonly EventTarget[], reason: string) =>
  db.rows<{ connectorId: ConnectorId; orgId: OrgId; syncedAt: number | null }>(sql`
    update connectors set status = 'disconnected', status_reason = ${reason}, updated_at = now()
    where id = any(${listIds(targets)}::text[]) and status <> 'disabled'
    returning id as "connectorId", org_id as "orgId", synced_at as "syncedAt"`);

/** Activates the connectors that were disconnected for this reason. */
export const reconnectAcrossOrganizations = (db: Db, targets: readonly EventTarget[], reason: string) =>
  db.rows<{ connectorId: ConnectorId }>(sql`
    update connectors set status = 'active', status_reason = null, updated_at = now()
    where id = any(${listIds(targets)}::text[]) and status = 'disconnected' and status_reason = ${reason}
    returning id as "connectorId"`);

/** Null when the path does not end in the old name. */
const renamedUrl = (from: string, to: string) => sql`
  case when lower(right(clone_url, ${from.length}::int)) = ${from.toLowerCase()}
    and left(clone_url, ${-from.length}::int) ~ '^https?://[^/]+/([^/]+/)*$'
  then left(clone_url, ${-from.length}::int) || ${to}::text end`;

/**
 * Changes the clone URL too, if its path ends in the old name. The server never changes, because a connector's token is
 * only for that server.
 */
export const renameAcrossOrganizations = (
  db: Db,
  targets: readonly EventTarget[],
  from: string,
  to: string,
) =>
  db.run(sql`
    update connectors set repository = ${to}, repository_key = ${to.toLowerCase()}, updated_at = now(),
      clone_url = coalesce(${renamedUrl(from, to)}, ${renamedUrl(`${from}.git`, `${to}.git`)}, clone_url)
    where id = any(${listIds(targets)}::text[])`);
