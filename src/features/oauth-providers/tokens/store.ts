import type { OrgId } from "../../../platform/context.ts";
import { type Db, defineLease, reuseStatement, sql } from "../../../platform/db/index.ts";
import type { Server } from "../../../platform/oauth/index.ts";
import { isUsableBy } from "../../connection-grants/index.ts";

/** Longer than a request to the provider can take. */
const lease = defineLease(30);

export interface NewToken {
  id: string;
  credentialsId: string;
  accessToken: string;
  refreshToken: string | null;
  refreshHash: string | null;
  scopes: readonly string[];
  expiresAt: Date | null;
}

/** `isUnused`: no connection needs the token, so it is stored only to be revoked. */
export const insert = (db: Db, orgId: OrgId, token: NewToken, isUnused = false) =>
  db.run(sql`
    insert into oauth_tokens (id, org_id, credentials_id, access_token, refresh_token, refresh_hash, scopes, expires_at,
      revoke_state, revoke_due_at)
    values (${token.id}, ${orgId}, ${token.credentialsId}, ${token.accessToken}, ${token.refreshToken},
      ${token.refreshHash}, ${token.scopes}::text[], ${token.expiresAt}, ${isUnused ? "pending" : null},
      ${isUnused ? new Date() : null})`);

/** `isSameAccount`: the token is erased and not revoked, because that might end the new token of the account. */
export const retire = (db: Db, orgId: OrgId, id: string, isSameAccount: boolean) =>
  isSameAccount
    ? db.run(sql`
        update oauth_tokens set revoke_state = 'unneeded', access_token = null, refresh_token = null
        where org_id = ${orgId} and id = ${id} and revoke_state is null`)
    : db.run(sql`
        update oauth_tokens set revoke_state = 'pending', revoke_due_at = now()
        where org_id = ${orgId} and id = ${id} and revoke_state is null`);

/** Which token a caller wants. Requests that are equal are looked up once. */
export interface TokenRequest {
  orgId: OrgId;
  providerId: string;
  memberId: string;
  connectionId: string | null;
  /** The ids of the connections to choose from. Null allows all of them. */
  among: readonly string[] | null;
  label: string | null;
  /** How many seconds the token must still be valid. */
  seconds: number;
  scopes: readonly string[];
}

export interface FoundToken {
  /** The provider, tenant and server of the client that obtained the token. */
  providerId: string;
  tenant: string | null;
  server: Server | null;
  connectionId: string;
  label: string;
  shared: boolean;
  status: "connected" | "needs_reconnect";
  reason: string | null;
  tokenId: string;
  accessToken: string | null;
  scopes: string[];
  expiresAt: number | null;
  refreshable: boolean;
  refreshState: "idle" | "refreshing" | "uncertain";
  nextRefreshAt: number | null;
  lastError: string | null;
  lastUsedAt: number;
  /** The token is valid for the requested time, so it was issued and the issue is recorded. */
  fresh: boolean;
  now: number;
}

/** Who gets the token. */
export interface IssueRecord {
  eventId: string;
  credential: string;
  credentialId: string;
  detail: Record<string, unknown>;
  address: string;
  userAgent: string;
}

/**
 * Finds the token of each requested connection. Prefers the member's own connection to a shared one, and the default
 * label to others.
 * The same statement records the issues of the valid tokens, so that no token is issued without a record. `place` is the
 * index of the request.
 */
