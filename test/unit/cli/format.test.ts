import { expect, test } from "vitest";
import { formatClockTime } from "../../../src/commands/remote/format.ts";

test("a time that a runner reports is written as a clock time, also the largest one", () => {
  for (const at of [0, Date.now(), 8.64e15, Number.MAX_SAFE_INTEGER])
    expect(formatClockTime(at)).toMatch(/^\d\d:\d\d:\d\d$/);
});
