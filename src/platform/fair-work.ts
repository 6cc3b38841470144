import { setTimeout as sleep } from "node:timers/promises";
import type { FairQueue, Release } from "./fair-queue.ts";

export interface FairWork<Item> {
  queue: FairQueue;
  /** Items that are due and not of `busy` keys. Called again while others are worked on; it must not repeat itself. */
  take(busy: readonly string[]): Promise<readonly Item[]>;
  keyOf(item: Item): string;
  /** `release` gives the place back before the item is done, for one that turns out to be slow. */
  work(item: Item, release: Release): Promise<unknown>;
  /** A key with this many items taken and not done is busy. */
  perKey: number;
}

const takeEveryMs = 500;

/**
 * Does work of many keys until none is due. Slow items of one key do not keep another's waiting: the queue gives the
 * places, and what becomes due meanwhile is taken too. A failure stops nobody else: the first one is thrown at the end.
 */
export async function workFairly<Item>(options: FairWork<Item>): Promise<void> {
  const { queue, take, keyOf, work, perKey } = options;
  const taken = new Map<string, number>();
  const failures: unknown[] = [];
  let waiting = 0;
  let wake = () => {};

  async function run(key: string, item: Item): Promise<void> {
    try {
      waiting += 1;
      const release = await queue.enter(key).finally(() => {
        waiting -= 1;
      });
      await work(item, release).finally(release);
    } catch (error) {
      failures.push(error);
    } finally {
      const left = (taken.get(key) ?? 1) - 1;
      if (left === 0) taken.delete(key);
      else taken.set(key, left);
    }
    // While some wait for a place there is no hurry to take more.
    if (waiting === 0) wake();
  }

  for (;;) {
    // Before the look, so that what ends meanwhile is not missed.
    const ended = Promise.withResolvers<void>();
    wake = ended.resolve;
    const wasIdle = taken.size === 0;
    const busy = [...taken].filter(([, count]) => count >= perKey).map(([key]) => key);
    for (const item of await take(busy)) {
      const key = keyOf(item);
      taken.set(key, (taken.get(key) ?? 0) + 1);
      void run(key, item);
    }
    // What was busy during the look may have more that is due.
    if (wasIdle && taken.size === 0) break;
    const pause = new AbortController();
    const nextTake = sleep(takeEveryMs, undefined, { ref: false, signal: pause.signal }).catch(() => {});
    await Promise.race([ended.promise, nextTake]);
    pause.abort();
  }
  if (failures.length > 0) throw failures[0];
}
