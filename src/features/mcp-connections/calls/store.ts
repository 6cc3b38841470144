import type { OrgId } from "../../../platform/context.ts";
import {
  type Db,
  emptySql,
  filterOrder,
  join,
  listSource,
  type Sql,
  sql,
} from "../../../platform/db/index.ts";
import { idsBetween, smallestIdAt } from "../../../platform/ids.ts";
import type { ConnectionId } from "../model.ts";
import type { Filter, McpCall } from "./contract.ts";

/** A call as it is written. */
export interface CallRecord extends Omit<McpCall, "connectionName" | "memberName"> {
  orgId: OrgId;
}

export interface SealedPayload {
  orgId: OrgId;
  callId: string;
  payload: string;
  expiresAt: number;
}

/** Inserts calls of many organizations, and their payloads, with one statement. */
export const insertAcrossOrganizations = (
  db: Db,
  calls: readonly CallRecord[],
  payloads: readonly SealedPayload[],
) => {
  const column = <Key extends keyof CallRecord>(key: Key) => calls.map((call) => call[key]);
  return db.run(sql`
    with calls as (
      insert into mcp_calls (org_id, id, connection_id, member_id, credential, credential_id, client, tool, outcome,
        code, ms, request_bytes, result_bytes, run_id, attempt, created_at)
      select c.org_id, c.id, c.connection_id, c.member_id, c.credential, c.credential_id, c.client, c.tool, c.outcome,
        c.code, c.ms, c.request_bytes, c.result_bytes, c.run_id, c.attempt, to_timestamp(c.created_at / 1000.0)
      from unnest(${column("orgId")}::text[], ${column("id")}::text[], ${column("connectionId")}::text[],
        ${column("memberId")}::text[], ${column("credential")}::text[], ${column("credentialId")}::text[],
        ${column("client")}::text[], ${column("tool")}::text[], ${column("outcome")}::text[],
        ${column("code")}::text[], ${column("ms")}::int[], ${column("requestBytes")}::int[],
        ${column("resultBytes")}::int[], ${column("runId")}::text[], ${column("attempt")}::int[],
        ${column("createdAt")}::bigint[])
        as c(org_id, id, connection_id, member_id, credential, credential_id, client, tool, outcome, code, ms,
          request_bytes, result_bytes, run_id, attempt, created_at))
    insert into mcp_call_payloads (org_id, call_id, payload, expires_at)
    select p.org_id, p.call_id, p.payload, to_timestamp(p.expires_at / 1000.0)
    from unnest(${payloads.map(({ orgId }) => orgId)}::text[], ${payloads.map(({ callId }) => callId)}::text[],
      ${payloads.map(({ payload }) => payload)}::text[], ${payloads.map(({ expiresAt }) => expiresAt)}::bigint[])
      as p(org_id, call_id, payload, expires_at)`);
};

const columns = sql`c.id, c.connection_id as "connectionId",
  (select m.name from mcp_connections m where m.id = c.connection_id and m.org_id = c.org_id) as "connectionName",
  c.member_id as "memberId",
  (select u.name from members m join users u on u.id = m.user_id
    where m.id = c.member_id and m.org_id = c.org_id) as "memberName",
  c.credential, c.credential_id as "credentialId", c.client, c.tool, c.outcome, c.code, c.ms,
  c.request_bytes as "requestBytes", c.result_bytes as "resultBytes", c.run_id as "runId", c.attempt,
  c.created_at as "createdAt"`;

const prefix = "mcl";
const lastId = "~";

export const list = (db: Db, orgId: OrgId, filter: Filter) => {
  const { first = "", end = lastId } = idsBetween(prefix, filter.from, filter.to);
  const { where, id } = chooseRange(filter);
  return listSource<McpCall>(db, {
    filtered: Object.values(filter).some((value) => value !== undefined),
    candidates: (after, count) => sql`
      select c.id, ${matchFilter(filter)} as matches from mcp_calls c
      where c.org_id = ${orgId} ${where} and ${id} < ${[end, after].sort()[0]} and ${id} >= ${first}
      order by ${id} desc limit ${count}`,
    rows: (ids) => sql`select ${columns} from mcp_calls c where c.org_id = ${orgId} and c.id = any(${ids})`,
  });
};

/** Of the next `limit` calls in the order of their times, those that match, and the last one that was examined. */
export async function listAfter(db: Db, orgId: OrgId, filter: Filter, after: string, limit: number) {
  const { first = "", end = lastId } = idsBetween(prefix, filter.from, filter.to);
  const { where, id } = chooseRange(filter);
  const rows = await db.rows<McpCall & { matches: boolean }>(sql`
    select ${columns}, ${matchFilter(filter)} as matches from mcp_calls c
    where c.org_id = ${orgId} ${where} and ${id} > ${[after, first].sort()[1]} and ${id} < ${end}
    order by ${id} limit ${limit}`);
  const calls = rows.filter(({ matches }) => matches).map(({ matches: _, ...call }) => call);
  return { calls, last: rows.length < limit ? undefined : rows.at(-1)?.id };
}

