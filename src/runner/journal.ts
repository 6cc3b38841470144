import { crc32 } from "node:zlib";
import type { Completion } from "./server.ts";
import type { Event } from "./speech.ts";
import { addUsage, noUsage, readUsage, type Usage } from "./usage.ts";

/** Which attempt a journal is of. */
export interface Begin {
  instance: string;
  runId: string;
  attempt: number;
  automationName: string;
  startedAt: number;
}

/** An event that has its number, as it is sent. */
export interface Numbered {
  sequence: number;
  json: string;
}

/** Where a journal is written. What was appended survives the end of this process, what was synced that of the machine. */
export interface Storage {
  append(text: string): void;
  sync(): Promise<void>;
  read(): Buffer;
}

type Written = Event & { attempt: number; sequence: number; createdAt: number };

type Entry =
  | { begin: Begin }
  | { event: Written }
  /** With its last event, in one piece: a crash leaves both or neither. */
  | { completion: Completion; event: Written }
  | { acknowledged: number };

/** Each line carries its checksum: a line that a crash cut short, or that a disk invented, is none. */
function writeEntry(entry: Entry): string {
  const json = JSON.stringify(entry);
  return `${checksum(json)} ${json}\n`;
}

const checksum = (text: string) => crc32(text).toString(16).padStart(8, "0");

function readEntry(line: string): Entry | undefined {
  const json = line.slice(9);
  if (line[8] !== " " || line.slice(0, 8) !== checksum(json)) return undefined;
  return JSON.parse(json) as Entry;
}

export interface Replayed {
  begin: Begin | undefined;
  events: Numbered[];
  acknowledged: number;
  completion: Completion | undefined;
  /** What usage events have told. */
  usage: Usage;
  /** How many bytes made sense; what follows them is to be cut off. */
  soundBytes: number;
}

/** What a journal says, up to the first line that makes no sense. */
export function replay(bytes: Buffer): Replayed {
  const found: Replayed = {
    begin: undefined,
    events: [],
    acknowledged: -1,
    completion: undefined,
    usage: noUsage,
    soundBytes: 0,
  };
  for (let from = 0, end = bytes.indexOf(10); end >= 0; from = end + 1, end = bytes.indexOf(10, from)) {
    const entry = readEntry(bytes.toString("utf8", from, end));
    if (!entry || !follows(found, entry)) break;
    if ("begin" in entry) found.begin = entry.begin;
    if ("completion" in entry) found.completion = entry.completion;
    if ("acknowledged" in entry) found.acknowledged = entry.acknowledged;
    if ("event" in entry) {
      found.events.push({ sequence: entry.event.sequence, json: JSON.stringify(entry.event) });
      found.usage = addUsage(found.usage, usageOf(entry.event));
    }
    found.soundBytes = end + 1;
  }
  return found;
}

function follows({ begin, events, completion }: Replayed, entry: Entry): boolean {
  if ("begin" in entry) return begin === undefined;
  if ("acknowledged" in entry) return begin !== undefined && entry.acknowledged < events.length;
  return begin !== undefined && completion === undefined && entry.event.sequence === events.length;
}

const usageOf = ({ type, payload }: Event): Usage => (type === "usage" && readUsage(payload)) || noUsage;

/**
 * What one attempt has to tell the server, in order. An event is in the journal before anything else
 * happens to it, so after a crash the next process knows every number that was given away.
 */
export interface Journal {
  readonly begin: Begin;
  /** Not acknowledged yet. */
  readonly pending: readonly Numbered[];
  readonly pendingBytes: number;
  readonly count: number;
  readonly bytes: number;
  readonly usage: Usage;
  readonly completion: Completion | undefined;
  add(events: readonly Event[], at: number): void;
  end(terminal: Event, completion: Completion, at: number): void;
  acknowledge(sequence: number): void;
  /** The server wants to have it from there again. False when the journal does not have it. */
  rewind(sequence: number): boolean;
  sync(): Promise<void>;
}

export function beginJournal(storage: Storage, begin: Begin): Journal {
  storage.append(writeEntry({ begin }));
  return openJournal(storage, replay(storage.read()))!;
}

/** Undefined when not even its beginning can be read. */
export function openJournal(storage: Storage, found: Replayed): Journal | undefined {
  const { begin } = found;
  if (!begin) return undefined;
  let pending = found.events.slice(found.acknowledged + 1);
  let pendingBytes = sizeOf(pending);
  let count = found.events.length;
  let bytes = found.soundBytes;
  let { usage, completion, acknowledged } = found;

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
    usage = addUsage(usage, usageOf(event));
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
    get completion() {
      return completion;
    },
    add(events, at) {
      write(events.map((event) => writeEntry({ event: number(event, at) })).join(""));
    },
    end(terminal, ending, at) {
      completion = ending;
      write(writeEntry({ completion: ending, event: number(terminal, at) }));
    },
    acknowledge(sequence) {
      const first = pending[0]?.sequence ?? count;
      const gone = pending.splice(0, sequence + 1 - first);
      pendingBytes -= sizeOf(gone);
      // Written once, however often the server asks for the events again. Not synced: if it is lost, the events
      // are sent again, and the server recognizes them.
      if (sequence > acknowledged) write(writeEntry({ acknowledged: sequence }));
      acknowledged = Math.max(acknowledged, sequence);
    },
    rewind(sequence) {
      const { events } = replay(storage.read());
      if (sequence < 0 || sequence >= events.length) return false;
      pending = events.slice(sequence);
      pendingBytes = sizeOf(pending);
      return true;
    },
    sync: () => storage.sync(),
  };
}

const sizeOf = (events: readonly Numbered[]) => events.reduce((sum, { json }) => sum + json.length, 0);
