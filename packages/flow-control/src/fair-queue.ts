/** Returns a place. A second call has no effect. */
export type Release = () => void;

export interface FairQueueOptions {
  /** How much may be held at the same time, in places or in bytes. */
  capacity: number;
  /** How long a caller waits for a place before it is refused. */
  maxWaitMs: number;
  /** Maximum number of waiting callers, for all keys together and for one key. */
  maxWaiting: number;
  maxWaitingPerKey: number;
}

export interface EnterOptions {
  /** How much of the capacity is taken. Default 1. */
  weight?: number;
  /** Ends the wait; `enter` then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** No place is available: too many callers already wait, or no place became free in time. */
export class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";
  readonly reason: "queue_full" | "timed_out";
  constructor(reason: NoPlaceError["reason"]) {
    super(reason === "queue_full" ? "Too many callers already wait." : "No place became free in time.");
    this.reason = reason;
  }
}

/**
 * Shares capacity between keys, such as organizations or networks. A free place goes to the waiting key that holds the
 * least; among equals, to the key that was served longest ago. A key with a place may hold at most as much as remains
 * free, so one key gets at most half of the capacity, two get a third each, and a new key finds a place.
 */
export interface FairQueue {
  /** Waits for a place. Rejects with `NoPlaceError`. */
  enter(key: string, options?: EnterOptions): Promise<Release>;
  /** Takes a place without waiting. Returns undefined when no place is free or a waiting key comes first. */
  tryEnter(key: string, weight?: number): Release | undefined;
  /** The amount that is held now, and the number of waiting callers. */
  usage(): { held: number; waiting: number };
}

interface Waiter {
  weight: number;
  admit(release: Release): void;
}

interface KeyState {
  held: number;
  waiting: Waiter[];
  /** The turn in which this key arrived or last got a place. */
  servedAt: number;
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { capacity, maxWaitMs, maxWaiting, maxWaitingPerKey } = options;
  /** Only keys that hold or wait for a place, so that idle keys use no memory. */
  const keys = new Map<string, KeyState>();
  let held = 0;
  let waiting = 0;
  let turn = 0;

  const getKeyState = (key: string): KeyState => {
    let state = keys.get(key);
    if (!state) {
      // A key that returns is served after keys that already wait.
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

  /** Returns the next waiting key that is within its share. */
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
      // The next caller keeps its turn until there is room. Otherwise smaller requests could overtake it forever.
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
    // Other callers may have had to wait for this one.
    admitWaiting();
  }

  function tryEnter(key: string, weight = 1): Release | undefined {
    if (held + weight > capacity) return undefined;
    const state = keys.get(key);
    if (state && (state.waiting.length > 0 || !hasShare(state, weight))) return undefined;
    // Waiting keys that are beyond their share do not delay others.
    const next = waiting > 0 ? findNext() : undefined;
    if (next && !isBefore(state ?? newcomer, next[1])) return undefined;
    return take(key, state ?? getKeyState(key), weight);
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
        const state = getKeyState(key);
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
        const rejectWaiter = (reason: unknown) => {
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
        const onAbort = () => rejectWaiter(signal!.reason);
        const timer = setTimeout(() => rejectWaiter(new NoPlaceError("timed_out")), maxWaitMs);
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
