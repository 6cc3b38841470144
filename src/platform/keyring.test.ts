import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyring, UnsealError } from "./keyring.ts";

const place = { table: "mails", row: "mail_1", column: "text" };
const old = "an old secret that is long enough to be one";
const current = "a new secret that is long enough to be one";

describe("a sealed value", () => {
  test("opens in its place, whatever it is", () => {
    const ring = createKeyring(current);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (plain) => {
        const sealed = ring.seal(plain, place);
        expect(sealed.startsWith(ring.currentPrefix)).toBe(true);
        expect(ring.open(sealed, place)).toBe(plain);
        expect(ring.seal(plain, place)).not.toBe(sealed);
      }),
    );
  });

  test("opens nowhere else", () => {
    const ring = createKeyring(current);
    const sealed = ring.seal("secret", place);
    for (const elsewhere of [
      { ...place, table: "other" },
      { ...place, row: "mail_2" },
      { ...place, column: "subject" },
      { table: 'mails","mail_1', row: "text", column: "" },
    ]) {
      expect(() => ring.open(sealed, elsewhere)).toThrow(UnsealError);
    }
  });

  test("with any letter changed does not open", () => {
    const ring = createKeyring(current);
    const sealed = ring.seal("a secret of some length", place);
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom("A", "b", "9", "-", "."), (at, letter) => {
        const changed = sealed.slice(0, at) + letter + sealed.slice(at + 1);
        fc.pre(changed !== sealed);
        // The last letter of base64 has bits that mean nothing.
        fc.pre(at < sealed.length - 1);
        expect(() => ring.open(changed, place)).toThrow(UnsealError);
      }),
    );
  });

  test("of an old key opens while that is known, and says what to do when it is not", () => {
    const sealed = createKeyring(old).seal("secret", place);
    expect(createKeyring(current, [old]).open(sealed, place)).toBe("secret");
    expect(() => createKeyring(current).open(sealed, place)).toThrow(/SIGNALBOX_SECRET_PREVIOUS/);
    expect(createKeyring(current, [old]).seal("x", place)).toMatch(createKeyring(current).currentPrefix);
  });

  test("whose authentication was cut short does not open", () => {
    const ring = createKeyring(current);
    for (const bytes of [4, 8, 12, 13, 15, 16, 20, 27]) {
      const short = ring.currentPrefix + Buffer.alloc(bytes).toString("base64url");
      expect(() => ring.open(short, place)).toThrow(UnsealError);
    }
  });

  test("that is none is refused in words", () => {
    const ring = createKeyring(current);
    for (const none of [
      "",
      "plain",
      "v1",
      "v1.",
      "v2.x.y",
      `${ring.currentPrefix}`,
      `${ring.currentPrefix}AAAA`,
    ]) {
      expect(() => ring.open(none, place)).toThrow(UnsealError);
    }
  });
});
