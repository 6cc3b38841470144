import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, reuseStatement, type Sql, sql } from "../../../platform/db/index.ts";
import { isGranted, type Reader, type UsableRow, usableColumns } from "../grants/index.ts";
import type { ConnectionId, CredentialKind, Policy } from "../model.ts";
import type { DriftKind, ToolDefinition } from "./contract.ts";

export interface ConnectionRow {
  id: ConnectionId;
  name: string;
  slug: string;
  credential: CredentialKind;
  /** What differs from the default policy. */
  policy: Partial<Policy>;
  createdBy: MemberId | null;
  hasBaseline: boolean;
  toolCount: number;
  heldTools: number;
  omittedTools: number;
  listedAt: number | null;
}

const connectionColumns = sql`c.id, c.name, c.slug, c.credential, c.policy, c.created_by as "createdBy",
  c.baseline_at is not null as "hasBaseline", c.tool_count as "toolCount", c.held_tools as "heldTools",
  c.omitted_tools as "omittedTools", c.tools_at as "listedAt"`;

/** `grantees` are the member and their teams, or null for somebody who may see every connection. */
export const findConnection = (db: Db, orgId: OrgId, grantees: readonly string[] | null, id: ConnectionId) =>
  db.row<ConnectionRow>(sql`
    select ${connectionColumns} from mcp_connections c
    where c.org_id = ${orgId} and c.id = ${id} and ${
      grantees === null
        ? sql`true`
        : sql`exists (select from mcp_connection_grants g where g.connection_id = c.id
            and g.subject_id = any(${[orgId, ...grantees]}::text[]))`
    }`);

export const lockConnection = (tx: Db, orgId: OrgId, id: ConnectionId) =>
  tx.row<ConnectionRow>(sql`
    select ${connectionColumns} from mcp_connections c
    where c.org_id = ${orgId} and c.id = ${id} for no key update`);

