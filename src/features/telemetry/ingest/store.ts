import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { mappingVersion } from "../mapping/index.ts";
import type { Pricing, Signal, TelemetryRecord } from "../record.ts";

/** An event that can be stored. */
export interface EventRow {
  orgId: OrgId;
  signal: Signal;
  eventId: string;
  id: string;
  digest: string;
  /** See `createKey` in `batcher.ts`. */
  key: string;
  /** The columns as a JSON object. The database reads one text faster than we can write an array for each column. */
  json: string;
}

/** The columns of `telemetry_events`. Undefined stands for null, because JSON leaves it out. */
export type EventColumns = {
  [Name in keyof Omit<TelemetryRecord, "claims" | "mayBePriced" | "attributes">]: NullToUndefined<
    TelemetryRecord[Name]
  >;
} & {
  orgId: OrgId;
  id: string;
  memberId: string | undefined;
  workerId: string | undefined;
  runId: string | undefined;
  automationId: string | undefined;
  pricing: Pricing;
  /** JSON text. */
  attributes: string | undefined;
};
type NullToUndefined<Value> = null extends Value ? Exclude<Value, null> | undefined : Value;

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
      select g."orgId", g.id, g.signal, g."eventId", decode(g.digest, 'hex'), to_timestamp(g.at / 1000.0), g.type,
        g.source, ${mappingVersion}, g."memberId", g."workerId", g."runId", g."automationId", g.provider, g.model,
        g."inputTokens", g."outputTokens", g."cacheReadTokens", g."cacheWriteTokens", g."costMicros", g.pricing,
        g."countsUsage", g."durationMs", g.failed, g.value, g."toolName", g."agentName", g."conversationId",
        g.attributes::jsonb
      from json_to_recordset(${`[${rows.map(({ json }) => json).join()}]`}::text::json) as g(
        "orgId" text, id text, signal text, "eventId" text, digest text, at bigint, type text, source text,
        "memberId" text, "workerId" text, "runId" text, "automationId" text, provider text, model text,
        "inputTokens" bigint, "outputTokens" bigint, "cacheReadTokens" bigint, "cacheWriteTokens" bigint,
        "costMicros" bigint, pricing text, "countsUsage" boolean, "durationMs" bigint, failed boolean,
        value double precision, "toolName" text, "agentName" text, "conversationId" text, attributes text)
      where not exists (select from telemetry_settings s where s.org_id = g."orgId" and not s.enabled)
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
