import type { MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, type Refusal, tooLarge } from "../../../platform/errors.ts";
import { baseHeaders, defineCursor, type Source } from "../../../platform/http/index.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { digestOf } from "../digest.ts";
import { keepLate } from "../late-reports/index.ts";
import {
  alreadyCompleted,
  countUsage,
  holderOf,
  isOver,
  leaseLost,
  type RunId,
  reachOf,
  readRun,
  renew,
  runChanges,
  runIdOf,
  stand,
} from "../runs/index.ts";
import type { listQuery, Report, RunEvent } from "./contract.ts";
import { eventReportBatcher } from "./report-batcher.ts";
import * as store from "./store.ts";
import { follow, readEventId } from "./stream.ts";
import { usageOf } from "./usage-event.ts";

const maxPayloadBytes = 256 * 1024;

export async function report(ctx: MemberCtx, id: string, event: Report): Promise<{ event: RunEvent }> {
  const given = prepare(event);
  const { storedAs } = await accept(ctx, runIdOf(id), [given]);
  return { event: storedAs(given) };
}

export async function reportBatch(ctx: MemberCtx, id: string, { events }: { events: Report[] }) {
  const given = events.map((event, index) => prepare(event, index));
  const { added, lastSequence } = await accept(ctx, runIdOf(id), given, true);
  return { added, repeated: given.length - added, lastSequence };
}

interface Given extends store.NewEvent {
  content: Report;
}

function prepare(event: Report, index?: number): Given {
  const payload = JSON.stringify(event.payload);
  // Most are far below the limit; only those that may be over it are measured.
  if (payload.length * 3 > maxPayloadBytes && Buffer.byteLength(payload) > maxPayloadBytes) {
    const which = index === undefined ? "The payload" : `The payload of event ${index}`;
    throw tooLarge(`${which} has more than ${maxPayloadBytes} bytes as JSON.`);
  }
  const { attempt, sequence, type, createdAt } = event;
  return { attempt, sequence, type, createdAt, payload, content: event };
}

interface Accepted {
  /** How many were new. */
  added: number;
  /** Of the attempt, as it stands now. */
  lastSequence: number;
  storedAs(event: Given): RunEvent;
}

/**
 * Stores events of one attempt, all or none. Nearly always they are simply the next ones of the caller's
 * own attempt, and one statement says so and stores them. Whatever else they are is found out with the
 * run locked, at leisure.
 */
async function accept(ctx: MemberCtx, id: RunId, given: readonly Given[], batch = false): Promise<Accepted> {
  const bytes = given.reduce((sum, { payload }) => sum + Buffer.byteLength(payload) + overhead.event, 0);
  const meter = ctx.state.get(quotaMeter);
  const full = await meter.findRefusal(ctx.db, ctx.orgId, "automation_storage", bytes);
  const isSimple = !full && isPlain(given);
  const appended = isSimple ? await ctx.state.get(eventReportBatcher)(reportOf(ctx, id, given)) : undefined;
  if (appended) {
    meter.add(ctx.orgId, "automation_storage", bytes);
    if (appended.renew) await renew(ctx, id, given[0]!.attempt);
    ctx.state.get(runChanges).announce(ctx.db, id);
    return {
      added: given.length,
      lastSequence: given.at(-1)!.sequence,
      storedAs: (event) => eventOf(id, event, appended.receivedAt),
    };
  }
  const verdict = await ctx.db.transaction((tx) => settle(ctx, tx, id, given, batch, full));
  if ("refusal" in verdict) {
    const late = verdict.late.map(({ content, attempt, sequence }) => {
      return { kind: "event", attempt, sequence, body: content } as const;
    });
    if (late.length > 0) await keepLate(ctx, id, holderOf(ctx), late);
    // A refused report can change the run too: it can end the lease, or be kept as a late report.
    ctx.state.get(runChanges).announce(ctx.db, id);
    throw verdict.refusal;
  }
  if (verdict.added > 0) meter.add(ctx.orgId, "automation_storage", bytes);
  ctx.state.get(runChanges).announce(ctx.db, id);
  return verdict;
}

const reportOf = (ctx: MemberCtx, id: RunId, events: readonly Given[]): store.EventReport => ({
  orgId: ctx.orgId,
  reach: reachOf(ctx),
  id,
  holder: holderOf(ctx),
  events,
});

/** Consecutive, nothing after a terminal one, nothing to count: then one statement can decide. */
function isPlain(given: readonly Given[]): boolean {
  return given.every(({ attempt, sequence, type, content }, i) => {
    if (attempt !== given[0]!.attempt) return false;
    if (type === "usage" && usageOf(content.payload)) return false;
    return sequence === given[0]!.sequence + i && (type !== "terminal" || i === given.length - 1);
  });
}

const eventOf = (
  runId: RunId,
  { content, sequence, attempt, type, createdAt }: Given,
  receivedAt: number,
) => ({
  runId,
  attempt,
  sequence,
  type,
  payload: content.payload,
  createdAt,
  receivedAt,
});

