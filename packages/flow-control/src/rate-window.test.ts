import { describe, expect, test } from "vitest";
import { createRateWindow } from "./rate-window.ts";

describe("a rate window", () => {
  const take = (window: ReturnType<typeof createRateWindow>, member: string, count: number, now: number) =>
    Array.from({ length: count }, () => window.take(member, 100, now)).filter((wait) => wait === undefined)
      .length;

  test("one member alone can use all of it, and the window moves on", () => {
    const window = createRateWindow();
    expect(take(window, "a", 150, 0)).toBe(100);
    expect(window.take("a", 100, 30_000)).toBeGreaterThanOrEqual(25);
    expect(take(window, "a", 150, 60_000)).toBe(100);
  });

  test("a member that uses most of it leaves the rest to others", () => {
    const window = createRateWindow();
    expect(take(window, "a", 70, 0)).toBe(70);
    expect(take(window, "b", 20, 0)).toBe(20);
    expect(take(window, "a", 10, 0)).toBe(0);
    expect(take(window, "b", 10, 0)).toBe(10);
    expect(take(window, "c", 10, 0)).toBe(0);
  });

  test("calls of other processes count too", () => {
    const window = createRateWindow();
    expect(take(window, "a", 10, 0)).toBe(10);
    window.setShared(95, 1_000);
    expect(take(window, "a", 10, 1_000)).toBe(5);
    window.setShared(0, 90_000);
    expect(take(window, "a", 150, 90_000)).toBe(100);
  });

  test("is idle after a minute without calls", () => {
    const window = createRateWindow();
    expect(window.isIdle(0)).toBe(true);
    take(window, "a", 1, 0);
    expect(window.isIdle(30_000)).toBe(false);
    expect(window.isIdle(60_000)).toBe(true);
  });
});
