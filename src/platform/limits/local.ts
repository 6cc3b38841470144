import { createFairQueue, createRateWindow, type FairQueue, type RateWindow } from "@signalbox/flow-control";
import type { Metrics } from "../metrics.ts";
import type { Limits, Place, QueueSpec } from "./limits.ts";

const maxWindows = 10_000;

/** The limits of one process, or of all processes of a machine when their primary process holds them. */
export function createLocalLimits(metrics: Metrics): Limits {
  const queues = createQueues(metrics);
  const taken = new Map<string, number>();
  const windows = new Map<string, RateWindow>();

  function findWindow(name: string, now: number): RateWindow {
    let window = windows.get(name);
    if (!window) {
      if (windows.size >= maxWindows)
        for (const [other, idle] of windows) if (idle.isIdle(now)) windows.delete(other);
      window = createRateWindow();
      windows.set(name, window);
    }
    return window;
  }

  const count = (key: string) => taken.get(key) ?? 0;
  function add(key: string, by: number): void {
    const next = count(key) + by;
    if (next > 0) taken.set(key, next);
    else taken.delete(key);
  }

  return {
    ...queues,
    async takePlaces(places: readonly Place[]) {
      const full = places.find(({ key, most }) => count(key) >= most);
      if (full) return { full: full.key, taken: count(full.key) };
      for (const { key } of places) add(key, 1);
      return {
        release: once(() => {
          for (const { key } of places) add(key, -1);
        }),
      };
    },
    async takeRate(name, member, perMinute) {
      const now = Date.now();
      return findWindow(name, now).take(member, perMinute, now);
    },
    setRate(name, calls) {
      const now = Date.now();
      findWindow(name, now).setShared(calls, now);
    },
  };
}

function createQueues(metrics: Metrics): Pick<Limits, "enter" | "tryEnter"> {
  const queues = new Map<string, { queue: FairQueue; isListed: boolean; users: number }>();
  const list = (value: (queue: FairQueue) => number) => () =>
    [...queues].flatMap(([name, { queue, isListed }]) =>
      isListed ? [{ labels: { queue: name }, value: value(queue) }] : [],
    );
  metrics.describe(
    "fair_queue_held",
    "Capacity held in a fair queue: places, or bytes of large request bodies.",
  );
  metrics.gauge(
    "fair_queue_held",
    list((queue) => queue.usage().held),
    "sum",
  );
  metrics.describe("fair_queue_waiting", "Callers that wait for a place in a fair queue.");
  metrics.gauge(
    "fair_queue_waiting",
    list((queue) => queue.usage().waiting),
    "sum",
  );

  /** Returns the queue, and a function to call when it is not used any more. */
  function use({ name, options, temporary = false }: QueueSpec): { queue: FairQueue; leave(): void } {
    const found = queues.get(name) ?? { queue: createFairQueue(options), isListed: !temporary, users: 0 };
    queues.set(name, found);
    found.users += 1;
    const leave = once(() => {
      found.users -= 1;
      if (!found.isListed && found.users === 0) queues.delete(name);
    });
    return { queue: found.queue, leave };
  }

  return {
    async enter(spec, key, options) {
      const { queue, leave } = use(spec);
      try {
        const release = await queue.enter(key, options);
        return () => {
          release();
          leave();
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
    async tryEnter(spec, key, weight) {
      const { queue, leave } = use(spec);
      const release = queue.tryEnter(key, weight);
      if (!release) leave();
      return (
        release &&
        (() => {
          release();
          leave();
        })
      );
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