export const findAndIssueAcrossOrganizations = (
  db: Db,
  requests: readonly TokenRequest[],
  issues: readonly (IssueRecord & { place: number })[],
) =>
  db.rows<FoundToken & { place: number }>(sql`
    with wanted as (
      select * from json_to_recordset(${JSON.stringify(requests.map((one, place) => ({ ...one, place })))}::text::json)
        as w (place int, "orgId" text, "providerId" text, "memberId" text, "connectionId" text, among text[], label text,
          seconds int, scopes text[])),
    found as materialized (
      select w.place, w."memberId" as member_id, f.* from wanted w cross join lateral (
        select c.id, c.org_id, c.provider_id as requested_id, c.label, c.shared, c.status, c.reason, t.id as token_id,
          t.access_token, t.scopes, t.expires_at, k.provider_id, k.tenant, k.server,
          t.refresh_token is not null as refreshable, t.refresh_state, t.next_refresh_at, t.last_error, t.last_used_at,
          c.status = 'connected' and t.access_token is not null and t.scopes @> w.scopes
            and (t.expires_at is null or t.expires_at - now() > least(make_interval(secs => w.seconds),
              (t.expires_at - t.obtained_at) / 2)) as fresh
        from oauth_connections c join oauth_tokens t on t.id = c.token_id
        join oauth_client_credentials k on k.id = t.credentials_id
        where c.org_id = w."orgId" and c.provider_id = w."providerId" and c.status <> 'ended'
          and ${isUsableBy(sql`w."memberId"`)}
          and (w."connectionId" is null or c.id = w."connectionId")
          and (w.among is null or c.id = any(w.among))
          and (w.label is null or c.label = w.label)
        order by c.shared, (c.label = 'default') desc, c.id desc limit 1) f
      -- Locked after it is chosen. In the choice, a connection that gets another token meanwhile would be passed over.
      join oauth_connections kept on kept.id = f.id and kept.status <> 'ended'
      -- The event below has no foreign key: the connection stays until it is committed.
      for key share of kept),
    issued as (
      insert into oauth_connection_events (id, org_id, provider_id, connection_id, type, member_id, credential,
        credential_id, address, user_agent, detail)
      select i.event_id, f.org_id, f.requested_id, f.id, 'token_issued', f.member_id, i.credential, i.credential_id,
        i.address, i.user_agent, i.detail
      -- In the from clause, each function would first store all of its rows.
      from (select
        unnest(${issues.map(({ place }) => place)}::int[]) as place,
        unnest(${issues.map(({ eventId }) => eventId)}::text[]) as event_id,
        unnest(${issues.map(({ credential }) => credential)}::text[]) as credential,
        unnest(${issues.map(({ credentialId }) => credentialId)}::text[]) as credential_id,
        unnest(${issues.map(({ address }) => address)}::text[]) as address,
        unnest(${issues.map(({ userAgent }) => userAgent)}::text[]) as user_agent,
        unnest(${issues.map(({ detail }) => JSON.stringify(detail))}::text[])::jsonb as detail
      ) i
      join found f on f.place = i.place where f.fresh)
    select f.place, f.provider_id as "providerId", f.tenant, f.server, f.id as "connectionId", f.label, f.shared,
      f.status, f.reason, f.token_id as "tokenId", f.access_token as "accessToken", f.scopes,
      f.expires_at as "expiresAt", f.refreshable, f.refresh_state as "refreshState",
      f.next_refresh_at as "nextRefreshAt", f.last_error as "lastError", f.last_used_at as "lastUsedAt", f.fresh,
      now() as now
    from found f`);

export interface McpTokenRequest {
  providerId: string;
  mcpConnectionId: string;
  /** Null: the shared credential. */
  memberId: string | null;
  seconds: number;
}

/** The token of an MCP connection, and what the MCP server answered to it. */
export interface McpToken extends Omit<FoundToken, "label" | "shared"> {
  connectedAt: number;
  obtainedAt: number;
  /** When a refused token may be sent again. Null: it was not refused since it was connected. */
  nextTryAt: number | null;
}

const selectMcpToken = reuseStatement(
  (
    orgId: OrgId,
    providerId: string,
    mcpConnectionId: string,
    memberId: string | null,
    seconds: number,
  ) => sql`
    select k.provider_id as "providerId", k.tenant, k.server, c.id as "connectionId", c.status, c.reason,
      c.connected_at as "connectedAt", t.id as "tokenId", t.access_token as "accessToken", t.scopes,
      t.expires_at as "expiresAt", t.obtained_at as "obtainedAt", t.refresh_token is not null as refreshable,
      t.refresh_state as "refreshState", t.next_refresh_at as "nextRefreshAt", t.last_error as "lastError",
      t.last_used_at as "lastUsedAt",
      c.status = 'connected' and t.access_token is not null
        and (t.expires_at is null or t.expires_at - now() > least(make_interval(secs => ${seconds}::int),
          (t.expires_at - t.obtained_at) / 2)) as fresh,
      (select s.next_try_at from mcp_member_states s where s.connection_id = ${mcpConnectionId}
        and s.member_id is not distinct from ${memberId}::text and s.state = 'sign_in'
        and s.since > c.connected_at) as "nextTryAt",
      now() as now
    from oauth_connections c join oauth_tokens t on t.id = c.token_id
    join oauth_client_credentials k on k.id = t.credentials_id
    where c.org_id = ${orgId} and c.provider_id = ${providerId} and c.status <> 'ended'
      and c.shared = (${memberId}::text is null) and (c.shared or c.member_id = ${memberId})
    limit 1`,
);

