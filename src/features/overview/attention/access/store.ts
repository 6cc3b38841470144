import type { OrgId } from "../../../../platform/context.ts";
import { type Db, sql } from "../../../../platform/db/index.ts";

/** Keys that expire within seven days and that no newer key replaces. `memberId` null: of all members. */
export const listExpiringKeys = (db: Db, orgId: OrgId, memberId: string | null, limit: number) =>
  db.rows<{ id: string; name: string; ownerId: string; ownerName: string; dueAt: number | null }>(sql`
    select k.id, k.name, k.member_id as "ownerId", u.name as "ownerName", k.expires_at as "dueAt"
    from api_keys k join members m on m.id = k.member_id join users u on u.id = m.user_id
    where k.org_id = ${orgId} and k.expires_at > now() and k.expires_at < now() + interval '7 days'
      and k.replaced_by is null and (${memberId}::text is null or k.member_id = ${memberId})
    order by k.expires_at limit ${limit}`);

/** Open invitations that expire within two days. */
export const listExpiringInvitations = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{ id: string; email: string; since: number; dueAt: number }>(sql`
    select i.id, i.email, i.sent_at as since, i.expires_at as "dueAt" from invitations i
    where i.org_id = ${orgId} and i.accepted_at is null and i.cancelled_at is null
      and i.expires_at > now() and i.expires_at < now() + interval '2 days'
    order by i.expires_at limit ${limit}`);

/** Verified domains whose record was not found lately. */
export const listFailingDomains = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{ id: string; domain: string; since: number | null }>(sql`
    select d.id, d.domain, d.failing_since as since from sso_domains d
    where d.org_id = ${orgId} and d.verified_at is not null and d.failing_since is not null
    order by d.failing_since limit ${limit}`);

/** The directory, when the last of its tokens expires within fourteen days. */
export const findExpiringDirectory = (db: Db, orgId: OrgId) =>
  db.row<{ id: string; name: string; dueAt: number | null }>(sql`
    select c.id, c.name, t.expires_at as "dueAt" from scim_connectors c cross join lateral (
      select t.expires_at from scim_tokens t where t.connector_id = c.id
      order by t.expires_at desc nulls first limit 1) t
    where c.org_id = ${orgId} and c.disabled_at is null and t.expires_at < now() + interval '14 days'`);
