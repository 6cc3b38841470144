import type { OrgId, Platform } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Refusal } from "../../platform/errors.ts";
import { defineState } from "../../platform/state.ts";
import type { ByteQuota } from "./catalogue.ts";
import { findLimit, quotaExceeded } from "./limits.ts";
import * as store from "./store.ts";

/**
 * Meters the bytes that programs write, per organization. Each process stores its sum once a second, so that no writer
 * waits for a counter. Writes of other processes count after at most `flushMs + cacheMs`; see docs/quotas.md.
 */
export interface Meter {
  /** Returns an error when `bytes` more would exceed the limit. `db` can be the caller's transaction. */
  findRefusal(db: Db, orgId: OrgId, quota: ByteQuota, bytes: number): Promise<Refusal | undefined>;
  /** Throws the error that `findRefusal` returns. */
  check(db: Db, orgId: OrgId, quota: ByteQuota, bytes: number): Promise<void>;
  /** Organizations that this process knows to be full, for statements that find the organization of a row in SQL. */
  listFull(quota: ByteQuota): string[];
  /** Counts written bytes. For writes of a transaction, call it after the commit. */
  add(orgId: string, quota: ByteQuota, bytes: number): void;
  /** Stores the bytes that were added since the last flush. */
  flush(): Promise<void>;
}

interface Usage {
  used: number;
  /** Added by this process and not yet stored. */
  pending: number;
  /** Undefined when there is no limit. */
  limit: number | undefined;
  readAt: number;
}

const flushMs = 1_000;
const cacheMs = 5_000;
/** How many usages are cached. Those with pending bytes are never dropped. */
const maxCachedUsages = 20_000;

/** Counts the bytes of all organizations in this process. */
export const quotaMeter = defineState({
  name: "quota meter",
  create: createMeter,
  stop: (meter) => meter.flush(),
});

function createMeter({ config, db, log }: Pick<Platform, "config" | "db" | "log">): Meter {
  const usages = new Map<string, Usage>();
  const pendingKeys = new Set<string>();
  const fullUsages = new Map<string, { orgId: string; quota: ByteQuota }>();
  let timer: NodeJS.Timeout | undefined;
  const toKey = (orgId: string, quota: ByteQuota) => `${quota} ${orgId}`;
  const parseKey = (key: string) => {
    const [quota, orgId] = key.split(" ") as [ByteQuota, OrgId];
    return { quota, orgId };
  };

  function cacheUsage(key: string, used: number, limit: number | undefined): Usage {
    const known = usages.get(key);
    const usage = { used, limit, pending: known?.pending ?? 0, readAt: performance.now() };
    if (!known && usages.size >= maxCachedUsages) {
      for (const old of usages.keys()) if (!pendingKeys.has(old)) usages.delete(old);
      fullUsages.clear();
    }
    usages.set(key, usage);
    if (limit !== undefined && used + usage.pending >= limit) fullUsages.set(key, parseKey(key));
    else fullUsages.delete(key);
    return usage;
  }

  async function findRefusal(
    db: Db,
    orgId: OrgId,
    quota: ByteQuota,
    bytes: number,
  ): Promise<Refusal | undefined> {
    const key = toKey(orgId, quota);
    let usage = usages.get(key);
    if (!usage || performance.now() - usage.readAt > cacheMs) {
      const found = await store.findUsage(db, orgId, quota);
      usage = found && cacheUsage(key, found.used, findLimit(config, quota, found));
    }
    if (usage?.limit === undefined) return undefined;
    const used = usage.used + usage.pending;
    return used + bytes > usage.limit ? quotaExceeded(quota, usage.limit, used) : undefined;
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const keys = [...pendingKeys];
    if (keys.length === 0) return;
    pendingKeys.clear();
    const added = keys.map((key) => {
      const usage = usages.get(key)!;
      const bytes = usage.pending;
      usage.pending = 0;
      // Counts as used while the statement runs, so that the bytes are not missing until it returns.
      usage.used += bytes;
      return { ...parseKey(key), bytes };
    });
    try {
      for (const { orgId, quota, used, ...settings } of await store.addAcrossOrganizations(db, added))
        cacheUsage(toKey(orgId, quota), used, findLimit(config, quota, settings));
    } catch (error) {
      log.warn({ err: error }, "usage not written");
      for (const { orgId, quota, bytes } of added) add(orgId, quota, bytes, -bytes);
    }
  }

  function add(orgId: string, quota: ByteQuota, bytes: number, correction = 0): void {
    const key = toKey(orgId, quota);
    let usage = usages.get(key);
    if (!usage) {
      // The usage is unknown until `findRefusal` reads it from the database.
      usage = { used: 0, pending: 0, limit: undefined, readAt: Number.NEGATIVE_INFINITY };
      usages.set(key, usage);
    }
    usage.used += correction;
    usage.pending += bytes;
    pendingKeys.add(key);
    if (usage.limit !== undefined && usage.used + usage.pending >= usage.limit)
      fullUsages.set(key, parseKey(key));
    timer ??= setTimeout(() => void flush(), flushMs).unref();
  }

  return {
    findRefusal: findRefusal,
    async check(db, orgId, quota, bytes) {
      const refused = await findRefusal(db, orgId, quota, bytes);
      if (refused) throw refused;
    },
    listFull: (quota) =>
      fullUsages.size === 0
        ? []
        : [...fullUsages.values()].flatMap((one) => (one.quota === quota ? [one.orgId] : [])),
    add: (orgId, quota, bytes) => add(orgId, quota, bytes),
    flush,
  };
}
