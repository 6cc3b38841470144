import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";

/**
 * Moves the oldest additions into the daily sums, and returns how many. Both happen in one statement, so that no reader
 * sees an addition twice or not at all. Several processes can do it: each takes rows that no other has taken, and all
 * write the sums in the same order.
 */
export const addToDaysAcrossOrganizations = async (db: Db, limit: number): Promise<number> =>
  (await db.row<{ count: number }>(sql`
    with taken as (
      delete from telemetry_additions where no in (
        select no from telemetry_additions order by no limit ${limit} for update skip locked)
      returning *
    ), added as (
      insert into telemetry_days as d (org_id, day, type, member_id, model, worker_id, automation_id, events, failures,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, priced_events,
        unpriced_events, duration_ms, timed_events, value)
      select t.org_id, t.day, t.type, t.member_id, t.model, t.worker_id, t.automation_id, sum(t.events),
        sum(t.failures), sum(t.input_tokens), sum(t.output_tokens), sum(t.cache_read_tokens),
        sum(t.cache_write_tokens), sum(t.cost_micros), sum(t.priced_events), sum(t.unpriced_events),
        sum(t.duration_ms), sum(t.timed_events), sum(t.value)
      from taken t join organizations o on o.id = t.org_id
      group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
      on conflict (org_id, day, type, member_id, model, worker_id, automation_id) do update set
        events = d.events + excluded.events, failures = d.failures + excluded.failures,
        input_tokens = d.input_tokens + excluded.input_tokens,
        output_tokens = d.output_tokens + excluded.output_tokens,
        cache_read_tokens = d.cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = d.cache_write_tokens + excluded.cache_write_tokens,
        cost_micros = d.cost_micros + excluded.cost_micros,
        priced_events = d.priced_events + excluded.priced_events,
        unpriced_events = d.unpriced_events + excluded.unpriced_events,
        duration_ms = d.duration_ms + excluded.duration_ms, timed_events = d.timed_events + excluded.timed_events,
        value = d.value + excluded.value
    )
    select count(*)::int as count from taken`))!.count;

export const removeOld = (db: Db, orgId: OrgId, before: string, limit: number) =>
  db.run(sql`
    delete from telemetry_days where org_id = ${orgId}
      and (day, type, member_id, model, worker_id, automation_id) in (
        select d.day, d.type, d.member_id, d.model, d.worker_id, d.automation_id from telemetry_days d
        where d.org_id = ${orgId} and d.day < ${before}::date limit ${limit})`);
