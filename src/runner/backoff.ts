export interface Backoff {
  /** Waits before the next try; the server's own wish counts if it is longer. Ends early with the signal. */
  wait(signal: AbortSignal, atLeastMs?: number): Promise<void>;
  reset(): void;
}

/** Upper limit for the wait that a server asks for. A longer wait could overflow a timer, which then fires at once. */
const longestWishMs = 5 * 60_000;

/** Milliseconds that a `Retry-After` header asks for, as seconds or as a date. 0 when it is invalid. */
export function readRetryAfter(header: string | null, now = Date.now()): number {
  const text = header?.trim() ?? "";
  const ms = /^\d+(?:\.\d+)?$/.test(text)
    ? Number(text) * 1000
    : /[a-z]/i.test(text)
      ? Date.parse(text) - now
      : 0;
  return ms > 0 ? Math.min(ms, longestWishMs) : 0;
}

/** Longer each time, and never two runners in step after an outage that hit both. */
export function createBackoff({ fromMs = 250, toMs = 15_000 } = {}): Backoff {
  let next = fromMs;
  return {
    async wait(signal, atLeastMs = 0) {
      const ms = next * (0.5 + Math.random() / 2);
      next = Math.min(next * 2, toMs);
      // Runners that got the same `Retry-After` must not all return at the same moment.
      const wished = Math.min(Math.max(atLeastMs, 0) || 0, longestWishMs) * (1 + Math.random() / 4);
      await pause(Math.max(ms, wished), signal);
    },
    reset: () => {
      next = fromMs;
    },
  };
}

/** The longest delay of a timer. Beyond it a timer fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Sleeps, at most until the signal. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, longestTimerMs));
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