/** Finds the token for a call. Nothing is recorded: calls of tools have a log of their own. */
export const findMcpToken = (
  db: Db,
  orgId: OrgId,
  { providerId, mcpConnectionId, memberId, seconds }: McpTokenRequest,
) => db.row<McpToken>(selectMcpToken(orgId, providerId, mcpConnectionId, memberId, seconds));

export const setLastUsed = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`update oauth_tokens set last_used_at = now() where org_id = ${orgId} and id = ${id}`);

export interface ClaimedRefresh {
  id: string;
  orgId: OrgId;
  credentialsId: string;
  refreshToken: string;
  consumedHash: string;
  failures: number;
}

/** A token to refresh, with its access token at the time of that decision. */
export interface RefreshCandidate {
  id: string;
  previousAccessToken: string | null;
}

/**
 * Claims the refresh of a token, unless it was refreshed since it was read. It commits before the request is sent, so
 * the row shows an unfinished refresh if the process dies.
 */
export const claimRefresh = (
  db: Db,
  orgId: OrgId,
  { id, previousAccessToken }: RefreshCandidate,
  holder: string,
) =>
  db.row<ClaimedRefresh>(sql`
    update oauth_tokens t set refresh_state = 'refreshing', consumed_hash = t.refresh_hash,
      ${lease.take(holder)}
    where t.org_id = ${orgId} and t.id = ${id} and t.refresh_state = 'idle' and t.refresh_token is not null
      and t.access_token is not distinct from ${previousAccessToken}
      and t.revoke_state is null and (t.next_refresh_at is null or t.next_refresh_at <= now())
    returning t.id, t.org_id as "orgId", t.credentials_id as "credentialsId", t.refresh_token as "refreshToken",
      t.consumed_hash as "consumedHash", t.failures`);

/** Also true after the lease has expired, as long as no other process has taken the token. */
const isHeldBy = (id: string, holder: string, consumedHash: string) =>
  sql`id = ${id} and ${lease.isHeldBy(holder)} and consumed_hash = ${consumedHash}
    and refresh_state in ('refreshing', 'uncertain')`;

interface RefreshedTokens {
  accessToken: string;
  /** Null when the provider sent none. Then the old one is kept. */
  refreshToken: string | null;
  refreshHash: string | null;
  scopes: readonly string[] | null;
  expiresAt: Date | null;
}

/**
 * Stores the new tokens. If the connection has ended meanwhile, they are revoked instead of the old ones; if it was
 * connected again, they are not needed.
 */
export const storeRefreshedTokens = (
  db: Db,
  orgId: OrgId,
  claimed: ClaimedRefresh,
  holder: string,
  tokens: RefreshedTokens,
) =>
  db.run(sql`
    update oauth_tokens set
      access_token = case when revoke_state = 'unneeded' then null else ${tokens.accessToken} end,
      refresh_token = case when revoke_state = 'unneeded' then null
        else coalesce(${tokens.refreshToken}, refresh_token) end,
      refresh_hash = coalesce(${tokens.refreshHash}, refresh_hash),
      scopes = coalesce(${tokens.scopes}::text[], scopes), expires_at = ${tokens.expiresAt}, obtained_at = now(),
      refresh_state = 'idle', ${lease.release}, consumed_hash = null, failures = 0, refresh_deaths = 0,
      next_refresh_at = null, last_error = null,
      revoke_state = case when revoke_state is null or revoke_state = 'unneeded' then revoke_state else 'pending' end,
      revoke_due_at = case when revoke_state is null then null else now() end
    where org_id = ${orgId} and ${isHeldBy(claimed.id, holder, claimed.consumedHash)}`);

