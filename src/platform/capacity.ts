export interface Capacity {
  /** Takes a place, waiting a little for one; undefined when none came free. The place is given back by calling it. */
  enter(key: string): Promise<(() => void) | undefined>;
}

interface Waiting {
  key: string;
  admit(release: () => void): void;
}

/**
 * Places for work that may take long. Each key has its share of places and of the line, so that none can take all.
 * A place that comes free goes to the key that holds fewest: a long line of one does not keep the others waiting.
 */
export function createCapacity(limits: {
  total: number;
  perKey: number;
  waitMs: number;
  waiting: number;
  waitingPerKey: number;
}): Capacity {
  const held = new Map<string, number>();
  const queue = new Set<Waiting>();
  let total = 0;

  const hasRoom = (key: string) => total < limits.total && (held.get(key) ?? 0) < limits.perKey;

  function take(key: string): () => void {
    total += 1;
    held.set(key, (held.get(key) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      total -= 1;
      const left = (held.get(key) ?? 1) - 1;
      if (left === 0) held.delete(key);
      else held.set(key, left);
      admitNext();
    };
  }

  function admitNext() {
    let next: Waiting | undefined;
    let fewest = limits.perKey;
    for (const waiting of queue) {
      const holds = held.get(waiting.key) ?? 0;
      if (holds >= fewest) continue;
      next = waiting;
      fewest = holds;
    }
    if (!next || total >= limits.total) return;
    queue.delete(next);
    next.admit(take(next.key));
  }

  function lineIsFull(key: string): boolean {
    if (queue.size >= limits.waiting) return true;
    let ofKey = 0;
    for (const waiting of queue) if (waiting.key === key) ofKey += 1;
    return ofKey >= limits.waitingPerKey;
  }

  return {
    async enter(key) {
      if (hasRoom(key)) return take(key);
      if (lineIsFull(key)) return undefined;
      return new Promise((resolve) => {
        const waiting: Waiting = {
          key,
          admit(release) {
            clearTimeout(timer);
            resolve(release);
          },
        };
        const timer = setTimeout(() => {
          queue.delete(waiting);
          resolve(undefined);
        }, limits.waitMs);
        queue.add(waiting);
      });
    },
  };
}
