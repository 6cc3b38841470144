import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseInterval, jitterSeconds } from "./service.ts";

test("the interval is the configured one, and grows with the fleet so that there are at most 700 beats a second", () => {
  expect(chooseInterval(10_000, 15)).toBe(15);
  expect(chooseInterval(100_000, 15)).toBe(143);
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 300 }), (workers, seconds) => {
      const interval = chooseInterval(workers, seconds);
      expect(interval).toBeGreaterThanOrEqual(seconds);
      expect(workers / interval).toBeLessThanOrEqual(700);
    }),
  );
});

test("the jitter is at most a tenth, on both sides", () => {
  expect([0, 0.5, 1].map((random) => jitterSeconds(15, random))).toEqual([13.5, 15, 16.5]);
});
