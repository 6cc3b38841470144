import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { mappingVersion } from "../mapping/index.ts";
import type { Pricing, TelemetryRecord } from "../record.ts";

/** An event that can be stored: the columns of its row, and its key. */
export type EventRow = Omit<TelemetryRecord, "claims" | "mayBePriced" | "attributes"> & {
  orgId: OrgId;
  id: string;
  memberId: string | null;
  workerId: string | null;
  runId: string | null;
  automationId: string | null;
  pricing: Pricing;
  /** JSON text. */
  attributes: string | null;
  /** See `createKey` in `batcher.ts`. */
  key: string;
};

const column = <Name extends keyof EventRow>(rows: readonly EventRow[], name: Name) =>
  rows.map((row) => row[name]);

/**
 * Stores events of many requests in one statement with one commit, and with them what they add to the daily sums.
 * Returns the ids of the rows that are new, or null when all of them are. The rows must be sorted by their keys, because
 * two statements that insert the same events in different order would wait for each other. An organization that has
 * opted out gets no rows.
 */
export const insertAcrossOrganizations = async (db: Db, rows: readonly EventRow[]) =>
  (await db.row<{ insertedIds: string[] | null }>(sql`
    with inserted as (
      insert into telemetry_events (org_id, id, signal, event_id, digest, at, type, source, mapping_version, member_id,
        worker_id, run_id, automation_id, provider, model, input_tokens, output_tokens, cache_read_tokens,
        cache_write_tokens, cost_micros, pricing, counts_usage, duration_ms, failed, value, tool_name, agent_name,
        conversation_id, attributes)
      select g.org_id, g.id, g.signal, g.event_id, decode(g.digest, 'hex'), to_timestamp(g.at / 1000::float8), g.type,
        g.source, ${mappingVersion}, g.member_id, g.worker_id, g.run_id, g.automation_id, g.provider, g.model,
        g.input_tokens, g.output_tokens, g.cache_read_tokens, g.cache_write_tokens, g.cost_micros, g.pricing,
        g.counts_usage, g.duration_ms, g.failed, g.value, g.tool_name, g.agent_name, g.conversation_id,
        g.attributes::jsonb
      -- In the from clause, each function would first store all of its rows.
      from (select
        unnest(${column(rows, "orgId")}::text[]) as org_id,
        unnest(${column(rows, "id")}::text[]) as id,
        unnest(${column(rows, "signal")}::text[]) as signal,
        unnest(${column(rows, "eventId")}::text[]) as event_id,
        unnest(${column(rows, "digest")}::text[]) as digest,
        unnest(${column(rows, "at")}::bigint[]) as at,
        unnest(${column(rows, "type")}::text[]) as type,
        unnest(${column(rows, "source")}::text[]) as source,
        unnest(${column(rows, "memberId")}::text[]) as member_id,
        unnest(${column(rows, "workerId")}::text[]) as worker_id,
        unnest(${column(rows, "runId")}::text[]) as run_id,
        unnest(${column(rows, "automationId")}::text[]) as automation_id,
        unnest(${column(rows, "provider")}::text[]) as provider,
        unnest(${column(rows, "model")}::text[]) as model,
        unnest(${column(rows, "inputTokens")}::bigint[]) as input_tokens,
        unnest(${column(rows, "outputTokens")}::bigint[]) as output_tokens,
        unnest(${column(rows, "cacheReadTokens")}::bigint[]) as cache_read_tokens,
        unnest(${column(rows, "cacheWriteTokens")}::bigint[]) as cache_write_tokens,
        unnest(${column(rows, "costMicros")}::bigint[]) as cost_micros,
        unnest(${column(rows, "pricing")}::text[]) as pricing,
        unnest(${column(rows, "countsUsage")}::boolean[]) as counts_usage,
        unnest(${column(rows, "durationMs")}::bigint[]) as duration_ms,
        unnest(${column(rows, "failed")}::boolean[]) as failed,
        unnest(${column(rows, "value")}::float8[]) as value,
        unnest(${column(rows, "toolName")}::text[]) as tool_name,
        unnest(${column(rows, "agentName")}::text[]) as agent_name,
        unnest(${column(rows, "conversationId")}::text[]) as conversation_id,
        unnest(${column(rows, "attributes")}::text[]) as attributes
      ) g
      where not exists (select from telemetry_settings s where s.org_id = g.org_id and not s.enabled)
      on conflict (org_id, event_id, signal) do nothing
      returning org_id, id, at, type, member_id, model, worker_id, automation_id, failed, counts_usage, input_tokens,
        output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, pricing, duration_ms, value
    ), added as (
      insert into telemetry_sums (org_id, day, type, member_id, model, worker_id, automation_id, events, failures,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, priced_events,
        unpriced_events, duration_ms, timed_events, value)
      select org_id, (at at time zone 'UTC')::date, type, coalesce(member_id, ''), coalesce(model, ''),
        coalesce(worker_id, ''), coalesce(automation_id, ''), count(*), count(*) filter (where failed),
        coalesce(sum(input_tokens) filter (where counts_usage), 0),
        coalesce(sum(output_tokens) filter (where counts_usage), 0),
        coalesce(sum(cache_read_tokens) filter (where counts_usage), 0),
        coalesce(sum(cache_write_tokens) filter (where counts_usage), 0),
        coalesce(sum(cost_micros) filter (where counts_usage), 0),
        count(*) filter (where counts_usage and pricing in ('reported', 'estimated')),
        count(*) filter (where counts_usage and pricing = 'unpriced'),
        coalesce(sum(duration_ms), 0), count(duration_ms), coalesce(sum(value), 0)
      from inserted group by 1, 2, 3, 4, 5, 6, 7
    )
    select case when count(*) < ${rows.length}::int then coalesce(array_agg(id), '{}') end as "insertedIds"
    from inserted`))!;

