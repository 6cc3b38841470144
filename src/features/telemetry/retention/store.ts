import type { OrgId } from "../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../platform/db/index.ts";

/** The next organization with events, sums or points. An index of each begins with it. */
const nextOwner = (after: Sql) => sql`least(
  (select e.org_id from telemetry_events e where e.org_id > ${after} order by e.org_id limit 1),
  (select s.org_id from telemetry_sums s where s.org_id > ${after} order by s.org_id limit 1),
  (select p.org_id from telemetry_points p where p.org_id > ${after} order by p.org_id limit 1))`;

export interface TelemetryOwner {
  orgId: OrgId;
  /** False when the organization was deleted. */
  exists: boolean;
  /** False when requests may still use the settings from before a change. */
  isSettled: boolean;
  /** True when nothing is left to delete on this day. */
  isPruned: boolean;
}

/** Organizations with telemetry, also deleted ones. The query steps from one to the next. `today` is as `2026-11-16`. */
export const listOwnersAcrossOrganizations = (db: Db, after: string, today: string, limit: number) =>
  db.rows<TelemetryOwner>(sql`
    with recursive owners as (
      select ${nextOwner(sql`${after}::text`)} as org_id, 1 as n
      union all
      select ${nextOwner(sql`w.org_id`)}, w.n + 1 from owners w where w.org_id is not null and w.n < ${limit}::int
    )
    select w.org_id as "orgId", o.id is not null as exists,
      coalesce(s.updated_at < now() - interval '1 minute', true) as "isSettled",
      coalesce(s.pruned_on = ${today}::date, false) as "isPruned"
    from owners w left join organizations o on o.id = w.org_id left join telemetry_settings s on s.org_id = w.org_id
    where w.org_id is not null order by 1`);

/** Deletes the oldest events before an id. */
export const removeOldEvents = (db: Db, orgId: OrgId, before: string, limit: number) =>
  db.run(sql`
    delete from telemetry_events where org_id = ${orgId} and id in (
      select e.id from telemetry_events e where e.org_id = ${orgId} and e.id < ${before} order by e.id limit ${limit})`);
