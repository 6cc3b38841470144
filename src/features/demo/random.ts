import { hash } from "node:crypto";

/** A pseudorandom generator. The same seed gives the same values. */
export interface Random {
  /** An integer from `from` to `to`, both inclusive. */
  int(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
  /** A string of hexadecimal digits. */
  hex(length: number): string;
  /** An independent generator, so that a change in one part does not affect another. */
  derive(name: string): Random;
}

export function createRandom(seed: string): Random {
  let state = Number.parseInt(hash("sha256", seed, "hex").slice(0, 8), 16);
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    int,
    pick: (items) => items[int(0, items.length - 1)]!,
    chance: (probability) => next() < probability,
    hex: (length) => Array.from({ length }, () => int(0, 15).toString(16)).join(""),
    derive: (name) => createRandom(`${seed}/${name}`),
  };
}
