import type { Position } from "./store.ts";

/** An event as it is sent, encoded once for all who watch. */
export interface StreamedEvent extends Position {
  isTerminal: boolean;
  message: Uint8Array;
}

/** What all buffers of a process hold together. */
export interface TotalBytes {
  bytes: number;
}

const maxBytes = 512 * 1024;
const maxEvents = 200;
const maxTotalBytes = 32 * 1024 * 1024;
/** A reader that is further behind than this reads from the database. */
const keepMs = 10_000;
const eventsAtOnce = 16;

/** The last events of a run, for readers that are only a little behind. Bounded: it forgets the oldest. */
export interface EventBuffer {
  /** Empties it; it holds everything from this position on. */
  startAfter(position: Position): void;
  add(event: StreamedEvent): void;
  /** Some of the events after a position, undefined when it may not hold all of them. */
  after(position: Position): readonly StreamedEvent[] | undefined;
  /** Empties it when nothing was added for a while. */
  expire(now: number): void;
  clear(): void;
}

export const isBefore = (a: Position, b: Position) =>
  a.attempt < b.attempt || (a.attempt === b.attempt && a.sequence < b.sequence);

export function createEventBuffer(total: TotalBytes): EventBuffer {
  const events: StreamedEvent[] = [];
  /** Everything after this position is here. */
  let start: Position | undefined;
  let bytes = 0;
  let addedAt = 0;

  const forgetOldest = () => {
    const oldest = events.shift()!;
    start = { attempt: oldest.attempt, sequence: oldest.sequence };
    bytes -= oldest.message.length;
    total.bytes -= oldest.message.length;
  };
  const clear = () => {
    while (events.length > 0) forgetOldest();
  };
  return {
    startAfter(position) {
      clear();
      start = position;
    },
    add(event) {
      events.push(event);
      bytes += event.message.length;
      total.bytes += event.message.length;
      addedAt = performance.now();
      while (events.length > maxEvents || bytes > maxBytes) forgetOldest();
      if (total.bytes > maxTotalBytes) clear();
    },
    after(position) {
      if (!start || isBefore(position, start)) return undefined;
      const from = events.findIndex((event) => isBefore(position, event));
      return from < 0 ? [] : events.slice(from, from + eventsAtOnce);
    },
    expire(now) {
      if (events.length > 0 && now - addedAt > keepMs) clear();
    },
    clear,
  };
}
