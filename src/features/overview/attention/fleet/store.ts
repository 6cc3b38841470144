import type { OrgId } from "../../../../platform/context.ts";
import { type Db, sql } from "../../../../platform/db/index.ts";

/** Upgrades of the last seven days that failed or timed out, where no later one was requested for the worker. */
export const listFailedUpgrades = (db: Db, orgId: OrgId, limit: number) =>
  db.rows<{
    id: string;
    workerId: string;
    name: string;
    state: string;
    reason: string | null;
    since: number | null;
  }>(sql`
    select u.id, w.id as "workerId", w.name, u.state, u.reason, u.ended_at as since
    from (select * from worker_upgrades where org_id = ${orgId} order by id desc limit 500) u
    join workers w on w.id = u.worker_id
    where u.state in ('failed', 'timed_out') and u.ended_at > now() - interval '7 days'
      and not exists (select from worker_upgrades l where l.worker_id = u.worker_id and l.id > u.id)
    order by u.id desc limit ${limit}`);
