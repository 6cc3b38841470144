import type { OrgId } from "../../../platform/context.ts";
import { type Db, leaseConditions, pageBytes, sql } from "../../../platform/db/index.ts";
import type { Reach, RunId } from "../runs/index.ts";
import type { RunEvent } from "./contract.ts";
import {
  computeRowBytes,
  type EventRow,
  maxRowBytes,
  maxRowEvents,
  type NewEvent,
  type NewEventRow,
  unpackEvents,
} from "./event-rows.ts";
import type { NumberRange } from "./run-numbers.ts";

/** Joins JSON texts, which have no line breaks. In an array, each quotation mark would be escaped. */
const joinLines = (texts: readonly string[]) => texts.join("\n");

/** A larger number fits no column and matches no attempt. */
const clampToInt = (attempt: number) => Math.min(attempt, 2_147_483_647);

/** The next events of one attempt. Their numbers are consecutive, and only the last one can be terminal. */
export interface EventReportGroup {
  orgId: OrgId;
  reach: Reach;
  id: RunId;
  holder: string;
  attempt: number;
  /** The number of the first event. */
  first: number;
  rows: readonly NewEventRow[];
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
 * key rejects the statement, because two rows would follow the same event. The text has no variable parts, so it is
 * prepared once. Only runs with numbers in `range` are considered, so that only their partitions are opened.
 */
export const insertEventReportsAcrossOrganizations = (
  db: Db,
  reports: readonly EventReportGroup[],
  range: NumberRange,
) => {
  const rows = reports.flatMap((report) => report.rows);
  return db.rows<StoredEventReportGroup & { position: number }>(sql`
    with given as (
      select * from unnest(${reports.map(({ id }) => id)}::text[], ${reports.map(({ orgId }) => orgId)}::text[],
        ${reports.map(({ reach }) => reach)}::text[], ${reports.map(({ holder }) => holder)}::text[],
        ${reports.map(({ attempt }) => clampToInt(attempt))}::int[],
        ${reports.map(({ first }) => first)}::bigint[])
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
      select run.position, run.no, run.org_id, run.attempt, run.service_events, run.renewal_due,
        coalesce(last.last_sequence, -1) as last_sequence
      from run left join lateral (
        select last_sequence, is_terminal from automation_events e
        where e.run_no = run.no and e.org_id = run.org_id and e.attempt = run.attempt
          and e.run_no >= ${range.from} and e.run_no < ${range.end}
          -- Without a lower bound, PostgreSQL compares all entries of a page of the index.
          and e.previous_sequence >= run.first + run.service_events - ${maxRowEvents + 2}::int
        order by previous_sequence desc limit 1) last on true
      where case when coalesce(last.last_sequence, -1) + 1 = run.service_events then run.first in (0, 1)
        else run.first + run.service_events = last.last_sequence + 1 and not last.is_terminal end
    ), stored as (
      insert into automation_events (run_no, org_id, attempt, previous_sequence, last_sequence, is_terminal, events)
      select held.no, held.org_id, held.attempt, coalesce(e.previous + held.service_events, held.last_sequence),
        e.last + held.service_events, e.is_terminal, e.events
      -- In the from clause, each function would first store all of its rows.
      from (select
        unnest(${reports.flatMap(({ rows }, i) => rows.map(() => i + 1))}::int[]) as position,
        unnest(${rows.map(({ previous }) => previous)}::bigint[]) as previous,
        unnest(${rows.map(({ last }) => last)}::bigint[]) as last,
        unnest(${rows.map(({ isTerminal }) => isTerminal)}::boolean[]) as is_terminal,
        string_to_table(${joinLines(rows.map(({ events }) => events))}::text, chr(10)) as events
      ) e
      join held on held.position = e.position
    )
    select position, renewal_due as "isRenewalDue", now() as "receivedAt" from held`);
};

/** A stored row next to a report. The events are null when their size shows that the report has another one. */
export type ComparedRow = Omit<EventRow, "events"> & {
  events: string | null;
  isTerminal: boolean;
  /** The positions of all events of the service in the attempt, in order. The same in every row. */
  positions: number[];
};

/**
 * Returns the rows whose events can have the numbers of these reports, and the last row of the attempt, in order. A row
 * with one event is read only if it has the size of a report, so the result is never much larger than the reports.
 */
export const findRowsForReport = (
  db: Db,
  orgId: OrgId,
  id: RunId,
  attempt: number,
  reports: readonly Pick<NewEvent, "sequence" | "bytes">[],
) =>
  db.rows<ComparedRow>(sql`
    select r.id as "runId", e.attempt, e.last_sequence as "lastSequence", e.is_terminal as "isTerminal",
      case when e.last_sequence - e.previous_sequence > 1 and octet_length(e.events) <= ${maxRowBytes}
        or octet_length(e.events) = any(wanted.sizes) then e.events end as events,
      e.received_at as "receivedAt", t.service_events as positions
    from automation_runs r
    join automation_run_attempts t on t.run_id = r.id and t.attempt = ${clampToInt(attempt)}::int
    cross join lateral (
      select l.previous_sequence, array_agg(g.size) as sizes from (
        -- The n-th event of the service, counted from 1, is before number x of the runner if its position - n < x.
        select g.sequence + (select count(*) from unnest(t.service_events) with ordinality s(position, n)
          where s.position - s.n < g.sequence) as position, g.size
        from unnest(${reports.map(({ sequence }) => sequence)}::bigint[],
          ${reports.map(computeRowBytes)}::int[]) g(sequence, size)
        union all select ${Number.MAX_SAFE_INTEGER}, null) g
      cross join lateral (
        select l.previous_sequence from automation_events l
        where l.run_no = r.no and l.org_id = r.org_id and l.attempt = t.attempt and l.previous_sequence < g.position
        order by l.previous_sequence desc limit 1) l
      group by l.previous_sequence) wanted
    cross join lateral (
      -- A plain join could read all events of the attempt.
      select e.attempt, e.previous_sequence, e.last_sequence, e.is_terminal, e.events, e.received_at
      from automation_events e
      where e.run_no = r.no and e.org_id = r.org_id and e.attempt = t.attempt
        and e.previous_sequence = wanted.previous_sequence
      limit 1) e
    where r.id = ${id} and r.org_id = ${orgId}
    order by e.last_sequence`);

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
export const insertServiceEvent = (tx: Db, orgId: OrgId, id: RunId, attempt: number, text: string) =>
  tx.run(sql`
    with place as (
      select r.no, r.id, r.org_id, coalesce(last.last_sequence, -1) as previous
      from automation_runs r left join lateral (
        select e.last_sequence, e.is_terminal from automation_events e
        where e.run_no = r.no and e.org_id = r.org_id and e.attempt = ${attempt}
        order by e.previous_sequence desc limit 1) last on true
      where r.id = ${id} and r.org_id = ${orgId} and last.is_terminal is not true
    ), noted as (
      update automation_run_attempts t set service_events = t.service_events || (place.previous + 1)::int
      from place where t.run_id = place.id and t.attempt = ${attempt} and t.ended_at is null
      returning place.no, place.org_id, place.previous
    )
    insert into automation_events (run_no, org_id, attempt, previous_sequence, last_sequence, is_terminal, events)
    select noted.no, noted.org_id, ${attempt}, noted.previous, noted.previous + 1, false, ${`[${text}]`}
    from noted`);

/** A position in a run's events. */
export interface Position {
  attempt: number;
  sequence: number;
}

export const findLastPosition = (db: Db, orgId: OrgId, id: RunId) =>
  db.row<Position>(sql`
    select e.attempt, e.last_sequence as sequence from automation_runs r
    join automation_events e on e.run_no = r.no and e.org_id = r.org_id
    where r.id = ${id} and r.org_id = ${orgId} and r.events_pruned_at is null
    order by e.attempt desc, e.previous_sequence desc limit 1`);

/** Positions before the first and after the last event. */
export const beforeFirstEvent: Position = { attempt: 0, sequence: -1 };
export const afterLastEvent: Position = { attempt: 2 ** 31 - 1, sequence: Number.MAX_SAFE_INTEGER };

interface EventPage {
  items: RunEvent[];
  more: boolean;
}

/**
 * Events after a position, in order; none once they are pruned, although rows can remain until their partition is
 * dropped; fewer than `limit` when their payloads are large.
 */
export async function listAfter(
  db: Db,
  orgId: OrgId,
  id: RunId,
  { attempt, sequence }: Position,
  limit: number,
): Promise<EventPage> {
  const page = await listRows(db, orgId, id, limit, {
    beyond: sql`(e.attempt, e.last_sequence) > (${attempt}::int, ${sequence}::bigint)
      and (e.attempt, e.previous_sequence) >= (${attempt}::int, ${sequence - maxRowEvents - 1}::bigint)`,
    length: sql`case when e.attempt = ${attempt} then least(e.last_sequence - e.previous_sequence,
      e.last_sequence - ${sequence}) else e.last_sequence - e.previous_sequence end`,
    order: sql`attempt, previous_sequence`,
  });
  const events = page.rows
    .flatMap(unpackEvents)
    .filter((event) => event.attempt !== attempt || event.sequence > sequence);
  return { items: events.slice(0, limit), more: page.more || events.length > limit };
}

/** Events before a position, newest first. */
export async function listBefore(
  db: Db,
  orgId: OrgId,
  id: RunId,
  { attempt, sequence }: Position,
  limit: number,
): Promise<EventPage> {
  const page = await listRows(db, orgId, id, limit, {
    beyond: sql`(e.attempt, e.previous_sequence) < (${attempt}::int, ${sequence - 1}::bigint)`,
    length: sql`case when e.attempt = ${attempt} then least(e.last_sequence, ${sequence - 1}) - e.previous_sequence
      else e.last_sequence - e.previous_sequence end`,
    order: sql`attempt desc, previous_sequence desc`,
  });
  const events = page.rows
    .flatMap((row) => unpackEvents(row).reverse())
    .filter((event) => event.attempt !== attempt || event.sequence < sequence);
  return { items: events.slice(0, limit), more: page.more || events.length > limit };
}

/** Reads rows until they have `limit` events or `pageBytes`. `length` is the number of events of a row in the page. */
async function listRows(
  db: Db,
  orgId: OrgId,
  id: RunId,
  limit: number,
  { beyond, length, order }: Record<"beyond" | "length" | "order", ReturnType<typeof sql>>,
): Promise<{ rows: EventRow[]; more: boolean }> {
  const rows = await db.rows<EventRow & { found: number }>(sql`
    select "runId", attempt, "lastSequence", "receivedAt", events, found from (
      select e.*, row_number() over page as n, sum(octet_length(e.events)) over page as bytes,
        sum(e.length) over page - e.length as before, count(*) over () as found
      from (
        select e.* from automation_runs r cross join lateral (
          -- The lateral query reads rows in the order of their key. A plain join would sort all of them.
          select r.id as "runId", e.attempt, e.previous_sequence, e.last_sequence as "lastSequence",
            e.received_at as "receivedAt", e.events, ${length} as length
          from automation_events e
          where e.run_no = r.no and e.org_id = r.org_id and ${beyond}
          order by ${order} limit ${limit + 1}) e
        where r.id = ${id} and r.org_id = ${orgId} and r.events_pruned_at is null) e
      window page as (order by ${order})) paged
    where n = 1 or (bytes <= ${pageBytes}::bigint and before <= ${limit}::int) order by n`);
  return { rows, more: rows.length > 0 && rows[0]!.found > rows.length };
}

/** Removes at most `limit` rows of events of a run, so that no statement takes long. */
export const removeSome = (db: Db, orgId: OrgId, runNo: number, limit: number) =>
  db.run(sql`
    delete from automation_events
    where org_id = ${orgId} and run_no = ${runNo} and (attempt, previous_sequence) in (
      select e.attempt, e.previous_sequence from automation_events e where e.org_id = ${orgId} and e.run_no = ${runNo}
      order by e.attempt, e.previous_sequence limit ${limit})`);

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
