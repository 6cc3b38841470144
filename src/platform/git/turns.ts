import { setImmediate } from "node:timers/promises";

const sliceMs = 10;

/**
 * For long computing: awaited between two pieces of it, it lets others have their turn every so often. Throws
 * the signal's reason once that is aborted, so that a deadline also ends computing.
 */
export function takingTurns(signal?: AbortSignal): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < sliceMs) return undefined;
    signal?.throwIfAborted();
    return setImmediate().then(() => {
      signal?.throwIfAborted();
      since = performance.now();
    });
  };
}
