import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../../../platform/bus.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { placeOf } from "../secrets/sealing.ts";
import * as store from "./store.ts";

export interface HookSecret {
  id: string;
  secret: string;
}

export interface HookSecrets {
  /** Undefined when the connector does not exist. */
  orgId: OrgId | undefined;
  secrets: readonly HookSecret[];
}

type Services = Pick<Platform, "bus" | "db" | "keyring">;

const topic = "connectors.secrets";

/** Makes every process forget the connector's cached secrets; commits with `db`. */
export const forgetSecrets = (bus: Bus, db: Db, connectorId: string) => bus.publish(db, topic, connectorId);

/**
 * A change is announced on the bus and takes effect at once. If the announcement is lost with its connection, a removed
 * secret stays valid this long at most.
 */
const cacheMs = 900;
/** Deliveries that do not verify cause at most one lookup per connector in this time. */
const refreshMs = 50;
const maxCached = 5_000;

interface Entry {
  found: Promise<HookSecrets>;
  startedAt: number;
  /** The next lookup, shared by all callers that need a newer result than this one. */
  next?: Promise<HookSecrets>;
}

const caches = new WeakMap<Bus, Map<string, Entry>>();
const noConnector = newId("con");

/** How many connector ids are cached now. For tests. */
export const countCachedConnectors = (bus: Bus): number => caches.get(bus)?.size ?? 0;

function cacheOf(bus: Bus): Map<string, Entry> {
  const known = caches.get(bus);
  if (known) return known;
  const cache = new Map<string, Entry>();
  caches.set(bus, cache);
  bus.subscribe(topic, { onMessage: (id) => cache.delete(id), onGap: () => cache.clear() });
  return cache;
}

/**
 * Returns the secrets of a connector's webhook, from a lookup that started at `since` (`performance.now()`) or later.
 * Unknown connector ids are cached too, so a repeated lookup takes the same time whether or not the connector exists.
 */
export async function secretsOf(platform: Services, id: string, since = 0): Promise<HookSecrets> {
  // Text that is not an id is not cached: the sender chooses it, and it may be long. No connector can ever have it.
  if (!isId("con", id)) return secretsOf(platform, noConnector);
  const cache = cacheOf(platform.bus);
  const entry = cache.get(id);
  const age = entry ? performance.now() - entry.startedAt : Number.POSITIVE_INFINITY;
  if (!entry || age >= cacheMs) return lookUp(platform, cache, id).found;
  if (entry.startedAt >= since) return entry.found;
  if (age >= refreshMs) return lookUp(platform, cache, id).found;
  entry.next ??= delay(refreshMs - age).then(() => {
    const current = cache.get(id);
    return (!current || current === entry ? lookUp(platform, cache, id) : current).found;
  });
  return entry.next;
}

function lookUp(platform: Services, cache: Map<string, Entry>, id: store.ConnectorId | string): Entry {
  if (cache.size >= maxCached) cache.clear();
  const entry: Entry = {
    startedAt: performance.now(),
    found: findSecrets(platform, id as store.ConnectorId),
  };
  cache.set(id, entry);
  entry.found.catch(() => {
    if (cache.get(id) === entry) cache.delete(id);
  });
  return entry;
}

async function findSecrets(
  { db, keyring }: Pick<Platform, "db" | "keyring">,
  connectorId: store.ConnectorId,
): Promise<HookSecrets> {
  const rows = await store.findSecretsByToken(db, connectorId);
  return {
    orgId: rows[0]?.orgId,
    secrets: rows.flatMap(({ orgId, id, secret }) =>
      id !== null && secret !== null ? [{ id, secret: keyring.open(secret, placeOf(orgId, id)) }] : [],
    ),
  };
}
