import type { MemberId, OrgId } from "../../../../platform/context.ts";
import { type Db, sql } from "../../../../platform/db/index.ts";
import type { ConnectionId } from "../../model.ts";
import type { DriftKind, ToolDefinition } from "../contract.ts";
import { instructionsName } from "../store.ts";

export interface KnownTool {
  name: string;
  approvedHash: string | null;
  latestHash: string | null;
  drift: DriftKind[];
  renamedFrom: string | null;
  /** Its time must be written again. */
  isSeenLongAgo: boolean;
  /** No listing had it for a day. */
  isUnseen: boolean;
}

const knownColumns = sql`t.name, t.approved_hash as "approvedHash", t.latest_hash as "latestHash", t.drift,
  t.renamed_from as "renamedFrom", t.seen_at < now() - interval '12 hours' as "isSeenLongAgo",
  t.seen_at < now() - interval '1 day' as "isUnseen"`;

/** What is known about every tool, without its definitions. */
export const listKnown = (db: Db, orgId: OrgId, id: ConnectionId) =>
  db.rows<KnownTool & { isListedLongAgo: boolean }>(sql`
    select ${knownColumns}, c.tools_at is null or c.tools_at < now() - interval '1 minute' as "isListedLongAgo"
    from mcp_tools t join mcp_connections c on c.id = t.connection_id and c.org_id = t.org_id
    where t.org_id = ${orgId} and t.connection_id = ${id} order by t.name`);

export const listApproved = (tx: Db, orgId: OrgId, id: ConnectionId, names: readonly string[]) =>
  tx.rows<{ name: string; approved: ToolDefinition | null }>(sql`
    select t.name, t.approved from mcp_tools t
    where t.org_id = ${orgId} and t.connection_id = ${id} and t.name = any(${names}::text[])
      and t.name <> ${instructionsName} and t.approved is not null`);

export interface Change {
  name: string;
  /** JSON of a definition, or of the text of the instructions. Null: the server does not list it. */
  latest: unknown;
  latestHash: string | null;
  drift: readonly DriftKind[];
  renamedFrom: string | null;
}

/** Writes the present definitions of these tools. The time of a change stays when only the kinds differ. */
export const save = (tx: Db, orgId: OrgId, id: ConnectionId, changes: readonly Change[]) =>
  tx.run(sql`
    insert into mcp_tools as t (connection_id, org_id, name, latest, latest_hash, drift, renamed_from)
    select ${id}, ${orgId}, n.name, n.latest, n."latestHash", n.drift, n."renamedFrom"
    from jsonb_to_recordset(${JSON.stringify(changes)}::text::jsonb)
      as n (name text, latest jsonb, "latestHash" text, drift text[], "renamedFrom" text)
    on conflict (connection_id, name) do update set latest = excluded.latest, latest_hash = excluded.latest_hash,
      drift = excluded.drift, renamed_from = excluded.renamed_from, seen_at = now(),
      changed_at = case when t.latest_hash is distinct from excluded.latest_hash then now() else t.changed_at end`);

/** The first tools of a connection are approved by the person who saved it. */
export const saveBaseline = (
  tx: Db,
  orgId: OrgId,
  id: ConnectionId,
  approvedBy: MemberId | null,
  tools: readonly Pick<Change, "name" | "latest" | "latestHash">[],
) =>
  tx.run(sql`
    insert into mcp_tools as t (connection_id, org_id, name, approved, approved_hash, approved_by, approved_at, latest,
      latest_hash)
    select ${id}, ${orgId}, n.name, n.latest, n."latestHash", ${approvedBy}, now(), n.latest, n."latestHash"
    from jsonb_to_recordset(${JSON.stringify(tools)}::text::jsonb) as n (name text, latest jsonb, "latestHash" text)
    on conflict (connection_id, name) do update set approved = excluded.approved,
      approved_hash = excluded.approved_hash, approved_by = excluded.approved_by, approved_at = now(),
      latest = excluded.latest, latest_hash = excluded.latest_hash, drift = '{}', seen_at = now()`);

export const remove = (tx: Db, orgId: OrgId, id: ConnectionId, names: readonly string[]) =>
  tx.run(sql`
    delete from mcp_tools where org_id = ${orgId} and connection_id = ${id} and name = any(${names}::text[])`);

export interface ListedConnection {
  toolCount: number;
  heldTools: number;
  omittedTools: number;
  isBaseline: boolean;
}

export const setListed = (
  tx: Db,
  orgId: OrgId,
  id: ConnectionId,
  { toolCount, heldTools, omittedTools, isBaseline }: ListedConnection,
) =>
  tx.run(sql`
    update mcp_connections set tool_count = ${toolCount}, held_tools = ${heldTools}, omitted_tools = ${omittedTools},
      tools_at = now(), baseline_at = case when ${isBaseline}::boolean then now() else baseline_at end
    where org_id = ${orgId} and id = ${id}`);

/** Notes that the tools were listed and are the same, at most once a minute. */
export const touch = (db: Db, orgId: OrgId, id: ConnectionId) =>
  db.run(sql`
    update mcp_connections set tools_at = now()
    where org_id = ${orgId} and id = ${id} and (tools_at is null or tools_at < now() - interval '1 minute')`);
