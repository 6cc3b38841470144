import fc from "fast-check";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { type BoundValue, ByteParts, serializeBind } from "./bind.ts";

/** The message as the driver itself writes it. */
function serializeByDriver(statement: string, values: readonly (string | Buffer | null)[]): Buffer {
  let message: Buffer | undefined;
  const connection = { _send: (bytes: Buffer) => (message = bytes) };
  (pg.Connection.prototype.bind as (config: object) => void).call(connection, { statement, values });
  return Buffer.from(message!);
}

const bytes = fc.uint8Array({ maxLength: 6000, size: "max" }).map((array) => Buffer.from(array));
const value = fc.oneof(fc.string({ unit: "binary" }), bytes, fc.constant(null));

describe("the message with the values of a statement", () => {
  test("has the bytes that the driver writes", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(value, { maxLength: 8 }), (name, values) => {
        const statement = name.replaceAll("\0", "");
        expect(Buffer.concat(serializeBind(statement, values))).toEqual(serializeByDriver(statement, values));
      }),
      { numRuns: 200 },
    );
  });

  test("has the same bytes when a value comes in parts", () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 4 }), fc.string(), (parts, text) => {
        const values: BoundValue[] = [text, new ByteParts(parts), null, text];
        expect(Buffer.concat(serializeBind("s1", values))).toEqual(
          serializeByDriver("s1", [text, Buffer.concat(parts), null, text]),
        );
      }),
      { numRuns: 100 },
    );
  });

  test("refers to large bytes and to parts, and does not copy them", () => {
    const large = Buffer.alloc(5000);
    const small = Buffer.alloc(10);
    const pieces = serializeBind("s1", ["a", large, small, new ByteParts([small, large])]);
    expect(pieces.map((piece) => [large, small].indexOf(piece as typeof large))).toEqual([
      -1, 0, -1, 1, 0, -1,
    ]);
  });
});
