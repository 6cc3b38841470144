export interface Waker {
  wake(): void;
  /** Resolves when woken, at once if that has happened since the last wait; else after `ms` or with the signal. */
  wait(signal: AbortSignal, ms?: number): Promise<void>;
}

export function createWaker(): Waker {
  let woken = false;
  let resolveWait: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      resolveWait?.();
    },
    wait: (signal, ms) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", done);
          resolveWait = undefined;
          woken = false;
          resolve();
        };
        const timer = ms === undefined ? undefined : setTimeout(done, ms);
        signal.addEventListener("abort", done);
        resolveWait = done;
        if (woken || signal.aborted) done();
      }),
  };
}
