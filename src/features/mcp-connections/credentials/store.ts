import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
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
    join members m on m.org_id = c.org_id and m.deactivated_at is null
    join users u on u.id = m.user_id
    cross join lateral (
      select own.*, ${isGranted({ memberId: sql`m.id`, runId: null })} as may_use from ${mineStateOf(sql`m.id`)} own) mine
    where c.org_id = ${orgId} and c.id = ${id} and m.id < ${after}
      and (mine.may_use or (c.credential = 'per_member' and mine.state not in ('not_connected', 'not_needed')))
    order by m.id desc limit ${limit}`);

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
