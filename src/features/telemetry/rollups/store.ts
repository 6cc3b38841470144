import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

export const hasSumsToMerge = sql`exists (select from telemetry_sums where not is_merged)`;

/**
 * Merges the oldest new rows of the sums with the others of their groups, and returns how many it took. It is one
 * statement, so no reader sees an addition twice or not at all. Several processes can do it: each takes rows that no
 * other has taken, and a group that two of them merge at once has two merged rows until the next time.
 */
export const mergeSumsAcrossOrganizations = async (db: Db, limit: number): Promise<number> =>
  (await db.row<{ count: number }>(sql`
    with taken as (
      delete from telemetry_sums where no in (
        select no from telemetry_sums where not is_merged order by no limit ${limit} for update skip locked)
      returning *
    ), merged as (
      delete from telemetry_sums where no in (
        select s.no from telemetry_sums s
        join (select distinct org_id, day, type, member_id, model, worker_id, automation_id from taken) t
          on s.org_id = t.org_id and s.day = t.day and s.type = t.type and s.member_id = t.member_id
            and s.model = t.model and s.worker_id = t.worker_id and s.automation_id = t.automation_id
        where s.is_merged for update of s skip locked)
      returning *
    ), added as (
      insert into telemetry_sums (org_id, day, type, member_id, model, worker_id, automation_id, is_merged, events,
        failures, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, priced_events,
        unpriced_events, duration_ms, timed_events, value)
      select t.org_id, t.day, t.type, t.member_id, t.model, t.worker_id, t.automation_id, true, sum(t.events),
        sum(t.failures), sum(t.input_tokens), sum(t.output_tokens), sum(t.cache_read_tokens),
        sum(t.cache_write_tokens), sum(t.cost_micros), sum(t.priced_events), sum(t.unpriced_events),
        sum(t.duration_ms), sum(t.timed_events), sum(t.value)
      from (select * from taken union all select * from merged) t join organizations o on o.id = t.org_id
      group by 1, 2, 3, 4, 5, 6, 7
    )
    select count(*)::int as count from taken`))!.count;

/** Deletes sums of days before a day. Without a day, all of them. */
export const removeOld = (db: Db, orgId: OrgId, before: string | null, limit: number) =>
  db.run(sql`
    delete from telemetry_sums where no in (
      select s.no from telemetry_sums s
      where s.org_id = ${orgId} and (${before}::date is null or s.day < ${before}::date) limit ${limit})`);
