import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashSecret, isToken, newToken, sameSecret } from "./secrets.ts";

describe("tokens", () => {
  test("are known by their prefix and their checksum", () => {
    for (let i = 0; i < 200; i++) {
      const token = newToken("sbx_");
      expect(token).toMatch(/^sbx_[0-9A-Za-z]{36}$/);
      expect(isToken("sbx_", token)).toBe(true);
      expect(isToken("sbr_", token)).toBe(false);
    }
  });

  test("one mistyped letter is noticed without a query", () => {
    const token = newToken("sbx_");
    const letter = fc.constantFrom(..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    fc.assert(
      fc.property(fc.integer({ min: 4, max: token.length - 1 }), letter, (at, typed) => {
        fc.pre(token[at] !== typed);
        expect(isToken("sbx_", token.slice(0, at) + typed + token.slice(at + 1))).toBe(false);
      }),
    );
  });

  test("do not repeat, and use every letter", () => {
    const tokens = Array.from({ length: 2_000 }, () => newToken(""));
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(new Set(tokens.join("")).size).toBe(62);
  });
});

test("secrets are the same only when they are", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(sameSecret(a, b)).toBe(a === b);
      expect(hashSecret(a) === hashSecret(b)).toBe(a === b);
    }),
  );
});