type KnownEvent = Pick<EventRow, "orgId" | "signal" | "eventId" | "digest">;

/** The stored events with these ids. */
export const listKnownAcrossOrganizations = (db: Db, rows: readonly Omit<KnownEvent, "digest">[]) =>
  db.rows<KnownEvent>(sql`
    select e.org_id as "orgId", e.signal, e.event_id as "eventId", encode(e.digest, 'hex') as digest
    from telemetry_events e
    join unnest(${rows.map((row) => row.orgId)}::text[], ${rows.map((row) => row.signal)}::text[],
      ${rows.map((row) => row.eventId)}::text[]) as g(org_id, signal, event_id)
      on e.org_id = g.org_id and e.event_id = g.event_id and e.signal = g.signal`);

export interface ReportedRun {
  id: string;
  memberId: string;
  automationId: string;
  holder: string | null;
  /** The worker whose runner does the run. */
  workerId: string | null;
}

export const listRuns = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<ReportedRun>(sql`
    select r.id, r.member_id as "memberId", r.automation_id as "automationId", r.holder,
      (select max(t.worker_id) from automation_runner_tokens t where t.runner_id = r.holder) as "workerId"
    from automation_runs r where r.org_id = ${orgId} and r.id = any(${ids})`);

export interface ReportingWorker {
  id: string;
  memberId: string | null;
}

export const listWorkers = (db: Db, orgId: OrgId, ids: readonly string[]) =>
  db.rows<ReportingWorker>(
    sql`select id, member_id as "memberId" from workers where org_id = ${orgId} and id = any(${ids})`,
  );

/** Members with one of these ids or mail addresses. */
export const listMembers = (db: Db, orgId: OrgId, ids: readonly string[], emails: readonly string[]) =>
  db.rows<{ id: string; email: string }>(sql`
    select m.id, lower(u.email) as email from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and (m.id = any(${ids}) or lower(u.email) = any(${emails}))`);
