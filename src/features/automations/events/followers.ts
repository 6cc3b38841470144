import type { OrgId, Platform } from "../../../platform/context.ts";
import { encodeMessage } from "../../../platform/http/index.ts";
import { defineState } from "../../../platform/state.ts";
import { findForFollowers, type Run, type RunId, runChanges } from "../runs/index.ts";
import type { RunEvent } from "./contract.ts";
import { createEventBuffer, type EventBuffer, type StreamedEvent, type TotalBytes } from "./event-buffer.ts";
import * as store from "./store.ts";

/** Looks follow announcements while the bus is up. This interval covers lost announcements. */
const safetyPollMs = 60_000;
const pollWhileBusIsDownMs = 3_000;
/** Looks of a new follower. They find changes from before other processes learn that the run is watched. */
const initialPollsMs = [1_000, 4_000];
const tickMs = 1_000;
const maxConcurrentReads = 4;
const pageLength = 50;

/** The state of a followed run. The run is read before the tail, so the tail of an ended run is its last event. */
export interface RunState {
  run: Run;
  /** Changes whenever a field changes that watchers must see. */
  version: string;
  message: Uint8Array;
  tail: store.Position;
}

/** One watcher's access to the follower that all watchers of a run share. */
export interface Watch {
  /** Waits for the first look. Undefined when the run does not exist or that look failed. */
  state(): Promise<RunState | undefined>;
  /** Events after a position. Undefined when they must be read from the database. */
  eventsAfter(position: store.Position): readonly StreamedEvent[] | undefined;
  stopWatching(): void;
}

export interface RunFollowers {
  watch(orgId: OrgId, id: RunId, onChange: () => void): Watch;
}

export const runFollowers = defineState({ name: "run followers", create: createRunFollowers });

interface Follower {
  orgId: OrgId;
  id: RunId;
  watchers: Set<() => void>;
  state: RunState | undefined;
  buffer: EventBuffer;
  /** Resolves after the first look. */
  firstRead: Promise<void>;
  isReading: boolean;
  isReadPending: boolean;
  /** The last look failed. Only the first of several failures is logged. */
  hasFailed: boolean;
  lastReadAt: number;
  /** How many settling looks were made. */
  initialPollCount: number;
  /** Random, so that followers that started together do not look at the same time. */
  delayMs: number;
  stop(): void;
}

/**
 * Follows each watched run once per process, and gives new events to all watchers. A follower looks when a change is
 * announced. Timers are for lost announcements and for a bus that is down.
 */
