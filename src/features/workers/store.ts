import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, emptySql, listSource, sql } from "../../platform/db/index.ts";
import { wasUsable } from "../suspension/index.ts";
import type { Worker } from "./contract.ts";
import {
  freshness,
  isPaused,
  liveness,
  noticeAfterSeconds,
  reachability,
  removeAfterSeconds,
  type State,
  skew,
  state,
  stateSources,
} from "./states/index.ts";
import type { WorkerId } from "./tokens/index.ts";

const columns = sql`w.id, w.name, w.kind, w.labels, ${state} as state, ${liveness} as liveness,
  ${reachability} as reachability, ${freshness} as freshness, ${skew} as skew, r.version,
  w.desired_version as "desiredVersion",
  case when b.run_ids = '' then '{}' else string_to_array(b.run_ids, ',') end as "runIds",
  case when b.seen_at is not null then least(b.seen_at, now()) end as "lastSeenAt",
  case when b.seen_at is not null then floor(d.unseen)::int end as "unseenSeconds",
  now() + make_interval(secs => greatest(0, ${removeAfterSeconds} - d.unseen)) as "removedAt",
  case when ${isPaused} then json_build_object('note', w.pause_note,
    'at', floor(extract(epoch from w.paused_at) * 1000),
    'until', floor(extract(epoch from w.paused_until) * 1000)) end as pause,
  w.drain_requested_at as "drainRequestedAt", w.member_id as "ownerId",
  w.registration_token_id as "registrationTokenId", w.template_ids as "templateIds",
  w.connection_ids as "connectionIds",
  array(select g.provider_id from llm_provider_grants g where g.worker_id = w.id order by 1) as "llmProviderIds",
  w.mcp_connection_ids as "mcpConnectionIds", w.configuration,
  w.configuration_revision as "configurationRevision", w.created_at as "createdAt", w.updated_at as "updatedAt"`;
const tables = sql`workers w ${stateSources} left join worker_runtimes r on r.worker_id = w.id`;

export const find = (db: Db, orgId: OrgId, id: string) =>
  db.row<Worker>(sql`select ${columns} from ${tables} where w.org_id = ${orgId} and w.id = ${id}`);

/** Locks first and reads afterwards, so that a caller that waited for the lock sees the latest change. */
export const lock = async (tx: Db, orgId: OrgId, id: string) => {
  await tx.rows(sql`select from workers where org_id = ${orgId} and id = ${id} for update`);
  return find(tx, orgId, id);
};

interface Filter {
  state: string | null;
  liveness: string | null;
  kind: string | null;
  label: string | null;
}

export const list = (db: Db, orgId: OrgId, filter: Filter) =>
  listSource<Worker>(db, {
    filtered: Object.values(filter).some((value) => value !== null),
    candidates: (after, count) => sql`
      select w.id, (true
        ${filter.kind === null ? emptySql : sql`and w.kind = ${filter.kind}`}
        ${filter.label === null ? emptySql : sql`and ${filter.label} = any(w.labels)`}
        ${filter.state === null ? emptySql : sql`and ${derive(sql`${state} = ${filter.state}`)}`}
        ${filter.liveness === null ? emptySql : sql`and ${derive(sql`${liveness} = ${filter.liveness}`)}`}) as matches
      from (select * from workers where org_id = ${orgId} and id < ${after} order by id desc limit ${count}) w
      order by w.id desc`,
    rows: (ids) => sql`select ${columns} from ${tables} where w.id = any(${ids})`,
  });

/** A condition on the derived state of `workers w`, as a subquery, so that no other table is scanned. */
const derive = (condition: ReturnType<typeof sql>) =>
  sql`(select ${condition} from (select) one ${stateSources})`;

interface NewWorker {
  id: WorkerId;
  name: string;
  kind: string;
  labels: readonly string[];
  templateIds: readonly string[];
  connectionIds: readonly string[];
  mcpConnectionIds: readonly string[];
  memberId: MemberId;
  permissions: readonly string[];
  configuration: object | null;
  instanceId: string | null;
  registrationTokenId: string | null;
}

/** Also adds the rows of its heartbeat and its recorded state. False when the name is taken. */
export const insert = async (tx: Db, orgId: OrgId, next: NewWorker): Promise<boolean> => {
  const added = await tx.run(sql`
    insert into workers (id, org_id, member_id, name, kind, labels, template_ids, connection_ids, mcp_connection_ids, runner_permissions,
      configuration, configuration_revision, instance_id, registration_token_id)
    values (${next.id}, ${orgId}, ${next.memberId}, ${next.name}, ${next.kind}, ${next.labels}::text[],
      ${next.templateIds}::text[], ${next.connectionIds}::text[], ${next.mcpConnectionIds}::text[],
      ${next.permissions}::text[],
      ${next.configuration ? JSON.stringify(next.configuration) : null}::text::jsonb,
      ${next.configuration ? 1 : 0}::int, ${next.instanceId}, ${next.registrationTokenId})
    on conflict (org_id, lower(name)) do nothing`);
  if (added === 0) return false;
  await tx.run(sql`insert into worker_beats (worker_id) values (${next.id})`);
  await tx.run(sql`insert into worker_states (worker_id) values (${next.id})`);
  return true;
};

export interface WorkerContent {
  name: string;
  labels: readonly string[];
  templateIds: readonly string[];
  connectionIds: readonly string[];
  mcpConnectionIds: readonly string[];
  configuration: object | null;
  configurationRevision: number;
}

