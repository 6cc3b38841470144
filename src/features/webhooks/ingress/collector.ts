import { createBatcher } from "../../../platform/batcher.ts";
import type { Bus } from "../../../platform/bus.ts";
import type { Platform } from "../../../platform/context.ts";
import { isReferenceGone } from "../../../platform/db/index.ts";
import { announce } from "../../connectors/index.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import * as store from "./store.ts";

/** Pushes that come at the same moment share a commit. */
type Record = (push: store.PushDelivery) => Promise<store.Recorded>;

const known = new WeakMap<Bus, Record>();

export function collectorOf(platform: Pick<Platform, "bus" | "db" | "metrics" | "state">): Record {
  let record = known.get(platform.bus);
  if (!record) {
    const { bus, state } = platform;
    // Deliveries of all organizations share statements, so together they get one share of the database.
    const db = platform.db.under({ work: "change", share: "webhooks" });
    record = createCollector({ bus, db, state });
    known.set(platform.bus, record);
    platform.metrics.describe(
      "webhook_deliveries_total",
      "Deliveries that were verified, by what became of them.",
    );
  }
  return record;
}

function createCollector(platform: Pick<Platform, "bus" | "db" | "state">): Record {
  const { db } = platform;
  const meter = platform.state.get(quotaMeter);
  const wake = createWaker(platform);
  const send = async (pushes: readonly store.PushDelivery[]) => {
    const recorded = await store.recordPushesOfAll(db, pushes, meter.full("webhook_storage"));
    for (const [i, { stored, orgId }] of recorded.entries())
      if (stored && orgId) meter.add(orgId, "webhook_storage", sizeOf(pushes[i]!));
    wake(recorded.flatMap(({ queued, connectorId }) => (queued && connectorId ? [connectorId] : [])));
    return recorded;
  };
  return createBatcher({
    send,
    async onFailure(error, push) {
      // Its connector was removed while it was being written: looked at once more, it is about nobody.
      if (isReferenceGone(error)) return (await send([push]))[0]!;
      throw error;
    },
    size: ({ body }) => body.length,
    maxItems: 64,
    maxSize: 1024 * 1024,
  });
}

/** The bytes that a stored delivery uses of its organization's quota. */
export const sizeOf = ({ body }: Pick<store.Delivery, "body">) => body.length + overhead.delivery;

const wakeEveryMs = 100;

/** Tells workers of connectors: the first at once, those that come soon after together. */
function createWaker(platform: Pick<Platform, "bus" | "db">): (connectorIds: readonly string[]) => void {
  const toWake = new Set<string>();
  let nextWake = 0;
  let waking: NodeJS.Timeout | undefined;
  return (connectorIds) => {
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
  };
}
