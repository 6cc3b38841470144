import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, leaseConditions, listSource, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isAccount, isUsableBy } from "../../connection-grants/index.ts";
import type { ConnectionUses, HealthReason } from "./contract.ts";

export interface ConnectionRow {
  id: Id<"ocn">;
  providerId: string;
  shared: boolean;
  everyone: boolean;
  memberId: MemberId | null;
  label: string;
  tokenId: string;
  accountSubject: string | null;
  accountName: string | null;
  requestedScopes: string[];
  status: "connected" | "needs_reconnect" | "ended";
  reason: HealthReason | null;
  connectedBy: string;
  connectedAt: number;
  endedAt: number | null;
  scopes: string[];
  expiresAt: number | null;
  lastUsedAt: number;
  refreshes: boolean;
  refreshState: "idle" | "refreshing" | "uncertain";
  leaseOver: boolean;
  lastError: string | null;
  revokeState: "pending" | "revoked" | "not_offered" | "failed" | "unneeded" | null;
  revokeAttempts: number;
  revokeError: string | null;
  revokedAt: number | null;
}

/** The lease of a token refresh. */
const lease = leaseConditions(sql`t.`);

const columns = sql`c.id, c.provider_id as "providerId", c.shared, c.everyone, c.member_id as "memberId", c.label,
  c.token_id as "tokenId", c.account_subject as "accountSubject", c.account_name as "accountName",
  c.requested_scopes as "requestedScopes", c.status, c.reason, c.connected_by as "connectedBy",
  c.connected_at as "connectedAt", c.ended_at as "endedAt", t.scopes, t.expires_at as "expiresAt",
  t.last_used_at as "lastUsedAt", t.refresh_token is not null as refreshes, t.refresh_state as "refreshState",
  coalesce(${lease.isExpired}, false) as "leaseOver", t.last_error as "lastError",
  t.revoke_state as "revokeState", t.revoke_attempts as "revokeAttempts", t.revoke_error as "revokeError",
  t.revoked_at as "revokedAt"`;

const tables = sql`oauth_connections c join oauth_tokens t on t.id = c.token_id`;

/** The connections that a member may read. Null means all of them. */
const isReachableBy = (memberId: string | null) =>
  memberId === null ? sql`and ${isAccount}` : sql`and ${isUsableBy(sql`${memberId}`)}`;

interface ListFilter {
  providerId: string | null;
  ended: boolean;
}

const matchesFilter = (memberId: string | null, { providerId, ended }: ListFilter) => sql`
  (c.status = 'ended') = ${ended} ${providerId === null ? emptySql : sql`and c.provider_id = ${providerId}`}
  ${isReachableBy(memberId)}`;

export const list = (db: Db, orgId: OrgId, memberId: string | null, filter: ListFilter) =>
  listSource<ConnectionRow>(db, {
    filtered: true,
    candidates: (after, count) => sql`
      select c.id, ${matchesFilter(memberId, filter)} as matches from oauth_connections c
      where c.org_id = ${orgId} and c.id < ${after} order by c.id desc limit ${count}`,
    rows: (ids) => sql`select ${columns} from ${tables} where c.id = any(${ids})`,
  });

