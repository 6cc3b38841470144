import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { wasUsable } from "../../suspension/index.ts";
import type { Upgrade } from "./contract.ts";

export type UpgradeId = Id<"wup">;

const columns = sql`u.id, u.worker_id as "workerId", u.rollout_id as "rolloutId", u.version,
  u.from_version as "fromVersion", u.state, u.reason, u.deadline_at as "deadlineAt", u.created_at as "createdAt",
  u.acknowledged_at as "acknowledgedAt", u.draining_at as "drainingAt", u.ended_at as "endedAt"`;

/** Locks the worker, so that two requests do not both start an upgrade. */
export const lockWorker = (tx: Db, orgId: OrgId, workerId: string) =>
  tx.row<{ id: string; upgradeId: string | null; version: string | null }>(sql`
    select w.id, w.upgrade_id as "upgradeId",
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
  deadlineAt: number;
}

export const insert = (tx: Db, orgId: OrgId, next: NewUpgrade) =>
  tx.row<Upgrade>(sql`
    insert into worker_upgrades as u (id, org_id, worker_id, rollout_id, version, from_version, deadline_at)
    values (${next.id}, ${orgId}, ${next.workerId}, ${next.rolloutId}, ${next.version}, ${next.fromVersion},
      to_timestamp(${next.deadlineAt}::bigint / 1000.0))
    returning ${columns}`);

export const setDesired = (tx: Db, orgId: OrgId, workerId: string, version: string, upgradeId: string) =>
  tx.run(sql`
    update workers set desired_version = ${version}, upgrade_id = ${upgradeId}, updated_at = now()
    where org_id = ${orgId} and id = ${workerId}`);

/** Ends an upgrade that is under way. Undefined when it has ended already. */
export const end = async (
  tx: Db,
  orgId: OrgId,
  id: string,
  { state, reason }: { state: Upgrade["state"]; reason: string | null },
) => {
  const ended = await tx.row<Upgrade>(sql`
    update worker_upgrades u set state = ${state}, reason = ${reason}, ended_at = now()
    where u.org_id = ${orgId} and u.id = ${id} and u.ended_at is null returning ${columns}`);
  if (ended)
    await tx.run(sql`
      update workers set upgrade_id = null
      where org_id = ${orgId} and id = ${ended.workerId} and upgrade_id = ${id}`);
  return ended;
};

/** Moves an upgrade forward. Undefined when it is there already, or further. */
export const advance = (tx: Db, orgId: OrgId, id: string, state: "acknowledged" | "draining") =>
  tx.row<Upgrade>(sql`
    update worker_upgrades u set state = ${state}, acknowledged_at = coalesce(u.acknowledged_at, now()),
      draining_at = case when ${state} = 'draining' then now() end
    where u.org_id = ${orgId} and u.id = ${id} and u.ended_at is null
      and (u.state = 'requested' or (u.state = 'acknowledged' and ${state} = 'draining'))
    returning ${columns}`);

/** The workers of a suspended organization cannot report, so their upgrades wait. */
export const listOverdueAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<{ id: UpgradeId; orgId: OrgId }>(sql`
    select id, org_id as "orgId" from worker_upgrades
    where ended_at is null and deadline_at < now() and ${wasUsable(sql`org_id`)}
    order by deadline_at limit ${limit}`);

export const hasWorker = async (db: Db, orgId: OrgId, workerId: string): Promise<boolean> =>
  (await db.row(sql`select from workers where org_id = ${orgId} and id = ${workerId}`)) !== undefined;
