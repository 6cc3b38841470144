/**
 * QR codes (ISO/IEC 18004) for short texts: byte mode, error correction level L, versions 1 to 20. Drawn here, because a
 * secret must not go to a service that draws it.
 */

/** Codewords for error correction in each block, by version. */
const correctionCodewords = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const blockCounts = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];

/** Rows of modules. True is dark. */
export type QrCode = boolean[][];

export function createQrCode(text: string): QrCode {
  const bytes = [...new TextEncoder().encode(text)];
  const version = findVersion(bytes.length);
  const codewords = interleave(encodeBytes(bytes, version), version);
  const drawn = drawPatterns(version);
  const data = drawCodewords(drawn, codewords);
  const candidates = masks.map((_, mask) => applyMask(drawn, data, mask));
  return candidates.reduce((best, one) => (measurePenalty(one) < measurePenalty(best) ? one : best));
}

/** Modules that carry data, without the patterns, the format and the version. */
function countDataModules(version: number): number {
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const all = (16 * version + 128) * version + 64;
  const alignment = version === 1 ? 0 : (25 * alignments - 10) * alignments - 55;
  return all - alignment - (version >= 7 ? 36 : 0);
}

const countCodewords = (version: number) => Math.floor(countDataModules(version) / 8);
const countDataCodewords = (version: number) =>
  countCodewords(version) - correctionCodewords[version - 1]! * blockCounts[version - 1]!;
/** The length of the text has 8 bits in small codes and 16 in larger ones. */
const countLengthBits = (version: number) => (version < 10 ? 8 : 16);

function findVersion(length: number): number {
  const versions = blockCounts.map((_, i) => i + 1);
  const found = versions.find(
    (version) => 4 + countLengthBits(version) + length * 8 <= countDataCodewords(version) * 8,
  );
  if (found === undefined) throw new RangeError("The text is too long for a QR code.");
  return found;
}

function encodeBytes(bytes: readonly number[], version: number): number[] {
  const capacity = countDataCodewords(version);
  const bits: number[] = [];
  const append = (value: number, length: number) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >>> i) & 1);
  };
  append(0b0100, 4);
  append(bytes.length, countLengthBits(version));
  for (const byte of bytes) append(byte, 8);
  append(0, Math.min(4, capacity * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const codewords = Array.from({ length: bits.length / 8 }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((value, bit) => value * 2 + bit, 0),
  );
  for (let padding = 0xec; codewords.length < capacity; padding ^= 0xec ^ 0x11) codewords.push(padding);
  return codewords;
}

/** Splits the data into blocks, adds their error correction, and mixes them. */
function interleave(data: readonly number[], version: number): number[] {
  const count = blockCounts[version - 1]!;
  const correction = correctionCodewords[version - 1]!;
  const shortLength = Math.floor(data.length / count);
  const longFrom = count - (data.length % count);
  const generator = createGenerator(correction);
  let at = 0;
  const blocks = Array.from({ length: count }, (_, i) => {
    const block = data.slice(at, at + shortLength + (i >= longFrom ? 1 : 0));
    at += block.length;
    return { data: block, correction: divide(block, generator) };
  });
  const mix = (part: "data" | "correction", length: number) =>
    Array.from({ length }, (_, i) => blocks.flatMap((block) => block[part][i] ?? [])).flat();
  return [...mix("data", shortLength + 1), ...mix("correction", correction)];
}

/** Multiplies in the field of 256 elements with the polynomial 0x11d. */
export function multiply(a: number, b: number): number {
  let product = 0;
  for (let i = 7; i >= 0; i--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> i) & 1) * a;
  }
  return product;
}

function createGenerator(degree: number): number[] {
  const generator = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let step = 0; step < degree; step++) {
    for (let i = 0; i < degree; i++)
      generator[i] = multiply(generator[i]!, root) ^ (i + 1 < degree ? generator[i + 1]! : 0);
    root = multiply(root, 2);
  }
  return generator;
}

function divide(data: readonly number[], generator: readonly number[]): number[] {
  const rest = generator.map(() => 0);
  for (const value of data) {
    const factor = value ^ rest.shift()!;
    rest.push(0);
    for (const [i, coefficient] of generator.entries()) rest[i]! ^= multiply(coefficient, factor);
  }
  return rest;
}

/** A code under construction. Undefined modules still wait for data. */
type Drawing = (boolean | undefined)[][];

function findAlignments(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const size = version * 4 + 17;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => size - 7 - i * step).reverse()];
}