function createRunFollowers(platform: Pick<Platform, "bus" | "db" | "log" | "state">): RunFollowers {
  const { bus, log } = platform;
  const changes = platform.state.get(runChanges);
  // The reads are for all watchers, so they use a share of their own.
  const db = platform.db.withOptions({ work: "read", share: "streams" });
  const followers = new Map<string, Follower>();
  const total: TotalBytes = { bytes: 0 };
  const hasOtherProcesses = db.kind !== "pglite";
  let timer: NodeJS.Timeout | undefined;
  let ticking = false;

  async function tick() {
    if (ticking) return;
    ticking = true;
    const now = performance.now();
    const due: Follower[] = [];
    for (const follower of followers.values()) {
      follower.buffer.expire(now);
      if (now - follower.lastReadAt >= computePollInterval(follower)) due.push(follower);
    }
    const lane = async () => {
      for (let follower = due.pop(); follower; follower = due.pop()) {
        follower.initialPollCount++;
        await readRunChanges(follower);
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentReads }, lane));
    ticking = false;
  }

  function computePollInterval({ initialPollCount, delayMs }: Follower): number {
    if (!bus.isUp()) return pollWhileBusIsDownMs;
    return initialPollsMs[initialPollCount] ?? safetyPollMs + delayMs;
  }

  /** Runs one look at a time. A call during a look causes one more look afterwards. Never rejects. */
  async function readRunChanges(follower: Follower): Promise<void> {
    follower.isReadPending = true;
    if (follower.isReading) return;
    follower.isReading = true;
    while (follower.isReadPending && follower.watchers.size > 0) {
      follower.isReadPending = false;
      follower.lastReadAt = performance.now();
      const before = follower.state;
      try {
        await readRunOnce(follower);
        follower.hasFailed = false;
      } catch (error) {
        // The state stays as it was. The settling looks start again.
        if (!follower.hasFailed) log.warn({ err: error }, "run not followed");
        follower.hasFailed = true;
        follower.initialPollCount = 0;
      }
      if (isSame(before, follower.state)) continue;
      for (const onChange of follower.watchers) onChange();
    }
    follower.isReading = false;
    // The last watcher can leave during a look, which then adds events to a buffer that nobody clears.
    if (follower.watchers.size === 0) follower.buffer.clear();
  }

  async function readRunOnce(follower: Follower): Promise<void> {
    const { orgId, id, buffer, state } = follower;
    const run = await findForFollowers(db, orgId, id);
    if (!run) {
      follower.state = undefined;
      return;
    }
    let tail = state?.tail;
    if (!tail) {
      tail = (await store.findLastPosition(db, orgId, id)) ?? store.beforeFirstEvent;
      buffer.startAfter(tail);
    } else {
      for (let more = true; more; ) {
        const page = await store.listAfter(db, orgId, id, tail, pageLength);
        for (const event of page.items) buffer.add(toStreamedEvent(event));
        tail = page.items.at(-1) ?? tail;
        more = page.more;
      }
    }
    const { attempt, sequence } = tail;
    const version = JSON.stringify({ ...run, leaseExpiresAt: null });
    const message = state?.version === version ? state.message : encodeMessage({ event: "run", data: run });
    follower.state = { run, version, message, tail: { attempt, sequence } };
  }

  function start(orgId: OrgId, id: RunId, onChange: () => void): Follower {
    const follower: Follower = {
      orgId,
      id,
      watchers: new Set([onChange]),
      state: undefined,
      buffer: createEventBuffer(total),
      firstRead: Promise.resolve(),
      isReading: false,
      isReadPending: false,
      hasFailed: false,
      lastReadAt: performance.now(),
      initialPollCount: hasOtherProcesses ? 0 : initialPollsMs.length,
      delayMs: Math.random() * 10_000,
      stop: changes.watch(id, {
        onChange: () => void readRunChanges(follower),
        onGap: () => {
          follower.initialPollCount = 0;
          void readRunChanges(follower);
        },
      }),
    };
    follower.firstRead = readRunChanges(follower);
    timer ??= setInterval(() => void tick(), tickMs).unref();
    return follower;
  }

  return {
    watch(orgId, id, onChange) {
      const key = `${orgId} ${id}`;
      let follower = followers.get(key);
      if (follower) {
        follower.watchers.add(onChange);
        // A new stream shows what is stored now, even if a message was lost.
        void readRunChanges(follower);
      } else {
        follower = start(orgId, id, onChange);
        followers.set(key, follower);
      }
      const { firstRead, buffer, watchers } = follower;
      return {
        state: async () => {
          await firstRead;
          return follower.state;
        },
        eventsAfter: (position) => buffer.after(position),
        stopWatching() {
          watchers.delete(onChange);
          if (watchers.size > 0 || followers.get(key) !== follower) return;
          follower.stop();
          buffer.clear();
          followers.delete(key);
          if (followers.size === 0) {
            clearInterval(timer);
            timer = undefined;
          }
        },
      };
    },
  };
}

const isSame = (a: RunState | undefined, b: RunState | undefined) =>
  a?.version === b?.version && a?.tail.attempt === b?.tail.attempt && a?.tail.sequence === b?.tail.sequence;

/** The event id: `sequence` in the first attempt, `attempt.sequence` in later attempts. */
const formatEventId = ({ attempt, sequence }: store.Position) =>
  attempt === 1 ? String(sequence) : `${attempt}.${sequence}`;

export const toStreamedEvent = (event: RunEvent): StreamedEvent => ({
  attempt: event.attempt,
  sequence: event.sequence,
  isTerminal: event.type === "terminal",
  message: encodeMessage({ id: formatEventId(event), data: event }),
});
