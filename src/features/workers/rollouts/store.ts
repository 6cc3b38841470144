import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import type { Rollout } from "./contract.ts";

export type RolloutId = Id<"wro">;

const columns = sql`o.id, o.version, o.percent, o.labels, o.deadline_seconds as "deadlineSeconds",
  json_build_object(
    'matching', (select count(*) from workers w where w.org_id = o.org_id and w.labels @> o.labels),
    'selected', (select count(distinct u.worker_id) from worker_upgrades u where u.rollout_id = o.id),
    'upgraded', (select count(*) from worker_upgrades u where u.rollout_id = o.id and u.state = 'upgraded'),
    'failed', (select count(*) from worker_upgrades u
      where u.rollout_id = o.id and u.state in ('failed', 'timed_out') and not exists (
        select from worker_upgrades n where n.rollout_id = o.id and n.worker_id = u.worker_id and n.id > u.id)),
    'open', (select count(*) from worker_upgrades u where u.rollout_id = o.id and u.ended_at is null)) as counts,
  o.ended_at as "endedAt", o.created_at as "createdAt", o.updated_at as "updatedAt"`;

interface NewRollout {
  id: RolloutId;
  version: string;
  percent: number;
  labels: readonly string[];
  deadlineSeconds: number;
  createdBy: MemberId;
}

export const insert = (tx: Db, orgId: OrgId, next: NewRollout) =>
  tx.run(sql`
    insert into worker_rollouts (id, org_id, version, percent, labels, deadline_seconds, created_by)
    values (${next.id}, ${orgId}, ${next.version}, ${next.percent}::int, ${next.labels}::text[],
      ${next.deadlineSeconds}::int, ${next.createdBy})`);

export const find = (db: Db, orgId: OrgId, id: RolloutId) =>
  db.row<Rollout>(sql`select ${columns} from worker_rollouts o where o.org_id = ${orgId} and o.id = ${id}`);

/** Locks first and reads afterwards, so that a caller that waited for the lock sees the latest change. */
export const lock = async (tx: Db, orgId: OrgId, id: RolloutId) => {
  await tx.rows(sql`select from worker_rollouts where org_id = ${orgId} and id = ${id} for no key update`);
  return find(tx, orgId, id);
};

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<Rollout>(sql`
    select ${columns} from worker_rollouts o where o.org_id = ${orgId} and o.id < ${after}
    order by o.id desc limit ${limit}`);

export const setPercent = (tx: Db, orgId: OrgId, id: RolloutId, percent: number) =>
  tx.run(sql`
    update worker_rollouts set percent = ${percent}::int, updated_at = now()
    where org_id = ${orgId} and id = ${id}`);

/** Returns how many were still active. */
export const end = (tx: Db, orgId: OrgId, id: string) =>
  tx.run(sql`
    update worker_rollouts set ended_at = now(), updated_at = now()
    where org_id = ${orgId} and id = ${id} and ended_at is null`);

/** Active rollouts for the same labels. */
export const listActive = (tx: Db, orgId: OrgId, labels: readonly string[]) =>
  tx.rows<{ id: RolloutId }>(sql`
    select id from worker_rollouts
    where org_id = ${orgId} and ended_at is null and labels @> ${labels}::text[] and labels <@ ${labels}::text[]
    order by id for no key update`);

/** A number from 0 to 99 that never changes for a worker. */
const bucket = sql`mod(('x' || substr(md5(w.id), 1, 8))::bit(32)::bigint, 100)`;

/**
 * Workers `w` that the rollout `o` includes and has not asked yet. Those without a report are asked when they have
 * connected, those with another upgrade under way when it has ended.
 */
const toAsk = sql`workers w join worker_runtimes r on r.worker_id = w.id
  where w.org_id = o.org_id and w.labels @> o.labels and ${bucket} < o.percent and w.upgrade_id is null
    and not exists (select from worker_upgrades u where u.rollout_id = o.id and u.worker_id = w.id)`;

/** Locks them, and skips a worker that has another upgrade once its lock is free. */
export const lockToUpgrade = (tx: Db, orgId: OrgId, id: string, limit: number) =>
  tx.rows<{ workerId: string }>(sql`
    select w.id as "workerId" from worker_rollouts o, ${toAsk}
      and o.org_id = ${orgId} and o.id = ${id} and o.ended_at is null
    order by w.id limit ${limit} for no key update of w`);

/** Organizations whose rollouts have workers to ask. A suspended organization waits. */
export const listOrganizationsDueAcrossOrganizations = (db: Db, busy: readonly string[], limit: number) =>
  db.rows<{ orgId: OrgId }>(sql`
    select distinct o.org_id as "orgId" from worker_rollouts o
    where o.ended_at is null and o.org_id <> all(${busy}::text[]) and ${isNotSuspended(sql`o.org_id`)}
      and exists (select from ${toAsk}) limit ${limit}`);

/** Locks the active rollouts of an organization. */
export const lockAllActive = (tx: Db, orgId: OrgId) =>
  tx.rows<{ id: RolloutId; version: string; deadlineSeconds: number }>(sql`
    select id, version, deadline_seconds as "deadlineSeconds" from worker_rollouts
    where org_id = ${orgId} and ended_at is null order by id for no key update`);

/** One request at a time creates a rollout of an organization. */
export const lockCreation = (tx: Db, orgId: OrgId) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`worker rollouts ${orgId}`}, 0))`);

/** Deletes all but the newest ended rollouts. Those with an upgrade under way stay. */
export const removeOldest = (tx: Db, orgId: OrgId, keep: number) =>
  tx.run(sql`
    delete from worker_rollouts where org_id = ${orgId} and id in (
      select o.id from worker_rollouts o where o.org_id = ${orgId} and o.ended_at is not null
        and not exists (select from worker_upgrades u where u.rollout_id = o.id and u.ended_at is null)
      order by o.id desc offset ${keep}::int)`);
