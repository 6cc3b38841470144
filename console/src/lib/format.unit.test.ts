import { expect, test } from "vitest";
import {
  formatBytes,
  formatCost,
  formatDuration,
  formatExact,
  formatExactCost,
  formatPercent,
  formatUtcDay,
  formatWhen,
  toIsoTime,
} from "./format.ts";

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
  expect([0, 2_500, 5_000, 7_500, 10_000, 2_500_000].map((micros) => formatExactCost(micros))).toEqual([
    "$0.00",
    "$0.0025",
    "$0.005",
    "$0.0075",
    "$0.01",
    "$2.50",
  ]);
  expect([0, 2_500].map((micros) => formatCost(micros))).toEqual(["$0.00", "<$0.01"]);
});

test("what is rounded to a whole unit is written in that unit", () => {
  expect([999.6, 9_970, 59_700, 119_600].map(formatDuration)).toEqual(["1.0 s", "10 s", "1 min", "2 min"]);
  expect([59_700, 59.7 * 60_000].map((ms) => formatWhen(0, ms))).toEqual(["1 min ago", "1 h ago"]);
  expect([0, 999, 999_600, 1_500_000].map(formatBytes)).toEqual(["0 bytes", "999 bytes", "1.0 MB", "1.5 MB"]);
});

test("only all is a hundred percent", () => {
  expect([0, 0.004, 0.5, 0.9996, 1, 1.2].map(formatPercent)).toEqual([
    ...["0%", "0.4%", "50%", "99.9%", "100%", "120%"],
  ]);
});

test("a day in UTC has the same name in every time zone", () => {
  const zone = process.env.TZ;
  for (const TZ of ["America/Los_Angeles", "Pacific/Auckland"]) {
    process.env.TZ = TZ;
    expect(formatUtcDay("2026-11-13")).toBe("Nov 13");
  }
  process.env.TZ = zone;
});

test("a time that no date can have, as a runner may report it, is the latest date", () => {
  expect(toIsoTime(0)).toBe("1970-01-01T00:00:00.000Z");
  expect(toIsoTime(Number.MAX_SAFE_INTEGER)).toBe("+275760-09-13T00:00:00.000Z");
  expect(formatExact(Number.MAX_SAFE_INTEGER)).toContain("275760");
});
