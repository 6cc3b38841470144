/** Runs functions one after another, in the order in which they were passed. */
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
      // `busy` stays true, so that a new caller waits behind the one that starts now.
      if (start) start();
      else busy = false;
    }
  };
}