/** The newest live connections to a provider that a member can use. */
export const listUsable = (db: Db, orgId: OrgId, memberId: string, providerId: string, limit: number) =>
  db.rows<ConnectionRow>(sql`
    select ${columns} from ${tables}
    where c.org_id = ${orgId} and c.provider_id = ${providerId} and c.status <> 'ended' ${isReachableBy(memberId)}
    order by c.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, memberId: string | null, id: string) =>
  db.row<ConnectionRow>(sql`
    select ${columns} from ${tables} where c.org_id = ${orgId} and c.id = ${id} ${isReachableBy(memberId)}`);

/** A member's own live connections to a provider. */
export const listOwn = (db: Db, orgId: OrgId, memberId: string, providerId: string) =>
  db.rows<ConnectionRow>(sql`
    select ${columns} from ${tables}
    where c.org_id = ${orgId} and c.member_id = ${memberId} and c.provider_id = ${providerId}
      and c.status <> 'ended' and not c.shared
    order by c.id desc limit 100`);

/** Counts the working connections that a member can use, by provider: their own, and shared ones. */
export const countUsable = (db: Db, orgId: OrgId, memberId: string) =>
  db.rows<{ providerId: string; connections: number }>(sql`
    select c.provider_id as "providerId", count(*)::int as connections from (
      select c.provider_id from oauth_connections c
      where c.org_id = ${orgId} and c.member_id = ${memberId} and not c.shared and c.status = 'connected'
      union all
      select c.provider_id from oauth_connections c
      where c.org_id = ${orgId} and c.shared and c.status <> 'ended' and c.status = 'connected'
        ${isReachableBy(memberId)}) c group by 1`);

/** Selects live connections of an organization. */
export interface ConnectionScope {
  id?: string;
  providerId?: string;
  memberId?: string;
  shared?: boolean;
}

const isInScope = ({
  id = null,
  providerId = null,
  memberId = null,
  shared = null,
}: Record<keyof ConnectionScope, unknown>) =>
  sql`(${id}::text is null or c.id = ${id}) and (${providerId}::text is null or c.provider_id = ${providerId})
    and (${memberId}::text is null or c.member_id = ${memberId}) and (${shared}::boolean is null or c.shared = ${shared})`;

export const countLive = async (db: Db, orgId: OrgId, reach: ConnectionScope): Promise<number> => {
  const row = await db.row<{ count: number }>(sql`
    select count(*)::int as count from oauth_connections c
    where c.org_id = ${orgId} and c.status <> 'ended' and ${isInScope(reach as Record<keyof ConnectionScope, unknown>)}`);
  return row?.count ?? 0;
};

/** Ends connections. A trigger marks their tokens for revocation. */
export const end = (db: Db, orgId: OrgId, reach: ConnectionScope, reason: HealthReason, by: string | null) =>
  db.rows<{ id: string; providerId: string }>(sql`
    update oauth_connections c set status = 'ended', reason = ${reason}, ended_at = now(), ended_by = ${by}
    where c.org_id = ${orgId} and c.status <> 'ended' and ${isInScope(reach as Record<keyof ConnectionScope, unknown>)}
    returning c.id, c.provider_id as "providerId"`);

interface ConnectionKey {
  providerId: string;
  label: string;
  shared: boolean;
  memberId: string | null;
}

/**
 * Locks the live connection with this key until the transaction ends. Requests for its token do not wait, and get the
 * one that it has until then.
 */
export const lockLive = (db: Db, orgId: OrgId, { providerId, label, shared, memberId }: ConnectionKey) =>
  db.row<{ id: string; tokenId: string; accountSubject: string | null }>(sql`
    select c.id, c.token_id as "tokenId", c.account_subject as "accountSubject" from oauth_connections c
    where c.org_id = ${orgId} and c.provider_id = ${providerId} and c.label = ${label} and c.status <> 'ended'
      and c.shared = ${shared} and (c.shared or c.member_id = ${memberId})
    for no key update`);

interface ConnectionContent extends ConnectionKey {
  id: string;
  tokenId: string;
  accountSubject: string | null;
  accountName: string | null;
  requestedScopes: readonly string[];
  connectedBy: string;
}

export const insert = (db: Db, orgId: OrgId, made: ConnectionContent) =>
  db.run(sql`
    insert into oauth_connections (id, org_id, provider_id, shared, member_id, label, token_id, account_subject,
      account_name, requested_scopes, connected_by)
    values (${made.id}, ${orgId}, ${made.providerId}, ${made.shared}, ${made.memberId}, ${made.label}, ${made.tokenId},
      ${made.accountSubject}, ${made.accountName}, ${made.requestedScopes}::text[], ${made.connectedBy})`);

/** Replaces the token and the account of a connection. */
export const reconnect = (db: Db, orgId: OrgId, made: ConnectionContent) =>
  db.run(sql`
    update oauth_connections set token_id = ${made.tokenId}, account_subject = ${made.accountSubject},
      account_name = ${made.accountName}, requested_scopes = ${made.requestedScopes}::text[],
      connected_by = ${made.connectedBy}, connected_at = now(), status = 'connected', reason = null
    where org_id = ${orgId} and id = ${made.id}`);

export interface TokenConnection {
  id: string;
  providerId: string;
  /** Null when it is shared. */
  memberId: string | null;
  connectedAt: number;
}

export const markForReconnect = (db: Db, orgId: OrgId, tokenId: string, reason: HealthReason) =>
  db.rows<TokenConnection>(sql`
    update oauth_connections set status = 'needs_reconnect', reason = ${reason}
    where org_id = ${orgId} and token_id = ${tokenId} and status = 'connected'
    returning id, provider_id as "providerId", member_id as "memberId", connected_at as "connectedAt"`);

/** Which connection a token belongs to. */
export const findByTokenId = (db: Db, orgId: OrgId, tokenId: string) =>
  db.row<TokenConnection>(sql`
    select id, provider_id as "providerId", member_id as "memberId", connected_at as "connectedAt"
    from oauth_connections where org_id = ${orgId} and token_id = ${tokenId} limit 1`);

/** Tokens of working connections that have expired and cannot be refreshed, at most `limit`. */
export const listExpiredAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<{ orgId: OrgId; tokenId: string }>(sql`
    select t.org_id as "orgId", t.id as "tokenId" from oauth_tokens t
    join oauth_connections c on c.token_id = t.id and c.status = 'connected'
    where t.refresh_token is null and t.revoke_state is null and t.expires_at is not null and t.expires_at <= now()
    order by t.expires_at desc limit ${limit}`);

export const listGrants = (db: Db, orgId: OrgId, id: string) =>
  db.rows<{ memberId: string }>(sql`
    select member_id as "memberId" from oauth_connection_grants
    where org_id = ${orgId} and connection_id = ${id} order by member_id`);

/** Counts those of the members that are in the organization. */
export const countMembers = async (db: Db, orgId: OrgId, memberIds: readonly string[]): Promise<number> => {
  const row = await db.row<{ count: number }>(sql`
    select count(*)::int as count from members where org_id = ${orgId} and id = any(${memberIds}::text[])`);
  return row?.count ?? 0;
};

export const listTeamGrants = (db: Db, orgId: OrgId, id: string) =>
  db.rows<{ teamId: string }>(sql`
    select team_id as "teamId" from oauth_connection_team_grants
    where org_id = ${orgId} and connection_id = ${id} order by team_id`);

export const setGrants = async (
  db: Db,
  orgId: OrgId,
  id: string,
  {
    everyone,
    memberIds,
    teamIds,
  }: { everyone: boolean; memberIds: readonly string[]; teamIds: readonly string[] },
) => {
  await db.run(
    sql`update oauth_connections set everyone = ${everyone} where org_id = ${orgId} and id = ${id} and shared`,
  );
  await db.run(sql`
    delete from oauth_connection_grants
    where org_id = ${orgId} and connection_id = ${id} and member_id <> all(${memberIds}::text[])`);
  await db.run(sql`
    insert into oauth_connection_grants (connection_id, member_id, org_id)
    select ${id}, m.id, ${orgId} from members m where m.org_id = ${orgId} and m.id = any(${memberIds}::text[])
    on conflict do nothing`);
  await db.run(sql`
    delete from oauth_connection_team_grants
    where org_id = ${orgId} and connection_id = ${id} and team_id <> all(${teamIds}::text[])`);
  await db.run(sql`
    insert into oauth_connection_team_grants (connection_id, team_id, org_id)
    select ${id}, t.id, ${orgId} from teams t where t.org_id = ${orgId} and t.id = any(${teamIds}::text[])
    on conflict do nothing`);
};

export const removeEndedAcrossOrganizations = (db: Db, days: number) =>
  db.run(sql`
    delete from oauth_connections
    where status = 'ended' and ended_at < now() - make_interval(days => ${days}::int)`);

/** What names a connection. `memberId` null: automations of all members are listed. */
export const findUses = async (db: Db, orgId: OrgId, id: string, memberId: string | null) =>
  (await db.row<ConnectionUses>(sql`
    with automation as materialized (
      select a.id, v.name, a.status, a.member_id from automations a
      join automation_revisions v on v.automation_id = a.id and v.revision = a.revision
      where a.org_id = ${orgId} and a.status <> 'archived' and ${id} = any(v.connection_ids)),
    worker as materialized (
      select w.id, w.name from workers w where w.org_id = ${orgId} and ${id} = any(w.connection_ids))
    select (select count(*)::int from automation) as "automationCount",
      (select coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'status', f.status) order by f.id desc), '[]')
        from (select * from automation a where ${memberId}::text is null or a.member_id = ${memberId}
          order by a.id desc limit 100) f) as automations,
      (select count(*)::int from worker) as "workerCount",
      (select coalesce(json_agg(json_build_object('id', f.id, 'name', f.name) order by f.name), '[]')
        from (select * from worker order by name limit 100) f) as workers`))!;
