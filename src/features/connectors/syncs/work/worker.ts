import { setTimeout as sleep } from "node:timers/promises";
import type { Platform } from "../../../../platform/context.ts";
import { topic } from "../service.ts";
import { claimNext } from "./claim.ts";
import { perform } from "./perform.ts";

/**
 * How many repositories one process reads at a time. Each may hold a pack of 64 MiB, and a slow server holds its place
 * for minutes. Nothing waits in this queue: syncs that wait are rows.
 */
const places = { capacity: 4, maxWaitMs: 0, maxWaiting: 0, maxWaitingPerKey: 0 };

interface Worker {
  /** Looks for work now; resolves when there is none left and none is being done. */
  run(): Promise<void>;
}

const workers = new WeakMap<object, Worker>();

/** The one of this process. It hears of new work by itself from the first time that it is asked. */
export function workerOf(platform: Platform): Worker {
  const known = workers.get(platform.bus);
  if (known) return known;
  const worker = createWorker(platform);
  workers.set(platform.bus, worker);
  const look = () => void worker.run().catch((error) => platform.log.warn({ err: error }, "connector syncs"));
  platform.metrics.describe("connector_sync_duration_seconds", "How long syncs took, by how they went.");
  platform.bus.subscribe(topic, { onMessage: look, onGap: look });
  return worker;
}

function createWorker(platform: Platform): Worker {
  let running: Promise<void> | undefined;
  let woken = false;
  let nudge = () => {};

  async function loop(): Promise<void> {
    const stopping = new AbortController();
    const doing = new Set<Promise<void>>();
    const queue = platform.queues("connector syncs", places);
    try {
      for (;;) {
        woken = false;
        const nudged = new Promise<void>((resolve) => {
          nudge = resolve;
        });
        // Work that was begun is given back when the process stops; none is begun then.
        if (!platform.jobs.isReady()) stopping.abort();
        while (doing.size < places.capacity && !stopping.signal.aborted) {
          const next = await claimNext(platform, (orgId) => queue.tryEnter(orgId));
          if (!next) break;
          const work = perform(platform, next.claim, stopping.signal).finally(() => {
            doing.delete(work);
            next.release();
          });
          doing.add(work);
        }
        if (doing.size > 0) await Promise.race([...doing, nudged, sleep(1_000, undefined, { ref: false })]);
        else if (!woken || stopping.signal.aborted) return;
      }
    } finally {
      running = undefined;
      await Promise.all(doing);
    }
  }

  return {
    run() {
      woken = true;
      nudge();
      running ??= loop();
      return running;
    },
  };
}
