/** Gives a place back. Calling it twice counts once. */
export type Release = () => void;

export interface FairQueueOptions {
  /** How much may be held at once, in places or in bytes. */
  capacity: number;
  /** How long a caller waits for a place before it is refused. */
  maxWaitMs: number;
  /** How many callers may wait at once, of all keys and of one key. */
  maxWaiting: number;
  maxWaitingPerKey: number;
}

export interface EnterOptions {
  /** How much of the capacity is taken. Default 1. */
  weight?: number;
  /** Ends the wait; `enter` then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** A place was refused: too many callers wait already, or none came free in time. */
export class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";
  readonly reason: "queue_full" | "timed_out";
  constructor(reason: NoPlaceError["reason"]) {
    super(reason === "queue_full" ? "Too many callers wait already." : "No place came free in time.");
    this.reason = reason;
  }
}

/**
 * Places that many keys share, such as organizations or networks. A place goes to the waiting key that holds the least;
 * among equals, to the one served longest ago. A key that holds something may hold at most as much as stays free for the
 * others, so one key gets half of the capacity at most, two get a third each, and a newcomer finds a place.
 */
export interface FairQueue {
  /** Waits for a place. Rejects with `NoPlaceError`. */
  enter(key: string, options?: EnterOptions): Promise<Release>;
  /** A place that is free now and that nobody waits for; undefined when there is none. */
  tryEnter(key: string, weight?: number): Release | undefined;
  /** What is held and how many wait at this moment. */
  usage(): { held: number; waiting: number };
}

interface Waiter {
  weight: number;
  admit(release: Release): void;
}

interface KeyState {
  held: number;
  waiting: Waiter[];
  /** The turn in which this key came, or was last given a place. */
  servedAt: number;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { capacity, maxWaitMs, maxWaiting, maxWaitingPerKey } = options;
  /** Keys that hold or wait; others cost no memory. */
  const keys = new Map<string, KeyState>();
  let held = 0;
  let waiting = 0;
  let turn = 0;

  const stateOf = (key: string): KeyState => {
    let state = keys.get(key);
    if (!state) {
      // A key that comes back stands behind those who have waited since before.
      state = { held: 0, waiting: [], servedAt: ++turn };
      keys.set(key, state);
    }
    return state;
  };
  const forgetIfIdle = (key: string, state: KeyState) => {
    if (state.held === 0 && state.waiting.length === 0) keys.delete(key);
  };

  const hasShare = (state: KeyState, weight: number) =>
    state.held === 0 || state.held + weight <= capacity - held - weight;

  function take(key: string, state: KeyState, weight: number): Release {
    held += weight;
    state.held += weight;
    state.servedAt = ++turn;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      held -= weight;
      state.held -= weight;
      forgetIfIdle(key, state);
      admitWaiting();
    };
  }

  /** The key whose turn it is among those within their share. */
  function findNext(): [string, KeyState] | undefined {
    let next: [string, KeyState] | undefined;
    for (const [key, state] of keys) {
      const first = state.waiting[0];
      if (!first || !hasShare(state, first.weight)) continue;
      if (!next || isBefore(state, next[1])) next = [key, state];
    }
    return next;
  }

  function admitWaiting(): void {
    while (waiting > 0) {
      const next = findNext();
      if (!next) return;
      const [key, state] = next;
      const first = state.waiting[0]!;
      // Whoever's turn it is keeps it until there is room. Smaller requests that overtake it could do so forever.
      if (held + first.weight > capacity) return;
      state.waiting.shift();
      waiting -= 1;
      first.admit(take(key, state, first.weight));
    }
  }

  function leave(key: string, state: KeyState, waiter: Waiter): void {
    const index = state.waiting.indexOf(waiter);
    if (index < 0) return;
    state.waiting.splice(index, 1);
    waiting -= 1;
    forgetIfIdle(key, state);
    // It may have been this caller that the others had to wait for.
    admitWaiting();
  }

  function tryEnter(key: string, weight = 1): Release | undefined {
    if (held + weight > capacity) return undefined;
    const state = keys.get(key);
    if (state && (state.waiting.length > 0 || !hasShare(state, weight))) return undefined;
    // Waiting keys that are beyond their share do not stand before anybody.
    const next = waiting > 0 ? findNext() : undefined;
    if (next && !isBefore(state ?? newcomer, next[1])) return undefined;
    return take(key, state ?? stateOf(key), weight);
  }

  return {
    tryEnter,
    async enter(key, { weight = 1, signal } = {}) {
      if (!(weight > 0 && weight <= capacity))
        throw new RangeError(`A weight of ${weight} does not fit a capacity of ${capacity}.`);
      signal?.throwIfAborted();
      const free = tryEnter(key, weight);
      if (free) return free;
      if (waiting >= maxWaiting || (keys.get(key)?.waiting.length ?? 0) >= maxWaitingPerKey)
        throw new NoPlaceError("queue_full");
      return new Promise<Release>((resolve, reject) => {
        const state = stateOf(key);
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
        const giveUp = (reason: unknown) => {
          end();
          leave(key, state, waiter);
          reject(reason);
        };
        const waiter: Waiter = {
          weight,
          admit(release) {
            end();
            resolve(release);
          },
        };
        const onAbort = () => giveUp(signal!.reason);
        const timer = setTimeout(() => giveUp(new NoPlaceError("timed_out")), maxWaitMs);
        signal?.addEventListener("abort", onAbort, { once: true });
        state.waiting.push(waiter);
        waiting += 1;
      });
    },
    usage: () => ({ held, waiting }),
  };
}

const newcomer: Pick<KeyState, "held" | "servedAt"> = { held: 0, servedAt: Number.POSITIVE_INFINITY };

const isBefore = (a: typeof newcomer, b: typeof newcomer): boolean =>
  a.held < b.held || (a.held === b.held && a.servedAt < b.servedAt);
