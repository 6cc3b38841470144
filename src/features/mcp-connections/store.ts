import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, emptySql, type Sql, sql } from "../../platform/db/index.ts";
import type { McpConnection, VerdictDrift } from "./contract.ts";
import type { Discovery, EvidenceItem } from "./discovery/index.ts";
import { isGranted, type Reader } from "./grants/index.ts";
import { credentialTime, mineState } from "./member-states/index.ts";
import type { ConnectionId, CredentialKind, Limits, Policy, Registration } from "./model.ts";

/** A connection as it is for one caller. */
export interface SummaryRow
  extends Omit<McpConnection, "mine" | "people" | "problem" | "callsLastDay" | "verdictDrift"> {
  verdictDrift: VerdictDrift[] | null;
  mineState: McpConnection["mine"]["state"];
  missingScopes: string[];
  account: string | null;
  mineSince: number | null;
  mayUse: boolean;
  problemStep: string | null;
  problemCode: string;
  problemMessage: string;
  problemSince: number;
}

/** The state for the caller, the one that must be solved first. */
const status = sql`case when not c.enabled then 'off'
  when c.health = 'failing' and c.health_step <> 'credential' then 'no_answer'
  when mine.state in ('sign_in', 'needs_consent', 'not_connected') then mine.state
  when mine.held > 0 then 'tools_held' else 'connected' end`;

const columns = sql`c.id, c.name, c.slug, c.url, c.credential, c.registration, c.enabled, ${status} as status,
  case when c.health = 'failing' then coalesce(c.health_step, 'reach') end as "problemStep",
  coalesce(c.health_code, 'unknown_error') as "problemCode", coalesce(c.health_message, '') as "problemMessage",
  coalesce(c.health_since, c.checked_at, c.created_at) as "problemSince", c.tool_count as "toolCount",
  mine.held as "heldTools", c.protocol_version as "protocolVersion",
  c.authorization_server as "authorizationServer", c.scopes, mine.state as "mineState",
  mine.missing_scopes as "missingScopes", mine.account, mine.since as "mineSince", mine.may_use as "mayUse",
  c.verdict->>'status' as "verdictStatus", c.verdict_drift as "verdictDrift", c.discovered_at as "discoveredAt",
  c.checked_at as "checkedAt", c.created_by as "createdBy", c.created_at as "createdAt",
  c.updated_at as "updatedAt"`;

/**
 * With an account per member, differences hold tools only for the members whose accounts list them. What differs for
 * everybody, such as a tool that is gone, holds the others only with `hold_all`. Managers see all.
 */
const heldFor = ({ memberId, seesAll }: Reader): Sql =>
  seesAll
    ? sql`c.held_tools`
    : sql`case when c.held_tools = 0 or c.credential = 'shared' or c.registration = 'none' then c.held_tools
        else (select count(*)::int from mcp_account_tools a
          where a.org_id = c.org_id and a.connection_id = c.id and a.member_id = ${memberId})
          + (select count(*)::int from mcp_tools x where c.policy ->> 'onDrift' = 'hold_all'
            and x.org_id = c.org_id and x.connection_id = c.id and x.drift <> '{}')
        end`;

/** The credential that the reader uses, and whether the reader may use the connection. */
const forReader = (reader: Reader): Sql => sql`mcp_connections c cross join lateral (
  select own.*, ${heldFor(reader)} as held, ${isGranted({ memberId: sql`${reader.memberId}`, runId: sql`${reader.runId}` })} as may_use from ${mineState(reader.memberId)} own) mine`;

const isVisible = (reader: Reader): Sql => (reader.seesAll ? emptySql : sql`and mine.may_use`);

/** An organization has few connections, so a filter needs no index. */
export const list = (
  db: Db,
  orgId: OrgId,
  reader: Reader,
  wanted: string | null,
  after: string,
  limit: number,
) =>
  db.rows<SummaryRow>(sql`
    select ${columns} from ${forReader(reader)}
    where c.org_id = ${orgId} and c.id < ${after} ${isVisible(reader)}
      and (${wanted}::text is null or ${status} = ${wanted})
    order by c.id desc limit ${limit}`);

export interface DetailRow extends SummaryRow {
  verdict: Discovery;
  evidence: EvidenceItem[];
  resource: string | null;
  clientId: string | null;
  policy: Partial<Policy>;
  limits: Partial<Limits>;
  logPayloads: boolean;
  payloadDays: number;
}

export const find = (db: Db, orgId: OrgId, reader: Reader, id: ConnectionId) =>
  db.row<DetailRow>(sql`
    select ${columns}, c.verdict, c.evidence, c.resource,
      (select k.client_id from oauth_clients o join oauth_client_credentials k on k.id = o.credentials_id
        where o.org_id = c.org_id and o.provider_id = c.provider_id) as "clientId",
      c.policy, c.limits, c.log_payloads as "logPayloads", c.payload_days as "payloadDays"
    from ${forReader(reader)} where c.org_id = ${orgId} and c.id = ${id} ${isVisible(reader)}`);

