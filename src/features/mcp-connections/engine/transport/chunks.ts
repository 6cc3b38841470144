import { EgressError, type EgressStream } from "../../../../platform/egress/index.ts";

export type Chunk =
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "end" }
  /** No chunk came within the time that the caller was willing to wait. */
  | { kind: "idle" }
  | { kind: "fault"; fault: unknown };

/** Returns the next chunk, or `idle` after this time. Without a time it waits until the stream itself ends. */
export type NextChunk = (maxWaitMs?: number) => Promise<Chunk>;

/** Reads a stream chunk by chunk, up to a number of bytes. The first chunk past the limit is followed by a fault. */
export function createChunkReader(stream: EgressStream, maxBytes: number): NextChunk {
  const iterator = stream.chunks[Symbol.asyncIterator]();
  let bytesRead = 0;
  let pending: Promise<Chunk> | undefined;

  return async (maxWaitMs) => {
    pending ??= iterator.next().then(
      ({ done, value }): Chunk => (done ? { kind: "end" } : { kind: "bytes", bytes: value as Uint8Array }),
      (fault: unknown): Chunk => ({ kind: "fault", fault }),
    );
    if (maxWaitMs === undefined) return take(await pending);
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<Chunk>((resolve) => {
      timer = setTimeout(() => resolve({ kind: "idle" }), maxWaitMs);
    });
    const chunk = await Promise.race([pending, idle]);
    clearTimeout(timer);
    return chunk.kind === "idle" ? chunk : take(chunk);
  };

  function take(chunk: Chunk): Chunk {
    pending = undefined;
    if (chunk.kind !== "bytes") return chunk;
    const left = maxBytes - bytesRead;
    bytesRead += chunk.bytes.length;
    if (chunk.bytes.length <= left) return chunk;
    const fault = new EgressError(
      "too_large",
      `The reply is larger than the ${maxBytes} bytes that are read.`,
    );
    pending = Promise.resolve({ kind: "fault", fault });
    return { kind: "bytes", bytes: chunk.bytes.subarray(0, left) };
  }
}

/** Returns a reader that yields `first` before the remaining chunks. */
export function prependChunk(first: Chunk, rest: NextChunk): NextChunk {
  let next: Chunk | undefined = first;
  return async (maxWaitMs) => {
    const chunk = next ?? (await rest(maxWaitMs));
    next = undefined;
    return chunk;
  };
}

/** Reads text until the stream ends, `maxBytes` are read or the time is over. The stream is then closed. */
export async function readTextWithin(
  stream: EgressStream,
  { maxBytes, maxMs }: { maxBytes: number; maxMs: number },
): Promise<string> {
  const decoder = new TextDecoder("utf-8");
  const nextChunk = createChunkReader(stream, maxBytes);
  const deadline = performance.now() + maxMs;
  let text = "";
  for (;;) {
    const chunk = await nextChunk(Math.max(0, deadline - performance.now()));
    if (chunk.kind === "bytes") text += decoder.decode(chunk.bytes, { stream: true });
    else {
      stream.close();
      return text.slice(0, maxBytes);
    }
  }
}

const maxDiscardBytes = 16 * 1024;
const maxDiscardMs = 10;

/**
 * Reads and discards a body that is short and has already arrived. Its connection can then be reused, which saves
 * the next request a TLS handshake. Any other body is dropped together with its connection.
 */
export async function discardShortBody(stream: EgressStream): Promise<void> {
  const nextChunk = createChunkReader(stream, maxDiscardBytes);
  const deadline = performance.now() + maxDiscardMs;
  for (;;) {
    const chunk = await nextChunk(Math.max(0, deadline - performance.now()));
    if (chunk.kind === "end") return;
    if (chunk.kind !== "bytes") return stream.close();
  }
}
