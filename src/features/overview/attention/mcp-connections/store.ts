import type { MemberId, OrgId } from "../../../../platform/context.ts";
import { type Db, sql } from "../../../../platform/db/index.ts";

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
    since: number;
    reason: string | null;
  }>(sql`
    select c.id, c.name, s.state, count(*)::int as count, min(s.since) as since, max(s.reason) as reason
    from mcp_member_states s join mcp_connections c on c.id = s.connection_id
    where s.org_id = ${orgId} and c.enabled and (${memberId}::text is null or s.member_id = ${memberId}::text)
    group by c.id, c.name, s.state order by c.id desc, s.state limit ${limit}`);

/** Calls that wait for a person, the oldest first. */
export const listPendingApprovals = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{
    id: string;
    tool: string;
    connectionId: string;
    since: number;
    dueAt: number;
    ownerId: string | null;
    ownerName: string | null;
  }>(sql`
    select a.id, a.tool, a.connection_id as "connectionId", a.created_at as since, a.expires_at as "dueAt",
      a.member_id as "ownerId",
      (select u.name from members m join users u on u.id = m.user_id where m.id = a.member_id) as "ownerName"
    from mcp_approvals a
    where a.org_id = ${orgId} and a.status = 'pending' and a.expires_at > now() order by a.id limit ${limit}`);