/** The condition that an index serves in list order. With several, the one that probably matches the fewest rows. */
function chooseRange({ runId, outcome, memberId, connectionId, tool }: Filter): { where: Sql; id: Sql } {
  const id = filterOrder(sql`c.id`);
  if (runId !== undefined) return { where: sql`and c.run_id = ${runId}`, id };
  // The index has no successful calls.
  if (outcome !== undefined && outcome !== "ok")
    return { where: sql`and c.outcome = ${outcome} and c.outcome <> 'ok'`, id };
  if (memberId !== undefined) return { where: sql`and c.member_id = ${memberId}`, id };
  if (tool !== undefined) return { where: sql`and c.tool = ${tool}`, id };
  if (connectionId !== undefined) return { where: sql`and c.connection_id = ${connectionId}`, id };
  return { where: emptySql, id: sql`c.id` };
}

function matchFilter({ connectionId, memberId, tool, outcome, runId, from, to }: Filter): Sql {
  const conditions = [
    connectionId === undefined ? null : sql`c.connection_id = ${connectionId}`,
    memberId === undefined ? null : sql`c.member_id is not distinct from ${memberId}`,
    tool === undefined ? null : sql`c.tool = ${tool}`,
    outcome === undefined ? null : sql`c.outcome = ${outcome}`,
    runId === undefined ? null : sql`c.run_id is not distinct from ${runId}`,
    from === undefined ? null : sql`c.created_at >= to_timestamp(${from}::bigint / 1000.0)`,
    to === undefined ? null : sql`c.created_at < to_timestamp(${to}::bigint / 1000.0)`,
  ].filter((condition) => condition !== null);
  return conditions.length === 0 ? sql`true` : join(conditions, " and ");
}

export const find = (db: Db, orgId: OrgId, id: string) =>
  db.row<McpCall>(sql`select ${columns} from mcp_calls c where c.org_id = ${orgId} and c.id = ${id}`);

export const findPayload = (db: Db, orgId: OrgId, callId: string) =>
  db.row<{ payload: string; expiresAt: number }>(sql`
    select payload, expires_at as "expiresAt" from mcp_call_payloads
    where org_id = ${orgId} and call_id = ${callId} and expires_at > now()`);

/** Calls of each connection since a time, at most `limit` each: a list must not read all calls of a busy day. */
export const countSince = (db: Db, orgId: OrgId, sinceMs: number, limit: number) =>
  db.rows<{ connectionId: ConnectionId; calls: number }>(sql`
    select m.id as "connectionId", (
      select count(*)::int from (
        select from mcp_calls c where c.org_id = ${orgId} and c.connection_id = m.id
          and c.id collate "POSIX" >= ${smallestIdAt(prefix, sinceMs)}
        limit ${limit}) recent) as calls
    from mcp_connections m where m.org_id = ${orgId}`);

/** Calls of one connection since a time that were not refused, at most `limit` of them. */
export const countRecent = async (
  db: Db,
  orgId: OrgId,
  connectionId: string,
  sinceMs: number,
  limit: number,
): Promise<number> =>
  (await db.row<{ calls: number }>(sql`
    select count(*)::int as calls from (
      select from mcp_calls c
      where c.org_id = ${orgId} and c.connection_id = ${connectionId} and c.outcome <> 'refused'
        and c.id collate "POSIX" >= ${smallestIdAt(prefix, sinceMs)}
      limit ${limit}) recent`))!.calls;

/** Organizations with calls or payloads, also deleted ones. The query steps from one to the next. */
export const listOwnersAcrossOrganizations = (db: Db, after: string, limit: number) =>
  db.rows<{ orgId: OrgId; exists: boolean }>(sql`
    with recursive owners as (
      select (select c.org_id from mcp_calls c where c.org_id > ${after} order by c.org_id limit 1) as org_id, 1 as n
      union all
      select (select c.org_id from mcp_calls c where c.org_id > w.org_id order by c.org_id limit 1), w.n + 1
      from owners w where w.org_id is not null and w.n < ${limit}::int)
    select w.org_id as "orgId", o.id is not null as exists
    from owners w left join organizations o on o.id = w.org_id where w.org_id is not null order by 1`);

/** Deletes the oldest calls before an id, with their payloads. Returns how many calls it deleted. */
export const removeOldCalls = (db: Db, orgId: OrgId, before: string, limit: number) =>
  db.run(sql`
    with old as materialized (
      select c.id from mcp_calls c where c.org_id = ${orgId} and c.id < ${before} order by c.id limit ${limit}),
    payloads as (
      delete from mcp_call_payloads where org_id = ${orgId} and call_id in (select id from old))
    delete from mcp_calls where org_id = ${orgId} and id in (select id from old)`);

export const removeExpiredPayloadsAcrossOrganizations = (db: Db, limit: number) =>
  db.run(sql`
    delete from mcp_call_payloads where (org_id, call_id) in (
      select org_id, call_id from mcp_call_payloads where expires_at < now() order by expires_at limit ${limit})`);