/** Keeps the refresh token, which is sent again after a pause. */
export const storeRefreshFailure = (
  db: Db,
  orgId: OrgId,
  claimed: ClaimedRefresh,
  holder: string,
  { code, pauseSeconds }: { code: string; pauseSeconds: number },
) =>
  db.run(sql`
    update oauth_tokens set refresh_state = 'idle', ${lease.release}, consumed_hash = null,
      failures = failures + 1, last_error = ${code},
      next_refresh_at = now() + make_interval(secs => ${pauseSeconds}::float8)
    where org_id = ${orgId} and ${isHeldBy(claimed.id, holder, claimed.consumedHash)}`);

/** Erases tokens that the provider has rejected for good. */
export const endToken = (db: Db, orgId: OrgId, claimed: ClaimedRefresh, holder: string, code: string) =>
  db.run(sql`
    update oauth_tokens set refresh_state = 'idle', ${lease.release}, consumed_hash = null,
      last_error = ${code}, access_token = null, refresh_token = null, revoke_state = 'unneeded'
    where org_id = ${orgId} and ${isHeldBy(claimed.id, holder, claimed.consumedHash)}`);

export interface AbandonedRefresh {
  id: string;
  orgId: OrgId;
  credentialsId: string;
}

/** Finds the active refresh of a token, and whether its lease has expired. */
export const findActiveRefresh = (db: Db, orgId: OrgId, id: string) =>
  db.row<AbandonedRefresh & { isAbandoned: boolean }>(sql`
    select id, org_id as "orgId", credentials_id as "credentialsId", ${lease.isExpired} as "isAbandoned"
    from oauth_tokens where org_id = ${orgId} and id = ${id} and refresh_state = 'refreshing'`);

/** Tokens whose process died during a refresh. */
export const listAbandonedAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<AbandonedRefresh>(sql`
    select id, org_id as "orgId", credentials_id as "credentialsId" from oauth_tokens
    where refresh_state = 'refreshing' and ${lease.isExpired}
    order by lease_expires_at limit ${limit}`);

/**
 * Settles a refresh whose process died. `state` is `idle` where the provider accepts a refresh token twice; after a
 * second death the token is `uncertain` in any case. Returns the new state, or undefined when nothing was to settle.
 */
export const settleAbandonedRefresh = async (db: Db, orgId: OrgId, id: string, state: "idle" | "uncertain") =>
  (
    await db.row<{ state: "idle" | "uncertain" }>(sql`
      update oauth_tokens set last_error = 'interrupted', refresh_deaths = refresh_deaths + 1,
        refresh_state = case when refresh_deaths >= 1 then 'uncertain' else ${state} end,
        holder = case when ${state} = 'idle' and refresh_deaths < 1 then null else holder end
      where org_id = ${orgId} and id = ${id} and refresh_state = 'refreshing' and ${lease.isExpired}
      returning refresh_state as state`)
  )?.state;

/**
 * Tokens that expire soon and were used in the last day: they are refreshed before anybody has to wait. In turn by
 * organization, without organizations in `busy`.
 */
export const listExpiringAcrossOrganizations = (
  db: Db,
  busy: readonly string[],
  perOrganization: number,
  limit: number,
) =>
  db.rows<RefreshCandidate & { orgId: OrgId }>(sql`
    select id, org_id as "orgId", access_token as "previousAccessToken" from (
      select id, org_id, access_token, expires_at, row_number() over (partition by org_id order by expires_at) as turn
      from oauth_tokens
      where refresh_token is not null and refresh_state = 'idle' and revoke_state is null
        and expires_at < now() + interval '10 minutes'
        and expires_at - now() < (expires_at - obtained_at) / 3
        and last_used_at > now() - interval '1 day' and (next_refresh_at is null or next_refresh_at <= now())
        and org_id <> all(${busy}::text[])) t
    where turn <= ${perOrganization}::int order by turn, expires_at limit ${limit}`);

/** Removes tokens that no row refers to and that need no revocation. */
export const removeEndedAcrossOrganizations = (db: Db) =>
  db.run(sql`
    delete from oauth_tokens t
    where t.revoke_state <> 'pending' and not exists (select from oauth_connections c where c.token_id = t.id)
      and not exists (select from oauth_attempts a where a.token_id = t.id)`);
