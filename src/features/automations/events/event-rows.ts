import type { RunId } from "../runs/index.ts";
import type { RunEvent } from "./contract.ts";

/** A new event as it is stored. */
export interface NewEvent {
  attempt: number;
  sequence: number;
  type: RunEvent["type"];
  /** JSON of type, time and payload, without line breaks. */
  text: string;
  /** The size of `text` in UTF-8. */
  bytes: number;
}

/** `payload` is JSON text, as `JSON.stringify` writes it. */
export function formatEvent(type: RunEvent["type"], createdAt: number, payload: string) {
  const text = `{"type":"${type}","createdAt":${createdAt},"payload":${payload}}`;
  return { text, bytes: Buffer.byteLength(text) };
}

/** Consecutive events of one attempt that are stored in one row. */
export interface NewEventRow {
  /** The number of the event before the first one. Null in the first row of a report: it follows the last stored event. */
  previous: number | null;
  last: number;
  isTerminal: boolean;
  /** A JSON array without line breaks. */
  events: string;
}

/** Limits what must be read in order to read one event. A larger event has a row of its own. */
export const maxRowEvents = 64;
export const maxRowBytes = 16 * 1024;

/** The size of a row with this event alone. */
export const computeRowBytes = ({ bytes }: Pick<NewEvent, "bytes">): number => bytes + 2;

/** Divides a report into rows. The numbers of its events are consecutive. */
export function packEvents(events: readonly NewEvent[]): NewEventRow[] {
  const rows: NewEventRow[] = [];
  for (let from = 0; from < events.length; ) {
    let bytes = computeRowBytes(events[from]!);
    let end = from + 1;
    while (end < events.length && end - from < maxRowEvents) {
      bytes += events[end]!.bytes + 1;
      if (bytes > maxRowBytes) break;
      end++;
    }
    const last = events[end - 1]!;
    rows.push({
      previous: from === 0 ? null : events[from - 1]!.sequence,
      last: last.sequence,
      isTerminal: last.type === "terminal",
      events: `[${events
        .slice(from, end)
        .map(({ text }) => text)
        .join(",")}]`,
    });
    from = end;
  }
  return rows;
}

/** A stored row. */
export interface EventRow {
  runId: RunId;
  attempt: number;
  lastSequence: number;
  receivedAt: number;
  /** A JSON array. */
  events: string;
}

/** The events of a row, in order. */
export function unpackEvents({ runId, attempt, lastSequence, receivedAt, events }: EventRow): RunEvent[] {
  const stored = JSON.parse(events) as Pick<RunEvent, "type" | "createdAt" | "payload">[];
  const first = lastSequence - stored.length + 1;
  return stored.map(({ type, createdAt, payload }, i) => ({
    runId,
    attempt,
    sequence: first + i,
    type,
    payload,
    createdAt,
    receivedAt,
  }));
}
