import type { OrgId } from "../../../platform/context.ts";
import { type Db, leaseConditions, sql } from "../../../platform/db/index.ts";
import { pageBytes } from "../page-bytes.ts";
import type { Reach, RunId } from "../runs/index.ts";
import type { RunEvent } from "./contract.ts";
import type { NumberRange } from "./run-numbers.ts";

export interface NewEvent {
  attempt: number;
  sequence: number;
  type: RunEvent["type"];
  createdAt: number;
  /** JSON text without line breaks, as `JSON.stringify` writes it. */
  payload: string;
}

/** Joins JSON texts, which have no line breaks. PostgreSQL would read an array of JSON twice. */
const joinLines = (texts: readonly string[]) => texts.join("\n");

/** A larger number fits no column and matches no attempt. */
const clampToInt = (attempt: number) => Math.min(attempt, 2_147_483_647);

/** The next events of one attempt. Their numbers are consecutive, and only the last one can be terminal. */
export interface EventReportGroup {
  orgId: OrgId;
  reach: Reach;
  id: RunId;
  holder: string;
  events: readonly NewEvent[];
}

export interface StoredEventReportGroup {
  receivedAt: number;
  /** The lease is half over. */
  isRenewalDue: boolean;
}

/**
 * Events of the service stand between those of the runner, whose numbers do not count them. All of them come before a
 * new event, so the position of a new event is its number plus their count.
 *
 * The hot path: stores event reports of different runs in one statement with one commit. Returns the position (from 1)
 * of each stored report. The others are not the simple case, and the caller handles each of them alone.
 *
 * The row of the run is locked, so the run cannot end or change its holder before the commit. Rows that are already
 * locked are skipped, so no report waits for another run. If the events read here are older than the lock, the primary
 * key rejects the statement. The text has no variable parts, so it is prepared once. Only runs with
 * numbers in `range` are considered, so that only their partitions are opened.
 */
export const insertEventReportsAcrossOrganizations = (
  db: Db,
  reports: readonly EventReportGroup[],
  range: NumberRange,
) => {
  const events = reports.flatMap((report) => report.events);
  return db.rows<StoredEventReportGroup & { position: number }>(sql`
    with given as (
      select * from unnest(${reports.map(({ id }) => id)}::text[], ${reports.map(({ orgId }) => orgId)}::text[],
        ${reports.map(({ reach }) => reach)}::text[], ${reports.map(({ holder }) => holder)}::text[],
        ${reports.map(({ events }) => clampToInt(events[0]!.attempt))}::int[],
        ${reports.map(({ events }) => events[0]!.sequence)}::bigint[])
        with ordinality as g(id, org_id, reach, holder, attempt, first, position)
    ), run as (
      select given.position, given.attempt, given.first, r.no, r.org_id, cardinality(t.service_events) as service_events,
        r.lease_expires_at < now() + interval '30 seconds' as renewal_due
      from given join automation_runs r on r.id = given.id
        join automation_run_attempts t on t.run_id = r.id and t.attempt = r.attempt
      where r.org_id = given.org_id and (given.reach is null or r.member_id = given.reach)
        and r.status = 'running' and r.lease_expires_at > now()
        and r.attempt = given.attempt and r.holder = given.holder
        and r.no >= ${range.from} and r.no < ${range.end}
      for no key update of r skip locked
    ), held as materialized (
      select run.position, run.no, run.org_id, run.attempt, run.service_events, run.renewal_due
      from run left join lateral (
        select sequence, type from automation_events e
        where e.run_no = run.no and e.org_id = run.org_id and e.attempt = run.attempt
          and e.run_no >= ${range.from} and e.run_no < ${range.end}
        order by sequence desc limit 1) last on true
      where case when coalesce(last.sequence, -1) + 1 = run.service_events then run.first in (0, 1)
        else run.first + run.service_events = last.sequence + 1 and last.type <> 'terminal' end
    ), stored as (
      insert into automation_events (run_no, org_id, attempt, sequence, type, created_at, payload)
      select held.no, held.org_id, held.attempt, e.sequence + held.service_events, e.type, e.created_at, e.payload
      -- In the from clause, each function would first store all of its rows.
      from (select
        unnest(${reports.flatMap(({ events }, i) => events.map(() => i + 1))}::int[]) as position,
        unnest(${events.map(({ sequence }) => sequence)}::bigint[]) as sequence,
        unnest(${events.map(({ type }) => type)}::automation_event_type[]) as type,
        unnest(${events.map(({ createdAt }) => createdAt)}::bigint[]) as created_at,
        string_to_table(${joinLines(events.map(({ payload }) => payload))}::text, chr(10))::json as payload
      ) e
      join held on held.position = e.position
    )
    select position, renewal_due as "isRenewalDue", now() as "receivedAt" from held`);
};

