import { describe, expect, test } from "vitest";
import { computeWaitMs, parseRetryAfter, readRetryAfter } from "./retry-after.ts";

const now = Date.parse("2026-11-15T12:00:00Z");

describe("Retry-After", () => {
  test.each([
    ["120", 120_000],
    [" 7 ", 7_000],
    ["1.5", 1_500],
    ["0", 0],
    ["Sun, 15 Nov 2026 12:01:00 GMT", 60_000],
    ["Sunday, 15-Nov-26 12:01:00 GMT", 60_000],
    ["Sun, 15 Nov 2026 11:00:00 GMT", 0],
  ])("%j is a wait of %d ms", (value, ms) => {
    expect(computeWaitMs(parseRetryAfter(value)!, now)).toBe(ms);
  });

  test.each([undefined, null, "", "soon", "-5", "1e9", "1e999", "2026-11-15", "9999999999"])(
    "%j is ignored",
    (value) => {
      expect(parseRetryAfter(value)).toBeUndefined();
      expect(readRetryAfter(value, now)).toBeNull();
    },
  );

  test("whole seconds are rounded up, so that nobody returns too early", () => {
    expect(readRetryAfter("1.5", now)).toBe(2);
    expect(readRetryAfter("Sun, 15 Nov 2026 12:00:01 GMT", now + 1)).toBe(1);
  });
});
