import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(8 * 1024);
let used = pool.length;

/**
 * Returns random bytes for ids and secrets. They come from a pool that is filled for many calls at once, because
 * asking the system each time takes longer than creating an id. Bytes are removed from the pool when they are returned.
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
