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
import type { McpClient } from "./contract.ts";

export type GrantId = Id<"mcg">;

const columns = sql`g.id, g.client_name as "name", g.client_id as "clientId", g.registration,
  g.redirect_host as "redirectHost", g.member_id as "memberId",
  (select u.name from users u where u.id = (select m.user_id from members m where m.id = g.member_id)) as "memberName",
  g.scopes, g.last_used_at as "lastUsedAt", g.expires_at as "expiresAt", g.created_at as "createdAt"`;

export interface NewGrant
  extends Pick<McpClient, "clientId" | "name" | "registration" | "redirectHost" | "scopes"> {
  id: GrantId;
  memberId: MemberId;
  /** Until the client has fetched its first token. */
  seconds: number;
}

export const insert = (db: Db, orgId: OrgId, grant: NewGrant) =>
  db.row<McpClient>(sql`
    insert into mcp_client_grants as g
      (id, org_id, member_id, client_id, client_name, registration, redirect_host, scopes, expires_at)
    values (${grant.id}, ${orgId}, ${grant.memberId}, ${grant.clientId}, ${grant.name}, ${grant.registration},
      ${grant.redirectHost}, ${grant.scopes}::text[], now() + make_interval(secs => ${grant.seconds}))
    returning ${columns}`);

const filterByMember = (memberId: MemberId | null) =>
  memberId ? sql`and g.member_id = ${memberId}` : emptySql;

/** Lists the clients of every member when `memberId` is null. */
export const list = (db: Db, orgId: OrgId, memberId: MemberId | null, after: string, limit: number) =>
  db.rows<McpClient>(sql`
    select ${columns} from mcp_client_grants g
    where g.org_id = ${orgId} and g.id < ${after} and g.expires_at > now() ${filterByMember(memberId)}
    order by g.id desc limit ${limit}`);

export const countOfMember = async (db: Db, orgId: OrgId, memberId: MemberId): Promise<number> =>
  (await db.row<{ count: number }>(sql`
    select count(*) as count from mcp_client_grants
    where org_id = ${orgId} and member_id = ${memberId} and expires_at > now()`))!.count;

/** Deletes a grant with its codes and tokens. */
export const remove = (db: Db, orgId: OrgId, memberId: MemberId | null, id: GrantId) =>
  db.row<McpClient>(sql`
    delete from mcp_client_grants g where g.org_id = ${orgId} and g.id = ${id} ${filterByMember(memberId)}
    returning ${columns}`);

/** For the authorization server, which knows the grant from a code or token. */
export const removeByToken = (db: Db, id: string) =>
  db.row<McpClient & { orgId: OrgId }>(sql`
    delete from mcp_client_grants g where g.id = ${id} returning ${columns}, g.org_id as "orgId"`);

const selectByHash = reuseStatement(
  (tokenHash: string) => sql`
    select g.id, t.scopes, ${membershipColumns}
    from mcp_authorization_records t join mcp_client_grants g on g.id = t.grant_id
      join members m on m.id = g.member_id and m.org_id = g.org_id ${customRole}
    where t.id = ${tokenHash} and t.kind = 'access_token' and t.expires_at > now() and ${isActiveMember}`,
);

export const findGrantByToken = (db: Db, tokenHash: string) =>
  db.row<MembershipRow & { id: GrantId; scopes: string[] | null }>(selectByHash(tokenHash));

export const recordGrantUseAcrossOrganizations = (db: Db, ids: readonly string[]) =>
  recordUseAcrossOrganizations(db, { table: sql`mcp_client_grants`, set: sql`last_used_at = now()` }, ids);

/** `members` is a condition on the members whose grants are deleted. Returns one row per grant. */
export const removeGrantsAcrossOrganizations = (db: Db, members: Sql) =>
  db.rows<{ orgId: OrgId; memberId: MemberId }>(sql`
    delete from mcp_client_grants g using members m where m.id = g.member_id and ${members}
    returning g.org_id as "orgId", g.member_id as "memberId"`);

export const removeExpiredGrantsAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from mcp_client_grants where expires_at < now()`);