const columns = sql`r.id as "runId", e.attempt, e.sequence, e.type, e.payload, e.created_at as "createdAt",
  e.received_at as "receivedAt"`;

/** A stored event next to a report. The payload is null when its size shows that the report has another one. */
export type ComparedEvent = Omit<RunEvent, "payload"> & { payload: RunEvent["payload"] | null };

/**
 * Returns the stored events that have the numbers of these reports, and the last event of the attempt. `positions` lists
 * the positions of all events of the service in the attempt, in order, and is the same in every row. A payload is read only
 * if it has the size of the report's payload, so the result is never larger than the reports.
 */
export const findEventsForReport = (
  db: Db,
  orgId: OrgId,
  id: RunId,
  attempt: number,
  reports: readonly Pick<NewEvent, "sequence" | "payload">[],
) =>
  db.rows<ComparedEvent & { positions: number[] }>(sql`
    select r.id as "runId", e.attempt, e.sequence, e.type,
      case when octet_length(e.payload::text) = any(wanted.sizes) then e.payload end as payload,
      e.created_at as "createdAt", e.received_at as "receivedAt", t.service_events as positions
    from automation_runs r
    join automation_run_attempts t on t.run_id = r.id and t.attempt = ${clampToInt(attempt)}::int
    cross join lateral (
      select g.position, array_agg(g.size) as sizes from (
        -- The n-th event of the service, counted from 1, is before number x of the runner if its position - n < x.
        select g.sequence + (select count(*) from unnest(t.service_events) with ordinality s(position, n)
          where s.position - s.n < g.sequence) as position, g.size
        from unnest(${reports.map(({ sequence }) => sequence)}::bigint[],
          ${reports.map(({ payload }) => Buffer.byteLength(payload))}::int[]) g(sequence, size)
        union all (
          select l.sequence, null from automation_events l
          where l.run_no = r.no and l.org_id = r.org_id and l.attempt = t.attempt
          order by l.sequence desc limit 1)) g
      group by g.position) wanted
    cross join lateral (
      -- A plain join could read all events of the attempt.
      select e.attempt, e.sequence, e.type, e.payload, e.created_at, e.received_at from automation_events e
      where e.run_no = r.no and e.org_id = r.org_id and e.attempt = t.attempt and e.sequence = wanted.position
      limit 1) e
    where r.id = ${id} and r.org_id = ${orgId}
    order by e.sequence`);

/** Locks the run if the attempt is running. Undefined: the attempt has ended, and nothing is added to it. */
export const lockRunningAttempt = (tx: Db, orgId: OrgId, id: RunId, attempt: number) =>
  tx.row<{ no: number }>(sql`
    select r.no from automation_runs r
    where r.id = ${id} and r.org_id = ${orgId} and r.status = 'running' and r.attempt = ${attempt}
      and ${leaseConditions(sql`r.`).isLive}
    for no key update of r`);

/**
 * Adds an event of the service after the last event. The run is locked. Returns 0 when nothing was added: nothing
 * follows a terminal event.
 */
export const insertServiceEvent = (
  tx: Db,
  orgId: OrgId,
  id: RunId,
  attempt: number,
  { type, payload, createdAt }: Omit<NewEvent, "attempt" | "sequence">,
) =>
  tx.run(sql`
    with place as (
      select r.no, r.id, r.org_id, coalesce(last.sequence, -1) + 1 as sequence
      from automation_runs r left join lateral (
        select e.sequence, e.type from automation_events e
        where e.run_no = r.no and e.org_id = r.org_id and e.attempt = ${attempt}
        order by e.sequence desc limit 1) last on true
      where r.id = ${id} and r.org_id = ${orgId} and last.type is distinct from 'terminal'
    ), noted as (
      update automation_run_attempts t set service_events = t.service_events || place.sequence::int
      from place where t.run_id = place.id and t.attempt = ${attempt} and t.ended_at is null
      returning place.no, place.org_id, place.sequence
    )
    insert into automation_events (run_no, org_id, attempt, sequence, type, created_at, payload)
    select noted.no, noted.org_id, ${attempt}, noted.sequence, ${type}::automation_event_type, ${createdAt}, ${payload}::text::json
    from noted`);

/** A position in a run's events. */
export interface Position {
  attempt: number;
  sequence: number;
}

export const findLastPosition = (db: Db, orgId: OrgId, id: RunId) =>
  db.row<Position>(sql`
    select e.attempt, e.sequence from automation_runs r
    join automation_events e on e.run_no = r.no and e.org_id = r.org_id
    where r.id = ${id} and r.org_id = ${orgId} and r.events_pruned_at is null
    order by e.attempt desc, e.sequence desc limit 1`);

