import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Reach, RunId } from "../runs/index.ts";
import type { RunEvent } from "./contract.ts";

export interface NewEvent {
  attempt: number;
  sequence: number;
  type: RunEvent["type"];
  createdAt: number;
  /** As JSON. */
  payload: string;
}

/** An attempt that no column can hold was never begun. */
const asInt = (attempt: number) => Math.min(attempt, 2_147_483_647);

interface Appended {
  /** When it was stored; null when it was not, for one of the reasons that a second look finds. */
  receivedAt: number | null;
  /** The lease is half over. */
  renew: boolean;
}

/**
 * The run's row, locked: between the check and the commit nobody ends the run or takes it over. What this
 * statement has read of the events may be older than the lock, but then the number it would write is
 * taken, and the primary key says so.
 */
const lockedRun = (orgId: OrgId, reach: Reach, id: RunId) => sql`
  select r.no, r.status, r.attempt, r.holder, r.lease_expires_at > now() as live,
    r.lease_expires_at < now() + interval '30 seconds' as renew
  from automation_runs r
  where r.id = ${id} and r.org_id = ${orgId} and (${reach}::text is null or r.member_id = ${reach})
  for no key update`;

const lastOf = (attempt: number) => sql`
  select e.sequence, e.type from run, lateral (
    select sequence, type from automation_events
    where run_no = run.no and attempt = ${asInt(attempt)}::int order by sequence desc limit 1) e`;

/** What must be true for an event to be the next one of a held attempt. */
const mayFollow = (attempt: number, holder: string, sequence: number) => sql`
  run.status = 'running' and run.live and run.attempt = ${asInt(attempt)}::int and run.holder = ${holder}
  and case when last.sequence is null then ${sequence}::bigint in (0, 1)
    else ${sequence}::bigint = last.sequence + 1 and last.type <> 'terminal' end`;

/** The hot path: one event, one statement, one commit. Undefined when there is no such run within reach. */
export const append = (db: Db, orgId: OrgId, reach: Reach, id: RunId, holder: string, event: NewEvent) =>
  db.row<Appended>(sql`
    with run as (${lockedRun(orgId, reach, id)}), last as (${lastOf(event.attempt)}), stored as (
      insert into automation_events (run_no, attempt, sequence, type, created_at, payload)
      select run.no, ${asInt(event.attempt)}::int, ${event.sequence}::bigint, ${event.type}::text::automation_event_type,
        ${event.createdAt}::bigint, ${event.payload}::text::json
      from run left join last on true where ${mayFollow(event.attempt, holder, event.sequence)}
      returning received_at)
    select stored.received_at as "receivedAt", run.renew from run left join stored on true`);

/** The same for many: consecutive numbers of one attempt, a terminal one at most at the end. */
export const appendMany = (
  db: Db,
  orgId: OrgId,
  reach: Reach,
  id: RunId,
  holder: string,
  events: readonly NewEvent[],
) => {
  const { attempt, sequence } = events[0]!;
  return db.row<Appended>(sql`
    with run as (${lockedRun(orgId, reach, id)}), last as (${lastOf(attempt)}), stored as (
      insert into automation_events (run_no, attempt, sequence, type, created_at, payload)
      select run.no, ${asInt(attempt)}::int, ${sequence}::bigint + g.n - 1, g.type::automation_event_type, g.created_at,
        g.payload::json
      from run left join last on true, unnest(${events.map((event) => event.type)}::text[],
        ${events.map((event) => event.createdAt)}::bigint[], ${events.map((event) => event.payload)}::text[])
        with ordinality as g(type, created_at, payload, n)
      where ${mayFollow(attempt, holder, sequence)}
      returning received_at)
    select (select received_at from stored limit 1) as "receivedAt", run.renew from run`);
};

const columns = sql`r.id as "runId", e.attempt, e.sequence, e.type, e.payload, e.created_at as "createdAt",
  e.received_at as "receivedAt"`;

/** What is stored under these numbers, and the last event of the attempt. */
export const findForReport = (db: Db, orgId: OrgId, id: RunId, attempt: number, from: number, to: number) =>
  db.rows<RunEvent>(sql`
    select ${columns} from automation_runs r
    join automation_events e on e.run_no = r.no and e.attempt = ${asInt(attempt)}::int
    where r.id = ${id} and r.org_id = ${orgId} and (e.sequence between ${from} and ${to} or e.sequence = (
      select max(sequence) from automation_events where run_no = r.no and attempt = e.attempt))
    order by e.sequence`);

/** A position in a run's events. */
export interface Position {
  attempt: number;
  sequence: number;
}

const pageBytes = 2 * 1024 * 1024;

/** Events after a position, in order; fewer than `limit` when their payloads are large. */
export async function listAfter(
  db: Db,
  orgId: OrgId,
  id: RunId,
  after: Position,
  limit: number,
): Promise<{ items: RunEvent[]; more: boolean }> {
  const rows = await db.rows<RunEvent & { found: number }>(sql`
    select "runId", attempt, sequence, type, payload, "createdAt", "receivedAt", found from (
      select e.*, row_number() over page as n, sum(octet_length(e.payload::text)) over page as bytes,
        count(*) over () as found
      from (
        select ${columns} from automation_runs r join automation_events e on e.run_no = r.no
        where r.id = ${id} and r.org_id = ${orgId}
          and (e.attempt, e.sequence) > (${after.attempt}::int, ${after.sequence}::bigint)
        order by e.attempt, e.sequence limit ${limit + 1}) e
      window page as (order by e.attempt, e.sequence)) paged
    where n = 1 or bytes <= ${pageBytes}::bigint order by attempt, sequence limit ${limit}`);
  return {
    items: rows.map(({ found: _, ...event }) => event),
    more: rows.length > 0 && rows[0]!.found > rows.length,
  };
}

/** How many it removed: at most `limit`, so that no statement holds others up. */
export const removeSome = (db: Db, runNo: number, limit: number) =>
  db.run(sql`
    delete from automation_events where run_no = ${runNo} and (attempt, sequence) in (
      select attempt, sequence from automation_events where run_no = ${runNo}
      order by attempt, sequence limit ${limit})`);

/** Runs that are gone while events of theirs may still be there. */
export const listLeftovers = (db: Db, limit: number) =>
  db.rows<{ runNo: number }>(
    sql`select run_no as "runNo" from automation_event_leftovers order by run_no limit ${limit}`,
  );

export const forgetLeftover = (db: Db, runNo: number) =>
  db.run(sql`delete from automation_event_leftovers where run_no = ${runNo}`);
