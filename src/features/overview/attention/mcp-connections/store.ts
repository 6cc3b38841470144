import type { MemberId, OrgId } from "../../../../platform/context.ts";
import { type Db, sql } from "../../../../platform/db/index.ts";
import { mineStateOf } from "../../../mcp-connections/index.ts";

/** Connections that fail their checks, or whose tools wait for approval. */
export const listTroubled = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{
    id: string;
    name: string;
    isFailing: boolean;
    heldTools: number;
    code: string | null;
    message: string | null;
    failingSince: number | null;
    changedAt: number | null;
    ownerId: string | null;
    ownerName: string | null;
  }>(sql`
    select c.id, c.name, c.health = 'failing' as "isFailing", c.held_tools as "heldTools", c.health_code as code,
      c.health_message as message, c.health_since as "failingSince",
      (select max(t.changed_at) from mcp_tools t where t.connection_id = c.id and t.drift <> '{}') as "changedAt",
      c.created_by as "ownerId",
      (select u.name from members m join users u on u.id = m.user_id where m.id = c.created_by) as "ownerName"
    from mcp_connections c
    where c.org_id = ${orgId} and c.enabled and (c.held_tools > 0 or c.health = 'failing')
    order by c.id desc limit ${limit}`);

/**
 * Connections whose server refused the credential of a member, or the shared one. `memberId` null: of all members.
 * Members are counted per connection.
 */
export const listRefused = (db: Db, orgId: OrgId, memberId: MemberId | null, limit: number) =>
  db.rows<{
    id: string;
    name: string;
    state: "sign_in" | "needs_consent";
    count: number;
    since: number | null;
    reason: string | null;
  }>(sql`
    select c.id, c.name, k.state, count(*)::int as count, min(k.since) as since, max(h.reason) as reason
    from (
      select s.connection_id, s.member_id, s.reason from mcp_member_states s
      where s.org_id = ${orgId} and (${memberId}::text is null or s.member_id = ${memberId}::text)
      union all
      select p.mcp_connection_id, o.member_id, o.reason from oauth_connections o
      join oauth_providers p on p.org_id = o.org_id and p.id = o.provider_id and p.mcp_connection_id is not null
      where o.org_id = ${orgId} and o.status = 'needs_reconnect'
        and (${memberId}::text is null or o.member_id = ${memberId}::text)
        and not exists (select from mcp_member_states s where s.connection_id = p.mcp_connection_id
          and s.member_id is not distinct from o.member_id)) h
    join mcp_connections c on c.id = h.connection_id cross join lateral ${mineStateOf(sql`h.member_id`)} k
    where c.enabled and k.state in ('sign_in', 'needs_consent')
    group by c.id, c.name, k.state order by c.id desc, k.state limit ${limit}`);

/** Calls that wait for a person, the oldest first. */
export const listPendingApprovals = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{
    id: string;
    tool: string;
    connectionId: string;
    connectionName: string | null;
    since: number;
    dueAt: number;
    ownerId: string | null;
    ownerName: string | null;
  }>(sql`
    select a.id, a.tool, a.connection_id as "connectionId",
      (select c.name from mcp_connections c where c.org_id = a.org_id and c.id = a.connection_id) as "connectionName",
      a.created_at as since, a.expires_at as "dueAt", a.member_id as "ownerId",
      (select u.name from members m join users u on u.id = m.user_id where m.id = a.member_id) as "ownerName"
    from mcp_approvals a
    where a.org_id = ${orgId} and a.status = 'pending' and a.expires_at > now() order by a.id limit ${limit}`);
