import type { MemberId, OrgId } from "../../../../platform/context.ts";
import { type Db, listSource, type Sql, sql } from "../../../../platform/db/index.ts";
import type { Id } from "../../../../platform/ids.ts";
import type { ConnectionId } from "../../model.ts";
import type { McpApproval, Status } from "./contract.ts";

export type ApprovalId = Id<"mca">;

/** How long a decision is possible, and how long it applies. */
const decisionTime = sql`interval '1 day'`;
const useTime = sql`interval '1 hour'`;

const isOver = sql`a.status in ('pending', 'approved') and a.expires_at <= now()`;
const status = sql`case when ${isOver} then 'expired' else a.status end`;

const columns = sql`a.id, a.connection_id as "connectionId",
  (select c.name from mcp_connections c where c.id = a.connection_id) as "connectionName", a.tool,
  a.argument_bytes as "argumentBytes", ${status} as status, a.member_id as "memberId",
  (select u.name from members m join users u on u.id = m.user_id where m.id = a.member_id) as "memberName",
  a.run_id as "runId", a.note, a.decided_by as "decidedBy",
  (select u.name from members m join users u on u.id = m.user_id where m.id = a.decided_by) as "decidedByName",
  a.decided_at as "decidedAt", a.expires_at as "expiresAt", a.created_at as "createdAt"`;

export type ApprovalRow = Omit<McpApproval, "arguments">;

export interface Filter {
  /** Null: of all members. */
  memberId: MemberId | null;
  status: Status | undefined;
  connectionId: string | undefined;
}

/** Members see what they asked for. An organization has few approvals, so filters need no index of their own. */
export const list = (db: Db, orgId: OrgId, { memberId, status: wanted, connectionId }: Filter) =>
  listSource<ApprovalRow>(db, {
    filtered: memberId !== null || wanted !== undefined || connectionId !== undefined,
    candidates: (after, count) => sql`
      select a.id, ${memberId === null ? sql`true` : sql`a.member_id is not distinct from ${memberId}`}
        and ${wanted === undefined ? sql`true` : sql`${status} = ${wanted}`}
        and ${connectionId === undefined ? sql`true` : sql`a.connection_id = ${connectionId}`} as matches
      from mcp_approvals a where a.org_id = ${orgId} and a.id < ${after} order by a.id desc limit ${count}`,
    rows: (ids) => sql`select ${columns} from mcp_approvals a where a.id = any(${ids})`,
  });

/** With the sealed arguments. */
export const find = (db: Db, orgId: OrgId, memberId: MemberId | null, id: ApprovalId) =>
  db.row<ApprovalRow & { sealed: string | null }>(sql`
    select ${columns}, a.arguments as sealed from mcp_approvals a
    where a.org_id = ${orgId} and a.id = ${id}
      and (${memberId}::text is null or a.member_id is not distinct from ${memberId}::text)`);

export const lock = (tx: Db, orgId: OrgId, id: ApprovalId) =>
  tx.row<{ id: ApprovalId; status: Status; tool: string; connectionId: ConnectionId }>(sql`
    select a.id, ${status} as status, a.tool, a.connection_id as "connectionId" from mcp_approvals a
    where a.org_id = ${orgId} and a.id = ${id} for no key update`);

export const decide = (
  tx: Db,
  orgId: OrgId,
  id: ApprovalId,
  { outcome, decidedBy, note }: { outcome: "approved" | "denied"; decidedBy: MemberId; note: string | null },
) =>
  tx.run(sql`
    update mcp_approvals set status = ${outcome}, decided_by = ${decidedBy}, decided_at = now(), note = ${note},
      expires_at = now() + ${useTime}
    where org_id = ${orgId} and id = ${id}`);

/** One call: who makes it, of which tool as it was approved, with which arguments. */
export interface Call {
  connectionId: ConnectionId;
  memberId: MemberId;
  runId: string | null;
  tool: string;
  toolHash: string;
  argumentsHash: string;
}

const isForCall = (orgId: OrgId, call: Call): Sql => sql`org_id = ${orgId}
  and connection_id = ${call.connectionId} and member_id = ${call.memberId}
  and run_id is not distinct from ${call.runId}::text and tool = ${call.tool} and tool_hash = ${call.toolHash}
  and arguments_hash = ${call.argumentsHash}`;

/** Uses up the approval of this call. Returns it to one caller only. */
export const use = (db: Db, orgId: OrgId, call: Call) =>
  db.row<{ id: ApprovalId }>(sql`
    update mcp_approvals set status = 'used'
    where ${isForCall(orgId, call)} and status = 'approved' and expires_at > now() returning id`);

/** The open request for this call, or the recent denial of it. */
export const findOpen = (db: Db, orgId: OrgId, call: Call) =>
  db.row<{
    id: ApprovalId;
    status: "pending" | "approved" | "denied";
    note: string | null;
    expiresAt: number;
  }>(sql`
    select id, status, note, expires_at as "expiresAt" from mcp_approvals
    where ${isForCall(orgId, call)} and status in ('pending', 'approved', 'denied') and expires_at > now()
    order by id desc limit 1`);

/** Requests of this call whose time is over make place for a new one. */
export const expire = (tx: Db, orgId: OrgId, call: Call) =>
  tx.run(sql`
    update mcp_approvals set status = 'expired'
    where ${isForCall(orgId, call)} and status in ('pending', 'approved') and expires_at <= now()`);

export const countPending = async (db: Db, orgId: OrgId, memberId: MemberId) =>
  (await db.row<{ count: number }>(sql`
    select count(*)::int as count from mcp_approvals
    where org_id = ${orgId} and member_id = ${memberId} and status = 'pending' and expires_at > now()`))!
    .count;

/** Returns 0 when the same call was asked for at the same time. */
export const insert = (
  tx: Db,
  orgId: OrgId,
  call: Call,
  { id, sealed, argumentBytes }: { id: ApprovalId; sealed: string | null; argumentBytes: number },
) =>
  tx.run(sql`
    insert into mcp_approvals (id, org_id, connection_id, member_id, run_id, tool, tool_hash, arguments_hash, arguments,
      argument_bytes, expires_at)
    values (${id}, ${orgId}, ${call.connectionId}, ${call.memberId}, ${call.runId}, ${call.tool}, ${call.toolHash},
      ${call.argumentsHash}, ${sealed}, ${argumentBytes}, now() + ${decisionTime})
    on conflict do nothing`);

/** Closes what nobody decided or used in time. */
export const expireAcrossOrganizations = (db: Db) =>
  db.run(sql`
    update mcp_approvals set status = 'expired'
    where status in ('pending', 'approved') and expires_at <= now()`);

/** Ids begin with the time, so no other index is needed. */
export const removeOldAcrossOrganizations = (db: Db, firstId: string, limit: number) =>
  db.run(sql`
    delete from mcp_approvals where id in (
      select id from mcp_approvals where id < ${firstId} order by id limit ${limit})`);
