import { type Db, sql } from "../../../platform/db/index.ts";
import { outageAfter } from "../states/index.ts";

/** How many intervals workers have to be seen again after an outage. */
const recoveryIntervals = 2;

/**
 * Notes that this process answers workers. After a gap, one process records the outage: the others wait for the row and
 * see the new time. Outages that no worker's unseen time can include are dropped. Returns the interval that workers are
 * told.
 */
export const markAliveAcrossOrganizations = (db: Db) =>
  db.row<{ intervalSeconds: number }>(sql`
    update worker_service s set alive_at = greatest(s.alive_at, now()), outages = case
      when s.alive_at >= now() - ${outageAfter} then s.outages
      else (s.outages * tstzmultirange(tstzrange(now() - interval '60 days', null))) + tstzmultirange(tstzrange(
        s.alive_at, now() + make_interval(secs => ${recoveryIntervals}::int * s.interval_seconds))) end
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
