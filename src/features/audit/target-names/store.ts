import type { OrgId } from "../../../platform/context.ts";
import { type Db, filterOrder, sql } from "../../../platform/db/index.ts";

/** How many of the newest entries about a deleted record are examined for its name. */
const examinedEntries = 20;
/** As stored: an entry with larger states is passed over. */
const maxStateBytes = 8_192;

/**
 * The names that records have now. A deleted record has the name from the newest entries about it, and a removed
 * member the name from the newest entry that they caused.
 */
export const listNames = (db: Db, orgId: OrgId, targets: readonly { type: string; id: string }[]) =>
  db.rows<{ id: string; type: string; name: string | null }>(sql`
    select t.id, t.type, coalesce(
      case t.type
        when 'api_key' then (select r.name from api_keys r where r.org_id = ${orgId} and r.id = t.id)
        when 'automation' then (
          select v.name from automations r join automation_revisions v on v.automation_id = r.id and v.revision = r.revision
          where r.org_id = ${orgId} and r.id = t.id)
        when 'automation_run' then (
          select v.name from automation_runs r
          join automation_revisions v on v.automation_id = r.automation_id and v.revision = r.revision
          where r.org_id = ${orgId} and r.id = t.id)
        when 'automation_runner' then (
          select r.name from automation_runners r where r.org_id = ${orgId} and r.id = t.id)
        when 'connector' then (select r.name from connectors r where r.org_id = ${orgId} and r.id = t.id)
        when 'invitation' then (select r.email from invitations r where r.org_id = ${orgId} and r.id = t.id)
        when 'llm_price' then (select r.model from llm_prices r where r.org_id = ${orgId} and r.id = t.id)
        when 'llm_provider' then (select r.name from llm_providers r where r.org_id = ${orgId} and r.id = t.id)
        when 'mcp_approval' then (select r.tool from mcp_approvals r where r.org_id = ${orgId} and r.id = t.id)
        when 'mcp_client' then (
          select r.client_name from mcp_client_grants r where r.org_id = ${orgId} and r.id = t.id)
        when 'mcp_connection' then (select r.name from mcp_connections r where r.org_id = ${orgId} and r.id = t.id)
        when 'mcp_token' then (select r.name from mcp_tokens r where r.org_id = ${orgId} and r.id = t.id)
        when 'member' then (
          select u.name from members r join users u on u.id = r.user_id where r.org_id = ${orgId} and r.id = t.id)
        when 'oauth_connection' then (
          select coalesce(r.account_name, r.label) from oauth_connections r where r.org_id = ${orgId} and r.id = t.id)
        when 'organization' then (select o.name from organizations o where o.id = ${orgId} and o.id = t.id)
        when 'role' then (select r.name from roles r where r.org_id = ${orgId} and r.id = t.id)
        when 'scim_connector' then (select r.name from scim_connectors r where r.org_id = ${orgId} and r.id = t.id)
        when 'scim_group' then (select r.display_name from scim_groups r where r.org_id = ${orgId} and r.id = t.id)
        when 'scim_user' then (select r.user_name from scim_users r where r.org_id = ${orgId} and r.id = t.id)
        when 'sso_connector' then (select r.name from sso_connectors r where r.org_id = ${orgId} and r.id = t.id)
        when 'sso_domain' then (select r.domain from sso_domains r where r.org_id = ${orgId} and r.id = t.id)
        when 'sso_identity' then (select r.email from sso_identities r where r.org_id = ${orgId} and r.id = t.id)
        when 'team' then (select r.name from teams r where r.org_id = ${orgId} and r.id = t.id)
        when 'template' then (select r.name from templates r where r.org_id = ${orgId} and r.id = t.id)
        when 'user' then (
          select u.name from members r join users u on u.id = r.user_id where r.org_id = ${orgId} and r.user_id = t.id)
        when 'webhook_endpoint' then (
          select r.url from webhook_endpoints r where r.org_id = ${orgId} and r.id = t.id)
        when 'worker' then (select r.name from workers r where r.org_id = ${orgId} and r.id = t.id)
        when 'worker_registration_token' then (
          select r.name from worker_registration_tokens r where r.org_id = ${orgId} and r.id = t.id)
        when 'worker_rollout' then (select r.version from worker_rollouts r where r.org_id = ${orgId} and r.id = t.id)
      end,
      case when t.type = 'member' then (
        select e.actor_name from audit_events e where e.scope = ${orgId} and e.actor_member_id = t.id
        order by ${filterOrder(sql`e.id`)} desc limit 1)
      end) as name
    from unnest(${targets.map(({ id }) => id)}::text[], ${targets.map(({ type }) => type)}::text[]) as t (id, type)`);

/** The newest entries about each record, newest first. */
export const listNewestEntries = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{
    action: string;
    targetType: string;
    targetId: string;
    before: string | null;
    after: string | null;
  }>(sql`
    select e.action, e.target_type as "targetType", t.id as "targetId", e.before::text as before, e.after::text as after
    from unnest(${ids}::text[]) as t (id) cross join lateral (
      select * from audit_events a where a.scope = ${orgId} and a.target_id = t.id
      order by ${filterOrder(sql`a.id`)} desc limit ${examinedEntries}) e
    -- Large states are not read for a name.
    where coalesce(pg_column_size(e.before), 0) + coalesce(pg_column_size(e.after), 0) < ${maxStateBytes}::int
    order by t.id, e.id desc`);

/** The names of accounts and organizations, for the log of the instance. */
export const listInstanceNamesAcrossOrganizations = (db: Db, ids: readonly string[]) =>
  db.rows<{ id: string; name: string }>(sql`
    select u.id, u.name from users u where u.id = any(${ids}::text[])
    union all
    select o.id, o.name from organizations o where o.id = any(${ids}::text[])`);
