import { hash } from "node:crypto";

/** A digest of the rows of a table that does not depend on their order. */
export interface RowDigest {
  add(lines: readonly string[]): void;
  readonly rows: number;
  render(): string;
}

const words = 8;

/** Adds up the SHA-256 of all rows, word by word, so that equal rows do not cancel each other out. */
export function createRowDigest(): RowDigest {
  const sum = new Uint32Array(words);
  let rows = 0;
  return {
    add(lines) {
      for (const line of lines) {
        const digest = hash("sha256", line, "buffer");
        for (let i = 0; i < words; i++) sum[i] = sum[i]! + digest.readUInt32BE(i * 4);
      }
      rows += lines.length;
    },
    get rows() {
      return rows;
    },
    render: () => Array.from(sum, (word) => word.toString(16).padStart(8, "0")).join(""),
  };
}
