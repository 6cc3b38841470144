import { expect, test } from "vitest";
import { formatCost, formatCostTick, formatDuration } from "./format.ts";

test("a duration names its two largest units, and none that is zero", () => {
  expect([0.4, 412, 1300, 48_000, 134_000, 3_660_000].map(formatDuration)).toEqual([
    "<1 ms",
    "412 ms",
    "1.3 s",
    "48 s",
    "2 min 14 s",
    "1 h 1 min",
  ]);
  expect([120_000, 1_800_000, 3_600_000].map(formatDuration)).toEqual(["2 min", "30 min", "1 h"]);
});

test("the lines of an axis of small costs have different labels", () => {
  expect([0, 2_500, 5_000, 7_500, 10_000, 2_500_000].map((micros) => formatCostTick(micros))).toEqual([
    "$0.00",
    "$0.0025",
    "$0.005",
    "$0.0075",
    "$0.01",
    "$2.50",
  ]);
  expect([0, 2_500].map((micros) => formatCost(micros))).toEqual(["$0.00", "<$0.01"]);
});
