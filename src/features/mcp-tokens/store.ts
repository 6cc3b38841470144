import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, emptySql, reuseStatement, type Sql, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import {
  customRole,
  isActiveMember,
  type MembershipRow,
  membershipColumns,
  recordUseAcrossOrganizations,
} from "../credentials/index.ts";
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

const filterByMember = (memberId: MemberId | null) =>
  memberId ? sql`and t.member_id = ${memberId}` : emptySql;

/** Lists the tokens of every member when `memberId` is null. */
export const list = (db: Db, orgId: OrgId, memberId: MemberId | null, after: string, limit: number) =>
  db.rows<McpToken>(sql`
    select ${columns} from mcp_tokens t where t.org_id = ${orgId} and t.id < ${after} ${filterByMember(memberId)}
    order by t.id desc limit ${limit}`);

export const remove = (db: Db, orgId: OrgId, memberId: MemberId | null, id: McpTokenId) =>
  db.row<McpToken>(sql`
    delete from mcp_tokens t where t.org_id = ${orgId} and t.id = ${id} ${filterByMember(memberId)} returning ${columns}`);

const selectByHash = reuseStatement(
  (tokenHash: string) => sql`
    select t.id, t.scopes, ${membershipColumns}
    from mcp_tokens t join members m on m.id = t.member_id and m.org_id = t.org_id ${customRole}
    where t.token_hash = ${tokenHash} and t.expires_at > now() and ${isActiveMember}`,
);

export const findMcpTokenByToken = (db: Db, tokenHash: string) =>
  db.row<MembershipRow & { id: McpTokenId; scopes: string[] }>(selectByHash(tokenHash));

export const recordMcpTokenUseAcrossOrganizations = (db: Db, ids: readonly string[]) =>
  recordUseAcrossOrganizations(db, { table: sql`mcp_tokens`, set: sql`last_used_at = now()` }, ids);

/** Deletes tokens a month after their end. Until then, the list shows why they no longer work. */
export const removeOldAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from mcp_tokens where expires_at < now() - interval '30 days'`);

/** `members` is a condition on the members whose tokens are deleted. Returns one row per token. */
export const removeMcpTokensAcrossOrganizations = (db: Db, members: Sql) =>
  db.rows<{ orgId: OrgId; memberId: MemberId }>(sql`
    delete from mcp_tokens t using members m where m.id = t.member_id and ${members}
    returning t.org_id as "orgId", t.member_id as "memberId"`);
