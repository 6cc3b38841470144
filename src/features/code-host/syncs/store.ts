import type { OrgId } from "../../../platform/context.ts";
import { type Db, filterOrder, listSource, raw, type Sql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { Sync } from "./contract.ts";

export type ConnectorId = Id<"con">;
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

/**
 * Literals in the SQL text: the planner uses the indexes for these statuses only when it knows the value. Most syncs
 * have succeeded, and are found in the whole list.
 */
const indexedStatuses: Partial<Record<Sync["status"], Sql>> = {
  queued: raw("'queued'"),
  running: raw("'running'"),
  failed: raw("'failed'"),
  superseded: raw("'superseded'"),
};

export const list = (db: Db, orgId: OrgId, { connectorId, status }: Filter) => {
  const literal = status === null ? undefined : indexedStatuses[status];
  const owned =
    connectorId === null
      ? sql`s.org_id = ${orgId}`
      : sql`s.connector_id = ${connectorId} and exists (
          select from connectors c where c.id = ${connectorId} and c.org_id = ${orgId})`;
  const range = literal ? sql`${owned} and s.status = ${literal}` : owned;
  const id = literal ? filterOrder(sql`s.id`) : sql`s.id`;
  return listSource<Sync>(db, {
    filtered: status !== null && !literal,
    // The limit comes first, so that connectors are only looked up for these syncs.
    candidates: (after, count) => sql`
      select n.id, n.matches and exists (
        select from connectors c where c.org_id = ${orgId} and c.id = n.connector_id) as matches
      from (
        select s.id, s.connector_id, ${status === null ? sql`true` : sql`s.status = ${status}`} as matches
        from connector_syncs s
        where ${range} and ${id} < ${after} order by ${id} desc limit ${count}) n`,
    rows: (ids) => sql`select ${columns} from connector_syncs s where s.id = any(${ids})`,
  });
};

export const find = (db: Db, orgId: OrgId, id: SyncId) =>
  db.row<Sync>(sql`
    select ${columns} from connector_syncs s join connectors c on c.org_id = ${orgId} and c.id = s.connector_id
    where s.org_id = ${orgId} and s.id = ${id}`);

/** Locks the connector before its syncs, like a worker that claims one. */
export const lockConnector = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.row<{ status: "active" | "disabled" | "disconnected" }>(
    sql`select status from connectors where org_id = ${orgId} and id = ${connectorId} for no key update`,
  );

/** Also waits for pushes of the connector that are being recorded, because those queue syncs too. */
export const lockConnectorAndPushes = (tx: Db, orgId: OrgId, connectorId: string) =>
  tx.row<{ status: "active" | "disabled" | "disconnected" }>(
    sql`select status from connectors where org_id = ${orgId} and id = ${connectorId} for update`,
  );

/** Makes the queued sync due now, starting at its first attempt. */
export const startQueuedNow = (tx: Db, orgId: OrgId, connectorId: string) =>
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

/**
 * The syncs `s` of a connector, newest first. The condition is a range, because for a single value the planner would
 * scan the syncs of all connectors from the newest one.
 */
const newestFirst = (connectorId: Sql) =>
  sql`s.connector_id between ${connectorId} and ${connectorId} order by s.connector_id, s.id desc`;

const selectNewest = (connectorId: Sql) =>
  sql`select head, status from connector_syncs s where ${newestFirst(connectorId)} limit 1`;

/** Head and status of the newest sync of connector `c`. */
export const newestSync = selectNewest(sql`c.id`);

/** At most one sync per head waits or runs, so the insert of another one does nothing. */
export const onConflictWithQueued = sql`
  on conflict (connector_id, head) where status in ('queued', 'running') and head is not null do nothing`;

export interface SyncRequest {
  id: SyncId;
  connectorId: ConnectorId;
  orgId: OrgId;
  head: string | null;
}

export interface QueueOptions {
  cause: "push" | "event";
  /** The event was applied before. A sync is queued only where the sync of that head has failed, and the newest too. */
  isRepeated: boolean;
  /** No secret of the connector verified the event, so the head is hidden until the connector has read it. */
  headUnproven: boolean;
}

/** Queues syncs, except where the newest sync has the same head and has not failed. Returns the queued ones. */
export const queueAcrossOrganizations = (
  db: Db,
  requests: readonly SyncRequest[],
  { cause, isRepeated, headUnproven }: QueueOptions,
) =>
  db.rows<{ id: SyncId; connectorId: ConnectorId }>(sql`
    insert into connector_syncs (id, org_id, connector_id, head, head_unproven, cause)
    select w.id, w.org_id, w.connector_id, w.head, ${headUnproven}, ${cause}
    from unnest(${requests.map(({ id }) => id)}::text[], ${requests.map(({ orgId }) => orgId)}::text[],
      ${requests.map(({ connectorId }) => connectorId)}::text[], ${requests.map(({ head }) => head)}::text[])
      as w(id, org_id, connector_id, head)
    left join lateral (${selectNewest(sql`w.connector_id`)}) newest on true
    where ${
      isRepeated
        ? // A later sync reads the ref too, so the work is still to be done only if the newest sync has failed as well.
          sql`newest.status = 'failed' and (
            select h.status from connector_syncs h
            where h.connector_id = w.connector_id and h.head is not distinct from w.head
            order by h.id desc limit 1) in ('failed', 'superseded')`
        : // Without a known head, only a sync that has not started is sure to read the current state.
          sql`newest.status is null or newest.head is distinct from w.head or newest.status = 'failed'
            or (w.head is null and newest.status <> 'queued')`
    }
    order by w.connector_id, w.head
    ${onConflictWithQueued}
    returning id, connector_id as "connectorId"`);

/** For a deleted connector. */
export const removeSomeOfConnector = (db: Db, orgId: OrgId, connectorId: ConnectorId, limit: number) =>
  db.run(sql`
    delete from connector_syncs where org_id = ${orgId} and id = any(array(
      select s.id from connector_syncs s
      where s.org_id = ${orgId} and ${newestFirst(sql`${connectorId}`)} limit ${limit}))`);

/** For a deleted organization. */
export const removeSome = (db: Db, orgId: OrgId, limit: number) =>
  db.run(sql`
    delete from connector_syncs where id = any(array(
      select s.id from connector_syncs s where s.org_id = ${orgId} order by s.id desc limit ${limit}))`);
