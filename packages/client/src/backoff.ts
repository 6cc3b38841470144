/** The longest delay of a timer. A timer with a longer delay fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Upper limit for a wait that a server asks for. */
export const longestRetryAfterMs = 5 * 60_000;

export interface Backoff {
  /** Waits before the next try, at least as long as the server asks for. Ends early when the signal aborts. */
  wait(signal?: AbortSignal, atLeastMs?: number): Promise<void>;
  reset(): void;
}

/** Doubles the wait with each try. The jitter keeps clients apart that failed at the same moment. */
export function createBackoff({ fromMs = 250, toMs = 15_000 } = {}): Backoff {
  let next = fromMs;
  return {
    async wait(signal, atLeastMs = 0) {
      const ms = next * (0.5 + Math.random() / 2);
      next = Math.min(next * 2, toMs);
      // Clients that got the same `Retry-After` must not all return at the same moment.
      const asked = Math.min(Math.max(atLeastMs, 0) || 0, longestRetryAfterMs) * (1 + Math.random() / 4);
      await pause(Math.max(ms, asked), signal);
    },
    reset: () => {
      next = fromMs;
    },
  };
}

/** Waits until the time is over or the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, longestTimerMs));
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
