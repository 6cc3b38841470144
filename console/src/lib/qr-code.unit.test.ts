import { describe, expect, test } from "vitest";
import {
  createFormatBits,
  createQrCode,
  drawPatterns,
  listFormatPlaces,
  masks,
  multiply,
  type QrCode,
  walk,
} from "./qr-code.ts";

const blockCounts = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4];
const corrections = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18];

/** Reads a code as a scanner does, without a picture: the mask, the bits, the blocks, and the text. */
function read(code: QrCode): string {
  const size = code.length;
  const version = (size - 17) / 4;
  const [first, second] = listFormatPlaces(size).map((copy) =>
    copy.reduce((bits, [x, y], i) => bits | (Number(code[y]![x]) << i), 0),
  );
  expect(first).toBe(second);
  const mask = masks.findIndex((_, i) => createFormatBits(i) === first);
  const patterns = drawPatterns(version);
  const bits = [...walk(size)]
    .filter(([x, y]) => patterns[y]![x] === undefined)
    .map(([x, y]) => Number(code[y]![x] !== masks[mask]!(x, y)));
  const codewords = Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    Number.parseInt(bits.slice(i * 8, i * 8 + 8).join(""), 2),
  );
  const count = blockCounts[version - 1]!;
  const correction = corrections[version - 1]!;
  const dataLength = codewords.length - correction * count;
  const short = Math.floor(dataLength / count);
  const longFrom = count - (dataLength % count);
  const blocks: number[][] = Array.from({ length: count }, () => []);
  let at = 0;
  for (let i = 0; i <= short; i++)
    for (let block = 0; block < count; block++)
      if (i < short || block >= longFrom) blocks[block]!.push(codewords[at++]!);
  const data = blocks.flat();
  for (let i = 0; i < correction; i++) for (const block of blocks) block.push(codewords[at++]!);
  for (const block of blocks) expectNoError(block, correction);
  const stream = data.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  expect(stream.slice(0, 4)).toBe("0100");
  const lengthBits = version < 10 ? 8 : 16;
  const length = Number.parseInt(stream.slice(4, 4 + lengthBits), 2);
  const bytes = Array.from({ length }, (_, i) =>
    Number.parseInt(stream.slice(4 + lengthBits + i * 8, 12 + lengthBits + i * 8), 2),
  );
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** A block without errors is zero at every root of the generator. */
function expectNoError(block: readonly number[], correction: number): void {
  let root = 1;
  for (let i = 0; i < correction; i++) {
    const power = root;
    expect(block.reduce((sum, value) => multiply(sum, power) ^ value, 0)).toBe(0);
    root = multiply(root, 2);
  }
}

describe("a QR code", () => {
  test.each([1, 17, 18, 53, 106, 134, 154, 192, 230, 271])(
    "of %d bytes is read as it was written",
    (length) => {
      const text = "otpauth://totp/Signalbox:ada@northwind.example?secret=JBSWY3DPEHPK3PXP&"
        .repeat(5)
        .slice(0, length);
      expect(read(createQrCode(text))).toBe(text);
    },
  );

  test("holds text outside ASCII", () => {
    expect(read(createQrCode("Zoë · 信号"))).toBe("Zoë · 信号");
  });

  test("refuses a text that does not fit", () => {
    expect(() => createQrCode("x".repeat(859))).toThrow("too long");
  });
});
