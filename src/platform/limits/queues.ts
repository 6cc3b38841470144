import type { EnterOptions, FairQueueOptions, Release } from "@signalbox/flow-control";
import type { Limits } from "./limits.ts";

export interface SharedQueue {
  /** Waits for a place. Rejects with `NoPlaceError`. */
  enter(key: string, options?: EnterOptions): Promise<Release>;
  /** Takes a place without waiting. Returns undefined when no place is free or a waiting key comes first. */
  tryEnter(key: string, weight?: number): Promise<Release | undefined>;
}

export interface QueueOptions extends FairQueueOptions {
  /** Each process has a queue of its own, for places that only this process can make free. */
  perProcess?: boolean;
}

/** Returns the fair queue with this name, which all processes of this machine share. */
export type Queues = (name: string, options: QueueOptions) => SharedQueue;

export const createQueues =
  (shared: Limits, own: Limits): Queues =>
  (name, { perProcess = false, ...options }) => {
    const limits = perProcess ? own : shared;
    const spec = { name, options };
    return {
      enter: (key, entering) => limits.enter(spec, key, entering),
      tryEnter: (key, weight) => limits.tryEnter(spec, key, weight),
    };
  };
