import type { OrgId } from "../../../platform/context.ts";
import { type Db, reuseStatement, sql } from "../../../platform/db/index.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import { type DesiredRow, desiredColumns } from "../desired/index.ts";
import { state, stateSources } from "../states/index.ts";
import type { Activity } from "./contract.ts";
import { restartSequence } from "./sequence.ts";

export interface Beat {
  orgId: OrgId;
  workerId: string;
  sequence: number;
  status: string;
  runIds: string;
}

export type StoredBeat = DesiredRow & { workerId: string; sequence: number; receivedAt: number };

/** Has the rule of `isAfter`. */
const updateBeats = reuseStatement(
  (
    ids: readonly string[],
    sequences: readonly number[],
    statuses: readonly string[],
    runIds: readonly string[],
  ) => sql`
    update worker_beats b set seen_at = greatest(b.seen_at, now()), sequence = v.sequence, status = v.status,
      run_ids = v.run_ids
    from unnest(${ids}::text[], ${sequences}::bigint[], ${statuses}::text[], ${runIds}::text[])
        v (worker_id, sequence, status, run_ids)
      join workers w on w.id = v.worker_id
    where b.worker_id = v.worker_id
      and (v.sequence > b.sequence or (b.sequence >= ${restartSequence} and v.sequence < ${restartSequence}))
    returning b.worker_id as "workerId", b.sequence, now() as "receivedAt", ${desiredColumns}`,
);

/** Stores many heartbeats with one statement. Returns those that moved forward, with what is wanted of their workers. */
export const storeBeatsAcrossOrganizations = (db: Db, beats: readonly Beat[]) =>
  db.rows<StoredBeat>(
    updateBeats(
      beats.map(({ workerId }) => workerId),
      beats.map(({ sequence }) => sequence),
      beats.map(({ status }) => status),
      beats.map(({ runIds }) => runIds),
    ),
  );

/** For heartbeats that did not move forward. */
export const listBeatsAcrossOrganizations = (db: Db, ids: readonly string[]) =>
  db.rows<StoredBeat>(sql`
    select b.worker_id as "workerId", b.sequence, now() as "receivedAt", ${desiredColumns}
    from worker_beats b join workers w on w.id = b.worker_id where b.worker_id = any(${ids}::text[])`);

/** The report of a new process makes the worker online; another one only shows that it lives. Returns the sequence. */
export const markSeen = async (db: Db, orgId: OrgId, workerId: string, isNewProcess: boolean) =>
  (
    await db.row<{ sequence: number }>(sql`
      update worker_beats b set seen_at = greatest(b.seen_at, now()),
        status = case when ${isNewProcess} or b.seen_at is null then 'online' else b.status end,
        run_ids = case when ${isNewProcess} then '' else b.run_ids end
      from workers w where w.id = b.worker_id and w.org_id = ${orgId} and b.worker_id = ${workerId}
      returning b.sequence`)
  )?.sequence;

export interface NewActivity {
  id: string;
  type: string;
  detail: Record<string, unknown>;
}

export const insert = (db: Db, orgId: OrgId, workerId: string, { id, type, detail }: NewActivity) =>
  db.run(sql`
    insert into worker_activity (id, org_id, worker_id, type, detail)
    values (${id}, ${orgId}, ${workerId}, ${type}, ${JSON.stringify(detail)}::text::jsonb)`);

/** The newest entries of a type since an id. */
export const listSince = (
  db: Db,
  orgId: OrgId,
  workerId: string,
  { type, since, limit }: { type: string; since: string; limit: number },
) =>
  db.rows<{ id: string }>(sql`
    select a.id from worker_activity a
    where a.org_id = ${orgId} and a.worker_id = ${workerId} and a.id >= ${since} and a.type = ${type}
    order by a.id desc limit ${limit}`);

/** Replaces fields of an entry, and counts how often that was done. */
export const repeat = (db: Db, orgId: OrgId, id: string, detail: Record<string, unknown>) =>
  db.run(sql`
    update worker_activity set detail = detail || ${JSON.stringify(detail)}::text::jsonb
      || jsonb_build_object('repeats', coalesce((detail ->> 'repeats')::int, 0) + 1)
    where org_id = ${orgId} and id = ${id}`);

export const list = (db: Db, orgId: OrgId, workerId: string, after: string, limit: number) =>
  db.rows<Activity>(sql`
    select a.id, a.type, a.detail, a.at from worker_activity a
    where a.org_id = ${orgId} and a.worker_id = ${workerId} and a.id < ${after}
    order by a.id desc limit ${limit}`);

export interface StateChange {
  workerId: string;
  orgId: OrgId;
  from: string;
  to: string;
  at: number;
}

/**
 * Records the current state of all workers whose state is another one than recorded, and returns the changes. Workers
 * that are being removed are left for the next time: removals lock a worker before its recorded state.
 */
export const recordStatesAcrossOrganizations = (tx: Db) =>
  tx.rows<StateChange>(sql`
    with derived as (
      select w.id, w.org_id, ${state} as state, b.seen_at from workers w ${stateSources}
      where ${isNotSuspended(sql`w.org_id`)}),
    changed as (
      select c.worker_id, c.state as before, derived.org_id, derived.state,
        case when derived.state in ('online', 'busy', 'idle', 'draining', 'stopped') then derived.seen_at
          else now() end as at
      from derived join worker_states c on c.worker_id = derived.id where c.state <> derived.state),
    kept as (
      select w.id from workers w where w.id in (select worker_id from changed) order by w.id
      for key share skip locked)
    update worker_states c set state = changed.state, since = changed.at,
      notices = case when changed.state in ('stale', 'lost', 'stopped') then c.notices else 0 end
    from changed join kept on kept.id = changed.worker_id
    where c.worker_id = changed.worker_id and c.state = changed.before
    returning c.worker_id as "workerId", changed.org_id as "orgId", changed.before as "from", changed.state as "to",
      changed.at`);

/** `at` are milliseconds. Workers that were removed in the meantime are skipped. */
export const insertStateChangesAcrossOrganizations = (
  tx: Db,
  changes: readonly (StateChange & { id: string })[],
) =>
  tx.run(sql`
    insert into worker_activity (id, org_id, worker_id, type, detail, at)
    select v.id, w.org_id, w.id, 'state_changed', jsonb_build_object('from', v.before, 'to', v.after),
      to_timestamp(v.at / 1000.0)
    from unnest(${changes.map(({ id }) => id)}::text[], ${changes.map(({ workerId }) => workerId)}::text[],
      ${changes.map(({ from }) => from)}::text[], ${changes.map(({ to }) => to)}::text[],
      ${changes.map(({ at }) => at)}::bigint[]) v (id, worker_id, before, after, at)
    join workers w on w.id = v.worker_id`);

export const removeOldAcrossOrganizations = (db: Db, days: number, limit: number) =>
  db.run(sql`
    delete from worker_activity where id in (
      select id from (select id, at from worker_activity order by id limit ${limit}) oldest
      where at < now() - make_interval(days => ${days}::int))`);

export const exists = async (db: Db, orgId: OrgId, workerId: string): Promise<boolean> =>
  (await db.row(sql`select from workers where org_id = ${orgId} and id = ${workerId}`)) !== undefined;
