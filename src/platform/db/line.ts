/** Runs works one after the other, in the order of their calls. */
export type Line = <T>(work: () => Promise<T>) => Promise<T>;

export function createLine(): Line {
  const waiting: (() => void)[] = [];
  let busy = false;
  return async (work) => {
    if (busy) await new Promise<void>((start) => waiting.push(start));
    busy = true;
    try {
      return await work();
    } finally {
      const start = waiting.shift();
      // Still busy: whoever calls now is behind the one that starts.
      if (start) start();
      else busy = false;
    }
  };
}
