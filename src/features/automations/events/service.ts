import type { MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, Refusal, tooLarge } from "../../../platform/errors.ts";
import { baseHeaders, defineCursor, type OpenStream } from "../../../platform/http/index.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { computeDigest } from "../digest.ts";
import { recordLateReports } from "../late-reports/index.ts";
import {
  alreadyCompleted,
  countUsage,
  isOver,
  leaseLost,
  lockForReport,
  parseRunId,
  type RunId,
  readRun,
  renewLease,
  resolveHolder,
  resolveReach,
  runChanges,
} from "../runs/index.ts";
import type { EventReport, listQuery, RunEvent } from "./contract.ts";
import { formatEvent, type NewEvent, packEvents, unpackEvents } from "./event-rows.ts";
import { eventReportBatcher } from "./report-batcher.ts";
import { rangeOfAllRuns } from "./run-numbers.ts";
import { numberReports } from "./service-events.ts";
import * as store from "./store.ts";
import { parseEventId, streamRun } from "./stream.ts";
import { parseUsage } from "./usage-event.ts";

const maxPayloadBytes = 256 * 1024;

export async function reportEvent(
  ctx: MemberCtx,
  id: string,
  event: EventReport,
): Promise<{ event: RunEvent }> {
  const reports = prepareEventReport(event);
  const { findStoredEvent } = await acceptEventReports(ctx, parseRunId(id), [reports]);
  return { event: findStoredEvent(reports) };
}

export async function reportEvents(ctx: MemberCtx, id: string, { events }: { events: EventReport[] }) {
  const reports = events.map((event, index) => prepareEventReport(event, index));
  const { added, lastSequence } = await acceptEventReports(ctx, parseRunId(id), reports, true);
  return { added, repeated: reports.length - added, lastSequence };
}

interface PreparedEventReport extends NewEvent {
  content: EventReport;
}

function prepareEventReport(event: EventReport, index?: number): PreparedEventReport {
  const payload = JSON.stringify(event.payload);
  // The exact size is computed only for payloads that may exceed the limit.
  if (payload.length * 3 > maxPayloadBytes && Buffer.byteLength(payload) > maxPayloadBytes) {
    const which = index === undefined ? "The payload" : `The payload of event ${index}`;
    throw tooLarge(`${which} has more than ${maxPayloadBytes} bytes as JSON.`);
  }
  const { attempt, sequence, type, createdAt } = event;
  return { attempt, sequence, type, ...formatEvent(type, createdAt, payload), content: event };
}

interface AcceptedEventReports {
  /** How many events were new. */
  added: number;
  /** The last sequence of the attempt after this report. */
  lastSequence: number;
  findStoredEvent(event: PreparedEventReport): RunEvent;
}

/**
 * Stores event reports of one attempt, all or none. Nearly always they are the next ones of the caller's own attempt,
 * and one statement checks and stores them. All other cases are decided while the run is locked.
 */
async function acceptEventReports(
  ctx: MemberCtx,
  id: RunId,
  reports: readonly PreparedEventReport[],
  isBatch = false,
): Promise<AcceptedEventReports> {
  const size = reports.reduce((sum, { bytes }) => sum + bytes + overhead.event, 0);
  const meter = ctx.state.get(quotaMeter);
  const full = await meter.findRefusal(ctx.db, ctx.orgId, "automation_storage", size);
  const isSimple = !full && canInsertDirectly(reports);
  const stored = isSimple
    ? await ctx.state.get(eventReportBatcher)(groupEventReports(ctx, id, reports))
    : undefined;
  if (stored) {
    meter.add(ctx.orgId, "automation_storage", size);
    if (stored.isRenewalDue) await renewLease(ctx, id, reports[0]!.attempt);
    ctx.state.get(runChanges).announce(ctx.db, id);
    return {
      added: reports.length,
      lastSequence: reports.at(-1)!.sequence,
      findStoredEvent: (event) => toRunEvent(id, event, stored.receivedAt),
    };
  }
  const verdict = await ctx.db.transaction((tx) => decideUnderLock(ctx, tx, id, reports, isBatch, full));
  if ("refusal" in verdict) {
    const late = verdict.late.map(({ content, attempt, sequence }) => {
      return { kind: "event", attempt, sequence, body: content } as const;
    });
    if (late.length > 0) await recordLateReports(ctx, id, resolveHolder(ctx), late);
    // A refused report can change the run too: it can end the lease, or be kept as a late report.
    ctx.state.get(runChanges).announce(ctx.db, id);
    throw verdict.refusal;
  }
  if (verdict.added > 0) meter.add(ctx.orgId, "automation_storage", size);
  ctx.state.get(runChanges).announce(ctx.db, id);
  return verdict;
}

