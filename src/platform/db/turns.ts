import { DatabaseBusy } from "./failure.ts";

/** Shares one connection between many users. */
export interface Turns {
  /**
   * Runs the work when its turn comes. The next turn goes to the waiting share that used the connection least in recent
   * time.
   */
  take<T>(share: string, work: () => Promise<T>, options?: TurnOptions): Promise<T>;
}

export interface TurnOptions {
  /** Refuses all others while the work runs, because it takes long. */
  alone?: boolean | undefined;
}

interface Waiting {
  start(): void;
  refuse(error: Error): void;
}

const createRefusal = () => new DatabaseBusy("The database is reserved for maintenance.");

/** Half-life of recorded use. A share with less than `forgottenMs` of use is removed. */
const halfLifeMs = 1_000;
const forgottenMs = 0.5;

/**
 * A share is an organization, a network or background work. A share with much use waits for shares with little use, but
 * is never locked out, because its recorded use decays while it waits.
 */
export function createTurns(now: () => number = () => performance.now()): Turns {
  const waiting = new Map<string, Waiting[]>();
  const used = new Map<string, number>();
  let busy = false;
  let isReserved = false;
  let fadedAt = now();

  function fade(): void {
    const factor = 0.5 ** ((now() - fadedAt) / halfLifeMs);
    if (factor > 0.9) return;
    fadedAt = now();
    for (const [share, ms] of used) {
      if (ms * factor < forgottenMs) used.delete(share);
      else used.set(share, ms * factor);
    }
  }

  function startNext(): void {
    fade();
    let next: string | undefined;
    for (const share of waiting.keys())
      if (next === undefined || (used.get(share) ?? 0) < (used.get(next) ?? 0)) next = share;
    if (next === undefined) {
      busy = false;
      return;
    }
    const line = waiting.get(next)!;
    const { start } = line.shift()!;
    if (line.length === 0) waiting.delete(next);
    start();
  }

  function reserve(): void {
    isReserved = true;
    for (const one of [...waiting.values()].flat()) one.refuse(createRefusal());
    waiting.clear();
  }

  return {
    async take(share, work, { alone = false } = {}) {
      if (isReserved) throw createRefusal();
      if (busy) {
        await new Promise<void>((start, refuse) => {
          const line = waiting.get(share);
          if (line) line.push({ start, refuse });
          else waiting.set(share, [{ start, refuse }]);
        });
      }
      busy = true;
      if (alone) reserve();
      const started = now();
      try {
        return await work();
      } finally {
        if (alone) isReserved = false;
        used.set(share, (used.get(share) ?? 0) + now() - started);
        startNext();
      }
    },
  };
}