const sameContent = (stored: RunEvent, { type, createdAt, content }: Given) =>
  stored.type === type &&
  stored.createdAt === createdAt &&
  digestOf(stored.payload) === digestOf(content.payload);

type Settled = Accepted | { refusal: Refusal; late: readonly Given[] };

async function settle(
  ctx: MemberCtx,
  tx: Db,
  id: RunId,
  given: readonly Given[],
  batch: boolean,
  full: Refusal | undefined,
): Promise<Settled> {
  const { attempt } = given[0]!;
  const { run, standing, claimed } = await stand(ctx, tx, id, attempt);
  const numbers = given.map(({ sequence }) => sequence);
  const found = await store.findForReport(
    tx,
    ctx.orgId,
    id,
    attempt,
    Math.min(...numbers),
    Math.max(...numbers),
  );
  const known = new Map(found.map((event) => [event.sequence, event]));
  let last: Pick<RunEvent, "sequence" | "type"> | undefined = found.at(-1);
  const fresh: Given[] = [];

  const refuse = (refusal: Refusal, late: Given[] = []): Settled => {
    // A claim that was made for a report goes with it.
    if (claimed) throw refusal;
    return { refusal, late };
  };
  for (const [index, event] of given.entries()) {
    const more = batch ? { index, sequence: event.sequence } : {};
    if (event.attempt !== attempt) {
      const isFenced = ({ attempt }: Given) => attempt < run.attempt;
      return refuse(otherAttempt(event.attempt, attempt, more), given.slice(index).filter(isFenced));
    }
    const stored = known.get(event.sequence);
    if (stored && sameContent(stored, event)) continue;
    if (standing === "lost") {
      return refuse(leaseLost(run, attempt, more), attempt <= run.attempt ? given.slice(index) : []);
    }
    if (stored) return refuse(eventConflict(event.sequence, more));
    if (standing === "over" || last?.type === "terminal") return refuse(alreadyCompleted(more));
    const expected = last ? last.sequence + 1 : 0;
    if (event.sequence !== expected && (last || event.sequence !== 1)) {
      return refuse(sequenceGap(event.sequence, expected, more));
    }
    last = event;
    known.set(event.sequence, eventOf(id, event, 0));
    fresh.push(event);
  }
  // Stored events are acknowledged again, even when the storage is full.
  if (full && fresh.length > 0) return refuse(full);
  if (fresh.length > 0) {
    const [appended] = await store.insertReportsAcrossOrganizations(tx, [reportOf(ctx, id, fresh)]);
    if (!appended) throw new Error("The run changed under its lock.");
    for (const event of fresh) {
      known.set(event.sequence, eventOf(id, event, appended.receivedAt));
      const usage = event.type === "usage" ? usageOf(event.content.payload) : undefined;
      if (usage) await countUsage(ctx, tx, run, attempt, event.sequence, usage.model ?? run.modelId, usage);
    }
    if (appended.renew) await renew({ ...ctx, db: tx }, id, attempt);
  }
  return {
    added: fresh.length,
    lastSequence: last!.sequence,
    storedAs: ({ sequence }) => known.get(sequence)!,
  };
}

const sequenceGap = (sequence: number, expected: number, more: Record<string, unknown>) =>
  conflict(
    "automation_runner_event_sequence_gap",
    `Sequence ${sequence} does not follow: ${expected} is next. Send from there.`,
    { expected, ...more },
  );

const otherAttempt = (attempt: number, first: number, more: Record<string, unknown>) =>
  conflict(
    "runner_lease_lost",
    `The batch belongs to attempt ${first}, but this event belongs to attempt ${attempt}. Send events of one attempt in a batch.`,
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
  const from = eventCursor.read(query, isNewestFirst ? store.afterAll : store.beforeAll);
  const listPage = isNewestFirst ? store.listBefore : store.listAfter;
  const { items, more } = await listPage(ctx.db, ctx.orgId, run.id, from, query.limit);
  const last = items.at(-1);
  return { items, nextCursor: last && more ? eventCursor.write(last) : null };
}

export async function stream(
  ctx: MemberCtx,
  id: string,
  lastEventId: string | undefined,
  eventStream: (source: Source) => Response,
): Promise<Response> {
  const runId = runIdOf(id);
  const run = await readRun(ctx, id);
  const after = readEventId(lastEventId);
  if (after.attempt > 0 && isOver(run)) {
    const rest = await store.listAfter(ctx.db, ctx.orgId, runId, after, 1);
    // A browser would come back forever; this tells it not to.
    if (rest.items.length === 0)
      return new Response(null, { status: 204, headers: { ...baseHeaders, "cache-control": "no-store" } });
  }
  return eventStream((signal) => follow(ctx, runId, after, signal));
}

const eventCursor = defineCursor<store.Position>({
  write: ({ attempt, sequence }) => `${attempt}.${sequence}`,
  read(text) {
    const found = /^(\d{1,9})\.(\d{1,16})$/.exec(text);
    return found ? { attempt: Number(found[1]), sequence: Number(found[2]) } : undefined;
  },
});
