import type { OrgId, Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Refusal } from "../../platform/errors.ts";
import { defineState } from "../../platform/state.ts";
import type { ByteQuota } from "./catalogue.ts";
import { limitOf, quotaExceeded } from "./limits.ts";
import * as store from "./store.ts";

/**
 * Meters the bytes that programs write, per organization. Each process stores its sum once a second, so that no writer
 * waits for a counter. Writes of other processes count after at most `flushMs + trustMs`; see docs/quotas.md.
 */
export interface Meter {
  /** Returns an error when `bytes` more would exceed the limit. `db` can be the caller's transaction. */
  refusal(db: Db, orgId: OrgId, quota: ByteQuota, bytes: number): Promise<Refusal | undefined>;
  /** Throws the error that `refusal` returns. */
  check(db: Db, orgId: OrgId, quota: ByteQuota, bytes: number): Promise<void>;
  /** Organizations that this process knows to be full, for statements that find the organization of a row in SQL. */
  full(quota: ByteQuota): string[];
  /** Counts written bytes. For writes of a transaction, call it after the commit. */
  add(orgId: string, quota: ByteQuota, bytes: number): void;
  /** Stores the bytes that were added since the last flush. */
  flush(): Promise<void>;
}

interface Standing {
  used: number;
  /** Added by this process and not yet stored. */
  pending: number;
  /** Undefined when there is no limit. */
  limit: number | undefined;
  readAt: number;
}

const flushMs = 1_000;
const trustMs = 5_000;
/** How many standings are cached. Those with pending bytes are never dropped. */
const maxStandings = 20_000;

/** Counts the bytes of all organizations in this process. */
export const quotaMeter = defineState({
  name: "quota meter",
  create: createMeter,
  stop: (meter) => meter.flush(),
});

function createMeter({ config, db, log }: Pick<Platform, "config" | "db" | "log">): Meter {
  const standings = new Map<string, Standing>();
  const unwritten = new Set<string>();
  const overfull = new Map<string, { orgId: string; quota: ByteQuota }>();
  let timer: NodeJS.Timeout | undefined;
  const keyOf = (orgId: string, quota: ByteQuota) => `${quota} ${orgId}`;
  const namesOf = (key: string) => {
    const [quota, orgId] = key.split(" ") as [ByteQuota, OrgId];
    return { quota, orgId };
  };

  function learn(key: string, used: number, limit: number | undefined): Standing {
    const known = standings.get(key);
    const standing = { used, limit, pending: known?.pending ?? 0, readAt: performance.now() };
    if (!known && standings.size >= maxStandings) {
      for (const old of standings.keys()) if (!unwritten.has(old)) standings.delete(old);
      overfull.clear();
    }
    standings.set(key, standing);
    if (limit !== undefined && used + standing.pending >= limit) overfull.set(key, namesOf(key));
    else overfull.delete(key);
    return standing;
  }

  async function refusal(
    db: Db,
    orgId: OrgId,
    quota: ByteQuota,
    bytes: number,
  ): Promise<Refusal | undefined> {
    const key = keyOf(orgId, quota);
    let standing = standings.get(key);
    if (!standing || performance.now() - standing.readAt > trustMs) {
      const found = await store.findStanding(db, orgId, quota);
      standing = found && learn(key, found.used, limitOf(config, quota, found));
    }
    if (standing?.limit === undefined) return undefined;
    const used = standing.used + standing.pending;
    return used + bytes > standing.limit ? quotaExceeded(quota, standing.limit, used) : undefined;
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const keys = [...unwritten];
    if (keys.length === 0) return;
    unwritten.clear();
    const added = keys.map((key) => {
      const standing = standings.get(key)!;
      const bytes = standing.pending;
      standing.pending = 0;
      // Counts as used while the statement runs, so that the bytes are not missing until it returns.
      standing.used += bytes;
      return { ...namesOf(key), bytes };
    });
    try {
      for (const { orgId, quota, used, ...terms } of await store.addOfAll(db, added))
        learn(keyOf(orgId, quota), used, limitOf(config, quota, terms));
    } catch (error) {
      log.warn({ err: error }, "usage not written");
      for (const { orgId, quota, bytes } of added) add(orgId, quota, bytes, -bytes);
    }
  }

  function add(orgId: string, quota: ByteQuota, bytes: number, correction = 0): void {
    const key = keyOf(orgId, quota);
    let standing = standings.get(key);
    if (!standing) {
      // The usage is unknown until `refusal` reads it from the database.
      standing = { used: 0, pending: 0, limit: undefined, readAt: Number.NEGATIVE_INFINITY };
      standings.set(key, standing);
    }
    standing.used += correction;
    standing.pending += bytes;
    unwritten.add(key);
    if (standing.limit !== undefined && standing.used + standing.pending >= standing.limit)
      overfull.set(key, namesOf(key));
    timer ??= setTimeout(() => void flush(), flushMs).unref();
  }

  return {
    refusal,
    async check(db, orgId, quota, bytes) {
      const refused = await refusal(db, orgId, quota, bytes);
      if (refused) throw refused;
    },
    full: (quota) =>
      overfull.size === 0
        ? []
        : [...overfull.values()].flatMap((one) => (one.quota === quota ? [one.orgId] : [])),
    add: (orgId, quota, bytes) => add(orgId, quota, bytes),
    flush,
  };
}