/** How many people may use each connection, and how their credentials are. */
export const countPeople = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<{ id: string; granted: number | null; connected: number; needCare: number }>(sql`
    select c.id,
      case when not exists (
          select from mcp_connection_grants g where g.connection_id = c.id and g.subject_kind = 'organization')
        then (select count(*)::int from (
            select g.member_id from mcp_connection_grants g where g.connection_id = c.id and g.member_id is not null
            union
            select x.member_id from mcp_connection_grants g join team_members x on x.team_id = g.team_id
            where g.connection_id = c.id) p
          join members m on m.id = p.member_id and m.deactivated_at is null) end as granted,
      accounts.connected + (select count(*)::int from mcp_credentials k where k.connection_id = c.id) as connected,
      accounts.broken + (select count(*)::int from mcp_member_states s where s.connection_id = c.id
        and s.since > ${credentialTime(sql`s.member_id`)}) as "needCare"
    from mcp_connections c
    cross join lateral (
      select count(*) filter (where o.status = 'connected')::int as connected,
        count(*) filter (where o.status = 'needs_reconnect')::int as broken
      from oauth_connections o
      where o.org_id = c.org_id and o.provider_id = c.provider_id and o.status <> 'ended') accounts
    where c.org_id = ${orgId} and c.id = any(${ids}::text[])`);

export interface NewRow {
  id: ConnectionId;
  name: string;
  slug: string;
  url: string;
  sealedUrl: string | null;
  credential: CredentialKind;
  registration: Registration;
  providerId: string | null;
  authorizationServer: string | null;
  resource: string | null;
  scopes: readonly string[];
  verdict: Discovery;
  evidence: readonly EvidenceItem[];
  protocolVersion: string | null;
  createdBy: MemberId;
}

/** Returns 0 when the slug is taken. */
export const insert = (db: Db, orgId: OrgId, row: NewRow) =>
  db.run(sql`
    insert into mcp_connections (id, org_id, name, slug, url, sealed_url, credential, registration, provider_id,
      authorization_server, resource, scopes, verdict, evidence, protocol_version, created_by)
    values (${row.id}, ${orgId}, ${row.name}, ${row.slug}, ${row.url}, ${row.sealedUrl}, ${row.credential},
      ${row.registration}, ${row.providerId}, ${row.authorizationServer}, ${row.resource}, ${row.scopes}::text[],
      ${JSON.stringify(row.verdict)}::text::jsonb, ${JSON.stringify(row.evidence)}::text::jsonb,
      ${row.protocolVersion}, ${row.createdBy})
    on conflict (org_id, slug) do nothing`);

export interface SettingsRow {
  id: ConnectionId;
  name: string;
  enabled: boolean;
  scopes: string[];
  limits: Partial<Limits>;
  logPayloads: boolean;
  payloadDays: number;
  registration: Registration;
  url: string;
}

/** Locks the connection until the transaction ends. */
export const lock = (tx: Db, orgId: OrgId, id: ConnectionId) =>
  tx.row<SettingsRow>(sql`
    select id, name, enabled, scopes, limits, log_payloads as "logPayloads", payload_days as "payloadDays",
      registration, url
    from mcp_connections where org_id = ${orgId} and id = ${id} for update`);

export const update = (
  db: Db,
  orgId: OrgId,
  id: ConnectionId,
  row: Omit<SettingsRow, "id" | "registration" | "url">,
) =>
  db.run(sql`
    update mcp_connections set name = ${row.name}, enabled = ${row.enabled}, scopes = ${row.scopes}::text[],
      limits = ${JSON.stringify(row.limits)}::jsonb, log_payloads = ${row.logPayloads},
      payload_days = ${row.payloadDays}, updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const remove = (db: Db, orgId: OrgId, id: ConnectionId) =>
  db.run(sql`delete from mcp_connections where org_id = ${orgId} and id = ${id}`);

/** Those of the ids that are connections of the organization. */
export const listExisting = async (db: Db, orgId: OrgId, ids: readonly string[]): Promise<string[]> =>
  (
    await db.rows<{ id: string }>(
      sql`select id from mcp_connections where org_id = ${orgId} and id = any(${ids}::text[])`,
    )
  ).map(({ id }) => id);

/** A kept verdict that is not older than an hour. */
export const findKeptVerdict = (db: Db, orgId: OrgId, id: string) =>
  db.row<{ url: string; result: Discovery; evidence: EvidenceItem[] }>(sql`
    select url, result, evidence from mcp_discoveries
    where org_id = ${orgId} and id = ${id} and created_at > now() - interval '1 hour'`);

/** Returns 0 when the tools were listed before, or the connection is off. */
export const makeFirstCheckDue = (tx: Db, orgId: OrgId, id: ConnectionId) =>
  tx.run(sql`
    update mcp_connections set next_check_at = now()
    where org_id = ${orgId} and id = ${id} and enabled and baseline_at is null`);
