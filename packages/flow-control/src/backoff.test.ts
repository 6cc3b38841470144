import { expect, test } from "vitest";
import { addJitter, computePause } from "./backoff.ts";

const options = { firstMs: 2_000, maxMs: 900_000, jitter: 0.2 };

test("a pause doubles with every failure up to its maximum", () => {
  const pauses = [1, 2, 3, 9, 10, 1_000].map((failures) => computePause(failures, options, 0.5));
  expect(pauses).toEqual([2_000, 4_000, 8_000, 512_000, 900_000, 900_000]);
});

test("a pause varies around its length", () => {
  expect(computePause(1, options, 0)).toBeCloseTo(1_600);
  expect(computePause(1, options, 1)).toBeCloseTo(2_400);
  expect(addJitter(10, 0.1, 0)).toBeCloseTo(9);
  expect(addJitter(10, 0.1, 1)).toBeCloseTo(11);
});