const groupEventReports = (
  ctx: MemberCtx,
  id: RunId,
  events: readonly PreparedEventReport[],
): store.EventReportGroup => ({
  orgId: ctx.orgId,
  reach: resolveReach(ctx),
  id,
  holder: resolveHolder(ctx),
  attempt: events[0]!.attempt,
  first: events[0]!.sequence,
  rows: packEvents(events),
});

/** True when the numbers are consecutive, a terminal event is the last one, and no usage must be counted. */
function canInsertDirectly(reports: readonly PreparedEventReport[]): boolean {
  return reports.every(({ attempt, sequence, type, content }, i) => {
    if (attempt !== reports[0]!.attempt) return false;
    if (type === "usage" && parseUsage(content.payload)) return false;
    return sequence === reports[0]!.sequence + i && (type !== "terminal" || i === reports.length - 1);
  });
}

const toRunEvent = (
  runId: RunId,
  { content, sequence, attempt }: PreparedEventReport,
  receivedAt: number,
): RunEvent => ({
  runId,
  attempt,
  sequence,
  type: content.type,
  payload: content.payload,
  createdAt: content.createdAt,
  receivedAt,
});

const hasSameContent = (stored: RunEvent | null, { content }: PreparedEventReport): stored is RunEvent =>
  stored !== null &&
  stored.type === content.type &&
  stored.createdAt === content.createdAt &&
  computeDigest(stored.payload) === computeDigest(content.payload);

type ReportDecision = AcceptedEventReports | { refusal: Refusal; late: readonly PreparedEventReport[] };

async function decideUnderLock(
  ctx: MemberCtx,
  tx: Db,
  id: RunId,
  reports: readonly PreparedEventReport[],
  isBatch: boolean,
  full: Refusal | undefined,
): Promise<ReportDecision> {
  const { attempt } = reports[0]!;
  const { run, fenceResult, claimed } = await lockForReport(ctx, tx, id, attempt);
  const found = await store.findRowsForReport(tx, ctx.orgId, id, attempt, reports);
  // Without an event of the runner or the service, there is no event of the service either.
  const positions = found[0]?.positions ?? [];
  // Null: an event that differs from every report.
  const known = new Map<number, RunEvent | null>(
    numberReports(found.flatMap(unpackCompared), positions).map(({ sequence, event }) => [
      sequence,
      event && { ...event, sequence },
    ]),
  );
  const end = found.at(-1);
  let last: { sequence: number; isTerminal: boolean } | undefined = end && {
    sequence: end.lastSequence - positions.length,
    isTerminal: end.isTerminal,
  };
  const newReports: PreparedEventReport[] = [];

  const refuse = (refusal: Refusal, late: PreparedEventReport[] = []): ReportDecision => {
    // The claim was made for this report, so it is rolled back with it.
    if (claimed) throw refusal;
    return { refusal, late };
  };
  for (const [index, event] of reports.entries()) {
    const more = isBatch ? { index, sequence: event.sequence } : {};
    if (event.attempt !== attempt) {
      const isFenced = ({ attempt }: PreparedEventReport) => attempt < run.attempt;
      return refuse(attemptMismatch(event.attempt, attempt, more), reports.slice(index).filter(isFenced));
    }
    const stored = known.get(event.sequence);
    if (stored !== undefined && hasSameContent(stored, event)) continue;
    if (fenceResult === "lost") {
      return refuse(leaseLost(run, attempt, more), attempt <= run.attempt ? reports.slice(index) : []);
    }
    if (stored !== undefined) return refuse(eventConflict(event.sequence, more));
    if (fenceResult === "over") return refuse(alreadyCompleted(more));
    if (last?.isTerminal) return refuse(afterTerminal(more));
    const expected = last ? last.sequence + 1 : 0;
    if (event.sequence !== expected && (expected > 0 || event.sequence !== 1)) {
      return refuse(sequenceGap(event.sequence, expected, more));
    }
    last = { sequence: event.sequence, isTerminal: event.type === "terminal" };
    known.set(event.sequence, toRunEvent(id, event, 0));
    newReports.push(event);
  }
  // Stored events are acknowledged again, even when the storage is full.
  if (full && newReports.length > 0) return refuse(isBatch ? nameFirst(full, reports, newReports[0]!) : full);
  if (newReports.length > 0) {
    const [stored] = await store.insertEventReportsAcrossOrganizations(
      tx,
      [groupEventReports(ctx, id, newReports)],
      rangeOfAllRuns,
    );
    if (!stored) throw new Error("The run changed under its lock.");
    for (const event of newReports) known.set(event.sequence, toRunEvent(id, event, stored.receivedAt));
    await countUsage(
      ctx,
      tx,
      run,
      attempt,
      newReports.flatMap((report) => readUsage(report, positions.length)),
    );
    if (stored.isRenewalDue) await renewLease({ ...ctx, db: tx }, id, attempt);
  }
  return {
    added: newReports.length,
    lastSequence: last!.sequence,
    // Every report has the content of its stored event, so the payload was read.
    findStoredEvent: ({ sequence }) => known.get(sequence) as RunEvent,
  };
}

