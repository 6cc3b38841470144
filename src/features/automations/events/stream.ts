import type { MemberCtx } from "../../../platform/context.ts";
import { isOver, isReachable, type RunId } from "../runs/index.ts";
import { createWaker } from "../waker.ts";
import { isBefore } from "./event-buffer.ts";
import { runFollowers, toStreamedEvent } from "./followers.ts";
import * as store from "./store.ts";

/** A completion usually follows the terminal event at once. The stream waits this long for it. */
const waitForCompletionMs = 2_000;
const pageLength = 50;

export function parseEventId(lastEventId: string | undefined): store.Position {
  const found = /^(?:(\d{1,9})\.)?(\d{1,16})$/.exec(lastEventId ?? "");
  if (!found) return store.beforeFirstEvent;
  return { attempt: Number(found[1] ?? 1), sequence: Number(found[2]) };
}

/**
 * Streams a run's events as they arrive, and the run whenever its state changes. All streams of a run in this process
 * share the reads; access is checked here, for each stream.
 */
export async function* streamRun(
  ctx: MemberCtx,
  id: RunId,
  after: store.Position,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let position = after;
  /** The attempt of the last sent event, if that event was terminal. */
  let terminated: number | undefined;
  let shown = "";
  let terminatedAt: number | undefined;
  const waker = createWaker(signal);
  const watch = ctx.state.get(runFollowers).watch(ctx.orgId, id, waker.wake);
  try {
    while (!signal.aborted) {
      const state = await watch.state();
      if (!state || !isReachable(ctx, state.run)) return;
      while (isBefore(position, state.tail)) {
        const events = watch.eventsAfter(position) ?? (await readEvents(ctx, id, position));
        for (const event of events) {
          yield event.message;
          position = { attempt: event.attempt, sequence: event.sequence };
          terminated = event.isTerminal ? event.attempt : undefined;
        }
        // Retention can delete events while a stream reads them.
        if (events.length === 0) position = state.tail;
      }
      if (state.version !== shown) yield state.message;
      shown = state.version;
      if (isOver(state.run)) return;
      terminatedAt = terminated === state.run.attempt ? (terminatedAt ?? performance.now()) : undefined;
      const patience =
        terminatedAt === undefined ? undefined : terminatedAt + waitForCompletionMs - performance.now();
      if (patience !== undefined && patience <= 0) return;
      await waker.wait(patience);
    }
  } finally {
    watch.stopWatching();
  }
}

const readEvents = async (ctx: MemberCtx, id: RunId, after: store.Position) =>
  (await store.listAfter(ctx.db, ctx.orgId, id, after, pageLength)).items.map(toStreamedEvent);
