import { expect, test } from "vitest";
import { formatDuration } from "./format.ts";

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
