import type { OrgId } from "../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../platform/db/index.ts";
import { isGranted } from "../grants/index.ts";
import { mineStateOf } from "../member-states/index.ts";
import type { ConnectionId } from "../model.ts";
import type { McpConnectionMember } from "./contract.ts";

/** Members who may use the connection, or have a credential of it, by id. */
export const listMembers = (db: Db, orgId: OrgId, id: ConnectionId, after: string, limit: number) =>
  db.rows<McpConnectionMember & { id: string }>(sql`
    select m.id, m.id as "memberId", u.name, mine.may_use as "mayUse", mine.state,
      mine.missing_scopes as "missingScopes", mine.account, mine.since, mine.last_used_at as "lastUsedAt"
    from mcp_connections c
    cross join lateral (${listCandidates(after, limit)}) p
    join members m on m.id = p.id
    join users u on u.id = m.user_id
    cross join lateral (
      select own.*, ${isGranted({ memberId: sql`m.id`, runId: sql`null` })} as may_use from ${mineStateOf(sql`m.id`)} own) mine
    where c.org_id = ${orgId} and c.id = ${id}
    order by m.id desc limit ${limit}`);

/**
 * The ids of a page of the members whom `mcp_connections c` concerns. Each part stops after a page, so that a large
 * organization is not read as a whole.
 */
const listCandidates = (after: string, limit: number): Sql => {
  const isWanted = sql`m.org_id = c.org_id and m.deactivated_at is null and m.id < ${after}
    order by m.id desc limit ${limit}`;
  return sql`
    (select m.id from members m where exists (
      select from mcp_connection_grants g where g.connection_id = c.id and g.subject_kind = 'organization')
      and ${isWanted})
    union
    (select m.id from mcp_connection_grants g join members m on m.id = g.member_id
      where g.connection_id = c.id and ${isWanted})
    union
    (select m.id from mcp_connection_grants g join team_members x on x.team_id = g.team_id
      join members m on m.id = x.member_id where g.connection_id = c.id and ${isWanted})
    union
    (select m.id from oauth_connections o join members m on m.id = o.member_id
      where c.credential = 'per_member' and o.org_id = c.org_id and o.provider_id = c.provider_id
        and o.status <> 'ended' and not o.shared and ${isWanted})
    union
    (select m.id from mcp_credentials k join members m on m.id = k.member_id
      where c.credential = 'per_member' and k.connection_id = c.id and ${isWanted})
    order by id desc limit ${limit}`;
};

/** The scopes that the live account of a member, or the shared one, was granted. */
export const findGrantedScopes = async (
  db: Db,
  orgId: OrgId,
  providerId: string,
  memberId: string | null,
): Promise<string[]> =>
  (
    await db.row<{ scopes: string[] }>(sql`
      select t.scopes from oauth_connections o join oauth_tokens t on t.id = o.token_id
      where o.org_id = ${orgId} and o.provider_id = ${providerId} and o.status <> 'ended'
        and o.shared = (${memberId}::text is null) and (o.shared or o.member_id = ${memberId})`)
  )?.scopes ?? [];
