/** For a loop that reads, waits for a wake-up, and reads again. A wake-up during a read is not lost. */
export interface Waker {
  wake(): void;
  /**
   * Waits until woken, for at most `ms` if given, or until the signal aborts. A wake-up since the last wait counts.
   * Returns whether it was woken.
   */
  wait(ms?: number): Promise<boolean>;
}

export function createWaker(signal: AbortSignal): Waker {
  let isWoken = false;
  let resume = () => {};
  return {
    wake() {
      isWoken = true;
      resume();
    },
    async wait(ms) {
      if (!isWoken && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal.removeEventListener("abort", done);
            resolve();
          };
          const timer = ms === undefined ? undefined : setTimeout(done, ms);
          signal.addEventListener("abort", done);
          resume = done;
        });
      }
      resume = () => {};
      const wasWoken = isWoken;
      isWoken = false;
      return wasWoken;
    },
  };
}
