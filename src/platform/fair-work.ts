import { setTimeout as sleep } from "node:timers/promises";
import type { Release } from "@signalbox/flow-control";
import type { SharedQueue } from "./limits/index.ts";

export interface FairWork<Item> {
  queue: Pick<SharedQueue, "enter">;
  /**
   * Returns due items, except those of `busy` keys. It is called again while items are in progress, and must not return
   * an item twice.
   */
  take(busy: readonly string[]): Promise<readonly Item[]>;
  getKey(item: Item): string;
  /** `release` returns the place before the item is done, for an item that turns out to be slow. */
  work(item: Item, release: Release): Promise<unknown>;
  /** A key is busy when this many of its items are taken and not done. */
  perKey: number;
}

const takeEveryMs = 500;

/**
 * Processes the items of many keys until none is due, including items that become due meanwhile. Slow items of one key
 * do not delay other keys. A failure does not stop other items: the first error is thrown at the end.
 */
export async function workFairly<Item>(options: FairWork<Item>): Promise<void> {
  const { queue, take, getKey, work, perKey } = options;
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
    // While items wait for a place, there is no need to take more.
    if (waiting === 0) wake();
  }

  for (;;) {
    // Created before `take`, so that an item that ends during it is not missed.
    const ended = Promise.withResolvers<void>();
    wake = ended.resolve;
    const wasIdle = taken.size === 0;
    const busy = [...taken].filter(([, count]) => count >= perKey).map(([key]) => key);
    for (const item of await take(busy)) {
      const key = getKey(item);
      taken.set(key, (taken.get(key) ?? 0) + 1);
      void run(key, item);
    }
    // A key that was busy during `take` may have more due items.
    if (wasIdle && taken.size === 0) break;
    const pause = new AbortController();
    const nextTake = sleep(takeEveryMs, undefined, { ref: false, signal: pause.signal }).catch(() => {});
    await Promise.race([ended.promise, nextTake]);
    pause.abort();
  }
  if (failures.length > 0) throw failures[0];
}
