import { createBackoff, pause, RefusedError, UnreachableError } from "@signalbox/client";
import type { RunnerApi } from "./api.ts";
import { isTooSlow } from "./errors.ts";
import type { Journal, NumberedEvent } from "./journal.ts";
import { addMissingUsage } from "./outcome.ts";
import { createWaker } from "./waker.ts";

/** The server accepts 500 events or 1 MiB at once. Proxies in front of it often accept no more either. */
const batchLimits = { events: 500, bytes: 960 * 1024 };
/** A batch is not made smaller than this because its requests take too long. */
const smallBatchBytes = 32 * 1024;
/** When more than this is not acknowledged, the program has to wait with its next line. */
const pendingLimits = { events: 2_000, bytes: 4 * 1024 * 1024 };

/** A server that loses events more often than this is faulty. Restoring a backup is rare. */
const maxRewinds = 20;

/** Takes as many events as fit into one request, at least one. */
export function takeBatch(
  pending: readonly NumberedEvent[],
  { events, bytes } = batchLimits,
): NumberedEvent[] {
  const batch: NumberedEvent[] = [];
  let size = 0;
  for (const event of pending) {
    size += Buffer.byteLength(event.json) + 1;
    if (batch.length > 0 && (batch.length >= events || size > bytes)) break;
    batch.push(event);
  }
  return batch;
}

const sumBytes = (events: readonly NumberedEvent[]) =>
  events.reduce((sum, { json }) => sum + Buffer.byteLength(json) + 1, 0);

/**
 * `delivered`: the server has everything. `lost`: the server refused it. `stopped`: the runner stopped before the end,
 * and the journal has the rest.
 */
export type DeliveryResult = { status: "delivered" | "stopped" } | { status: "lost"; refusal: RefusedError };

export interface Delivery {
  /** Call this after adding an entry to the journal. */
  wake(): void;
  /** Resolves when more can be added. */
  waitForSpace(): Promise<void>;
  readonly result: Promise<DeliveryResult>;
}

/** Sends a journal in order until the completion is acknowledged. Unexpected errors reject `result`. */
export function deliver(
  journal: Journal,
  api: Pick<RunnerApi, "sendEvents" | "complete">,
  signal: AbortSignal,
  { lingerMs, backoff } = { lingerMs: 30, backoff: createBackoff() },
): Delivery {
  const { runId } = journal.begin;
  const waker = createWaker();
  let waiting: (() => void)[] = [];
  let isOver = false;
  let limits = batchLimits;
  let rewoundTo: number | undefined;
  let rewinds = 0;
  let dropsEvents = false;

  const isFull = () =>
    !isOver &&
    (journal.pending.length >= pendingLimits.events || journal.pendingBytes >= pendingLimits.bytes);
  const announceSpace = () => {
    if (isFull()) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  async function sendBatch(): Promise<void> {
    const batch = takeBatch(journal.pending, limits);
    // Without the sync, a power failure could make the next process use the same numbers for other events.
    await journal.sync();
    try {
      await api.sendEvents(
        runId,
        batch.map(({ json }) => json),
      );
    } catch (error) {
      if (error instanceof RefusedError && adaptTo(error, batch)) return;
      // A slow connection never carries a batch that takes longer than a request may. Half of it may fit.
      if (isTooSlow(error))
        limits = { ...limits, bytes: Math.max(smallBatchBytes, Math.ceil(sumBytes(batch) / 2)) };
      throw error;
    }
    journal.acknowledge(batch.at(-1)!.sequence);
    rewoundTo = undefined;
    announceSpace();
  }

  /** Changes what is sent next. False when the refusal is final. */
  function adaptTo(error: RefusedError, batch: NumberedEvent[]): boolean {
    if (error.status === 413 && batch.length > 1) {
      limits = { ...limits, events: Math.ceil(batch.length / 2) };
      return true;
    }
    // The organization's storage is full. The remaining events are dropped so that the run can end: the server
    // accepts its completion even then, with their usage.
    if (error.code === "quota_exceeded") {
      // The server has the events before `index`: its reply to an earlier request was lost.
      const { index = 0 } = error.body;
      const stored = batch[Number(index) - 1];
      if (stored) journal.acknowledge(stored.sequence);
      dropsEvents = true;
      return true;
    }
    // The server may have been restored from a backup. The journal has the events that it lacks.
    const { expected } = error.body;
    if (error.code !== "automation_runner_event_sequence_gap" || typeof expected !== "number") return false;
    if (rewoundTo === expected || ++rewinds > maxRewinds) return false;
    rewoundTo = expected;
    return journal.rewind(expected);
  }

  async function deliverAll(): Promise<DeliveryResult> {
    while (!signal.aborted) {
      try {
        if (dropsEvents && journal.pending.length > 0) {
          journal.drop();
          announceSpace();
        } else if (journal.pending.length > 0) {
          // Waits for lines that are printed together, to send them together.
          if (!journal.completion) await pause(lingerMs, signal);
          await sendBatch();
        } else if (journal.completion) {
          await journal.sync();
          await api.complete(runId, addMissingUsage(journal.completion, journal.droppedUsage));
          return { status: "delivered" };
        } else {
          await waker.wait(signal);
        }
        backoff.reset();
      } catch (error) {
        if (error instanceof RefusedError) return { status: "lost", refusal: error };
        if (!(error instanceof UnreachableError)) throw error;
        await backoff.wait(signal, error.retryAfterMs);
      }
    }
    return { status: "stopped" };
  }

  const result = deliverAll().finally(() => {
    isOver = true;
    announceSpace();
  });
  return {
    wake: waker.wake,
    waitForSpace: () => (isFull() ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
    result,
  };
}
