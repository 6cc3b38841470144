import { setImmediate } from "node:timers/promises";

const sliceMs = 10;

/**
 * Returns a function to await between the steps of a long computation, so that other work can run. It throws the
 * signal's reason after an abort, so that a deadline ends the computation too.
 */
export function createYield(signal?: AbortSignal): () => Promise<void> | undefined {
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
