export interface Backoff {
  /** Waits before the next try; the server's own wish counts if it is longer. Ends early with the signal. */
  wait(signal: AbortSignal, atLeastMs?: number): Promise<void>;
  reset(): void;
}

/** Longer each time, and never two runners in step after an outage that hit both. */
export function createBackoff({ fromMs = 250, toMs = 15_000 } = {}): Backoff {
  let next = fromMs;
  return {
    async wait(signal, atLeastMs = 0) {
      const ms = next * (0.5 + Math.random() / 2);
      next = Math.min(next * 2, toMs);
      await pause(Math.max(ms, atLeastMs), signal);
    },
    reset: () => {
      next = fromMs;
    },
  };
}

/** Sleeps, at most until the signal. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
