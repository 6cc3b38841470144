import type { Bus } from "../../../platform/bus.ts";
import type { Platform } from "../../../platform/context.ts";
import { isDatabaseDown, isReferenceGone } from "../../../platform/db/index.ts";
import { announce } from "../../connectors/index.ts";
import * as store from "./store.ts";

/**
 * Pushes that come at the same moment share a commit. One that comes while nothing is under way goes at
 * once; those that come while the database is busy go together in the next statement. Nobody is answered
 * before their own delivery is committed, and none fails for another one's sake.
 */
interface Collector {
  record(push: store.PushDelivery): Promise<store.Recorded>;
}

/** Statements under way at once. One connection is all the embedded database has. */
const flightsOn = { pglite: 1, postgres: 2 };
/** While one is under way, the next waits until it is worth a statement of its own. */
const worthASecond = 16;
const maxPushes = 64;
const maxBytes = 1024 * 1024;
const wakeEveryMs = 100;

const known = new WeakMap<Bus, Collector>();

export function collectorOf(platform: Pick<Platform, "bus" | "db" | "metrics">): Collector {
  let collector = known.get(platform.bus);
  if (!collector) {
    // Not that of a request, which may be a transaction.
    collector = createCollector({ bus: platform.bus, db: platform.db });
    known.set(platform.bus, collector);
    platform.metrics.describe(
      "webhook_deliveries_total",
      "Deliveries that were verified, by what became of them.",
    );
  }
  return collector;
}

interface Waiting {
  push: store.PushDelivery;
  resolve(recorded: store.Recorded): void;
  reject(error: unknown): void;
}

function createCollector(platform: Pick<Platform, "bus" | "db">): Collector {
  const { db } = platform;
  let waiting: Waiting[] = [];
  let flights = 0;
  let scheduled = false;

  /** As many as fit into one statement, in the order in which they came. */
  function take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { push } of waiting) {
      bytes += push.body.length;
      if (count > 0 && (count >= maxPushes || bytes > maxBytes)) break;
      count++;
    }
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return group;
  }

  const mayDepart = () =>
    flights === 0 ? waiting.length > 0 : flights < flightsOn[db.kind] && waiting.length >= worthASecond;

  function depart(): void {
    scheduled = false;
    while (mayDepart()) {
      flights++;
      void fly(take()).finally(() => {
        flights--;
        depart();
      });
    }
  }

  async function fly(group: readonly Waiting[], again = false): Promise<void> {
    try {
      const recorded = await store.recordPushesOfAll(
        db,
        group.map(({ push }) => push),
      );
      for (const [i, { resolve }] of group.entries()) resolve(recorded[i]!);
      wake(recorded.flatMap(({ queued, connectorId }) => (queued && connectorId ? [connectorId] : [])));
    } catch (error) {
      if (group.length > 1 && !isDatabaseDown(error)) {
        // One of them is at fault, or two waited for each other; by itself each gets its own answer.
        for (const one of group) await fly([one]);
        return;
      }
      // Its connector was removed while it was being written: looked at once more, it is about nobody.
      if (!again && isReferenceGone(error)) return fly(group, true);
      for (const { reject } of group) reject(error);
    }
  }

  const toWake = new Set<string>();
  let nextWake = 0;
  let waking: NodeJS.Timeout | undefined;
  /** The first at once, those that come soon after together: a worker that is up needs no second call. */
  function wake(connectorIds: readonly string[]): void {
    for (const id of connectorIds) toWake.add(id);
    if (waking || toWake.size === 0) return;
    waking = setTimeout(
      () => {
        waking = undefined;
        nextWake = performance.now() + wakeEveryMs;
        const ids = [...toWake];
        toWake.clear();
        // The work itself is committed: a worker that is not told finds it by looking.
        announce(platform, ids).catch(() => {});
      },
      Math.max(0, nextWake - performance.now()),
    ).unref();
  }

  return {
    record(push) {
      return new Promise((resolve, reject) => {
        waiting.push({ push, resolve, reject });
        if (scheduled || !mayDepart()) return;
        // After this turn of the event loop: what else has arrived in it goes along.
        scheduled = true;
        setImmediate(depart);
      });
    },
  };
}
