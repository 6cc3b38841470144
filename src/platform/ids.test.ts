import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { idsBetween, isId, newId, newIdAt } from "./ids.ts";

describe("an id", () => {
  test("sorts by its time of creation, also within a millisecond", () => {
    const ids = Array.from({ length: 20_000 }, () => newId("run"));
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("sorts after earlier ids even when the clock is set back", () => {
    vi.useFakeTimers();
    try {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 50 }), (steps) => {
          let last = newId("run");
          for (const step of steps) {
            vi.setSystemTime(Date.now() + step);
            const next = newId("run");
            expect(next > last).toBe(true);
            last = next;
          }
        }),
      );
    } finally {
      vi.useRealTimers();
    }
  });

  test("for an earlier time sorts among the ids of that time", () => {
    const time = fc.integer({ min: 1_000_000_000, max: Date.now() });
    fc.assert(
      fc.property(time, time, (a, b) => {
        const [one, other] = [newIdAt("run", a), newIdAt("run", b)];
        expect(isId("run", one)).toBe(true);
        if (a !== b) expect(one < other).toBe(a < b);
        const { first, end } = idsBetween("run", a, a);
        expect(first! <= one && one < end!).toBe(true);
      }),
    );
  });

  test("is valid for its own kind only", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("org", "usr", "mem", "automation"),
        fc.constantFrom("org", "usr", "mem"),
        (a, b) => {
          expect(isId(a, newId(a))).toBe(true);
          if (a !== b) expect(isId(b, newId(a))).toBe(false);
        },
      ),
    );
  });

  test("is recognized only in its exact form", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(isId("org", text)).toBe(false);
        expect(isId("org", `org_${text}`)).toBe(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text));
      }),
    );
    const good = newId("org");
    for (const bad of [
      good.toUpperCase(),
      `${good} `,
      `${good}\n`,
      good.slice(0, -1),
      `${good}0`,
      `org_8${good.slice(5)}`,
    ]) {
      expect(isId("org", bad)).toBe(false);
    }
  });

  test("holds a version 7 UUID", () => {
    const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
    const before = Date.now();
    let bits = 0n;
    for (const letter of newId("x").slice(2)) bits = bits * 32n + BigInt(alphabet.indexOf(letter));
    const hex = bits.toString(16).padStart(32, "0");
    expect(hex[12]).toBe("7");
    expect("89ab").toContain(hex[16]);
    expect(Number.parseInt(hex.slice(0, 12), 16)).toBeGreaterThanOrEqual(before - 1);
  });
});