/** Draws everything but the data. The places of the format are light until a mask is chosen. */
export function drawPatterns(version: number): Drawing {
  const size = version * 4 + 17;
  const drawing: Drawing = Array.from({ length: size }, () => Array(size).fill(undefined));
  const set = (x: number, y: number, dark: boolean) => {
    if (x >= 0 && y >= 0 && x < size && y < size) drawing[y]![x] = dark;
  };
  for (let i = 0; i < size; i++) {
    set(i, 6, i % 2 === 0);
    set(6, i, i % 2 === 0);
  }
  const drawSquare = (cx: number, cy: number, radius: number, light: readonly number[]) => {
    for (let dy = -radius; dy <= radius; dy++)
      for (let dx = -radius; dx <= radius; dx++)
        set(cx + dx, cy + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  const alignments = findAlignments(version);
  const last = alignments.length - 1;
  for (const [i, y] of alignments.entries())
    for (const [j, x] of alignments.entries()) {
      const isAtFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!isAtFinder) drawSquare(x, y, 2, [1]);
    }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawSquare(x, y, 4, [2, 4]);
  for (const [x, y] of listFormatPlaces(size).flat()) set(x, y, false);
  set(8, size - 8, true);
  if (version >= 7) drawVersion(version, size, set);
  return drawing;
}

function drawVersion(version: number, size: number, set: (x: number, y: number, dark: boolean) => void) {
  let rest = version;
  for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let i = 0; i < 18; i++) {
    const dark = ((bits >>> i) & 1) === 1;
    const a = size - 11 + (i % 3);
    const b = Math.floor(i / 3);
    set(a, b, dark);
    set(b, a, dark);
  }
}

type Place = readonly [x: number, y: number];

/** The two copies of the 15 format bits, from the lowest bit. */
export function listFormatPlaces(size: number): readonly (readonly Place[])[] {
  const first: Place[] = [0, 1, 2, 3, 4, 5, 7, 8].map((y) => [8, y]);
  first.push([7, 8], ...[5, 4, 3, 2, 1, 0].map((x): Place => [x, 8]));
  const second: Place[] = [
    ...Array.from({ length: 8 }, (_, i): Place => [size - 1 - i, 8]),
    ...Array.from({ length: 7 }, (_, i): Place => [8, size - 7 + i]),
  ];
  return [first, second];
}

export function createFormatBits(mask: number): number {
  const data = (0b01 << 3) | mask;
  let rest = data;
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  return ((data << 10) | rest) ^ 0x5412;
}

/** The order in which data fills the modules: in columns of two, upwards and downwards in turn. */
export function* walk(size: number): Generator<Place> {
  let isUpward = true;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let i = 0; i < size; i++) {
      const y = isUpward ? size - 1 - i : i;
      yield [right, y];
      yield [right - 1, y];
    }
    isUpward = !isUpward;
  }
}

/** Returns the places of the data, as `y * size + x`. Only they are masked. */
function drawCodewords(drawing: Drawing, codewords: readonly number[]): ReadonlySet<number> {
  const size = drawing.length;
  const places = new Set<number>();
  let bit = 0;
  for (const [x, y] of walk(size)) {
    if (drawing[y]![x] !== undefined) continue;
    const codeword = codewords[bit >>> 3] ?? 0;
    drawing[y]![x] = ((codeword >>> (7 - (bit & 7))) & 1) === 1;
    places.add(y * size + x);
    bit++;
  }
  return places;
}

export const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function applyMask(drawing: Drawing, data: ReadonlySet<number>, mask: number): QrCode {
  const size = drawing.length;
  const code = drawing.map((row, y) =>
    row.map((dark, x) => (dark ?? false) !== (data.has(y * size + x) && masks[mask]!(x, y))),
  );
  const bits = createFormatBits(mask);
  for (const copy of listFormatPlaces(size))
    for (const [i, [x, y]] of copy.entries()) code[y]![x] = ((bits >>> i) & 1) === 1;
  return code;
}

/** How hard a code is to read: long runs, blocks, shapes like a finder, and too much of one colour. */
function measurePenalty(code: QrCode): number {
  const columns = code.map((_, x) => code.map((row) => row[x]!));
  let penalty = 0;
  for (const line of [...code, ...columns]) {
    const text = line.map((dark) => (dark ? "1" : "0")).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    for (const shape of ["10111010000", "00001011101"])
      for (let at = text.indexOf(shape); at !== -1; at = text.indexOf(shape, at + 1)) penalty += 40;
  }
  for (let y = 1; y < code.length; y++)
    for (let x = 1; x < code.length; x++) {
      const dark = code[y]![x];
      if (dark === code[y]![x - 1] && dark === code[y - 1]![x] && dark === code[y - 1]![x - 1]) penalty += 3;
    }
  const share = code.flat().filter(Boolean).length / code.length ** 2;
  return penalty + Math.floor(Math.abs(share - 0.5) * 20) * 10;
}
