import type { OrgId } from "../../../platform/context.ts";
import { type Db, filterOrder, listSource, raw, type Sql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { Sync } from "./contract.ts";

export type SyncId = Id<"syn">;

const columns = sql`s.id, s.connector_id as "connectorId", s.cause, s.status,
  case when not s.head_unproven or (s.status = 'succeeded' and s.commit_sha = s.head) then s.head end as head,
  s.commit_sha as commit, s.attempt, s.due_at as "dueAt",
  case when s.error_code is not null then json_build_object('code', s.error_code, 'message', s.error_message,
    'retryable', coalesce(s.error_retryable, false)) end as error,
  case when s.added is not null then json_build_object('added', s.added, 'changed', s.changed,
    'removed', s.removed, 'unchanged', s.unchanged) end as changes,
  s.problems, s.problem_count as "problemCount", s.requested_by as "requestedBy",
  s.created_at as "createdAt", s.started_at as "startedAt", s.finished_at as "finishedAt"`;

interface Filter {
  connectorId: string | null;
  status: Sync["status"] | null;
}

/** Literals in the SQL text: the planner uses the index for these statuses only when it knows the value. */
const indexed: Partial<Record<Sync["status"], Sql>> = {
  failed: raw("'failed'"),
  superseded: raw("'superseded'"),
};

export const list = (db: Db, orgId: OrgId, { connectorId, status }: Filter) => {
  const literal = status === null || connectorId !== null ? undefined : indexed[status];
  const range =
    connectorId !== null
      ? sql`s.connector_id = ${connectorId} and exists (
          select from connectors c where c.id = ${connectorId} and c.org_id = ${orgId})`
      : literal
        ? sql`s.org_id = ${orgId} and s.status = ${literal}`
        : sql`s.org_id = ${orgId}`;
  const id = literal ? filterOrder(sql`s.id`) : sql`s.id`;
  return listSource<Sync>(db, {
    filtered: status !== null && !literal,
    candidates: (after, count) => sql`
      select s.id, ${status === null ? sql`true` : sql`s.status = ${status}`} as matches from connector_syncs s
      where ${range} and ${id} < ${after} order by ${id} desc limit ${count}`,
    rows: (ids) => sql`select ${columns} from connector_syncs s where s.id = any(${ids})`,
  });
};

export const find = (db: Db, orgId: OrgId, id: SyncId) =>
  db.row<Sync>(sql`select ${columns} from connector_syncs s where s.org_id = ${orgId} and s.id = ${id}`);

/** The connector first: whoever takes work from it takes this lock too. */
export const lockConnector = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.row<{ status: "active" | "disabled" | "disconnected" }>(
    sql`select status from connectors where org_id = ${orgId} and id = ${connectorId} for no key update`,
  );

/** The one that waits is tried now and from the first attempt: it reads whatever the ref points to by then. */
export const hurryQueued = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.row<{ id: SyncId }>(sql`
    update connector_syncs set due_at = now(), attempt = 0, worker_deaths = 0
    where id = (select id from connector_syncs
      where org_id = ${orgId} and connector_id = ${connectorId} and status = 'queued'
      order by id desc limit 1)
    returning id`);

export const insert = (
  tx: Db,
  orgId: OrgId,
  sync: { id: SyncId; connectorId: string; cause: Sync["cause"]; requestedBy: string | null },
) =>
  tx.run(sql`
    insert into connector_syncs (id, org_id, connector_id, cause, requested_by)
    values (${sync.id}, ${orgId}, ${sync.connectorId}, ${sync.cause}, ${sync.requestedBy})`);

/** A live sync of the connector, if there is one. */
export const findLive = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.row<{ id: SyncId }>(sql`
    select id from connector_syncs
    where org_id = ${orgId} and connector_id = ${connectorId} and status in ('queued', 'running')
    order by id desc limit 1`);

export const requeueFailed = (tx: Db, orgId: OrgId, id: SyncId) =>
  tx.run(sql`
    update connector_syncs set status = 'queued', attempt = 0, worker_deaths = 0, due_at = now(), started_at = null,
      finished_at = null
    where org_id = ${orgId} and id = ${id} and status = 'failed'`);
