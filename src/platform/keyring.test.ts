import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyring, instanceId, type Place, UnsealError } from "./keyring.ts";

const secret = "a secret for the tests, long enough";
const other = "another secret for tests, long enough";
const place = fc.record({ table: fc.string(), row: fc.string(), column: fc.string() });
const here: Place = { table: "mails", row: "mail_1", column: "text" };

describe("the key ring", () => {
  test("opens in its place what it sealed there, and nowhere else", () => {
    const ring = createKeyring(secret);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), place, place, (plain, at, elsewhere) => {
        const sealed = ring.seal(plain, at);
        expect(ring.open(sealed, at)).toBe(plain);
        fc.pre(JSON.stringify(at) !== JSON.stringify(elsewhere));
        expect(() => ring.open(sealed, elsewhere)).toThrow(UnsealError);
      }),
    );
  });

  test("never opens what was tampered with", () => {
    const ring = createKeyring(secret);
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.integer({ min: 1, max: 255 }), (plain, where, flip) => {
        const sealed = ring.seal(plain, here);
        const body = Buffer.from(sealed.slice(ring.currentPrefix.length), "base64url");
        body[where % body.length]! ^= flip;
        expect(() => ring.open(ring.currentPrefix + body.toString("base64url"), here)).toThrow(UnsealError);
      }),
    );
  });

  test("never opens what it did not seal, however it looks", () => {
    const ring = createKeyring(secret);
    const text = fc.oneof(
      fc.string(),
      fc.base64String().map((body) => ring.currentPrefix + body),
      fc.string().map((body) => ring.currentPrefix + body),
    );
    fc.assert(
      fc.property(text, (sealed) => {
        expect(() => ring.open(sealed, here)).toThrow(UnsealError);
      }),
    );
  });

  test("never opens a value cut short, whatever is left of it", () => {
    const ring = createKeyring(secret);
    const sealed = ring.seal("hello", here);
    for (let length = 0; length < sealed.length; length++)
      expect(() => ring.open(sealed.slice(0, length), here)).toThrow(UnsealError);
  });

  test("opens what a previous secret sealed, seals by the current one, and tells the two apart", () => {
    const old = createKeyring(secret).seal("hello", here);
    const ring = createKeyring(other, [secret]);
    expect(ring.open(old, here)).toBe("hello");
    const fresh = ring.seal("hello", here);
    expect(fresh.startsWith(ring.currentPrefix)).toBe(true);
    expect([ring.keyOf(fresh), ring.keyOf(old)]).toEqual(["current", "previous"]);
    expect(createKeyring(other).keyOf(old)).toBe("unknown");
    expect(() => createKeyring(other).open(old, here)).toThrow(/SIGNALBOX_SECRET_PREVIOUS/);
  });

  test("seals the same text differently each time", () => {
    const ring = createKeyring(secret);
    expect(ring.seal("hello", here)).not.toBe(ring.seal("hello", here));
  });

  test("names an instance by its secret, and keys for other purposes differ from each other", () => {
    expect(instanceId(createKeyring(secret))).toBe(instanceId(createKeyring(secret, [other])));
    expect(instanceId(createKeyring(secret))).not.toBe(instanceId(createKeyring(other)));
    expect(createKeyring(secret).derive("one")).not.toBe(createKeyring(secret).derive("two"));
  });
});
