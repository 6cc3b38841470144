import { describe, expect, test } from "vitest";
import { fillWithRandomBytes, takeRandomBytes } from "./random.ts";

describe("random bytes", () => {
  test("have the wanted length, also across the end of the pool and beyond its size", () => {
    for (const count of [0, 1, 12, 32, 100, 5_000, 8_192, 8_193, 20_000])
      expect(takeRandomBytes(count)).toHaveLength(count);
  });

  test("are never handed out twice, and are not zeros", () => {
    const seen = new Set<string>();
    for (let n = 0; n < 5_000; n++) seen.add(takeRandomBytes(8 + (n % 40)).toString("hex", 0, 8));
    expect(seen.size).toBe(5_000);
    expect(seen).not.toContain("0000000000000000");
  });

  test("have every value about as often", () => {
    const counts = new Array<number>(256).fill(0);
    for (let n = 0; n < 8_000; n++) for (const byte of takeRandomBytes(32)) counts[byte]!++;
    // 1,000 is expected, and the standard deviation is 32.
    expect(Math.min(...counts)).toBeGreaterThan(750);
    expect(Math.max(...counts)).toBeLessThan(1_250);
  });

  test("leave the beginning of a buffer unchanged when they fill its end", () => {
    const buffer = Buffer.alloc(40, 7);
    fillWithRandomBytes(buffer, 8);
    expect(buffer.subarray(0, 8)).toEqual(Buffer.alloc(8, 7));
    expect(buffer.subarray(8)).not.toEqual(Buffer.alloc(32, 7));
  });
});
