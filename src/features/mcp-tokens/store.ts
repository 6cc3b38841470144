import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, nothing, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import type { MembershipRow } from "../permissions/index.ts";
import type { McpToken } from "./contract.ts";

export type McpTokenId = Id<"mcp">;

const columns = sql`t.id, t.name, t.start, t.member_id as "memberId", t.scopes, t.expires_at as "expiresAt",
  t.last_used_at as "lastUsedAt", t.created_at as "createdAt"`;

interface NewToken {
  id: McpTokenId;
  memberId: MemberId;
  name: string;
  start: string;
  tokenHash: string;
  scopes: readonly string[];
  days: number;
}

export const insert = (db: Db, orgId: OrgId, token: NewToken) =>
  db.row<McpToken>(sql`
    insert into mcp_tokens as t (id, org_id, member_id, name, start, token_hash, scopes, expires_at)
    values (${token.id}, ${orgId}, ${token.memberId}, ${token.name}, ${token.start}, ${token.tokenHash},
      ${token.scopes}::text[], now() + make_interval(days => ${token.days}))
    returning ${columns}`);

const ofMember = (memberId: MemberId | null) => (memberId ? sql`and t.member_id = ${memberId}` : nothing);

/** `memberId` null: of every member. */
export const list = (db: Db, orgId: OrgId, memberId: MemberId | null, after: string, limit: number) =>
  db.rows<McpToken>(sql`
    select ${columns} from mcp_tokens t where t.org_id = ${orgId} and t.id < ${after} ${ofMember(memberId)}
    order by t.id desc limit ${limit}`);

export const remove = (db: Db, orgId: OrgId, memberId: MemberId | null, id: McpTokenId) =>
  db.row<McpToken>(sql`
    delete from mcp_tokens t where t.org_id = ${orgId} and t.id = ${id} ${ofMember(memberId)} returning ${columns}`);

interface TokenRow extends MembershipRow {
  id: McpTokenId;
  userId: UserId;
  scopes: string[];
}

/** Everything a request by such a token needs to know, in the one statement it starts with. */
export const findMcpTokenByToken = (db: Db, tokenHash: string) =>
  db.row<TokenRow>(sql`
    select t.id, t.scopes, m.user_id as "userId", m.id as "memberId", m.org_id as "orgId", m.role,
      r.permissions as "rolePermissions",
      o.session_max_age_minutes as "sessionMaxAgeMinutes", o.require_sso as "requireSso"
    from mcp_tokens t
    join members m on m.id = t.member_id and m.org_id = t.org_id
    join organizations o on o.id = m.org_id
    left join roles r on r.id = m.role and r.org_id = m.org_id
    where t.token_hash = ${tokenHash} and t.expires_at > now()`);

/** For many at once; a row that somebody is changing is left alone. */
export const touchMcpTokensOfAll = (db: Db, ids: string[]) =>
  db.run(sql`update mcp_tokens set last_used_at = now()
    where id in (select id from mcp_tokens where id = any(${ids}::text[]) for update skip locked)`);

/** Tokens that ended a month ago: nobody asks any more why they stopped working. */
export const removeOldOfAll = (db: Db) =>
  db.run(sql`delete from mcp_tokens where expires_at < now() - interval '30 days'`);

/** Deletes every token of a person, in every organization. Returns one row per token. */
export const removeMcpTokensOfUser = (db: Db, userId: UserId) =>
  db.rows<{ orgId: OrgId; memberId: MemberId }>(sql`
    delete from mcp_tokens t using members m where m.id = t.member_id and m.user_id = ${userId}
    returning t.org_id as "orgId", t.member_id as "memberId"`);
