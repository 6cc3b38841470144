import type { Position } from "./store.ts";

/** An event as it is sent. It is encoded once for all streams. */
export interface StreamedEvent extends Position {
  isTerminal: boolean;
  message: Uint8Array;
}

/** The size of all buffers of a process together. */
export interface TotalBytes {
  bytes: number;
}

const maxBytes = 512 * 1024;
const maxEvents = 200;
const maxTotalBytes = 32 * 1024 * 1024;
/** A buffer without new events is emptied after this time; its readers then read from the database. */
const retentionMs = 10_000;
const maxEventsPerRead = 16;

/** The last events of a run, for readers that are only a little behind. A full buffer drops its oldest events. */
export interface EventBuffer {
  /** Empties the buffer. From now on it holds every event after this position. */
  startAfter(position: Position): void;
  /** Ignores an event that is already in the buffer: after a read that failed halfway, its events are read again. */
  add(event: StreamedEvent): void;
  /** The next events after a position. Undefined when some of them may be missing from the buffer. */
  after(position: Position): readonly StreamedEvent[] | undefined;
  /** Empties the buffer when nothing was added for `retentionMs`. */
  expire(now: number): void;
  clear(): void;
}

export const isBefore = (a: Position, b: Position) =>
  a.attempt < b.attempt || (a.attempt === b.attempt && a.sequence < b.sequence);

export function createEventBuffer(total: TotalBytes): EventBuffer {
  const events: StreamedEvent[] = [];
  /** The buffer holds every event after this position. */
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
      const last = events.at(-1) ?? start;
      if (last && !isBefore(last, event)) return;
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
      return from < 0 ? [] : events.slice(from, from + maxEventsPerRead);
    },
    expire(now) {
      if (events.length > 0 && now - addedAt > retentionMs) clear();
    },
    clear,
  };
}
