/**
 * Lets the discoveries of a process continue one after another, each in its own turn of the event loop. The HTTP client
 * sends a request on a kept connection only when all events that wait have been handled. If fifty replies arrived together
 * and were all handled in one turn, the next request of the first would wait for the work of the other forty-nine, and all
 * fifty would arrive together again.
 */
export interface Turns {
  /** Returns undefined when the caller may continue at once, because nobody else has this turn of the event loop. */
  take(): Promise<void> | undefined;
}

export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;

  function giveNext() {
    const next = waiting.shift();
    isTaken = next !== undefined;
    if (!next) return;
    setImmediate(giveNext);
    next();
  }

  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      setImmediate(giveNext);
      return undefined;
    },
  };
}

/** A thread has one event loop, which all of its discoveries share. */
export const turns: Turns = createTurns();
