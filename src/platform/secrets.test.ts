import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashSecret, isSameSecret, isToken, newToken } from "./secrets.ts";

const prefixes = fc.constantFrom("sbx_", "sbr_", "sbw_", "sbs_", "sbm_");
const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("a token", () => {
  test("is valid for its own kind only", () => {
    fc.assert(
      fc.property(prefixes, prefixes, (own, other) => {
        const token = newToken(own);
        expect(token).toMatch(/^sb\w_[0-9A-Za-z]{36}$/);
        expect(isToken(own, token)).toBe(true);
        expect(isToken(other, token)).toBe(own === other);
        // Not even by giving it another prefix.
        if (own !== other) expect(isToken(other, other + token.slice(own.length))).toBe(false);
      }),
    );
  });

  test("with one changed or two exchanged characters is refused without a query", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 39 }),
        fc.nat(61),
        fc.integer({ min: 4, max: 38 }),
        (at, letter, swap) => {
          const token = newToken("sbx_");
          const changed = token.slice(0, at) + letters[letter] + token.slice(at + 1);
          expect(isToken("sbx_", changed)).toBe(changed === token);
          const swapped = token.slice(0, swap) + token[swap + 1] + token[swap] + token.slice(swap + 2);
          expect(isToken("sbx_", swapped)).toBe(swapped === token);
        },
      ),
    );
  });

  test("is recognized only in its exact form", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        expect(isToken("sbx_", text)).toBe(false);
        expect(isToken("sbx_", `sbx_${text}`)).toBe(false);
      }),
    );
  });

  test("uses every character about equally often", () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 3_000; i++) {
      for (const letter of newToken("").slice(0, 30)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    const expected = (3_000 * 30) / 62;
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.2);
  });
});

test("two secrets compare as equal only if they are equal, whatever their length", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(isSameSecret(a, b)).toBe(a === b);
      expect(isSameSecret(a, a)).toBe(true);
      expect(hashSecret(a) === hashSecret(b)).toBe(a === b);
    }),
  );
});
