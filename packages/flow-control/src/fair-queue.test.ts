import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createFairQueue, type FairQueue, NoPlaceError, type Release } from "./fair-queue.ts";

const patient = { maxWaitMs: 60_000, maxWaiting: 10_000, maxWaitingPerKey: 10_000 };

/** Lets the callbacks of settled promises run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Callers that hold their place until `release`, and a record of what each key holds. */
function createCallers(queue: FairQueue) {
  const holding: { key: string; weight: number; release: Release }[] = [];
  const waiting: { key: string; weight: number; abort: AbortController }[] = [];
  const granted: string[] = [];
  return {
    holding,
    waiting,
    granted,
    heldBy: (key: string) => holding.reduce((sum, one) => sum + (one.key === key ? one.weight : 0), 0),
    enter(key: string, weight = 1) {
      const abort = new AbortController();
      const waiter = { key, weight, abort };
      waiting.push(waiter);
      queue
        .enter(key, { weight, signal: abort.signal })
        .then(
          (release) => {
            granted.push(key);
            holding.push({ key, weight, release });
          },
          () => {},
        )
        .finally(() => waiting.splice(waiting.indexOf(waiter), 1));
    },
    release: (index: number) => holding.splice(index % holding.length, 1)[0]?.release(),
  };
}

describe("a fair queue", () => {
  test("gives one key at most its share, so that two keys leave a place for a third", async () => {
    const queue = createFairQueue({ capacity: 4, ...patient });
    const callers = createCallers(queue);
    for (let i = 0; i < 10; i++) callers.enter("a");
    for (let i = 0; i < 10; i++) callers.enter("b");
    await settle();
    expect([callers.heldBy("a"), callers.heldBy("b")]).toEqual([2, 1]);
    expect(queue.tryEnter("c")).toBeDefined();
    expect(queue.tryEnter("d")).toBeUndefined();
  });

  test("gives a free place to a key that holds none, even when many callers of another key wait", async () => {
    const queue = createFairQueue({ capacity: 3, ...patient });
    const callers = createCallers(queue);
    for (const key of ["a", "a", "a", "a", "b", "c", "d"]) callers.enter(key);
    await settle();
    expect(callers.granted).toEqual(["a", "b", "c"]);
    callers.release(1);
    await settle();
    expect(callers.granted).toEqual(["a", "b", "c", "d"]);
  });

  test("refuses a caller at once when too many wait, and after the maximum wait", async () => {
    vi.useFakeTimers();
    try {
      const queue = createFairQueue({ capacity: 1, maxWaitMs: 50, maxWaiting: 2, maxWaitingPerKey: 1 });
      const release = await queue.enter("a");
      const waiting = queue.enter("b");
      await expect(queue.enter("b")).rejects.toMatchObject({ name: "NoPlaceError", reason: "queue_full" });
      const other = queue.enter("c");
      await expect(queue.enter("d")).rejects.toBeInstanceOf(NoPlaceError);
      const refused = Promise.all([
        expect(waiting).rejects.toMatchObject({ reason: "timed_out" }),
        expect(other).rejects.toMatchObject({ reason: "timed_out" }),
      ]);
      await vi.advanceTimersByTimeAsync(50);
      await refused;
      expect(queue.usage()).toEqual({ held: 1, waiting: 0 });
      release();
      release();
      expect(queue.usage()).toEqual({ held: 0, waiting: 0 });
    } finally {
      vi.useRealTimers();
    }
  });

  test("removes a caller that aborts, with the caller's own error", async () => {
    const queue = createFairQueue({ capacity: 1, ...patient });
    const release = await queue.enter("a");
    const abort = new AbortController();
    const waiting = queue.enter("b", { signal: abort.signal });
    abort.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(queue.enter("b", { signal: abort.signal })).rejects.toThrow("gone");
    expect(queue.usage()).toEqual({ held: 1, waiting: 0 });
    release();
    expect(queue.tryEnter("c")).toBeDefined();
  });

  test("does not let a key that leaves and returns overtake a waiting key", async () => {
    const queue = createFairQueue({ capacity: 1, ...patient });
    const callers = createCallers(queue);
    callers.enter("d");
    await settle();
    callers.enter("d");
    for (const key of ["x", "y", "x", "y"]) {
      callers.enter(key);
      callers.release(0);
      await settle();
    }
    expect(callers.granted.slice(0, 3)).toContain("d");
    expect(callers.granted.filter((key) => key === "d")).toHaveLength(2);
  });
});

const keyNames = ["a", "b", "c", "d"] as const;
const command = fc.oneof(
  fc.record({
    do: fc.constant("enter" as const),
    key: fc.constantFrom(...keyNames),
    weight: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ do: fc.constant("release" as const), index: fc.nat(20) }),
  fc.record({ do: fc.constant("abort" as const), index: fc.nat(20) }),
);

describe("for any sequence of calls", () => {
  test("the capacity and the share of each key are never exceeded, and every waiting caller is served", async () => {
    const capacities = fc.integer({ min: 4, max: 12 });
    await fc.assert(
      fc.asyncProperty(
        capacities,
        fc.array(command, { maxLength: 60 }),
        fc.boolean(),
        async (capacity, commands, weighted) => {
          const queue = createFairQueue({ capacity, ...patient });
          const callers = createCallers(queue);
          for (const next of commands) {
            const before = callers.granted.length;
            if (next.do === "enter") callers.enter(next.key, weighted ? next.weight : 1);
            else if (next.do === "release") callers.release(next.index);
            else callers.waiting[next.index % callers.waiting.length]?.abort.abort();
            await settle();
            const held = callers.holding.reduce((sum, { weight }) => sum + weight, 0);
            expect(held).toBeLessThanOrEqual(capacity);
            expect(queue.usage()).toEqual({ held, waiting: callers.waiting.length });
            // A key that holds several places holds no more than what remains free.
            const last = callers.granted.at(-1);
            if (callers.granted.length === before + 1 && last !== undefined) {
              const count = callers.holding.filter(({ key }) => key === last).length;
              if (count > 1) expect(callers.heldBy(last)).toBeLessThanOrEqual(capacity - held);
            }
            // No place stays free while a waiting key could take it.
            if (!weighted && held < capacity)
              for (const { key } of callers.waiting)
                expect(callers.heldBy(key) > 0 && callers.heldBy(key) + 1 > capacity - held - 1).toBe(true);
          }
          for (let rounds = 0; callers.holding.length > 0; rounds++) {
            expect(rounds).toBeLessThan(200);
            callers.release(0);
            await settle();
          }
          expect(queue.usage()).toEqual({ held: 0, waiting: 0 });
        },
      ),
      { numRuns: 150 },
    );
  });

  test("keys that always want more are served in turn, even when one has many more callers", async () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), names, async (capacity, [first, ...others]) => {
        const queue = createFairQueue({ capacity, ...patient });
        const callers = createCallers(queue);
        for (let i = 0; i < 200; i++) callers.enter(first!);
        for (const name of others) for (let i = 0; i < 40; i++) callers.enter(name);
        await settle();
        for (let i = 0; i < 30; i++) {
          callers.release(0);
          await settle();
        }
        const counts = [first, ...others].map((name) => callers.granted.filter((key) => key === name).length);
        // At most one turn apart, plus what the first key took while it was alone.
        const alone = Math.max(1, capacity / 2);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(alone + 1);
      }),
      { numRuns: 50 },
    );
  });
});
