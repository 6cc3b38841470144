import type { MemberId, OrgId } from "../../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../../platform/db/index.ts";
import { isGranted } from "../../grants/index.ts";
import type { ConnectionId } from "../../model.ts";
import type { DriftKind } from "../contract.ts";

/** A tool that the account of a member lists differently from the approved one. */
export interface AccountTool {
  name: string;
  latestHash: string;
  drift: DriftKind[];
  renamedFrom: string | null;
}

export const list = (db: Db, orgId: OrgId, id: ConnectionId, account: MemberId) =>
  db.rows<AccountTool>(sql`
    select name, latest_hash as "latestHash", drift, renamed_from as "renamedFrom" from mcp_account_tools
    where org_id = ${orgId} and connection_id = ${id} and member_id = ${account} order by name`);

export interface AccountChange extends Omit<AccountTool, "drift"> {
  /** JSON of a definition, or of the text of the instructions. */
  latest: unknown;
  drift: readonly DriftKind[];
}

/** Replaces everything that is known about an account. The time of a difference stays while its text does. */
export const replace = async (
  tx: Db,
  orgId: OrgId,
  id: ConnectionId,
  account: MemberId,
  changes: readonly AccountChange[],
): Promise<void> => {
  await tx.run(sql`
    delete from mcp_account_tools where org_id = ${orgId} and connection_id = ${id} and member_id = ${account}
      and name <> all(${changes.map(({ name }) => name)}::text[])`);
  await tx.run(sql`
    insert into mcp_account_tools as a (connection_id, org_id, member_id, name, latest, latest_hash, drift, renamed_from)
    select ${id}, ${orgId}, ${account}, n.name, n.latest, n."latestHash", n.drift, n."renamedFrom"
    from jsonb_to_recordset(${JSON.stringify(changes)}::text::jsonb)
      as n (name text, latest jsonb, "latestHash" text, drift text[], "renamedFrom" text)
    on conflict (connection_id, member_id, name) do update set latest = excluded.latest,
      latest_hash = excluded.latest_hash, drift = excluded.drift, renamed_from = excluded.renamed_from,
      changed_at = case when a.latest_hash = excluded.latest_hash then a.changed_at else now() end`);
};

/**
 * One row for each tool that some account lists differently, with the definition that most of these accounts list.
 * `accounts` is how many do, and `others` how many list it in yet another way. Members who may not use the connection
 * any more do not count.
 */
export const selectVariants = (orgId: OrgId, id: ConnectionId): Sql => sql`(
  select distinct on (v.name) v.name, v.latest, v.latest_hash, v.drift, v.renamed_from, v.changed_at, v.accounts,
    v.listed - v.accounts as others
  from (select a.*, count(*) over (partition by a.name, a.latest_hash)::int as accounts,
      count(*) over (partition by a.name)::int as listed
    from mcp_account_tools a join mcp_connections c on c.id = a.connection_id
    where a.org_id = ${orgId} and a.connection_id = ${id}
      and ${isGranted({ memberId: sql`a.member_id`, runId: sql`null` })}) v
  order by v.name, v.accounts desc, v.latest_hash, v.changed_at)`;

export interface Variant {
  name: string;
  approvedHash: string | null;
  latestHash: string;
  drift: DriftKind[];
}

export const listVariants = (db: Db, orgId: OrgId, id: ConnectionId) =>
  db.rows<Variant>(sql`
    select v.name, t.approved_hash as "approvedHash", v.latest_hash as "latestHash", v.drift
    from ${selectVariants(orgId, id)} v
    left join mcp_tools t on t.org_id = ${orgId} and t.connection_id = ${id} and t.name = v.name order by v.name`);

/** The definitions of these variants become the approved ones. Accounts that list another one still differ. */
export const approveVariants = async (
  tx: Db,
  orgId: OrgId,
  id: ConnectionId,
  approvedBy: MemberId,
  names: readonly string[],
): Promise<void> => {
  await tx.run(sql`
    insert into mcp_tools as t (connection_id, org_id, name, approved, approved_hash, approved_by, approved_at, latest,
      latest_hash)
    select ${id}, ${orgId}, v.name, v.latest, v.latest_hash, ${approvedBy}, now(), v.latest, v.latest_hash
    from ${selectVariants(orgId, id)} v where v.name = any(${names}::text[])
    on conflict (connection_id, name) do update set approved = excluded.approved, approved_hash = excluded.approved_hash,
      approved_by = excluded.approved_by, approved_at = now(), latest = excluded.latest,
      latest_hash = excluded.latest_hash, drift = '{}', renamed_from = null, seen_at = now(), changed_at = now()`);
  await tx.run(sql`
    delete from mcp_account_tools a using mcp_tools t
    where a.org_id = ${orgId} and a.connection_id = ${id} and a.name = any(${names}::text[])
      and t.org_id = a.org_id and t.connection_id = a.connection_id and t.name = a.name and t.approved_hash = a.latest_hash`);
};

/** Tools that an account lists, whatever it says about them, are not gone. */
export const see = (tx: Db, orgId: OrgId, id: ConnectionId, names: readonly string[]) =>
  tx.run(sql`
    update mcp_tools set seen_at = now(), latest = approved, latest_hash = approved_hash, drift = '{}'
    where org_id = ${orgId} and connection_id = ${id} and name = any(${names}::text[]) and approved is not null`);

export const setRemoved = (tx: Db, orgId: OrgId, id: ConnectionId, names: readonly string[]) =>
  tx.run(sql`
    update mcp_tools set latest = null, latest_hash = null, drift = '{removed}', changed_at = now()
    where org_id = ${orgId} and connection_id = ${id} and name = any(${names}::text[])`);

/** Forgets the account of a member. */
export const removeOf = (tx: Db, orgId: OrgId, id: ConnectionId, account: string) =>
  tx.run(sql`
    delete from mcp_account_tools
    where org_id = ${orgId} and connection_id = ${id} and member_id = ${account}`);
