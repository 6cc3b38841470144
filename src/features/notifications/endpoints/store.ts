import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { EventType } from "../facts.ts";
import type { WebhookEndpoint } from "./contract.ts";

export type EndpointId = Id<"whe">;

const columns = sql`e.id, e.url, e.description, e.types, e.status, e.disabled_reason as "disabledReason",
  e.disabled_at as "disabledAt", e.failing_since as "failingSince", e.last_succeeded_at as "lastSucceededAt",
  case when e.previous_secret_expires_at > now() then e.previous_secret_expires_at end as "previousSecretExpiresAt",
  e.created_by as "createdBy", e.created_at as "createdAt", e.updated_at as "updatedAt"`;

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<WebhookEndpoint>(sql`
    select ${columns} from webhook_endpoints e where e.org_id = ${orgId} and e.id < ${after}
    order by e.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, id: EndpointId) =>
  db.row<WebhookEndpoint>(
    sql`select ${columns} from webhook_endpoints e where e.org_id = ${orgId} and e.id = ${id}`,
  );

/**
 * Locks the endpoint until the transaction ends, so that no event is queued for it meanwhile. Code that changes its
 * deliveries too locks it first.
 */
export const lock = (tx: Db, orgId: OrgId, id: EndpointId) =>
  tx.row<WebhookEndpoint & { secret: string }>(sql`
    select ${columns}, e.secret from webhook_endpoints e
    where e.org_id = ${orgId} and e.id = ${id} for update`);

export interface EndpointFields {
  url: string;
  description: string;
  types: readonly EventType[];
}

export const insert = (
  tx: Db,
  orgId: OrgId,
  {
    id,
    url,
    description,
    types,
    secret,
    createdBy,
  }: EndpointFields & { id: EndpointId; secret: string; createdBy: string },
) =>
  tx.row<WebhookEndpoint>(sql`
    insert into webhook_endpoints as e (id, org_id, url, description, types, secret, created_by)
    values (${id}, ${orgId}, ${url}, ${description}, ${types}::text[], ${secret}, ${createdBy})
    returning ${columns}`);

/** With another URL, the series of failures of the earlier one ends. */
export const update = (tx: Db, orgId: OrgId, id: EndpointId, { url, description, types }: EndpointFields) =>
  tx.run(sql`
    update webhook_endpoints set url = ${url}, description = ${description}, types = ${types}::text[],
      failures = case when url = ${url} then failures else 0 end,
      failing_since = case when url = ${url} then failing_since end, updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

/** Those of the types that stored deliveries of the endpoint have. */
export const listDeliveredTypes = async (
  db: Db,
  orgId: OrgId,
  id: EndpointId,
  types: readonly EventType[],
): Promise<EventType[]> =>
  (
    await db.rows<{ type: EventType }>(sql`
      select t.type from unnest(${types}::text[]) t (type) where exists (
        select from webhook_endpoint_deliveries d
        where d.org_id = ${orgId} and d.endpoint_id = ${id} and d.type = t.type)`)
  ).map(({ type }) => type);

/** Enables the endpoint. Earlier failures do not count any more. */
export const enable = (tx: Db, orgId: OrgId, id: EndpointId) =>
  tx.run(sql`
    update webhook_endpoints set status = 'enabled', disabled_reason = null, disabled_at = null, failing_since = null,
      failures = 0, updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const disable = (
  tx: Db,
  orgId: OrgId,
  id: EndpointId,
  reason: NonNullable<WebhookEndpoint["disabledReason"]>,
) =>
  tx.run(sql`
    update webhook_endpoints set status = 'disabled', disabled_reason = ${reason}, disabled_at = now(),
      updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const remove = (tx: Db, orgId: OrgId, id: EndpointId) =>
  tx.run(sql`delete from webhook_endpoints where org_id = ${orgId} and id = ${id}`);

export const setSecrets = (
  tx: Db,
  orgId: OrgId,
  id: EndpointId,
  { secret, previous, overlapSeconds }: { secret: string; previous: string | null; overlapSeconds: number },
) =>
  tx.run(sql`
    update webhook_endpoints set secret = ${secret}, previous_secret = ${previous}, updated_at = now(),
      previous_secret_expires_at = case when ${previous}::text is not null
        then now() + make_interval(secs => ${overlapSeconds}::int) end
    where org_id = ${orgId} and id = ${id}`);

/** Lists and locks the enabled endpoints that get events of this type. A change of one waits until the event is queued. */
export const listEnabled = (db: Db, orgId: OrgId, type: string) =>
  db.rows<{ id: EndpointId }>(sql`
    select id from webhook_endpoints
    where org_id = ${orgId} and status = 'enabled' and (types = '{}' or ${type} = any(types))
    order by id for key share`);

/** Records a success, at most once a minute while the endpoint works: it may get many events a second. */
export const recordSuccess = (db: Db, orgId: OrgId, id: EndpointId) =>
  db.run(sql`
    update webhook_endpoints set failing_since = null, failures = 0, last_succeeded_at = now()
    where org_id = ${orgId} and id = ${id} and (failing_since is not null or last_succeeded_at is null
      or last_succeeded_at < now() - interval '1 minute')`);

interface FailedEndpoint {
  url: string;
  /** The URL was changed during the attempt. The failure is not counted, because it says nothing about the new URL. */
  isMoved: boolean;
  failures: number;
  failingDays: number;
}

/**
 * Counts one more failure in a row of this URL, and locks the row until the transaction ends. Undefined when the endpoint
 * is removed or disabled.
 */
export const recordFailure = (tx: Db, orgId: OrgId, id: EndpointId, url: string) =>
  tx.row<FailedEndpoint>(sql`
    update webhook_endpoints set failures = case when url = ${url} then failures + 1 else failures end,
      failing_since = case when url = ${url} then coalesce(failing_since, now()) else failing_since end
    where org_id = ${orgId} and id = ${id} and status = 'enabled'
    returning url, url <> ${url} as "isMoved", failures,
      coalesce(extract(epoch from now() - failing_since)::float8 / 86400, 0) as "failingDays"`);

/** Deletes previous secrets that have expired. */
export const removeOldSecretsAcrossOrganizations = (db: Db) =>
  db.run(sql`
    update webhook_endpoints set previous_secret = null, previous_secret_expires_at = null
    where previous_secret_expires_at < now()`);
