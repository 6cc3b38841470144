export interface Capacity {
  /** Takes a place, waiting a little for one; undefined when none came free. The place is given back by calling it. */
  enter(key: string): Promise<(() => void) | undefined>;
}

interface Waiting {
  key: string;
  admit(release: () => void): void;
}

/**
 * Places for work that may take long. Each key has its share, so that one of them cannot take all places;
 * who waits is served in order, past those whose share is used up.
 */
export function createCapacity(limits: {
  total: number;
  perKey: number;
  waitMs: number;
  waiting: number;
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
    for (const waiting of queue) {
      if (total >= limits.total) return;
      if (!hasRoom(waiting.key)) continue;
      queue.delete(waiting);
      waiting.admit(take(waiting.key));
    }
  }

  return {
    async enter(key) {
      if (hasRoom(key)) return take(key);
      if (queue.size >= limits.waiting) return undefined;
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
