import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../../../../platform/context.ts";
import { defineState } from "../../../../platform/state.ts";
import { syncTopic } from "../service.ts";
import { claimNext } from "./claim.ts";
import { performSync } from "./perform.ts";

/**
 * How many repositories one process reads at a time. Each may hold a pack of 64 MiB, and a slow server holds its place
 * for minutes. Nothing waits in this queue: syncs that wait are rows.
 */
const queueLimits = { capacity: 4, maxWaitMs: 0, maxWaiting: 0, maxWaitingPerKey: 0 };

interface SyncWorker {
  /**
   * Runs all syncs that are due. Resolves when none is due and none is running. The first call also subscribes to
   * announcements of new syncs, so a process without jobs does no work.
   */
  run(): Promise<void>;
  stop(): void;
}

export const syncWorker = defineState({
  name: "sync worker",
  create: createSyncWorker,
  stop: (worker) => worker.stop(),
});

function createSyncWorker(platform: Platform): SyncWorker {
  const { bus, jobs, log, metrics, queues } = platform;
  let unsubscribe: (() => void) | undefined;
  let running: Promise<void> | undefined;
  let isRequested = false;
  let requestNow = () => {};

  function subscribe(): () => void {
    metrics.describe("connector_sync_duration_seconds", "How long syncs took, by how they went.");
    const onNewSync = () => void run().catch((error) => log.warn({ err: error }, "connector syncs"));
    return bus.subscribe(syncTopic, { onMessage: onNewSync, onGap: onNewSync });
  }

  function run(): Promise<void> {
    unsubscribe ??= subscribe();
    isRequested = true;
    requestNow();
    running ??= loop();
    return running;
  }

  async function loop(): Promise<void> {
    const stopping = new AbortController();
    const active = new Set<Promise<void>>();
    const queue = queues("connector syncs", queueLimits);
    try {
      for (;;) {
        isRequested = false;
        const requested = new Promise<void>((resolve) => {
          requestNow = resolve;
        });
        // When the process stops, running syncs are given back and no other is started.
        if (!jobs.isReady()) stopping.abort();
        while (active.size < queueLimits.capacity && !stopping.signal.aborted) {
          const next = await claimNext(platform, (orgId) => queue.tryEnter(orgId));
          if (!next) break;
          const sync = performSync(platform, next.claim, stopping.signal).finally(() => {
            active.delete(sync);
            next.release();
          });
          active.add(sync);
        }
        if (active.size > 0)
          await Promise.race([...active, requested, sleep(1_000, undefined, { ref: false })]);
        else if (!isRequested || stopping.signal.aborted) return;
      }
    } finally {
      running = undefined;
      await Promise.all(active);
    }
  }

  return { run, stop: () => unsubscribe?.() };
}
