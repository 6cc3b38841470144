import { describe, expect, test } from "vitest";
import { createBreaker } from "./breaker.ts";
import { createRateWindow } from "./rate.ts";

describe("the rate of a connection", () => {
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

describe("the circuit breaker", () => {
  const fail = (breaker: ReturnType<typeof createBreaker>, times: number, now: number) => {
    for (let i = 0; i < times; i++) breaker.report("a", false, now);
  };

  test("opens after five failures in a row, and a success in between starts anew", () => {
    const breaker = createBreaker();
    fail(breaker, 4, 0);
    breaker.report("a", true, 0);
    fail(breaker, 4, 0);
    expect(breaker.findPause("a", 0)).toBeUndefined();
    fail(breaker, 1, 0);
    expect(breaker.findPause("a", 0)).toBeGreaterThan(8_000);
    expect(breaker.findPause("b", 0)).toBeUndefined();
    expect(breaker.countOpen(0)).toBe(1);
  });

  test("lets one call try after a pause, which doubles up to five minutes", () => {
    const breaker = createBreaker();
    fail(breaker, 5, 0);
    let now = 0;
    const pauses: number[] = [];
    for (let i = 0; i < 8; i++) {
      const pause = breaker.findPause("a", now)!;
      pauses.push(pause);
      now += pause;
      expect(breaker.findPause("a", now)).toBeUndefined();
      expect(breaker.findPause("a", now)).toBeGreaterThan(0);
      breaker.report("a", false, now);
    }
    expect(pauses[1]! / pauses[0]!).toBeGreaterThan(1.5);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(330_000);
    const last = breaker.findPause("a", now)!;
    expect(breaker.findPause("a", now + last)).toBeUndefined();
    breaker.report("a", true, now + last);
    expect(breaker.findPause("a", now + last)).toBeUndefined();
    expect(breaker.countOpen(now + last)).toBe(0);
  });

  test("a try that says nothing about the server leaves the next one possible", () => {
    const breaker = createBreaker();
    fail(breaker, 5, 0);
    expect(breaker.findPause("a", 20_000)).toBeUndefined();
    breaker.report("a", undefined, 20_000);
    expect(breaker.findPause("a", 20_000)).toBeUndefined();
  });

  test("calls that were on their way when it opened do not make the pause longer", () => {
    const breaker = createBreaker();
    fail(breaker, 25, 0);
    expect(breaker.findPause("a", 0)).toBeLessThan(12_000);
  });
});
