import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isId, newId } from "./ids.ts";

describe("ids", () => {
  test("sort in the order in which they were made, and never repeat", () => {
    const ids = Array.from({ length: 10_000 }, () => newId("run"));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("begin with the time, to the millisecond", () => {
    const before = Date.now();
    const id = newId("org");
    const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
    let value = 0n;
    for (const letter of id.slice(4)) value = (value << 5n) | BigInt(alphabet.indexOf(letter));
    // Ids made in bursts run ahead of the clock by less than a millisecond for every 2,048 of them.
    expect(Number(value >> 80n) - before).toBeLessThan(1_000);
    expect(Number(value >> 80n)).toBeGreaterThanOrEqual(before - 1_000);
    expect((value >> 76n) & 15n).toBe(7n);
    expect((value >> 62n) & 3n).toBe(2n);
  });

  test("are recognised by their kind", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("org", "usr", "key"),
        fc.constantFrom("org", "usr", "key"),
        (made, asked) => {
          expect(isId(asked, newId(made))).toBe(made === asked);
        },
      ),
    );
  });

  test("anything else is not one", () => {
    const id = newId("org");
    for (const text of [
      "",
      "org_",
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      `${id.slice(0, -1)}u`,
      `org_8${id.slice(5)}`,
    ])
      expect(isId("org", text)).toBe(false);
    fc.assert(fc.property(fc.string({ maxLength: 40 }), (text) => !isId("org", text)));
  });
});
