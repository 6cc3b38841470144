import { describe, expect, test } from "vitest";
import { createBreaker } from "./breaker.ts";

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
