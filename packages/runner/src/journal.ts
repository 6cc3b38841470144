import { crc32 } from "node:zlib";
import type { AutomationRunEventReport } from "@signalbox/client";
import type { Event } from "./output.ts";
import type { Completion } from "./replies.ts";
import { addUsage, noUsage, readCountedUsage, type Usage } from "./usage.ts";

/** The attempt that a journal belongs to. */
export interface JournalStart {
  instance: string;
  runId: string;
  attempt: number;
  automationName: string;
  startedAt: number;
}

/** An event with its sequence number, as JSON text that is sent. */
export interface NumberedEvent {
  sequence: number;
  json: string;
}

/** The file of a journal. Appended text survives the end of the process, synced text the end of the machine. */
export interface Storage {
  append(text: string): void;
  sync(): Promise<void>;
  read(): Buffer;
}

type WrittenEvent = Event & Pick<AutomationRunEventReport, "attempt" | "sequence" | "createdAt">;

type Entry =
  | { begin: JournalStart }
  | { event: WrittenEvent }
  /** In one entry with the last event, so that a crash leaves both or neither. */
  | { completion: Completion; event: WrittenEvent }
  /** `dropped`: given up instead, because the server has no room for events. */
  | { acknowledged: number; dropped?: true };

/** Each line has a checksum, which shows whether a crash or the disk damaged it. */
function encodeEntry(entry: Entry): string {
  const json = JSON.stringify(entry);
  return `${checksum(json)} ${json}\n`;
}

const checksum = (text: string) => crc32(text).toString(16).padStart(8, "0");

function decodeEntry(line: string): Entry | undefined {
  const json = line.slice(9);
  if (line[8] !== " " || line.slice(0, 8) !== checksum(json)) return undefined;
  return JSON.parse(json) as Entry;
}

export interface Replayed {
  begin: JournalStart | undefined;
  events: NumberedEvent[];
  acknowledged: number;
  /** The last event that the server has. Those after it that are acknowledged were dropped. */
  delivered: number;
  completion: Completion | undefined;
  /** The sum of the usage events. */
  usage: Usage;
  /** The length of the valid part. The bytes after it are to be removed. */
  validBytes: number;
}

/** Reads a journal up to the first invalid line. */
export function replay(bytes: Buffer): Replayed {
  const found: Replayed = {
    begin: undefined,
    events: [],
    acknowledged: -1,
    delivered: -1,
    completion: undefined,
    usage: noUsage,
    validBytes: 0,
  };
  for (let from = 0, end = bytes.indexOf(10); end >= 0; from = end + 1, end = bytes.indexOf(10, from)) {
    const entry = decodeEntry(bytes.toString("utf8", from, end));
    if (!entry || !isNextEntry(found, entry)) break;
    if ("begin" in entry) found.begin = entry.begin;
    if ("completion" in entry) found.completion = entry.completion;
    if ("acknowledged" in entry) {
      found.acknowledged = entry.acknowledged;
      if (!entry.dropped) found.delivered = entry.acknowledged;
    }
    if ("event" in entry) {
      found.events.push({ sequence: entry.event.sequence, json: JSON.stringify(entry.event) });
      found.usage = addUsage(found.usage, readEventUsage(entry.event));
    }
    found.validBytes = end + 1;
  }
  return found;
}

function isNextEntry({ begin, events, completion }: Replayed, entry: Entry): boolean {
  if ("begin" in entry) return begin === undefined;
  if ("acknowledged" in entry) return begin !== undefined && entry.acknowledged < events.length;
  return begin !== undefined && completion === undefined && entry.event.sequence === events.length;
}

const readEventUsage = ({ type, payload }: Event): Usage =>
  type === "usage" ? readCountedUsage(payload) : noUsage;

const sumUsage = (events: readonly NumberedEvent[]): Usage =>
  events.reduce((sum, { json }) => addUsage(sum, readEventUsage(JSON.parse(json) as Event)), noUsage);

