/** Counts the calls of the last minute under a limit that members share. */
export interface RateWindow {
  /** Returns the seconds until a call is possible, or undefined after it has counted the call. */
  take(member: string, limit: number, now: number): number | undefined;
  /** Sets the number of calls of everybody, including those that were not taken here. */
  setShared(calls: number, at: number): void;
  isIdle(now: number): boolean;
}

const bucketMs = 5_000;
const buckets = 12;
/** When this share of the limit is used, the rest is for members who have used less than others. */
const openShare = 0.8;

interface Bucket {
  slot: number;
  total: number;
  members: Map<string, number>;
}

export function createRateWindow(): RateWindow {
  let ring: Bucket[] = [];
  let shared = { calls: 0, at: Number.NEGATIVE_INFINITY };
  /** Calls that the shared number does not include. */
  let sinceShared = 0;

  return {
    take(member, limit, now) {
      const slot = Math.floor(now / bucketMs);
      ring = ring.filter((bucket) => slot - bucket.slot < buckets);
      const local = ring.reduce((sum, { total }) => sum + total, 0);
      const known = now - shared.at < buckets * bucketMs ? shared.calls + sinceShared : 0;
      const total = Math.max(local, known);
      const oldest = ring[0]?.slot ?? slot;
      const wait = Math.max(1, Math.ceil(((oldest + buckets) * bucketMs - now) / 1000));
      if (total >= limit) return wait;
      if (total >= limit * openShare) {
        const active = new Set(ring.flatMap(({ members }) => [...members.keys()])).add(member);
        const own = ring.reduce((sum, { members }) => sum + (members.get(member) ?? 0), 0);
        if (active.size > 1 && own >= limit / active.size) return wait;
      }
      const last = ring.at(-1);
      const bucket = last?.slot === slot ? last : { slot, total: 0, members: new Map<string, number>() };
      if (bucket !== last) ring.push(bucket);
      bucket.total += 1;
      bucket.members.set(member, (bucket.members.get(member) ?? 0) + 1);
      sinceShared += 1;
      return undefined;
    },
    setShared(calls, at) {
      shared = { calls, at };
      sinceShared = 0;
    },
    isIdle: (now) => ring.every(({ slot }) => Math.floor(now / bucketMs) - slot >= buckets),
  };
}
