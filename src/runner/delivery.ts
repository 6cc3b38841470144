import { createBackoff, pause } from "./backoff.ts";
import { Refused, Unreachable } from "./failures.ts";
import type { Journal, Numbered } from "./journal.ts";
import type { Server } from "./server.ts";
import { createWaker } from "./waker.ts";

/** The server takes 500 events or 1 MiB at once; proxies in front of it often take no more either. */
const batchLimits = { events: 500, bytes: 960 * 1024 };
/** Past this much that is not acknowledged, the command has to wait with its next line. */
const roomFor = { events: 2_000, bytes: 4 * 1024 * 1024 };

/** A server that loses events more often than this is faulty. Restoring a backup is rare. */
const maxRewinds = 20;

/** As many as fit into one request, at least one. */
export function batchOf(pending: readonly Numbered[], { events, bytes } = batchLimits): Numbered[] {
  const batch: Numbered[] = [];
  let size = 0;
  for (const one of pending) {
    size += Buffer.byteLength(one.json) + 1;
    if (batch.length > 0 && (batch.length >= events || size > bytes)) break;
    batch.push(one);
  }
  return batch;
}

/**
 * `delivered`: the server has it all. `lost`: it does not want it any more, and why. `stopped`: we were
 * asked to stop before that; the journal has the rest.
 */
export type Fate = { fate: "delivered" | "stopped" } | { fate: "lost"; refusal: Refused };

export interface Delivery {
  /** Something was added to the journal. */
  wake(): void;
  /** Resolves when there is room for more. */
  room(): Promise<void>;
  readonly fate: Promise<Fate>;
}

/** Sends what a journal has, in order, until the completion is acknowledged. Faults other than refusals reject `fate`. */
export function deliver(
  journal: Journal,
  server: Pick<Server, "report" | "complete">,
  signal: AbortSignal,
  { lingerMs, backoff } = { lingerMs: 30, backoff: createBackoff() },
): Delivery {
  const { runId } = journal.begin;
  const waker = createWaker();
  let waiting: (() => void)[] = [];
  let over = false;
  let limits = batchLimits;
  let rewound: number | undefined;
  let rewinds = 0;
  let givesUpEvents = false;

  const isFull = () =>
    !over && (journal.pending.length >= roomFor.events || journal.pendingBytes >= roomFor.bytes);
  const tellRoom = () => {
    if (isFull()) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  async function sendBatch(): Promise<void> {
    const batch = batchOf(journal.pending, limits);
    // What the server has must be in the journal even if the machine loses its power now. Otherwise the
    // next process would give the same numbers to other events. One sync a batch costs little beside
    // the server's own.
    await journal.sync();
    try {
      await server.report(
        runId,
        batch.map(({ json }) => json),
      );
    } catch (error) {
      if (error instanceof Refused && adapts(error, batch)) return;
      throw error;
    }
    journal.acknowledge(batch.at(-1)!.sequence);
    rewound = undefined;
    tellRoom();
  }

  function adapts(error: Refused, batch: Numbered[]): boolean {
    if (error.status === 413 && batch.length > 1) {
      limits = { ...limits, events: Math.ceil(batch.length / 2) };
      return true;
    }
    // The organization's storage is full. The remaining events are dropped so that the run can end: the server
    // accepts its completion even then.
    if (error.code === "quota_exceeded") {
      givesUpEvents = true;
      return true;
    }
    // It was set back to an older backup, say. What it lacks is still here.
    const { expected } = error.body;
    if (error.code !== "automation_runner_event_sequence_gap" || typeof expected !== "number") return false;
    if (rewound === expected || ++rewinds > maxRewinds) return false;
    rewound = expected;
    return journal.rewind(expected);
  }

  async function work(): Promise<Fate> {
    while (!signal.aborted) {
      try {
        if (givesUpEvents && journal.pending.length > 0) {
          journal.acknowledge(journal.pending.at(-1)!.sequence);
          tellRoom();
        } else if (journal.pending.length > 0) {
          // Lines that come together are sent together.
          if (!journal.completion) await pause(lingerMs, signal);
          await sendBatch();
        } else if (journal.completion) {
          await journal.sync();
          await server.complete(runId, journal.completion);
          return { fate: "delivered" };
        } else {
          await waker.wait(signal);
        }
        backoff.reset();
      } catch (error) {
        if (error instanceof Refused) return { fate: "lost", refusal: error };
        if (!(error instanceof Unreachable)) throw error;
        await backoff.wait(signal, error.retryAfterMs);
      }
    }
    return { fate: "stopped" };
  }

  const fate = work().finally(() => {
    over = true;
    tellRoom();
  });
  return {
    wake: waker.wake,
    room: () => (isFull() ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
    fate,
  };
}
