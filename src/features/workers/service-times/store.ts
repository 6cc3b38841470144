import { type Db, sql } from "../../../platform/db/index.ts";
import { outageAfter } from "../states/index.ts";

/** How many intervals workers have to be seen again after an outage. */
const recoveryIntervals = 2;

/**
 * Notes that this process answers workers. After a gap, one process records the outage: the row lock lets the others
 * see the new time. Returns the interval that workers are told.
 */
export const markAliveAcrossOrganizations = (db: Db) =>
  db.row<{ intervalSeconds: number }>(sql`
    with before as (select alive_at, interval_seconds from worker_service for update),
    outage as (
      insert into worker_outages (from_at, to_at)
      select greatest(before.alive_at, coalesce((select max(o.to_at) from worker_outages o), before.alive_at)),
        now() + make_interval(secs => ${recoveryIntervals}::int * before.interval_seconds)
      from before where before.alive_at < now() - ${outageAfter}
      on conflict (from_at) do update set to_at = excluded.to_at)
    update worker_service s set alive_at = greatest(s.alive_at, now()) from before
    returning s.interval_seconds as "intervalSeconds"`);

/** Workers that beat in the last hour. */
export const countBeatingAcrossOrganizations = async (db: Db): Promise<number> =>
  (await db.row<{ count: number }>(
    sql`select count(*)::int as count from worker_beats where seen_at > now() - interval '1 hour'`,
  ))!.count;

export const setIntervalAcrossOrganizations = (db: Db, seconds: number) =>
  db.run(sql`
    update worker_service set previous_seconds = interval_seconds, interval_seconds = ${seconds}::int,
      interval_changed_at = now()
    where interval_seconds <> ${seconds}::int`);

/** Outages that no worker's unseen time can include any more. */
export const removeOldOutagesAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from worker_outages where to_at < now() - interval '60 days'`);
