import { createFairQueue, type FairQueue, type FairQueueOptions } from "@signalbox/flow-control";
import type { Metrics } from "./metrics.ts";

/** Returns the fair queue of this process with this name. The first call creates it, with the options of that call. */
export type Queues = (name: string, options: FairQueueOptions) => FairQueue;

export function createQueues(metrics: Metrics): Queues {
  const queues = new Map<string, FairQueue>();
  const list = (value: (queue: FairQueue) => number) => () =>
    [...queues].map(([queue, fair]) => ({ labels: { queue }, value: value(fair) }));
  metrics.describe(
    "fair_queue_held",
    "Capacity held in a fair queue: places, or bytes of large request bodies.",
  );
  metrics.gauge(
    "fair_queue_held",
    list((queue) => queue.usage().held),
  );
  metrics.describe("fair_queue_waiting", "Callers that wait for a place in a fair queue.");
  metrics.gauge(
    "fair_queue_waiting",
    list((queue) => queue.usage().waiting),
  );
  return (name, options) => {
    let queue = queues.get(name);
    if (!queue) {
      queue = createFairQueue(options);
      queues.set(name, queue);
    }
    return queue;
  };
}
