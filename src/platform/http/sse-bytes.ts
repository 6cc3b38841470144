/** Bytes of one event that may be held back until it is complete, unless the mount says otherwise. */
const defaultEventBytes = 4 * 1024 * 1024;

/**
 * Cuts the bytes of a text/event-stream between events, so that a heartbeat never lands inside one. Bytes after the
 * last complete event are dropped at the end, as clients do.
 */
export async function* splitEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
  maxEventBytes = defaultEventBytes,
): AsyncGenerator<Uint8Array> {
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    let incompleteEvent = Buffer.alloc(0);
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      incompleteEvent =
        incompleteEvent.length === 0 ? Buffer.from(part.value) : Buffer.concat([incompleteEvent, part.value]);
      const end = findLastEnd(incompleteEvent);
      if (end > 0) {
        yield incompleteEvent.subarray(0, end);
        incompleteEvent = incompleteEvent.subarray(end);
      }
      if (incompleteEvent.length > maxEventBytes)
        throw new Error(`An event has more than ${maxEventBytes} bytes.`);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** Returns the position after the last blank line, or 0. Lines end with CR LF, LF or CR. */
function findLastEnd(bytes: Buffer): number {
  const ends = ["\n\n", "\r\n\r\n", "\r\r"].map((mark) => {
    const at = bytes.lastIndexOf(mark);
    return at < 0 ? 0 : at + mark.length;
  });
  return Math.max(...ends);
}