/** Positions before the first and after the last event. */
export const beforeFirstEvent: Position = { attempt: 0, sequence: -1 };
export const afterLastEvent: Position = { attempt: 2 ** 31 - 1, sequence: Number.MAX_SAFE_INTEGER };

/**
 * Events after a position, in order; none once they are pruned, although rows can remain until their partition is
 * dropped; fewer than `limit` when their payloads are large.
 */
export const listAfter = (db: Db, orgId: OrgId, id: RunId, after: Position, limit: number) =>
  listPage(db, orgId, id, limit, {
    beyond: sql`(e.attempt, e.sequence) > (${after.attempt}::int, ${after.sequence}::bigint)`,
    order: sql`attempt, sequence`,
  });

/** Events before a position, newest first. */
export const listBefore = (db: Db, orgId: OrgId, id: RunId, before: Position, limit: number) =>
  listPage(db, orgId, id, limit, {
    beyond: sql`(e.attempt, e.sequence) < (${before.attempt}::int, ${before.sequence}::bigint)`,
    order: sql`attempt desc, sequence desc`,
  });

async function listPage(
  db: Db,
  orgId: OrgId,
  id: RunId,
  limit: number,
  { beyond, order }: Record<"beyond" | "order", ReturnType<typeof sql>>,
): Promise<{ items: RunEvent[]; more: boolean }> {
  const rows = await db.rows<RunEvent & { found: number }>(sql`
    select "runId", attempt, sequence, type, payload, "createdAt", "receivedAt", found from (
      select e.*, row_number() over page as n, sum(octet_length(e.payload::text)) over page as bytes,
        count(*) over () as found
      from (
        select e.* from automation_runs r cross join lateral (
          -- The lateral query reads events in the order of their key. A plain join would sort all of them.
          select ${columns} from automation_events e
          where e.run_no = r.no and e.org_id = r.org_id and ${beyond}
          order by ${order} limit ${limit + 1}) e
        where r.id = ${id} and r.org_id = ${orgId} and r.events_pruned_at is null) e
      window page as (order by ${order})) paged
    where n = 1 or bytes <= ${pageBytes}::bigint order by ${order} limit ${limit}`);
  return {
    items: rows.map(({ found: _, ...event }) => event),
    more: rows.length > 0 && rows[0]!.found > rows.length,
  };
}

/** Removes at most `limit` events of a run, so that no statement takes long. */
export const removeSome = (db: Db, orgId: OrgId, runNo: number, limit: number) =>
  db.run(sql`
    delete from automation_events where org_id = ${orgId} and run_no = ${runNo} and (attempt, sequence) in (
      select e.attempt, e.sequence from automation_events e where e.org_id = ${orgId} and e.run_no = ${runNo}
      order by e.attempt, e.sequence limit ${limit})`);

/** Runs whose events are removed one by one: deleted runs, and runs whose partition was not dropped in time. */
export const listLeftoversAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<{ runNo: number; orgId: OrgId }>(sql`
    select run_no as "runNo", org_id as "orgId" from automation_event_leftovers
    where due_at <= now() order by due_at, run_no limit ${limit}`);

export const removeLeftover = (db: Db, orgId: OrgId, runNo: number) =>
  db.run(sql`delete from automation_event_leftovers where org_id = ${orgId} and run_no = ${runNo}`);

/** The events of the run are removed one by one unless their partition is dropped within `days`. */
export const addLeftover = (db: Db, orgId: OrgId, runNo: number, days: number) =>
  db.run(sql`
    insert into automation_event_leftovers (run_no, org_id, due_at)
    values (${runNo}, ${orgId}, now() + make_interval(days => ${days}::int))
    on conflict (run_no) do nothing`);

/** The table of events, in partitions by the creation of the run. */
export const eventTable = "automation_events";

/** True when no run that was created between two times has events to keep. */
export const isPrunedAcrossOrganizations = async (db: Db, from: number, to: number): Promise<boolean> =>
  (await db.row(sql`
    select 1 from automation_runs
    where no >= run_number_at(to_timestamp(${from}::bigint / 1000.0))
      and no < run_number_at(to_timestamp(${to}::bigint / 1000.0)) and events_pruned_at is null
    order by no desc limit 1`)) === undefined;

/** Forgets the leftovers of runs that were created between two times: their partition is dropped. */
export const removeLeftoversAcrossOrganizations = (db: Db, from: number, to: number) =>
  db.run(sql`
    delete from automation_event_leftovers
    where run_no >= run_number_at(to_timestamp(${from}::bigint / 1000.0))
      and run_no < run_number_at(to_timestamp(${to}::bigint / 1000.0))`);
