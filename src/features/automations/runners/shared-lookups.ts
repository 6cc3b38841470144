import { defineState } from "../../../platform/state.ts";

/**
 * Shares the lookups that many streams make at the same moment. Calls with the same key share one lookup that starts
 * after the call, so no result is older than its call.
 */
export interface SharedLookups {
  share<T>(orgId: string, key: string, lookup: () => Promise<T>): Promise<T>;
}

/** Parallel lookups of one organization. The limit keeps database connections free for other work. */
const maxConcurrent = 2;

interface Lane {
  active: number;
  waiting: Map<string, { start(): Promise<void>; outcome: Promise<unknown> }>;
}

/** The lookups of all runner streams of this process. */
export const sharedLookups = defineState({ name: "shared runner lookups", create: createSharedLookups });

export function createSharedLookups(): SharedLookups {
  const lanes = new Map<string, Lane>();

  async function drain(orgId: string, lane: Lane) {
    if (lane.active >= maxConcurrent) return;
    lane.active++;
    for (const [key, { start }] of lane.waiting) {
      lane.waiting.delete(key);
      await start();
    }
    lane.active--;
    if (lane.active === 0 && lane.waiting.size === 0) lanes.delete(orgId);
  }

  return {
    share<T>(orgId: string, key: string, lookup: () => Promise<T>): Promise<T> {
      const lane = lanes.get(orgId) ?? { active: 0, waiting: new Map() };
      lanes.set(orgId, lane);
      const known = lane.waiting.get(key);
      if (known) return known.outcome as Promise<T>;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      lane.waiting.set(key, { start: () => lookup().then(resolve, reject), outcome: promise });
      void drain(orgId, lane);
      return promise;
    },
  };
}
