import type { MemberId, OrgId } from "../../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../../platform/db/index.ts";
import { smallestIdAt } from "../../../../platform/ids.ts";
import type { ConnectionId } from "../../model.ts";
import { selectVariants } from "../accounts/index.ts";
import { type DriftKind, driftKinds, type ToolDefinition } from "../contract.ts";

export interface DriftRow {
  name: string;
  drift: DriftKind[];
  renamedFrom: string | null;
  /** For the instructions, the text. For a renamed tool, the definition under its earlier name. */
  before: ToolDefinition | string | null;
  after: ToolDefinition | string | null;
  accounts: number | null;
  otherVariants: number;
  seenAt: number;
  approvedBy: string | null;
  approvedByName: string | null;
  approvedAt: number | null;
}

/** The earlier name of a renamed tool is shown with its new name. */
const isNoEarlierName = sql`not exists (select from mcp_tools n
  where n.connection_id = t.connection_id and n.renamed_from = t.name and t.latest is null)`;

/** A column of the earlier name of a renamed tool. */
const ofEarlierName = (column: Sql, id: ConnectionId) => sql`(select ${column} from mcp_tools o
  where o.connection_id = ${id} and o.name = d.renamed_from)`;

/** What differs for everybody, and what differs for single accounts. The worst first, then by name. */
export const list = (db: Db, orgId: OrgId, id: ConnectionId, offset: number, limit: number) =>
  db.rows<DriftRow>(sql`
    select d.name, d.drift, d.renamed_from as "renamedFrom",
      coalesce(t.approved, ${ofEarlierName(sql`o.approved`, id)}) as before, d.latest as after, d.changed_at as "seenAt",
      d.accounts, d.others as "otherVariants",
      coalesce(t.approved_by, ${ofEarlierName(sql`o.approved_by`, id)}) as "approvedBy",
      (select u.name from members m join users u on u.id = m.user_id
        where m.id = coalesce(t.approved_by, ${ofEarlierName(sql`o.approved_by`, id)})) as "approvedByName",
      coalesce(t.approved_at, ${ofEarlierName(sql`o.approved_at`, id)}) as "approvedAt"
    from (
      select t.name, t.drift, t.renamed_from, t.latest, t.changed_at, null::int as accounts, 0 as others
      from mcp_tools t
      where t.org_id = ${orgId} and t.connection_id = ${id} and t.drift <> '{}' and ${isNoEarlierName}
      union all
      select v.name, v.drift, v.renamed_from, v.latest, v.changed_at, v.accounts, v.others
      from ${selectVariants(orgId, id)} v
    ) d left join mcp_tools t on t.org_id = ${orgId} and t.connection_id = ${id} and t.name = d.name
    order by array_position(${driftKinds}::text[], d.drift[1]), d.name offset ${offset} limit ${limit}`);

const maxCounted = 20_000;

/** How often each of these tools was called in the last day, as far as the newest calls tell. */
export const countCalls = (db: Db, orgId: OrgId, id: ConnectionId, tools: readonly string[], since: number) =>
  db.rows<{ tool: string; count: number }>(sql`
    select c.tool, count(*)::int as count from (
      select tool from mcp_calls where org_id = ${orgId} and connection_id = ${id}
        and id collate "POSIX" >= ${smallestIdAt("mcl", since)} order by id collate "POSIX" desc limit ${maxCounted}) c
    where c.tool = any(${tools}::text[]) group by 1`);

export interface ApprovedTool {
  name: string;
  renamedFrom: string | null;
  before: ToolDefinition | string | null;
  after: ToolDefinition | string | null;
  latestHash: string | null;
}

export const listForApproval = (tx: Db, orgId: OrgId, id: ConnectionId, names: readonly string[]) =>
  tx.rows<ApprovedTool>(sql`
    select t.name, t.renamed_from as "renamedFrom", t.approved as before, t.latest as after,
      t.latest_hash as "latestHash"
    from mcp_tools t
    where t.org_id = ${orgId} and t.connection_id = ${id} and t.name = any(${names}::text[]) and t.drift <> '{}'
    union all
    select v.name, v.renamed_from, t.approved, v.latest, v.latest_hash from ${selectVariants(orgId, id)} v
    left join mcp_tools t on t.org_id = ${orgId} and t.connection_id = ${id} and t.name = v.name
    where v.name = any(${names}::text[]) order by 1`);

/** The present definitions become the approved ones. */
export const approve = (
  tx: Db,
  orgId: OrgId,
  id: ConnectionId,
  approvedBy: MemberId,
  names: readonly string[],
) =>
  tx.run(sql`
    update mcp_tools set approved = latest, approved_hash = latest_hash, approved_by = ${approvedBy},
      approved_at = now(), drift = '{}', renamed_from = null
    where org_id = ${orgId} and connection_id = ${id} and name = any(${names}::text[]) and latest is not null`);

/** Removed tools are forgotten. Instructions that are gone are too. */
export const forget = (tx: Db, orgId: OrgId, id: ConnectionId, names: readonly string[]) =>
  tx.run(sql`
    delete from mcp_tools
    where org_id = ${orgId} and connection_id = ${id} and name = any(${names}::text[]) and latest is null`);
