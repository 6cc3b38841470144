import type { OrgId } from "../../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../../platform/db/index.ts";
import { isAccount, isUsableBy } from "../../../connection-grants/index.ts";

/** A day before its end, an account that cannot be refreshed counts as expiring. */
const isEnding = sql`t.refresh_token is null and t.revoke_state is null and t.expires_at is not null
  and t.expires_at < now() + interval '1 day'`;

/** The ids of connections in `source` that the member may read, at most `limit`. */
const findIds = (orgId: OrgId, memberId: string | null, limit: number, source: Sql) => sql`(
  select c.id from ${source}
  where c.org_id = ${orgId} and ${isAccount}
    and (${memberId}::text is null or ${isUsableBy(sql`${memberId}`)}) limit ${limit})`;

const toReconnect = (orgId: OrgId) =>
  sql`(select * from oauth_connections where org_id = ${orgId} and status = 'needs_reconnect') c`;

/** Begins with the tokens: a plain join could read all connections of the organization. */
const withToken = (orgId: OrgId, condition: Sql) => sql`
  unnest(array(select t.id from oauth_tokens t where t.org_id = ${orgId} and ${condition} limit 1000)) k (id)
  cross join lateral (
    select * from oauth_connections where token_id = k.id and status <> 'ended' limit 1) c`;

/** Live connections with a problem. `memberId` null: of all members. */
export const listTroubled = (db: Db, orgId: OrgId, memberId: string | null, limit: number) =>
  db.rows<{
    id: string;
    label: string;
    providerId: string;
    /** Null for a provider of the catalogue. */
    customName: string | null;
    ownerId: string | null;
    ownerName: string | null;
    status: "needs_reconnect" | "uncertain" | "expires";
    reason: string | null;
    since: number | null;
    expiresAt: number | null;
  }>(sql`
    select c.id, coalesce(c.account_name, c.label) as label, c.provider_id as "providerId", c.member_id as "ownerId",
      (select p.name from oauth_providers p where p.org_id = c.org_id and p.id = c.provider_id) as "customName",
      (select u.name from members m join users u on u.id = m.user_id where m.id = c.member_id) as "ownerName",
      case when c.status = 'needs_reconnect' or t.expires_at <= now() and t.refresh_token is null
        then 'needs_reconnect' when t.refresh_state = 'uncertain' then 'uncertain' else 'expires' end as status,
      c.reason, (select max(e.created_at) from oauth_connection_events e where e.connection_id = c.id) as since,
      t.expires_at as "expiresAt"
    from oauth_connections c join oauth_tokens t on t.id = c.token_id
    where c.id = any(array(
      ${findIds(orgId, memberId, limit, toReconnect(orgId))}
      union ${findIds(orgId, memberId, limit, withToken(orgId, sql`t.refresh_state = 'uncertain'`))}
      union ${findIds(orgId, memberId, limit, withToken(orgId, isEnding))}))
    order by c.status = 'needs_reconnect' desc, c.id desc limit ${limit}`);

/** How many automations that are not archived use each of these connections. */
export const countAutomations = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{ id: string; count: number }>(sql`
    select g.id, count(*)::int as count from automations a
    join automation_revisions v on v.automation_id = a.id and v.revision = a.revision
    cross join lateral unnest(v.connection_ids) g (id)
    where a.org_id = ${orgId} and a.status <> 'archived' and g.id = any(${ids}::text[]) group by 1`);

/** Of the newest endpoints, those that fail, or that were disabled because they did. An organization has few. */
export const listFailingEndpoints = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{
    id: string;
    url: string;
    isDisabled: boolean;
    reason: string | null;
    failures: number;
    since: number | null;
  }>(sql`
    select e.id, e.url, e.status = 'disabled' as "isDisabled", e.disabled_reason as reason, e.failures,
      coalesce(e.disabled_at, e.failing_since) as since
    from (select * from webhook_endpoints where org_id = ${orgId} order by id desc limit 100) e
    where e.disabled_reason in ('failing', 'gone') or e.status = 'enabled' and e.failing_since is not null
    order by e.id desc limit ${limit}`);

/** Keys in use whose last test found a problem. */
export const listRefusedKeys = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{
    id: string;
    name: string;
    providerId: string;
    verdict: string | null;
    message: string | null;
    since: number | null;
  }>(sql`
    select k.id, p.name || ' · ' || k.name as name, k.provider_id as "providerId", k.last_verdict as verdict,
      k.last_message as message, k.last_tested_at as since
    from llm_provider_keys k join llm_providers p on p.id = k.provider_id
    where k.org_id = ${orgId} and p.enabled and k.disabled_at is null and k.retires_at is null
      and k.last_verdict in ('refused', 'quota_exhausted', 'wrong_address', 'blocked_by_egress')
    order by k.last_tested_at desc limit ${limit}`);
