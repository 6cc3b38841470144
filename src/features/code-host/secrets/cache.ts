import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../../../platform/bus.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { defineState } from "../../../platform/state.ts";
import { createSecretPlace } from "./sealing.ts";
import * as store from "./store.ts";

export interface SecretValue {
  id: string;
  secret: string;
}

export interface ConnectorSecrets {
  /** Undefined when the connector does not exist. */
  orgId: OrgId | undefined;
  secrets: readonly SecretValue[];
}

interface SecretCache {
  /**
   * Returns the secrets of a connector, from a lookup that started at `since` (`performance.now()`) or later.
   * `db` is the caller's, so that each network uses its own share of the database.
   * Unknown connector ids are cached too, so a repeated lookup takes the same time whether or not the connector exists.
   */
  find(db: Db, connectorId: string, since?: number): Promise<ConnectorSecrets>;
  /** How many connector ids are cached now. */
  size(): number;
  stop(): void;
}

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
  found: Promise<ConnectorSecrets>;
  startedAt: number;
  /** The next lookup, shared by all callers that need a newer result than this one. */
  next?: Promise<ConnectorSecrets>;
}

/** The webhook secrets that this process has looked up lately. */
export const secretCache = defineState({
  name: "webhook secrets",
  create: createSecretCache,
  stop: (cache) => cache.stop(),
});

function createSecretCache({ bus, keyring }: Pick<Platform, "bus" | "keyring">): SecretCache {
  const cache = new Map<string, Entry>();
  const unknownConnector = newId("con");
  const unsubscribe = bus.subscribe(topic, {
    onMessage: (id) => cache.delete(id),
    onGap: () => cache.clear(),
  });

  async function find(db: Db, id: string, since = 0): Promise<ConnectorSecrets> {
    // Text that is not an id is not cached: the sender chooses it, and it may be long.
    if (!isId("con", id)) return find(db, unknownConnector);
    const entry = cache.get(id);
    const age = entry ? performance.now() - entry.startedAt : Number.POSITIVE_INFINITY;
    if (!entry || age >= cacheMs) return lookUp(db, id).found;
    if (entry.startedAt >= since) return entry.found;
    if (age >= refreshMs) return lookUp(db, id).found;
    entry.next ??= delay(refreshMs - age).then(() => {
      const current = cache.get(id);
      return (!current || current === entry ? lookUp(db, id) : current).found;
    });
    return entry.next;
  }

  function lookUp(db: Db, id: store.ConnectorId): Entry {
    if (cache.size >= maxCached) cache.clear();
    const entry: Entry = { startedAt: performance.now(), found: readSecrets(db, id) };
    cache.set(id, entry);
    entry.found.catch(() => {
      if (cache.get(id) === entry) cache.delete(id);
    });
    return entry;
  }

  async function readSecrets(db: Db, connectorId: store.ConnectorId): Promise<ConnectorSecrets> {
    const rows = await store.findSecretsByToken(db, connectorId);
    return {
      orgId: rows[0]?.orgId,
      secrets: rows.flatMap(({ orgId, id, secret }) =>
        id !== null && secret !== null
          ? [{ id, secret: keyring.open(secret, createSecretPlace(orgId, id)) }]
          : [],
      ),
    };
  }

  return { find, size: () => cache.size, stop: unsubscribe };
}
