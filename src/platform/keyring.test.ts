import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sealFirstFormat } from "../../test/sealing.ts";
import { createKeyring, instanceId, type Place, UnsealError } from "./keyring.ts";

const secret = "a secret for the tests, long enough";
const other = "another secret for tests, long enough";
const place = fc.record({ table: fc.string(), row: fc.string(), column: fc.string() });
const here: Place = { table: "mails", row: "mail_1", column: "text" };

describe("the key ring", () => {
  test("opens a sealed value for its table, row and column, and for no other", () => {
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

  test("opens a value for the organization and address it was sealed for, and for no other", () => {
    const ring = createKeyring(secret);
    const bound = { ...here, organization: "org_1", address: "https://git.example" };
    const sealed = ring.seal("token", bound);
    expect(ring.open(sealed, bound)).toBe("token");
    for (const other of [
      here,
      { ...bound, organization: "org_2" },
      { ...bound, organization: undefined },
      { ...bound, address: "https://evil.example" },
      { ...bound, address: undefined },
      { ...here, organization: "https://git.example", address: "org_1" },
    ])
      expect(() => ring.open(sealed, other)).toThrow(UnsealError);
  });

  test("opens the first format, without organization and address, until that format is retired", () => {
    const ring = createKeyring(secret);
    const bound = { ...here, organization: "org_1", address: "https://git.example" };
    const old = sealFirstFormat(secret, "token", here);
    expect(ring.findKeyId(old)).toBe("previous");
    expect(ring.open(old, bound)).toBe("token");
    // A changed prefix does not turn one format into the other.
    expect(() => ring.open(ring.seal("token", here).replace(/^v2/, "v1"), here)).toThrow(UnsealError);
    expect(() => ring.open(old.replace(/^v1/, "v2"), here)).toThrow(UnsealError);
    ring.endFirstFormat();
    expect(() => ring.open(old, bound)).toThrow(/first format/);
    expect(ring.open(ring.seal("token", bound), bound)).toBe("token");
  });

  test("never opens a value that was changed", () => {
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

  test("never opens a text that it did not seal", () => {
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

  test("never opens a truncated value", () => {
    const ring = createKeyring(secret);
    const sealed = ring.seal("hello", here);
    for (let length = 0; length < sealed.length; length++)
      expect(() => ring.open(sealed.slice(0, length), here)).toThrow(UnsealError);
  });

  test("opens values of a previous secret, seals with the current one, and knows which one was used", () => {
    const old = createKeyring(secret).seal("hello", here);
    const ring = createKeyring(other, [secret]);
    expect(ring.open(old, here)).toBe("hello");
    const fresh = ring.seal("hello", here);
    expect(fresh.startsWith(ring.currentPrefix)).toBe(true);
    expect([ring.findKeyId(fresh), ring.findKeyId(old)]).toEqual(["current", "previous"]);
    expect(createKeyring(other).findKeyId(old)).toBe("unknown");
    expect(() => createKeyring(other).open(old, here)).toThrow(/SIGNALBOX_SECRET_PREVIOUS/);
  });

  test("seals the same text differently each time", () => {
    const ring = createKeyring(secret);
    expect(ring.seal("hello", here)).not.toBe(ring.seal("hello", here));
  });

  test("derives the instance id from the secret, and different keys for different purposes", () => {
    expect(instanceId(createKeyring(secret))).toBe(instanceId(createKeyring(secret, [other])));
    expect(instanceId(createKeyring(secret))).not.toBe(instanceId(createKeyring(other)));
    expect(createKeyring(secret).derive("one")).not.toBe(createKeyring(secret).derive("two"));
  });
});

describe("a signature", () => {
  const before = createKeyring("the secret of last year, long enough");
  const ring = createKeyring("the secret of this year, long enough", [
    "the secret of last year, long enough",
  ]);

  test("is valid for one text, one purpose and one key", () => {
    const signature = ring.sign("rows", "text");
    expect(ring.checkSignature("rows", "text", signature)).toBe("current");
    expect(ring.checkSignature("rows", "other", signature)).toBe("invalid");
    expect(ring.checkSignature("columns", "text", signature)).toBe("invalid");
    expect(ring.checkSignature("rows", "text", before.sign("rows", "text"))).toBe("previous");
    expect(before.checkSignature("rows", "text", signature)).toBe("unknown");
  });

  test("that is cut, lengthened or no signature at all is invalid", () => {
    const signature = ring.sign("rows", "text");
    for (const forged of ["", "v1", ring.currentPrefix, signature.slice(0, -8), `${signature}AAAA`, "v2.x.y"])
      expect(ring.checkSignature("rows", "text", forged), forged).toBe("invalid");
  });
});
