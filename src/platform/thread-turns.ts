import { defineState } from "./state.ts";

/**
 * Shares the JavaScript thread between long computations. In each turn of the event loop one of them continues, and the
 * requests that have arrived are answered in between.
 */
export interface ThreadTurns {
  /**
   * Waits for the next turn. A share is an organization or a network. Shares alternate, whatever number of computations
   * each of them has.
   */
  take(share: string): Promise<void>;
}

export function createThreadTurns(): ThreadTurns {
  const waiting = new Map<string, (() => void)[]>();
  let isScheduled = false;

  function giveNext(): void {
    const [share, line] = waiting.entries().next().value!;
    const start = line.shift()!;
    waiting.delete(share);
    // At the end of the map, behind all other shares.
    if (line.length > 0) waiting.set(share, line);
    isScheduled = waiting.size > 0;
    if (isScheduled) setImmediate(giveNext);
    start();
  }

  return {
    take: (share) =>
      new Promise((start) => {
        const line = waiting.get(share);
        if (line) line.push(start);
        else waiting.set(share, [start]);
        if (isScheduled) return;
        isScheduled = true;
        setImmediate(giveNext);
      }),
  };
}

/** Of the platform, so it is in no room. */
export const threadTurns = defineState<ThreadTurns>({
  name: "turns of long computations",
  create: createThreadTurns,
});

/** Steps with this total weight take some milliseconds. */
const sliceWeight = 2_000;

/**
 * Is called between the steps of a long computation, once for each step, with its weight. Returns a promise when others
 * must have their turn before the computation continues.
 */
export type Pace = (weight: number) => Promise<void> | undefined;

export function createPace(turns: ThreadTurns, share: string): Pace {
  let done = 0;
  return (weight) => {
    done += weight;
    if (done < sliceWeight) return undefined;
    done = 0;
    return turns.take(share);
  };
}
