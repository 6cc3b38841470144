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
    // Told below: the library's words say nothing to a person.
  }
  throw malformed("an object does not have the size it announces");
}

/** The same for one that is too large to hold: it is counted piece by piece and forgotten. */
export async function skipInflated(bytes: Buffer, size: number): Promise<number> {
  const stream = createInflate();
  let seen = 0;
  try {
    stream.end(bytes);
    for await (const piece of stream) {
      seen += (piece as Buffer).length;
      if (seen > size) break;
    }
  } catch {
    seen = -1;
  } finally {
    stream.destroy();
  }
  if (seen !== size) throw malformed("an object does not have the size it announces");
  return stream.bytesWritten;
}
