import type { MemberCtx } from "../../../platform/context.ts";
import type { Message } from "../../../platform/http/index.ts";
import { changesOf, type Run, type RunId, readRun } from "../runs/index.ts";
import { createWaker } from "../waker.ts";
import type { RunEvent } from "./contract.ts";
import * as store from "./store.ts";

/** Looks again by itself, in case a message was lost on the way. */
const lookEveryMs = 3_000;
/** After its terminal event a run is usually completed at once; the stream waits that long to say so. */
const lingerMs = 2_000;
const atOnce = 50;

export const isOver = ({ status }: Run) => status !== "queued" && status !== "running";

/** Of the first attempt the sequence itself; of a later one with the attempt before it. */
const idOf = ({ attempt, sequence }: store.Position) =>
  attempt === 1 ? String(sequence) : `${attempt}.${sequence}`;

export function positionOf(lastEventId: string | undefined): store.Position {
  const found = /^(?:(\d{1,9})\.)?(\d{1,16})$/.exec(lastEventId ?? "");
  if (!found) return { attempt: 0, sequence: -1 };
  return { attempt: Number(found[1] ?? 1), sequence: Number(found[2]) };
}

/**
 * A run's events as they come, and its state whenever that changes. The run is read before its events:
 * once it is seen to be over, what is there is all there will ever be.
 */
export async function* follow(
  ctx: MemberCtx,
  id: RunId,
  after: store.Position,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  let position = after;
  let last: RunEvent | undefined;
  let shown = "";
  let endedAt: number | undefined;
  const waker = createWaker(signal);
  const stop = changesOf(ctx).watch(id, waker.wake);
  try {
    while (!signal.aborted) {
      const run = await readRun(ctx, id);
      for (let more = true; more; ) {
        const page = await store.listAfter(ctx.db, ctx.orgId, id, position, atOnce);
        for (const event of page.items) yield { id: idOf(event), data: event };
        last = page.items.at(-1) ?? last;
        position = last ?? position;
        more = page.more;
      }
      const state = JSON.stringify({ ...run, leaseExpiresAt: null });
      if (state !== shown) yield { event: "run", data: run };
      shown = state;
      if (isOver(run)) return;
      const terminated = last?.type === "terminal" && last.attempt === run.attempt;
      endedAt = terminated ? (endedAt ?? performance.now()) : undefined;
      const patience = endedAt === undefined ? lookEveryMs : endedAt + lingerMs - performance.now();
      if (patience <= 0) return;
      await waker.wait(patience);
    }
  } finally {
    stop();
  }
}
