import { expect, test } from "vitest";
import { chooseLabels, chooseTicks } from "./chart-scale.ts";

test("the lines of an axis are round numbers that reach the highest value", () => {
  expect(chooseTicks(0)).toEqual([0]);
  expect(chooseTicks(57)).toEqual([0, 20, 40, 60]);
  expect(chooseTicks(4)).toEqual([0, 1, 2, 3, 4]);
  expect(chooseTicks(0.03)).toEqual([0, 0.01, 0.02, 0.03]);
  for (let max = 0.001; max < 1e9; max *= 1.7) {
    const ticks = chooseTicks(max);
    expect(ticks.length).toBeLessThanOrEqual(5);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(max * 0.999);
  }
});

test("labels of points stand at equal distances and do not overlap", () => {
  expect(chooseLabels(30, 720)).toEqual([0, 4, 8, 12, 16, 20, 24, 28]);
  expect(chooseLabels(3, 720)).toEqual([0, 1, 2]);
  expect(chooseLabels(0, 720)).toEqual([]);
});