/**
 * The events of one attempt, in order. An event is written to the journal before it is sent, so that after a crash the
 * next process knows every sequence number that was used.
 */
export interface Journal {
  readonly begin: JournalStart;
  /** The events that are not acknowledged yet. */
  readonly pending: readonly NumberedEvent[];
  readonly pendingBytes: number;
  readonly count: number;
  readonly bytes: number;
  readonly usage: Usage;
  /** The usage of the events that were dropped. The server has not counted it. */
  readonly droppedUsage: Usage;
  readonly completion: Completion | undefined;
  add(events: readonly Event[], at: number): void;
  end(terminal: Event, completion: Completion, at: number): void;
  acknowledge(sequence: number): void;
  /** Gives up the events that are not acknowledged yet. */
  drop(): void;
  /** Sends again from this event on. False when the journal does not have it. */
  rewind(sequence: number): boolean;
  sync(): Promise<void>;
}

export function beginJournal(storage: Storage, begin: JournalStart): Journal {
  storage.append(encodeEntry({ begin }));
  return openJournal(storage, replay(storage.read()))!;
}

/** Undefined when the first entry cannot be read. */
export function openJournal(storage: Storage, found: Replayed): Journal | undefined {
  const { begin } = found;
  if (!begin) return undefined;
  let pending = found.events.slice(found.acknowledged + 1);
  let pendingBytes = sumSizes(pending);
  let count = found.events.length;
  let bytes = found.validBytes;
  let { usage, completion, delivered } = found;
  let droppedUsage = sumUsage(found.events.slice(delivered + 1, found.acknowledged + 1));

  const write = (text: string) => {
    storage.append(text);
    bytes += Buffer.byteLength(text);
  };
  const number = (event: Event, createdAt: number) => {
    const { attempt } = begin;
    const { type, payload } = event;
    const numbered = { attempt, sequence: count++, type, payload, createdAt };
    const json = JSON.stringify(numbered);
    pending.push({ sequence: numbered.sequence, json });
    pendingBytes += json.length;
    usage = addUsage(usage, readEventUsage(event));
    return numbered;
  };
  return {
    begin,
    get pending() {
      return pending;
    },
    get pendingBytes() {
      return pendingBytes;
    },
    get count() {
      return count;
    },
    get bytes() {
      return bytes;
    },
    get usage() {
      return usage;
    },
    get droppedUsage() {
      return droppedUsage;
    },
    get completion() {
      return completion;
    },
    add(events, at) {
      write(events.map((event) => encodeEntry({ event: number(event, at) })).join(""));
    },
    end(terminal, ending, at) {
      completion = ending;
      write(encodeEntry({ completion: ending, event: number(terminal, at) }));
    },
    acknowledge(sequence) {
      const first = pending[0]?.sequence ?? count;
      const gone = pending.splice(0, sequence + 1 - first);
      pendingBytes -= sumSizes(gone);
      // Written once, however often the server asks for the events again. Not synced: if it is lost, the events
      // are sent again, and the server recognizes them.
      if (sequence > delivered) write(encodeEntry({ acknowledged: sequence }));
      delivered = Math.max(delivered, sequence);
      // The server has all events before this one. An earlier process dropped some, and the next one sent them.
      droppedUsage = noUsage;
    },
    drop() {
      droppedUsage = addUsage(droppedUsage, sumUsage(pending));
      write(encodeEntry({ acknowledged: count - 1, dropped: true }));
      pending = [];
      pendingBytes = 0;
    },
    rewind(sequence) {
      const { events } = replay(storage.read());
      if (sequence < 0 || sequence >= events.length) return false;
      pending = events.slice(sequence);
      pendingBytes = sumSizes(pending);
      // The server has all events before this one, and the others are sent again.
      droppedUsage = noUsage;
      return true;
    },
    sync: () => storage.sync(),
  };
}

const sumSizes = (events: readonly NumberedEvent[]) => events.reduce((sum, { json }) => sum + json.length, 0);
