/** Collects pieces of any size in one buffer that grows up to a limit. */
export interface BoundedBuffer {
  /** Copies the piece. Returns false when it does not fit within the limit. */
  append(piece: Uint8Array): boolean;
  /** Returns the appended bytes without a copy. */
  bytes(): Buffer;
}

const firstBytes = 64 * 1024;

export function createBoundedBuffer(maxBytes: number): BoundedBuffer {
  let buffer = Buffer.allocUnsafeSlow(Math.min(firstBytes, maxBytes));
  let size = 0;
  return {
    append(piece) {
      const needed = size + piece.length;
      if (needed > maxBytes) return false;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, buffer.length * 2), maxBytes));
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      buffer.set(piece, size);
      size = needed;
      return true;
    },
    bytes: () => buffer.subarray(0, size),
  };
}
