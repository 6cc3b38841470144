import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isNotSuspended, wasUsable } from "../../suspension/index.ts";
import type { Upgrade } from "./contract.ts";

export type UpgradeId = Id<"wup">;

const columns = sql`u.id, u.worker_id as "workerId", u.rollout_id as "rolloutId", u.version,
  u.from_version as "fromVersion", u.state, u.reason, u.deadline_at as "deadlineAt", u.created_at as "createdAt",
  u.acknowledged_at as "acknowledgedAt", u.draining_at as "drainingAt", u.ended_at as "endedAt"`;

/** Locks the worker, so that two requests do not both start an upgrade. */
export const lockWorker = (tx: Db, orgId: OrgId, workerId: string) =>
  tx.row<{ id: string; upgradeId: string | null; desiredVersion: string | null; version: string | null }>(sql`
    select w.id, w.upgrade_id as "upgradeId", w.desired_version as "desiredVersion",
      (select r.version from worker_runtimes r where r.worker_id = w.id) as version
    from workers w where w.org_id = ${orgId} and w.id = ${workerId} for no key update`);

export const find = (db: Db, orgId: OrgId, workerId: string, id: string) =>
  db.row<Upgrade>(sql`
    select ${columns} from worker_upgrades u
    where u.org_id = ${orgId} and u.worker_id = ${workerId} and u.id = ${id}`);

export const list = (db: Db, orgId: OrgId, workerId: string, after: string, limit: number) =>
  db.rows<Upgrade>(sql`
    select ${columns} from worker_upgrades u
    where u.org_id = ${orgId} and u.worker_id = ${workerId} and u.id < ${after} order by u.id desc limit ${limit}`);

export interface NewUpgrade {
  id: UpgradeId;
  workerId: string;
  rolloutId: string | null;
  version: string;
  fromVersion: string | null;
  /** The version that was wanted before. */
  desiredBefore: string | null;
  deadlineAt: number;
}

export const insert = (tx: Db, orgId: OrgId, next: NewUpgrade) =>
  tx.row<Upgrade>(sql`
    insert into worker_upgrades as u (id, org_id, worker_id, rollout_id, version, from_version, desired_before,
      deadline_at)
    values (${next.id}, ${orgId}, ${next.workerId}, ${next.rolloutId}, ${next.version}, ${next.fromVersion},
      ${next.desiredBefore}, to_timestamp(${next.deadlineAt}::bigint / 1000.0))
    returning ${columns}`);

export const setDesired = (tx: Db, orgId: OrgId, workerId: string, version: string, upgradeId: string) =>
  tx.run(sql`
    update workers set desired_version = ${version}, upgrade_id = ${upgradeId}, updated_at = now()
    where org_id = ${orgId} and id = ${workerId}`);

/** The end is not one that the worker should still work towards. Of `worker_upgrades u`. */
const isDropped = sql`(u.state = 'cancelled' or (u.state in ('failed', 'timed_out')
  and exists (select from worker_rollouts o where o.id = u.rollout_id and o.ended_at is not null)))`;

/**
 * Ends an upgrade that is under way, of a worker that the caller has locked. Undefined when it has ended already. After
 * a cancellation, the version that was wanted before is wanted again.
 */
export const end = async (
  tx: Db,
  orgId: OrgId,
  id: string,
  { state, reason }: { state: Upgrade["state"]; reason: string | null },
) => {
  const ended = await tx.row<Upgrade>(sql`
    update worker_upgrades u set state = ${state}, reason = ${reason}, ended_at = now(),
      missed = ${state} = 'timed_out' and u.acknowledged_at is null and not exists (
        select from worker_beats b where b.worker_id = u.worker_id and b.seen_at > u.created_at)
    where u.org_id = ${orgId} and u.id = ${id} and u.ended_at is null returning ${columns}`);
  if (ended)
    await tx.run(sql`
      update workers w set upgrade_id = null,
        desired_version = case when ${isDropped} then u.desired_before else w.desired_version end
      from worker_upgrades u
      where w.org_id = ${orgId} and w.id = u.worker_id and w.upgrade_id = u.id and u.id = ${id}`);
  return ended;
};

/** For workers that have not made an upgrade of an ended rollout: what was wanted before is wanted again. */
export const dropFailedOfRollout = (tx: Db, orgId: OrgId, rolloutId: string) =>
  tx.run(sql`
    update workers w set desired_version = u.desired_before, updated_at = now() from worker_upgrades u
    where u.org_id = ${orgId} and u.rollout_id = ${rolloutId} and ${isDropped}
      and w.org_id = u.org_id and w.id = u.worker_id and w.upgrade_id is null and w.desired_version = u.version
      and not exists (select from worker_upgrades n where n.worker_id = u.worker_id and n.id > u.id)`);

