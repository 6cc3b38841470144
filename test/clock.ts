import { afterAll, vi } from "vitest";

/**
 * Lets a test file run code at another time. Ids never go back in time, so the modules that have seen the other time are
 * not used for the next file.
 */
export function useClock(): <T>(time: number, work: () => Promise<T>) => Promise<T> {
  afterAll(() => void vi.resetModules());
  return async (time, work) => {
    vi.useFakeTimers({ toFake: ["Date"], now: time });
    try {
      return await work();
    } finally {
      vi.useRealTimers();
    }
  };
}
