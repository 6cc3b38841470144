import type { OrgId } from "../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../platform/db/index.ts";

/** The next organization with events, sums or points. The primary keys begin with it. */
const nextOwner = (after: Sql) => sql`least(
  (select e.org_id from telemetry_events e where e.org_id > ${after} order by e.org_id limit 1),
  (select d.org_id from telemetry_days d where d.org_id > ${after} order by d.org_id limit 1),
  (select p.org_id from telemetry_points p where p.org_id > ${after} order by p.org_id limit 1))`;

/** Organizations with telemetry, also deleted ones. The query steps from one to the next. */
export const listOrgIdsAcrossOrganizations = (db: Db, after: string, limit: number) =>
  db.rows<{ orgId: OrgId; exists: boolean; isSettled: boolean }>(sql`
    with recursive owners as (
      select ${nextOwner(sql`${after}::text`)} as org_id, 1 as n
      union all
      select ${nextOwner(sql`w.org_id`)}, w.n + 1 from owners w where w.org_id is not null and w.n < ${limit}::int
    )
    select w.org_id as "orgId", o.id is not null as exists,
      coalesce(s.updated_at < now() - interval '1 minute', true) as "isSettled"
    from owners w left join organizations o on o.id = w.org_id left join telemetry_settings s on s.org_id = w.org_id
    where w.org_id is not null order by 1`);

/** Deletes the oldest events before an id. */
export const removeOldEvents = (db: Db, orgId: OrgId, before: string, limit: number) =>
  db.run(sql`
    delete from telemetry_events where org_id = ${orgId} and id in (
      select e.id from telemetry_events e where e.org_id = ${orgId} and e.id < ${before} order by e.id limit ${limit})`);
