import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { ScimCall } from "./contract.ts";

/** How many calls are kept for each connector. */
export const maxCalls = 200;

export interface NewCall extends ScimCall {
  connectorId: string;
}

/** Inserts the calls of connectors that still exist. */
export const insertAcrossOrganizations = (db: Db, calls: readonly NewCall[]) =>
  db.run(sql`
    insert into scim_calls (id, org_id, connector_id, method, path, status, error, duration_ms, request_id, called_at)
    select g.id, c.org_id, c.id, g.method, g.path, g.status, g.error, g."durationMs", g."requestId",
      to_timestamp(g."calledAt" / 1000.0)
    from json_to_recordset(${JSON.stringify(calls)}::text::json)
      as g(id text, "connectorId" text, method text, path text, status int, error text, "durationMs" int,
        "requestId" text, "calledAt" bigint)
    join scim_connectors c on c.id = g."connectorId"`);

export const trimAcrossOrganizations = (db: Db, connectorIds: readonly string[]) =>
  db.run(sql`
    delete from scim_calls where id in (
      select r.id from unnest(${connectorIds}::text[]) as g(connector_id) cross join lateral (
        select id from scim_calls where connector_id = g.connector_id order by id desc offset ${maxCalls}::int) r)`);

export interface CallCounts {
  connectorId: string;
  calls: number;
  errors: number;
  lastCallAt: number;
  lastErrorAt: number | null;
  lastError: string | null;
}

/** Times only move forward, because several processes write them. */
export const countAcrossOrganizations = (db: Db, counts: readonly CallCounts[]) =>
  db.run(sql`
    update scim_connectors c set calls = c.calls + g.calls, errors = c.errors + g.errors,
      last_call_at = greatest(c.last_call_at, to_timestamp(g."lastCallAt" / 1000.0)),
      last_error_at = greatest(c.last_error_at, to_timestamp(g."lastErrorAt" / 1000.0)),
      last_error = case when g."lastErrorAt" is not null
        and to_timestamp(g."lastErrorAt" / 1000.0) >= coalesce(c.last_error_at, '-infinity') then g."lastError" else c.last_error end
    from json_to_recordset(${JSON.stringify(counts)}::text::json) as g("connectorId" text, calls int, errors int,
      "lastCallAt" bigint, "lastErrorAt" bigint, "lastError" text)
    where c.id = g."connectorId"`);

export const recordTokenUseAcrossOrganizations = (db: Db, ids: readonly string[]) =>
  db.run(sql`update scim_tokens set last_used_at = now() where id = any(${ids}::text[])`);

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<ScimCall>(sql`
    select id, method, path, status, error, duration_ms as "durationMs", request_id as "requestId",
      called_at as "calledAt"
    from scim_calls where org_id = ${orgId} and id < ${after} order by id desc limit ${limit}`);
