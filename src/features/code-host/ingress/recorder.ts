import { createBatcher } from "../../../platform/batcher.ts";
import type { Platform } from "../../../platform/context.ts";
import { defineState } from "../../../platform/state.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import { announceSyncs } from "../syncs/index.ts";
import * as store from "./store.ts";

/** Records a push. Pushes that arrive at the same moment share a commit. */
type PushRecorder = (push: store.PushDelivery) => Promise<store.RecordedPush>;

export const pushRecorder = defineState({
  name: "push recorder",
  create({ bus, db, metrics, state }) {
    metrics.describe("webhook_deliveries_total", "Deliveries that were verified, by what became of them.");
    // Deliveries of all organizations share statements, so together they get one share of the database.
    return createPushRecorder({ bus, db: db.withOptions({ work: "change", share: "webhooks" }), state });
  },
});

function createPushRecorder(platform: Pick<Platform, "bus" | "db" | "state">): PushRecorder {
  const { db } = platform;
  const meter = platform.state.get(quotaMeter);
  const announce = createAnnouncer(platform);
  const send = async (pushes: readonly store.PushDelivery[]) => {
    const recorded = await store.recordPushesAcrossOrganizations(
      db,
      pushes,
      meter.listFull("webhook_storage"),
    );
    for (const [i, { stored, orgId }] of recorded.entries())
      if (stored && orgId) meter.add(orgId, "webhook_storage", countBytes(pushes[i]!));
    announce(recorded.flatMap(({ queued, connectorId }) => (queued && connectorId ? [connectorId] : [])));
    return recorded;
  };
  return createBatcher({
    send,
    // Deliveries to the whole instance belong to no organization. Together they get one turn.
    owner: ({ orgId }) => orgId,
    size: ({ body }) => body.length,
    maxItems: 64,
    maxSize: 1024 * 1024,
    sharesThread: db.kind === "pglite",
  });
}

/** The bytes that a stored delivery uses of its organization's quota. */
export const countBytes = ({ body }: Pick<store.Delivery, "body">) => body.length + overhead.delivery;

const announceIntervalMs = 100;

/** Announces syncs to workers: the first at once, those that follow within the interval together. */
function createAnnouncer(platform: Pick<Platform, "bus" | "db">): (connectorIds: readonly string[]) => void {
  const pending = new Set<string>();
  let nextAt = 0;
  let timer: NodeJS.Timeout | undefined;
  return (connectorIds) => {
    for (const id of connectorIds) pending.add(id);
    if (timer || pending.size === 0) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        nextAt = performance.now() + announceIntervalMs;
        const ids = [...pending];
        pending.clear();
        // The syncs are committed: a worker that misses the announcement finds them when it polls.
        announceSyncs(platform, ids).catch(() => {});
      },
      Math.max(0, nextAt - performance.now()),
    ).unref();
  };
}
