import { createInflate, inflateSync } from "node:zlib";
import { malformed } from "./errors.ts";

/** One zlib stream at the beginning of `bytes`, and how many of them it took. Never more output than announced. */
export function inflate(bytes: Buffer, size: number): { data: Buffer; consumed: number } {
  try {
    const { buffer, engine } = inflateSync(bytes, {
      info: true,
      maxOutputLength: Math.max(size, 1),
      chunkSize: Math.min(Math.max(size, 64), 256 * 1024),
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    if (buffer.length === size) return { data: buffer, consumed: engine.bytesWritten };
  } catch {
    // Reported below in plain words, because the message of the library does not help a person.
  }
  throw malformed("an object does not have the size it announces");
}

/** Inflates a stream that is too large to hold: its bytes are counted and discarded. */
export async function skipInflated(bytes: Buffer, size: number): Promise<number> {
  const stream = createInflate();
  let inflatedBytes = 0;
  try {
    stream.end(bytes);
    for await (const piece of stream) {
      inflatedBytes += (piece as Buffer).length;
      if (inflatedBytes > size) break;
    }
  } catch {
    inflatedBytes = -1;
  } finally {
    stream.destroy();
  }
  if (inflatedBytes !== size) throw malformed("an object does not have the size it announces");
  return stream.bytesWritten;
}
