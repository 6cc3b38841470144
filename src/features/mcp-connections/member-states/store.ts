import type { OrgId } from "../../../platform/context.ts";
import { type Db, reuseStatement, type Sql, sql } from "../../../platform/db/index.ts";
import type { ConnectionId } from "../model.ts";

/** The member whose credential counts for `mcp_connections c`. Null: the shared one. */
const holder = (memberId: Sql): Sql => sql`case when c.credential = 'per_member' then ${memberId} end`;

/**
 * The state of the credential that a member uses, for `mcp_connections c`. What the server answered to an earlier
 * credential does not count.
 */
export const mineState = (memberId: string): Sql => mineStateOf(sql`${memberId}`);

/** The same for a column with the id of a member. */
export const mineStateOf = (memberId: Sql): Sql => sql`(
  select case when c.registration = 'none' then 'not_needed' when k.since is null then 'not_connected'
      when k.broken then 'sign_in' when s.state is not null then s.state else 'connected' end as state,
    case when s.state = 'needs_consent' then s.missing_scopes else '{}'::text[] end as missing_scopes, k.account,
    coalesce(s.since, k.since) as since, k.last_used_at
  from (values (1)) one
  left join lateral (
    select o.connected_at as since, o.status = 'needs_reconnect' or t.refresh_state = 'uncertain' as broken,
      coalesce(o.account_name, o.account_subject) as account, t.last_used_at
    from oauth_connections o join oauth_tokens t on t.id = o.token_id
    where o.org_id = c.org_id and o.provider_id = c.provider_id and o.status <> 'ended'
      and c.credential = 'per_member' and not o.shared and o.member_id = ${memberId}
    union all
    select o.connected_at, o.status = 'needs_reconnect' or t.refresh_state = 'uncertain',
      coalesce(o.account_name, o.account_subject), t.last_used_at
    from oauth_connections o join oauth_tokens t on t.id = o.token_id
    where o.org_id = c.org_id and o.provider_id = c.provider_id and o.status <> 'ended'
      and c.credential = 'shared' and o.shared
    union all
    select x.updated_at, false, null, null from mcp_credentials x
    where x.connection_id = c.id and x.member_id is not distinct from ${holder(sql`${memberId}::text`)}
    limit 1) k on true
  left join mcp_member_states s on s.connection_id = c.id and s.since > k.since
    and s.member_id is not distinct from ${holder(sql`${memberId}::text`)})`;

/** Since when a member (null: everybody) has the present credential of `mcp_connections c`. Infinity: there is none. */
export const credentialTime = (memberId: Sql): Sql => sql`coalesce(
  (select o.connected_at from oauth_connections o where o.org_id = c.org_id and o.provider_id = c.provider_id
    and o.status = 'connected' and o.shared = (${memberId} is null) and (o.shared or o.member_id = ${memberId}) limit 1),
  (select x.updated_at from mcp_credentials x
    where x.connection_id = c.id and x.member_id is not distinct from ${memberId}),
  'infinity')`;

interface StaticCredential {
  id: string;
  secret: string;
  /** When a refused credential may be sent again. Null: it was not refused since it was set. */
  nextTryAt: number | null;
}

const selectStatic = reuseStatement(
  (orgId: OrgId, id: string, memberId: string | null) => sql`
    select x.id, x.secret,
      (select s.next_try_at from mcp_member_states s where s.connection_id = x.connection_id
        and s.member_id is not distinct from x.member_id and s.state = 'sign_in'
        and s.since > x.updated_at) as "nextTryAt"
    from mcp_credentials x
    where x.org_id = ${orgId} and x.connection_id = ${id} and x.member_id is not distinct from ${memberId}::text`,
);

/** The token and headers of a member, or the shared ones. */
export const findStaticCredential = (db: Db, orgId: OrgId, id: ConnectionId, memberId: string | null) =>
  db.row<StaticCredential>(selectStatic(orgId, id, memberId));

/** Replaces an earlier one. The secret is sealed for the new id. */
export const saveCredential = (
  db: Db,
  orgId: OrgId,
  row: { id: string; connectionId: ConnectionId; memberId: string | null; secret: string },
) =>
  db.run(sql`
    insert into mcp_credentials (id, org_id, connection_id, member_id, secret)
    values (${row.id}, ${orgId}, ${row.connectionId}, ${row.memberId}, ${row.secret})
    on conflict (connection_id, member_id) do update set id = excluded.id, secret = excluded.secret, updated_at = now()`);

export const removeCredential = (db: Db, orgId: OrgId, id: ConnectionId, memberId: string | null) =>
  db.run(sql`
    delete from mcp_credentials
    where org_id = ${orgId} and connection_id = ${id} and member_id is not distinct from ${memberId}::text`);

interface NewState {
  connectionId: ConnectionId;
  memberId: string | null;
  state: "sign_in" | "needs_consent";
  missingScopes: readonly string[];
  reason: string;
  pauseSeconds: number;
}

/**
 * Records what the server answered to a credential. Returns its time when it is new: a repeated answer keeps its time.
 * Scopes that are missing add up until the member connects again.
 */
export const saveState = async (db: Db, orgId: OrgId, row: NewState): Promise<number | undefined> => {
  const saved = await db.row<{ since: number }>(sql`
    with c as (select * from mcp_connections where org_id = ${orgId} and id = ${row.connectionId}),
    old as (
      select s.since, s.missing_scopes from mcp_member_states s join c on c.id = s.connection_id
      where s.member_id is not distinct from ${row.memberId}::text and s.state = ${row.state}
        and s.since > ${credentialTime(sql`${row.memberId}::text`)}),
    saved as (
      insert into mcp_member_states (connection_id, org_id, member_id, state, missing_scopes, reason, since, next_try_at)
      select c.id, c.org_id, ${row.memberId}, ${row.state},
        array(select unnest(${row.missingScopes}::text[]) union select unnest(old.missing_scopes) order by 1),
        ${row.reason}, coalesce(old.since, now()), now() + make_interval(secs => ${row.pauseSeconds}::int)
      from c left join old on true
      on conflict (connection_id, member_id) do update set state = excluded.state, reason = excluded.reason,
        missing_scopes = excluded.missing_scopes, since = excluded.since, next_try_at = excluded.next_try_at)
    select now() as since from c where not exists (select from old)`);
  return saved?.since;
};

/** The server accepted a credential that it had refused. */
export const countAsWorking = (db: Db, orgId: OrgId, id: ConnectionId, memberId: string | null) =>
  db.run(sql`
    delete from mcp_member_states
    where org_id = ${orgId} and connection_id = ${id} and member_id is not distinct from ${memberId}::text
      and state = 'sign_in'`);
