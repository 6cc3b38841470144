import { createFairQueue } from "@signalbox/flow-control";
import { expect, test } from "vitest";
import { workFairly } from "./fair-work.ts";

const queue = () =>
  createFairQueue({ capacity: 4, maxWaitMs: 60_000, maxWaiting: 1_000, maxWaitingPerKey: 1_000 });

/** Takes items like the stores do: at most two of each key at a time, and none of busy keys. */
function due(items: string[]) {
  return async (busy: readonly string[]) => {
    const counts = new Map<string, number>();
    const now = items.filter((item) => {
      const key = item[0]!;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return !busy.includes(key) && counts.get(key)! <= 2;
    });
    for (const item of now) items.splice(items.indexOf(item), 1);
    return now;
  };
}

test("items that do not end do not delay the items of another key", async () => {
  const items = ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3"];
  const done: string[] = [];
  const blocked = Promise.withResolvers<void>();
  const all = workFairly({
    queue: queue(),
    take: due(items),
    getKey: (item) => item[0]!,
    work: async (item) => {
      if (item.startsWith("a")) await blocked.promise;
      done.push(item);
    },
    perKey: 2,
  });
  await expect.poll(() => done).toEqual(["b1", "b2", "b3"]);
  items.push("c1");
  await expect.poll(() => done).toContain("c1");
  blocked.resolve();
  await all;
  expect(done.toSorted()).toEqual(["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "c1"]);
});

test("a failure is thrown after all taken items are done", async () => {
  const done: string[] = [];
  const all = workFairly({
    queue: queue(),
    take: due(["a1", "b1", "c1"]),
    getKey: (item) => item[0]!,
    work: async (item) => {
      if (item === "a1") throw new Error("broken");
      done.push(item);
    },
    perKey: 2,
  });
  await expect(all).rejects.toThrow("broken");
  expect(done.toSorted()).toEqual(["b1", "c1"]);
});

test("a failure does not stop later items", async () => {
  const done: string[] = [];
  const all = workFairly({
    queue: queue(),
    take: due(["a1", "a2", "a3", "b1", "b2", "b3", "b4", "b5"]),
    getKey: (item) => item[0]!,
    work: async (item) => {
      if (item === "a1") throw new Error("broken");
      done.push(item);
    },
    perKey: 2,
  });
  await expect(all).rejects.toThrow("broken");
  expect(done.toSorted()).toEqual(["a2", "a3", "b1", "b2", "b3", "b4", "b5"]);
});

test("more items are taken as soon as one ends, while an item of another key hangs", async () => {
  const items = ["a1", ...Array.from({ length: 60 }, (_, i) => `b${i}`)];
  const done: string[] = [];
  const blocked = Promise.withResolvers<void>();
  const started = performance.now();
  const all = workFairly({
    queue: queue(),
    take: due(items),
    getKey: (item) => item[0]!,
    work: async (item) => {
      if (item === "a1") await blocked.promise;
      done.push(item);
    },
    perKey: 2,
  });
  await expect.poll(() => done.length, { timeout: 20_000 }).toBe(60);
  expect(performance.now() - started).toBeLessThan(2_000);
  blocked.resolve();
  await all;
});

test("a place that is returned early goes to the next item", async () => {
  const done: string[] = [];
  const blocked = Promise.withResolvers<void>();
  const all = workFairly({
    queue: createFairQueue({ capacity: 1, maxWaitMs: 60_000, maxWaiting: 10, maxWaitingPerKey: 10 }),
    take: due(["a1", "b1"]),
    getKey: (item) => item[0]!,
    work: async (item, release) => {
      if (item === "a1") {
        release();
        await blocked.promise;
      }
      done.push(item);
    },
    perKey: 2,
  });
  await expect.poll(() => done).toEqual(["b1"]);
  blocked.resolve();
  await all;
  expect(done).toEqual(["b1", "a1"]);
});

test("an item that ends during `take` is followed by another `take`", async () => {
  const items = ["a1", "a2", "a3", "a4", "a5"];
  const takeNow = due(items);
  const done: string[] = [];
  await workFairly({
    queue: queue(),
    take: async (busy) => {
      const taken = await takeNow(busy);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return taken;
    },
    getKey: (item) => item[0]!,
    work: async (item) => {
      await new Promise((resolve) => setTimeout(resolve, item === "a1" ? 1 : 5));
      done.push(item);
    },
    perKey: 1,
  });
  expect(done).toHaveLength(5);
});