/** A row without its events has one event, which differs from every report. */
const unpackCompared = ({
  events,
  ...row
}: store.ComparedRow): { sequence: number; event: RunEvent | null }[] =>
  events === null
    ? [{ sequence: row.lastSequence, event: null }]
    : unpackEvents({ ...row, events }).map((event) => ({ sequence: event.sequence, event }));

/** The events before it are stored, so the sender does not report their usage again. */
const nameFirst = (
  { status, body, headers }: Refusal,
  reports: readonly PreparedEventReport[],
  first: PreparedEventReport,
) => new Refusal(status, { ...body, index: reports.indexOf(first), sequence: first.sequence }, headers);

/** A usage report has the position of its event. */
function readUsage({ sequence, content }: PreparedEventReport, serviceEvents: number) {
  const usage = content.type === "usage" ? parseUsage(content.payload) : undefined;
  return usage ? [{ report: sequence + serviceEvents, usage, usedAt: content.createdAt }] : [];
}

const sequenceGap = (sequence: number, expected: number, more: Record<string, unknown>) =>
  conflict(
    "automation_runner_event_sequence_gap",
    `Sequence ${sequence} does not follow: ${expected} is next. Send from there.`,
    { expected, ...more },
  );

const attemptMismatch = (attempt: number, first: number, more: Record<string, unknown>) =>
  conflict(
    "runner_lease_lost",
    `The batch belongs to attempt ${first}, but this event belongs to attempt ${attempt}. Send events of one attempt in a batch.`,
    more,
  );

/** The run itself goes on until its completion. */
const afterTerminal = (more: Record<string, unknown>) =>
  conflict(
    "run_already_completed",
    "Nothing follows the terminal event of an attempt. Send the completion, if you have not sent it.",
    more,
  );

const eventConflict = (sequence: number, more: Record<string, unknown>) =>
  conflict(
    "event_conflict",
    `Another event is stored under sequence ${sequence}. It stands; a correction is a new event.`,
    more,
  );

export async function list(ctx: MemberCtx, id: string, query: (typeof listQuery)["_output"]) {
  const run = await readRun(ctx, id);
  const isNewestFirst = query.order === "desc";
  const eventCursor = eventCursors[query.order];
  const from = eventCursor.read(query, isNewestFirst ? store.afterLastEvent : store.beforeFirstEvent);
  const listPage = isNewestFirst ? store.listBefore : store.listAfter;
  const { items, more } = await listPage(ctx.db, ctx.orgId, run.id, from, query.limit);
  const last = items.at(-1);
  return { items, nextCursor: last && more ? eventCursor.write(last) : null };
}

export async function stream(
  ctx: MemberCtx,
  id: string,
  lastEventId: string | undefined,
  eventStream: OpenStream,
): Promise<Response> {
  const runId = parseRunId(id);
  const run = await readRun(ctx, id);
  const after = parseEventId(lastEventId);
  if (after.attempt > 0 && isOver(run)) {
    const rest = await store.listAfter(ctx.db, ctx.orgId, runId, after, 1);
    // Status 204 stops a browser from reconnecting.
    if (rest.items.length === 0)
      return new Response(null, { status: 204, headers: { ...baseHeaders, "cache-control": "no-store" } });
  }
  return eventStream((signal) => streamRun(ctx, runId, after, signal));
}

const defineEventCursor = (order: string) =>
  defineCursor<store.Position>({
    write: ({ attempt, sequence }) => `${order} ${attempt}.${sequence}`,
    read(text) {
      const found = /^(\w+) (\d{1,9})\.(\d{1,16})$/.exec(text);
      return found?.[1] === order ? { attempt: Number(found[2]), sequence: Number(found[3]) } : undefined;
    },
    message: "This is not a cursor of this list in this order. Start without one.",
  });
const eventCursors = { asc: defineEventCursor("asc"), desc: defineEventCursor("desc") };