/** Upgrades of a rollout that no worker has read, in the order of the workers. */
export const listUnacknowledged = (tx: Db, orgId: OrgId, rolloutId: string) =>
  tx.rows<{ id: string }>(sql`
    select id from worker_upgrades
    where org_id = ${orgId} and rollout_id = ${rolloutId} and state = 'requested' order by worker_id`);

/** Locks the workers that a rollout has asked and that have not been upgraded, in the order of their ids. */
export const lockWorkersOfRollout = (tx: Db, orgId: OrgId, rolloutId: string) =>
  tx.rows(sql`
    select from workers w where w.org_id = ${orgId} and w.id in (
      select u.worker_id from worker_upgrades u
      where u.org_id = ${orgId} and u.rollout_id = ${rolloutId} and u.state <> 'upgraded')
    order by w.id for no key update`);

/** An upgrade is requested, so an earlier one that the worker missed is not requested again. */
export const forgetMissed = (tx: Db, orgId: OrgId, workerId: string) =>
  tx.run(sql`
    update worker_upgrades set missed = false where org_id = ${orgId} and worker_id = ${workerId} and missed`);

/** Upgrades that workers missed, which are still wanted of them, and which were seen since. */
const dueAgain = sql`worker_upgrades u join workers w on w.id = u.worker_id join worker_beats b on b.worker_id = w.id
  where u.missed and w.upgrade_id is null and w.desired_version = u.version and b.seen_at > u.ended_at
    and not exists (select from worker_rollouts o where o.id = u.rollout_id and o.ended_at is not null)`;

/** Locks their workers, and skips a worker of which something else is wanted once its lock is free. */
export const lockDueAgain = (tx: Db, orgId: OrgId, limit: number) =>
  tx.rows<Pick<NewUpgrade, "workerId" | "rolloutId" | "version" | "desiredBefore"> & { seconds: number }>(sql`
    select u.worker_id as "workerId", u.rollout_id as "rolloutId", u.version, u.desired_before as "desiredBefore",
      greatest(1, round(extract(epoch from u.deadline_at - u.created_at)))::int as seconds
    from ${dueAgain} and u.org_id = ${orgId} order by w.id limit ${limit} for no key update of w`);

/** Organizations with upgrades to request again. */
export const listOrganizationsDueAgainAcrossOrganizations = (
  db: Db,
  busy: readonly string[],
  limit: number,
) =>
  db.rows<{ orgId: OrgId }>(sql`
    select distinct u.org_id as "orgId" from ${dueAgain}
      and u.org_id <> all(${busy}::text[]) and ${isNotSuspended(sql`u.org_id`)} limit ${limit}`);

/** Moves an upgrade forward. Undefined when it is there already, or further. */
export const advance = (tx: Db, orgId: OrgId, id: string, state: "acknowledged" | "draining") =>
  tx.row<Upgrade>(sql`
    update worker_upgrades u set state = ${state}, acknowledged_at = coalesce(u.acknowledged_at, now()),
      draining_at = case when ${state} = 'draining' then now() end
    where u.org_id = ${orgId} and u.id = ${id} and u.ended_at is null
      and (u.state = 'requested' or (u.state = 'acknowledged' and ${state} = 'draining'))
    returning ${columns}`);

/**
 * Lists upgrades whose deadline has passed, by organization in turn. Leaves out the organizations in `busy`, and
 * suspended ones: their workers cannot report, so their upgrades wait.
 */
export const listOverdueAcrossOrganizations = (
  db: Db,
  busy: readonly string[],
  perOrganization: number,
  limit: number,
) =>
  db.rows<{ id: UpgradeId; orgId: OrgId; workerId: string }>(sql`
    select id, org_id as "orgId", worker_id as "workerId" from (
      select id, org_id, worker_id, deadline_at, row_number() over (partition by org_id order by deadline_at) as turn
      from worker_upgrades
      where ended_at is null and deadline_at < now() and org_id <> all(${busy}::text[]) and ${wasUsable(sql`org_id`)}) u
    where turn <= ${perOrganization}::int order by turn, deadline_at limit ${limit}`);

export const hasWorker = async (db: Db, orgId: OrgId, workerId: string): Promise<boolean> =>
  (await db.row(sql`select from workers where org_id = ${orgId} and id = ${workerId}`)) !== undefined;
