import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import {
  customRole,
  isActiveMember,
  type MembershipRow,
  membershipColumns,
} from "../../credentials/index.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import { isGranted } from "../grants/index.ts";
import { mineStateOf } from "../member-states/index.ts";
import type { ConnectionId } from "../model.ts";

export interface DueConnection {
  id: ConnectionId;
  orgId: OrgId;
  /** The requirements of the server are compared too. */
  isDiscoveryDue: boolean;
}

/** If the process dies, the connection is checked again after this time. */
const lease = sql`interval '10 minutes'`;

const isDue = sql`enabled and next_check_at <= now()`;
export const hasDue = sql`exists (select from mcp_connections where ${isDue})`;

/** Takes due connections, in turn by organization and without organizations in `busy`. */
export const claimDueAcrossOrganizations = (
  db: Db,
  busy: readonly string[],
  perOrganization: number,
  limit: number,
) =>
  db.rows<DueConnection>(sql`
    update mcp_connections c set next_check_at = now() + ${lease}
    where c.id in (
      select id from mcp_connections
      where ${isDue} and id in (
        select id from (
          select id, next_check_at, row_number() over (partition by org_id order by next_check_at) as turn
          from mcp_connections where ${isDue} and org_id <> all(${busy}::text[])
            and ${isNotSuspended(sql`org_id`)}) t
        where turn <= ${perOrganization}::int order by turn, next_check_at limit ${limit})
      for no key update skip locked)
    returning c.id, c.org_id as "orgId", c.discovered_at < now() - interval '20 hours' as "isDiscoveryDue"`);

/** Members whose credential works, the one who saved the connection first. A shared credential needs no grant. */
export const listHolders = (db: Db, orgId: OrgId, id: ConnectionId, limit: number) =>
  db.rows<MembershipRow>(sql`
    with c as (select * from mcp_connections where org_id = ${orgId} and id = ${id}),
    candidates as (
      select c.created_by as id from c
      union select x.member_id from mcp_credentials x join c on c.id = x.connection_id
      union (select o.member_id from oauth_connections o join c on c.provider_id = o.provider_id
        where o.org_id = ${orgId} and o.status = 'connected' limit 100)
      union (select p.id from members p, c where p.org_id = ${orgId} and p.deactivated_at is null
        and (c.credential = 'shared' or c.registration = 'none') order by p.role = 'owner' desc, p.id limit 1))
    select ${membershipColumns} from c
    join candidates k on true join members m on m.id = k.id and m.org_id = c.org_id ${customRole}
    cross join lateral ${mineStateOf(sql`m.id`)} s
    where ${isActiveMember} and s.state in ('connected', 'not_needed')
      and (c.credential = 'shared' or ${isGranted({ memberId: sql`m.id`, runId: sql`null` })})
    order by m.id = c.created_by desc, m.id limit ${limit}`);

/** The next check is in about a day, at another time of the day for each connection. */
export const setChecked = (tx: Db, orgId: OrgId, id: ConnectionId) =>
  tx.run(sql`
    update mcp_connections set next_check_at = now() + interval '23 hours' + random() * interval '2 hours'
    where org_id = ${orgId} and id = ${id}`);

/**
 * Nobody is connected. A connection that has no tools yet is looked at again soon. If somebody connected during the
 * check, it is due already, and stays so.
 */
export const setWithoutCredential = (tx: Db, orgId: OrgId, id: ConnectionId) =>
  tx.run(sql`
    update mcp_connections set next_check_at = now() + case when baseline_at is not null then interval '1 day'
      when created_at > now() - interval '1 day' then interval '1 minute' else interval '15 minutes' end
    where org_id = ${orgId} and id = ${id} and next_check_at > now()`);

/** Ends a failure to reach or to discover the server. A failed listing stays, because nobody has listed the tools since. */
export const setReached = (tx: Db, orgId: OrgId, id: ConnectionId) =>
  tx.run(sql`
    update mcp_connections set health = 'ok', health_step = null, health_code = null, health_message = null,
      health_since = null, check_failures = 0, checked_at = now()
    where org_id = ${orgId} and id = ${id} and health = 'failing'
      and health_step in ('reach', 'discover')`);

export interface FailedConnection {
  failures: number;
  since: number | null;
}

/** The pause doubles with each failure, from a minute to six hours. */
export const setFailed = (tx: Db, orgId: OrgId, id: ConnectionId) =>
  tx.row<FailedConnection>(sql`
    update mcp_connections set check_failures = check_failures + 1,
      next_check_at = now() + least(interval '1 minute' * power(2, least(check_failures, 10)), interval '6 hours')
    where org_id = ${orgId} and id = ${id}
    returning check_failures as failures, health_since as since`);
