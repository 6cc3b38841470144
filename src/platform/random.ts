import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(8 * 1024);
let used = pool.length;

/**
 * Returns random bytes for ids and secrets. They are fetched for many calls at once: a call of the system for each takes
 * longer than most of what the bytes are used for. Bytes leave the pool when they are handed out.
 */
export function takeRandomBytes(count: number): Buffer {
  const bytes = Buffer.allocUnsafe(count);
  fillWithRandomBytes(bytes, 0);
  return bytes;
}

/** Writes random bytes to the end of `target`, from `start` on. */
export function fillWithRandomBytes(target: Buffer, start: number): void {
  const count = target.length - start;
  if (count > pool.length) {
    randomFillSync(target, start);
    return;
  }
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let i = 0; i < count; i++) {
    target[start + i] = pool[used]!;
    pool[used++] = 0;
  }
}
