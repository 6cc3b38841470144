import type { Bus } from "../../../platform/bus.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import { encodeMessage } from "../../../platform/http/index.ts";
import { changesOf, findForFollowers, type Run, type RunId } from "../runs/index.ts";
import type { RunEvent } from "./contract.ts";
import { createEventBuffer, type EventBuffer, type StreamedEvent, type TotalBytes } from "./event-buffer.ts";
import * as store from "./store.ts";

/** While messages of other processes arrive, this is only a safety net. */
const safetyLookMs = 60_000;
const lookWhileBusIsDownMs = 3_000;
/** Other processes learn of a new follower a moment later; what they changed before that is found by these. */
const settlingLooksMs = [1_000, 4_000];
const tickMs = 1_000;
const looksAtOnce = 4;
const pageLength = 50;

/** What a follower knows of its run. The run was read before the tail: once it is over, the tail is the end. */
export interface RunState {
  run: Run;
  /** Differs whenever something differs that a watcher should be told. */
  version: string;
  message: Uint8Array;
  tail: store.Position;
}

/** One watcher's access to what is shared by all watchers of a run. */
export interface Watch {
  /** The latest state, undefined when the run is gone. Waits for the first look. */
  state(): Promise<RunState | undefined>;
  /** Events after a position, undefined when they have to be read from the database. */
  eventsAfter(position: store.Position): readonly StreamedEvent[] | undefined;
  leave(): void;
}

export interface Followers {
  watch(orgId: OrgId, id: RunId, onChange: () => void): Watch;
}

const known = new WeakMap<Bus, Followers>();

export function followersOf(platform: Pick<Platform, "bus" | "db" | "log">): Followers {
  let followers = known.get(platform.bus);
  if (!followers) {
    followers = createFollowers(platform);
    known.set(platform.bus, followers);
  }
  return followers;
}

interface Follower {
  orgId: OrgId;
  id: RunId;
  watchers: Set<() => void>;
  state: RunState | undefined;
  buffer: EventBuffer;
  /** Settles with the first look. */
  first: Promise<void>;
  looking: boolean;
  lookAgain: boolean;
  /** The last look failed: that was said, and need not be said each time. */
  failing: boolean;
  lookedAt: number;
  /** How many of the settling looks were made. */
  settled: number;
  /** Spreads the safety looks of followers that began together. */
  delayMs: number;
  stop(): void;
}

/**
 * One follower per run and process, however many watch the run there. It reads new events once and gives them to
 * all. It looks when a change is announced; by itself only while messages of other processes do not arrive.
 */
function createFollowers(platform: Pick<Platform, "bus" | "db" | "log">): Followers {
  const { bus, log } = platform;
  // It reads for everybody who watches, not for whoever was first.
  const db = platform.db.under({ work: "read", share: "streams" });
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
      if (now - follower.lookedAt >= patience(follower)) due.push(follower);
    }
    const lane = async () => {
      for (let follower = due.pop(); follower; follower = due.pop()) {
        follower.settled++;
        await look(follower);
      }
    };
    await Promise.all(Array.from({ length: looksAtOnce }, lane));
    ticking = false;
  }

  function patience({ settled, delayMs }: Follower): number {
    if (!bus.isUp()) return lookWhileBusIsDownMs;
    return settlingLooksMs[settled] ?? safetyLookMs + delayMs;
  }

  /** One look at a time; one that is asked for meanwhile is made afterwards. Never fails. */
  async function look(follower: Follower): Promise<void> {
    follower.lookAgain = true;
    if (follower.looking) return;
    follower.looking = true;
    while (follower.lookAgain && follower.watchers.size > 0) {
      follower.lookAgain = false;
      follower.lookedAt = performance.now();
      const before = follower.state;
      try {
        await lookOnce(follower);
        follower.failing = false;
      } catch (error) {
        // The state stays as it is, and the next look is soon.
        if (!follower.failing) log.warn({ err: error }, "run not followed");
        follower.failing = true;
        follower.settled = 0;
      }
      if (isSame(before, follower.state)) continue;
      for (const onChange of follower.watchers) onChange();
    }
    follower.looking = false;
  }

  async function lookOnce(follower: Follower): Promise<void> {
    const { orgId, id, buffer, state } = follower;
    const run = await findForFollowers(db, orgId, id);
    if (!run) {
      follower.state = undefined;
      return;
    }
    let tail = state?.tail;
    if (!tail) {
      tail = (await store.findLastPosition(db, orgId, id)) ?? beforeAll;
      buffer.startAfter(tail);
    } else {
      for (let more = true; more; ) {
        const page = await store.listAfter(db, orgId, id, tail, pageLength);
        for (const event of page.items) buffer.add(streamedEvent(event));
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
      first: Promise.resolve(),
      looking: false,
      lookAgain: false,
      failing: false,
      lookedAt: performance.now(),
      settled: hasOtherProcesses ? 0 : settlingLooksMs.length,
      delayMs: Math.random() * 10_000,
      stop: changesOf(platform).watch(id, {
        onChange: () => void look(follower),
        onGap: () => {
          follower.settled = 0;
          void look(follower);
        },
      }),
    };
    follower.first = look(follower);
    timer ??= setInterval(() => void tick(), tickMs).unref();
    return follower;
  }

  return {
    watch(orgId, id, onChange) {
      const key = `${orgId} ${id}`;
      let follower = followers.get(key);
      if (follower) {
        follower.watchers.add(onChange);
        // Whoever opens a stream sees what is stored now, even if a message was lost.
        void look(follower);
      } else {
        follower = start(orgId, id, onChange);
        followers.set(key, follower);
      }
      const { first, buffer, watchers } = follower;
      return {
        state: async () => {
          await first;
          return follower.state;
        },
        eventsAfter: (position) => buffer.after(position),
        leave() {
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

const beforeAll: store.Position = { attempt: 0, sequence: -1 };

/** Of the first attempt the sequence itself; of a later one with the attempt before it. */
const writeId = ({ attempt, sequence }: store.Position) =>
  attempt === 1 ? String(sequence) : `${attempt}.${sequence}`;

export const streamedEvent = (event: RunEvent): StreamedEvent => ({
  attempt: event.attempt,
  sequence: event.sequence,
  isTerminal: event.type === "terminal",
  message: encodeMessage({ id: writeId(event), data: event }),
});
