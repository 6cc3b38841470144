import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDatabaseBusy } from "./failure.ts";
import { createTurns } from "./turns.ts";

/** A clock that advances only by `spend`. */
function createClock() {
  let time = 0;
  return {
    now: () => time,
    spend(ms: number) {
      time += ms;
    },
  };
}

describe("turns on one connection", () => {
  test("the share with the least use is next, even when many statements of another share wait", async () => {
    const clock = createClock();
    const turns = createTurns(clock.now);
    const order: string[] = [];
    const use = (share: string, ms: number) =>
      turns.take(share, async () => {
        order.push(share);
        clock.spend(ms);
        await pause(0);
      });
    await Promise.all([...Array.from({ length: 20 }, () => use("busy", 10)), use("rare", 1)]);
    expect(order.indexOf("rare")).toBe(1);
    expect(order.filter((share) => share === "busy")).toHaveLength(20);
  });

  test("work runs one at a time, once, in order within a share, and continues after an error", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ share: fc.constantFrom("a", "b", "c"), ms: fc.nat(30), fails: fc.boolean() })),
        async (wanted) => {
          const clock = createClock();
          const turns = createTurns(clock.now);
          let running = 0;
          const done: number[] = [];
          const outcomes = await Promise.allSettled(
            wanted.map(({ share, ms, fails }, i) =>
              turns.take(share, async () => {
                expect(++running).toBe(1);
                await Promise.resolve();
                clock.spend(ms);
                running--;
                done.push(i);
                if (fails) throw new Error("wrong");
              }),
            ),
          );
          expect(outcomes.map(({ status }) => status === "rejected")).toEqual(
            wanted.map(({ fails }) => fails),
          );
          expect([...done].sort((a, b) => a - b)).toEqual(wanted.map((_, i) => i));
          for (const name of ["a", "b", "c"]) {
            const own = done.filter((i) => wanted[i]!.share === name);
            expect(own).toEqual([...own].sort((a, b) => a - b));
          }
        },
      ),
    ));

  test("a waiting share gets its turn even when new shares keep arriving", async () => {
    const clock = createClock();
    const turns = createTurns(clock.now);
    let stopped = false;
    let turnsOfBusy = 0;
    const spend = (ms: number) => async () => {
      clock.spend(ms);
      await pause(0);
    };
    await turns.take("busy", spend(1_000));
    const stranger = async (i: number) => {
      for (let n = 0; !stopped; n++) await turns.take(`stranger ${i} ${n}`, spend(5));
    };
    const strangers = Array.from({ length: 3 }, (_, i) => stranger(i));
    for (; turnsOfBusy < 3; turnsOfBusy++) await turns.take("busy", spend(10));
    stopped = true;
    await Promise.all(strangers);
    expect(turnsOfBusy).toBe(3);
  });
});

test("work that is alone refuses those who wait and those who come, until it ends", async () => {
  const turns = createTurns();
  const steps: string[] = [];
  let endFirst = () => {};
  const first = turns.take("a", () => new Promise<void>((resolve) => (endFirst = resolve)));
  let endAlone = () => {};
  const alone = turns.take("b", () => new Promise<void>((resolve) => (endAlone = resolve)), { alone: true });
  const waiting = turns.take("c", async () => steps.push("waited")).catch((error: unknown) => error);
  endFirst();
  await first;
  expect(isDatabaseBusy(await waiting)).toBe(true);
  const late = await turns.take("d", async () => steps.push("came")).catch((error: unknown) => error);
  expect(isDatabaseBusy(late)).toBe(true);
  endAlone();
  await alone;
  await turns.take("d", async () => steps.push("afterwards"));
  expect(steps).toEqual(["afterwards"]);
});