export const update = (tx: Db, orgId: OrgId, id: string, next: WorkerContent) =>
  tx.run(sql`
    update workers set name = ${next.name}, labels = ${next.labels}::text[],
      template_ids = ${next.templateIds}::text[], connection_ids = ${next.connectionIds}::text[],
      mcp_connection_ids = ${next.mcpConnectionIds}::text[],
      configuration = ${next.configuration ? JSON.stringify(next.configuration) : null}::text::jsonb,
      configuration_revision = ${next.configurationRevision}::int, updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const setOwner = (
  tx: Db,
  orgId: OrgId,
  id: string,
  memberId: MemberId,
  permissions: readonly string[],
) =>
  tx.run(sql`
    update workers set member_id = ${memberId}, runner_permissions = ${permissions}::text[], updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

/** `note` null ends the pause. */
export const setPause = (
  tx: Db,
  orgId: OrgId,
  id: string,
  { note, until }: { note: string | null; until: number | null },
) =>
  tx.run(sql`
    update workers set paused_at = case when ${note}::text is not null then now() end, pause_note = ${note},
      paused_until = to_timestamp(${until}::bigint / 1000.0), updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const requestDrain = (tx: Db, orgId: OrgId, id: string) =>
  tx.run(sql`
    update workers set drain_requested_at = coalesce(drain_requested_at, now()), updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

export const remove = (tx: Db, orgId: OrgId, id: string) =>
  tx.run(sql`delete from workers where org_id = ${orgId} and id = ${id}`);

/** The worker that the machine registered before. Locks it. */
export const findByInstance = (tx: Db, orgId: OrgId, instanceId: string) =>
  tx.row<{ id: WorkerId; registrationTokenId: string | null }>(sql`
    select id, registration_token_id as "registrationTokenId" from workers
    where org_id = ${orgId} and instance_id = ${instanceId} for update`);

export interface UnseenWorker {
  id: string;
  orgId: OrgId;
  name: string;
  lastSeenAt: number | null;
  removedAt: number;
  notices: number;
  isDue: boolean;
}

/** Workers that leave soon and whose owners were not told, and workers that have to leave now. */
export const listUnseenAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<UnseenWorker>(sql`
    select w.id, w.org_id as "orgId", w.name, b.seen_at as "lastSeenAt", c.notices,
      now() + make_interval(secs => greatest(0, ${removeAfterSeconds} - d.unseen)) as "removedAt",
      d.unseen >= ${removeAfterSeconds} as "isDue"
    from workers w ${stateSources} join worker_states c on c.worker_id = w.id
    where ${wasUsable(sql`w.org_id`)}
      and (d.unseen >= ${removeAfterSeconds} or (d.unseen >= ${noticeAfterSeconds} and c.notices < 2))
    order by w.id limit ${limit}`);

/** Whether the worker has to leave, judged again after it is locked. */
export const lockIfUnseen = async (tx: Db, orgId: OrgId, id: string): Promise<boolean> => {
  // In the order of a report: the worker before its heartbeat.
  await tx.rows(sql`select from workers where org_id = ${orgId} and id = ${id} for update`);
  await tx.rows(sql`select from worker_beats where worker_id = ${id} for update`);
  const row = await tx.row<{ isDue: boolean }>(sql`
    select d.unseen >= ${removeAfterSeconds} and ${wasUsable(sql`w.org_id`)} as "isDue" from workers w ${stateSources}
    where w.org_id = ${orgId} and w.id = ${id}`);
  return row?.isDue ?? false;
};

/** Returns 0 when the notice was sent already. */
export const noteNotice = (tx: Db, orgId: OrgId, workerId: string, notices: number) =>
  tx.run(sql`
    update worker_states c set notices = ${notices}::int from workers w
    where w.org_id = ${orgId} and w.id = ${workerId} and c.worker_id = w.id and c.notices < ${notices}::int`);

/** Any number, the same in every replica. */
const sweepKey = 728_331_030;

/** False when another process sweeps at this moment. Ends with the transaction. */
export const takeSweepAcrossOrganizations = async (tx: Db): Promise<boolean> =>
  (await tx.row<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${sweepKey}) as taken`))!.taken;

/** How many workers of all organizations are in each state. */
export const countStatesAcrossOrganizations = (db: Db) =>
  db.rows<{ state: State; count: number }>(sql`
    select ${state} as state, count(*) as count from workers w ${stateSources} group by 1`);

/** Workers that the timelines know as unseen and that are in this state now, the longest unseen first. */
export const listUnseen = (db: Db, orgId: OrgId, wanted: "stale" | "lost", limit: number) =>
  db.rows<{
    id: WorkerId;
    name: string;
    ownerId: string | null;
    ownerName: string | null;
    since: number | null;
  }>(sql`
    select w.id, w.name, w.member_id as "ownerId",
      (select u.name from members m join users u on u.id = m.user_id where m.id = w.member_id) as "ownerName",
      b.seen_at as since
    from workers w join worker_states c on c.worker_id = w.id ${stateSources}
    where w.org_id = ${orgId} and w.kind <> 'ephemeral' and c.state in ('stale', 'lost') and ${state} = ${wanted}
    order by b.seen_at, w.id limit ${limit}`);

/** Counts the workers of each state, as the timelines know it. A change can take some seconds to appear there. */
export const countStates = (db: Db, orgId: OrgId) =>
  db.rows<{ state: State; count: number }>(sql`
    select c.state, count(*)::int as count from workers w join worker_states c on c.worker_id = w.id
    where w.org_id = ${orgId} group by 1`);

export const hasWorkers = sql`exists (select from workers)`;
