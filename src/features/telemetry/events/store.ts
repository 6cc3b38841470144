import type { OrgId } from "../../../platform/context.ts";
import {
  type Batch,
  type Db,
  emptySql,
  filterOrder,
  join,
  listSource,
  pageBytes,
  type Sql,
  sql,
} from "../../../platform/db/index.ts";
import { smallestIdAt } from "../../../platform/ids.ts";
import type { Filter, TelemetryEvent } from "./contract.ts";

const columns = sql`e.id, e.signal, e.event_id as "eventId", e.at, e.type, e.source,
  e.mapping_version as "mappingVersion", e.member_id as "memberId", e.worker_id as "workerId", e.run_id as "runId",
  e.automation_id as "automationId", e.provider, e.model, e.input_tokens as "inputTokens",
  e.output_tokens as "outputTokens", e.cache_read_tokens as "cacheReadTokens",
  e.cache_write_tokens as "cacheWriteTokens", e.cost_micros as "costMicros", e.pricing,
  e.counts_usage as "countsUsage", e.duration_ms as "durationMs", e.failed, e.value::double precision as value,
  e.tool_name as "toolName", e.agent_name as "agentName", e.conversation_id as "conversationId", e.attributes,
  e.received_at as "receivedAt"`;

/** Ids begin with the time of the event. */
const prefix = "tev";
const lastId = "~";

export const list = (db: Db, orgId: OrgId, filter: Filter) => {
  const { type, memberId, runId, from, to } = filter;
  const first = from === undefined ? "" : smallestIdAt(prefix, from);
  const end = to === undefined ? lastId : smallestIdAt(prefix, to);
  const { where, id } = chooseRange(filter);
  const conditions = [
    type === undefined ? null : sql`e.type = ${type}`,
    runId === undefined || memberId === undefined ? null : sql`e.member_id = ${memberId}`,
  ].filter((condition) => condition !== null);
  const matches = conditions.length === 0 ? sql`true` : join(conditions, " and ");
  return listSource<TelemetryEvent>(db, {
    filtered: conditions.length > 0,
    candidates: (after, count) => sql`
      select e.id, ${matches} as matches from telemetry_events e
      where e.org_id = ${orgId} ${where} and ${id} < ${[end, after].sort()[0]} and ${id} >= ${first}
      order by ${id} desc limit ${count}`,
    rows: (ids) =>
      sql`select ${columns} from telemetry_events e where e.org_id = ${orgId} and e.id = any(${ids})`,
    bytes: sql`coalesce(octet_length(page.attributes::text), 0)`,
  });
};

/** The condition that an index serves in list order. */
function chooseRange({ runId, memberId, type }: Pick<Filter, "runId" | "memberId" | "type">): {
  where: Sql;
  id: Sql;
} {
  if (runId !== undefined) return { where: sql`and e.run_id = ${runId}`, id: filterOrder(sql`e.id`) };
  if (memberId !== undefined)
    return { where: sql`and e.member_id = ${memberId}`, id: filterOrder(sql`e.id`) };
  // Most events are calls of models, so the index leaves them out.
  if (type !== undefined && type !== "model_call")
    return {
      where: sql`and e.type = ${type} and e.type <> 'model_call'`,
      id: filterOrder(sql`e.id`),
    };
  return { where: emptySql, id: sql`e.id` };
}

interface Interval {
  memberId: string | undefined;
  after: string;
  end: string;
}

/** Of the next `count` events in the order of their times, those that fit into about `pageBytes`. */
export async function listAfter(
  db: Db,
  orgId: OrgId,
  { memberId, after, end }: Interval,
  count: number,
): Promise<Batch<TelemetryEvent, string>> {
  const { where, id } = chooseRange({ memberId });
  const found = await db.rows<TelemetryEvent & { examined: number }>(sql`
    select ${columns}, e.examined from (
      select e.*, row_number() over page as place, count(*) over () as examined,
        sum(coalesce(octet_length(e.attributes::text), 0)) over page as bytes
      from (
        select e.* from telemetry_events e
        where e.org_id = ${orgId} ${where} and ${id} > ${after} and ${id} < ${end}
        order by ${id} limit ${count}) e
      window page as (order by e.id)) e
    where e.place = 1 or e.bytes <= ${pageBytes}::bigint
    order by e.id`);
  const examined = found[0]?.examined ?? 0;
  const isFull = found.length < examined;
  return {
    rows: found.map(({ examined: _, ...event }) => event),
    next: isFull || examined === count ? found.at(-1)!.id : undefined,
    isFull,
  };
}