export const setPolicy = (
  tx: Db,
  orgId: OrgId,
  id: ConnectionId,
  policy: Partial<Policy>,
  heldTools: number,
) =>
  tx.run(sql`
    update mcp_connections set policy = ${JSON.stringify(policy)}::text::jsonb, held_tools = ${heldTools},
      updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const setCounts = (
  tx: Db,
  orgId: OrgId,
  id: ConnectionId,
  { toolCount, heldTools }: { toolCount: number; heldTools: number },
) =>
  tx.run(sql`
    update mcp_connections set tool_count = ${toolCount}, held_tools = ${heldTools}
    where org_id = ${orgId} and id = ${id}`);

/** The row with the empty name is the server's instructions. */
export const instructionsName = "";

export interface ToolRow {
  name: string;
  /** What agents see: the approved definition, or with the policy `warn` the present one. */
  definition: ToolDefinition;
  isApproved: boolean;
  isRemoved: boolean;
  drift: DriftKind[];
  renamedFrom: string | null;
  approvedBy: string | null;
  approvedByName: string | null;
  approvedAt: number | null;
  firstSeenAt: number;
  changedAt: number;
}

const definitionOf = (servesLatest: Sql) =>
  sql`case when ${servesLatest} then coalesce(t.latest, t.approved) else coalesce(t.approved, t.latest) end`;

/**
 * The tools of connections as the account of a member has them, as `t`. Only connections with an account per member have
 * rows of accounts.
 */
const toolsFor = (orgId: OrgId, ids: readonly ConnectionId[], memberId: string): Sql => sql`(
  select coalesce(s.connection_id, a.connection_id) as connection_id, coalesce(s.name, a.name) as name, s.approved,
    s.approved_by, s.approved_at, coalesce(a.latest, s.latest) as latest, coalesce(a.drift, s.drift) as drift,
    case when a.name is null then s.renamed_from else a.renamed_from end as renamed_from,
    coalesce(s.first_seen_at, a.changed_at) as first_seen_at, coalesce(a.changed_at, s.changed_at) as changed_at
  from (select * from mcp_tools where org_id = ${orgId} and connection_id = any(${ids}::text[])) s
  full join (select * from mcp_account_tools
    where org_id = ${orgId} and connection_id = any(${ids}::text[]) and member_id = ${memberId}) a
  on a.connection_id = s.connection_id and a.name = s.name) t`;

/** How many differences hold tools of `mcp_connections c` for a member. */
const heldFor = (
  memberId: Sql,
): Sql => sql`case when c.credential = 'per_member' and c.registration <> 'none' then
    (select count(*)::int from mcp_account_tools a
      where a.org_id = c.org_id and a.connection_id = c.id and a.member_id = ${memberId})
    + (select count(*)::int from mcp_tools x where x.org_id = c.org_id and x.connection_id = c.id and x.drift <> '{}')
  else c.held_tools end`;

/** How many differences hold tools of a connection for a member. */
export const countHeldFor = async (
  db: Db,
  orgId: OrgId,
  id: ConnectionId,
  memberId: string,
): Promise<number> =>
  (
    await db.row<{ held: number }>(sql`
      select ${heldFor(sql`${memberId}`)} as held from mcp_connections c where c.org_id = ${orgId} and c.id = ${id}`)
  )?.held ?? 0;

/** By name, as the account of the member has them. */
export const list = (
  db: Db,
  orgId: OrgId,
  id: ConnectionId,
  memberId: string,
  { servesLatest, kind, after, limit }: ToolSelection,
) =>
  db.rows<ToolRow>(sql`
    select t.name, ${definitionOf(sql`${servesLatest}::boolean`)} as definition, t.approved is not null as "isApproved",
      t.latest is null as "isRemoved", t.drift, t.renamed_from as "renamedFrom", t.approved_by as "approvedBy",
      (select u.name from members m join users u on u.id = m.user_id where m.id = t.approved_by) as "approvedByName",
      t.approved_at as "approvedAt", t.first_seen_at as "firstSeenAt", t.changed_at as "changedAt"
    from ${toolsFor(orgId, [id], memberId)}
    where t.name > ${after}
      and case ${kind}::text when 'removed' then t.latest is null when 'present' then t.latest is not null
        when 'changed' then t.latest is not null and t.drift <> '{}'
        when 'unchanged' then t.latest is not null and t.drift = '{}' else ${kind}::text = 'any' end
    order by t.name limit ${limit}`);

export interface ToolSelection {
  servesLatest: boolean;
  kind: "any" | "removed" | "present" | "changed" | "unchanged" | "none";
  after: string;
  limit: number;
}

/** Those that nobody approved are in the drift, and nowhere else. */
export const findInstructions = async (
  db: Db,
  orgId: OrgId,
  id: ConnectionId,
  memberId: string,
  servesLatest: boolean,
) =>
  (
    await db.row<{ text: string | null }>(sql`
      select (case when ${servesLatest}::boolean then t.latest else t.approved end) #>> '{}' as text
      from ${toolsFor(orgId, [id], memberId)} where t.name = ${instructionsName}`)
  )?.text ?? null;

/**
 * The tools of several connections that agents can see, in one statement. New tools wait for their approval. Returns the
 * first ones, whose definitions together have at most `maxBytes`.
 */
export const listUsable = (
  db: Db,
  orgId: OrgId,
  memberId: string,
  ids: readonly ConnectionId[],
  servingLatest: readonly ConnectionId[],
  maxBytes: number,
) =>
  db.rows<{
    connectionId: ConnectionId;
    name: string;
    definition: ToolDefinition;
    drift: DriftKind[];
    isConnectionHeld: boolean;
  }>(sql`
    with usable as (
      select t.connection_id, t.name, t.drift, ${heldFor(sql`${memberId}`)} > 0 as held,
        ${definitionOf(sql`t.connection_id = any(${servingLatest}::text[])`)} as definition
      from ${toolsFor(orgId, ids, memberId)} join mcp_connections c on c.id = t.connection_id
      where c.org_id = ${orgId} and t.name <> ${instructionsName}
        and t.latest is not null and (t.approved is not null or t.connection_id = any(${servingLatest}::text[]))
    ), counted as (
      select *, sum(octet_length(definition::text)) over (order by connection_id, name) as bytes from usable
    )
    select connection_id as "connectionId", name, drift, definition, held as "isConnectionHeld"
    from counted where bytes <= ${maxBytes} order by connection_id, name`);

export interface CallRow {
  /** What the server says now. Null when the tool is not known. */
  definition: ToolDefinition | null;
  /** The hints of the approved definition. */
  approvedAnnotations: ToolDefinition["annotations"] | null;
  approvedHash: string | null;
  latestHash: string | null;
  drift: DriftKind[] | null;
  heldTools: number;
  hasBaseline: boolean;
}

/** Columns of `mcp_connections c` and of the tool that `joinTool` adds to it. */
const callColumns = (memberId: Sql): Sql => sql`coalesce(own.latest, t.latest, t.approved) as definition,
  t.approved -> 'annotations' as "approvedAnnotations", t.approved_hash as "approvedHash",
  coalesce(own.latest_hash, t.latest_hash) as "latestHash", coalesce(own.drift, t.drift) as drift,
  ${heldFor(memberId)} as "heldTools", c.baseline_at is not null as "hasBaseline"`;

/** The tool, and what the account of the member says differently about it. */
const joinTool = (name: Sql, memberId: Sql): Sql =>
  sql`left join mcp_tools t on t.connection_id = c.id and t.name = ${name} and t.name <> ${instructionsName}
    left join mcp_account_tools own on own.org_id = c.org_id and own.connection_id = c.id and own.member_id = ${memberId}
      and own.name = ${name} and own.name <> ${instructionsName}`;

const selectForCall = reuseStatement(
  (orgId: OrgId, id: ConnectionId, name: string, memberId: string | null) => sql`
    select ${callColumns(sql`${memberId}`)} from mcp_connections c ${joinTool(sql`${name}`, sql`${memberId}`)}
    where c.org_id = ${orgId} and c.id = ${id}`,
);

/** What decides about a call of one tool. Undefined when the connection does not exist. */
export const findForCall = (db: Db, orgId: OrgId, id: ConnectionId, name: string, memberId: string | null) =>
  db.row<CallRow>(selectForCall(orgId, id, name, memberId));

export interface ConfirmationRow extends CallRow {
  /** Identifies what the server listed last: all names and hashes. */
  fingerprint: string | null;
  /** The time of the last listing must be written again. */
  isListedLongAgo: boolean;
}

const selectForConfirmation = reuseStatement(
  (orgId: OrgId, id: ConnectionId, name: string, memberId: string | null) => sql`
    select ${callColumns(sql`${memberId}`)}, c.tools_at is null or c.tools_at < now() - interval '1 minute' as "isListedLongAgo",
      (select md5(string_agg(coalesce(k.latest_hash, '') || ' ' || k.name, chr(10) order by k.name))
        from mcp_tools k where k.connection_id = c.id)
      || coalesce((select md5(string_agg(a.latest_hash || ' ' || a.name, chr(10) order by a.name))
        from mcp_account_tools a
      where a.org_id = c.org_id and a.connection_id = c.id and a.member_id = ${memberId}), '') as fingerprint
    from mcp_connections c ${joinTool(sql`${name}`, sql`${memberId}`)}
    where c.org_id = ${orgId} and c.id = ${id}`,
);

/** The same, for a listing that came right before the call. */
export const findForConfirmation = (
  db: Db,
  orgId: OrgId,
  id: ConnectionId,
  name: string,
  memberId: string | null,
) => db.row<ConfirmationRow>(selectForConfirmation(orgId, id, name, memberId));

export interface CallableRow extends UsableRow, CallRow {
  /** The approved definition, when the present one differs from it. */
  approvedDefinition: ToolDefinition | null;
}

/** A tool that somebody wants to call. */
export interface CallableLookup extends Pick<Reader, "memberId" | "runId"> {
  orgId: OrgId;
  slug: string;
  name: string;
}

const selectCallable = reuseStatement(
  (
    orgIds: readonly string[],
    memberIds: readonly string[],
    runIds: readonly (string | null)[],
    slugs: readonly string[],
    names: readonly string[],
  ) => sql`
    select q.position::int as position, ${usableColumns}, ${callColumns(sql`q.member_id`)},
      case when own.name is not null or t.approved_hash is distinct from t.latest_hash then t.approved end
        as "approvedDefinition"
    from unnest(${orgIds}::text[], ${memberIds}::text[], ${runIds}::text[], ${slugs}::text[], ${names}::text[])
      with ordinality as q(org_id, member_id, run_id, slug, name, position)
    join mcp_connections c on c.org_id = q.org_id and c.slug = q.slug and c.enabled
    join organizations o on o.id = c.org_id ${joinTool(sql`q.name`, sql`q.member_id`)}
    where ${isGranted({ memberId: sql`q.member_id`, runId: sql`q.run_id` })}`,
);

/**
 * Finds connections that the readers may use now, by their slugs, and what decides about calls of their tools. Each
 * lookup finds only rows of its own organization. The result has the order of the lookups.
 */
export async function findCallableAcrossOrganizations(
  db: Db,
  lookups: readonly CallableLookup[],
): Promise<(CallableRow | undefined)[]> {
  const rows = await db.rows<CallableRow & { position: number }>(
    selectCallable(
      lookups.map(({ orgId }) => orgId),
      lookups.map(({ memberId }) => memberId),
      lookups.map(({ runId }) => runId),
      lookups.map(({ slug }) => slug),
      lookups.map(({ name }) => name),
    ),
  );
  const found: (CallableRow | undefined)[] = lookups.map(() => undefined);
  for (const { position, ...row } of rows) found[position - 1] = row;
  return found;
}
