import { GitError, malformed } from "./errors.ts";
import { mebibytes } from "./limits.ts";

/** The result of a delta, without making it: its first two numbers are the lengths of base and result. */
export function readDeltaSizes(delta: Buffer): { base: number; result: number; at: number } {
  let at = 0;
  const number = () => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = delta[at++];
      if (byte === undefined || scale > 2 ** 42) throw malformed("a delta has no size");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  };
  return { base: number(), result: number(), at };
}

/** An instruction takes about as long as inflating this many bytes. */
const instructionBytes = 32;

/** Copies from the base and from the delta itself, within the size that the delta announced. */
export function applyDelta(
  base: Buffer,
  delta: Buffer,
  maxBytes: number,
  charge: (bytes: number) => void = () => {},
): Buffer {
  const sizes = readDeltaSizes(delta);
  if (sizes.base !== base.length) throw malformed("a delta was made for another base");
  if (sizes.result > maxBytes)
    throw new GitError("too_large", `An object has more than ${mebibytes(maxBytes)}.`);
  const result = Buffer.allocUnsafe(sizes.result);
  let { at } = sizes;
  let written = 0;
  let instructions = 0;
  const byte = () => {
    const value = delta[at++];
    if (value === undefined) throw malformed("a delta was cut short");
    return value;
  };
  while (at < delta.length) {
    const operation = byte();
    instructions++;
    if (operation & 0x80) {
      let from = 0;
      let length = 0;
      for (let i = 0; i < 4; i++) if (operation & (1 << i)) from += byte() * 2 ** (8 * i);
      for (let i = 0; i < 3; i++) if (operation & (0x10 << i)) length += byte() * 2 ** (8 * i);
      if (length === 0) length = 0x10000;
      if (from + length > base.length || written + length > result.length)
        throw malformed("a delta copies from outside its base");
      base.copy(result, written, from, from + length);
      written += length;
    } else {
      if (operation === 0 || at + operation > delta.length || written + operation > result.length)
        throw malformed("a delta contains an unknown instruction");
      delta.copy(result, written, at, at + operation);
      at += operation;
      written += operation;
    }
  }
  charge(instructions * instructionBytes);
  if (written !== result.length) throw malformed("a delta gives less than it announces");
  return result;
}
