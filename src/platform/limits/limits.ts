import type { EnterOptions, FairQueueOptions, Release } from "@signalbox/flow-control";

/** A fair queue, known by its name. The first call creates it, with the options of that call. */
export interface QueueSpec {
  name: string;
  options: FairQueueOptions;
  /** Forgotten while nobody uses it, and not part of the metrics. For queues of single objects. */
  temporary?: boolean;
}

/** One place under a key that allows at most so many. */
export interface Place {
  key: string;
  most: number;
}

/** The places, or the first key without a free place and how many are taken there. */
export type Places = { release: Release } | { full: string; taken: number };

/** Limits that all processes of this machine share. Several machines share only what is in the database. */
export interface Limits {
  /** Waits for a place in a fair queue. Rejects with `NoPlaceError`. */
  enter(queue: QueueSpec, key: string, options?: EnterOptions): Promise<Release>;
  /** Takes a place in a fair queue without waiting. */
  tryEnter(queue: QueueSpec, key: string, weight?: number): Promise<Release | undefined>;
  /** Takes one place under each key, or none. */
  takePlaces(places: readonly Place[]): Promise<Places>;
  /** Counts a call. Returns the seconds until one is possible when there are too many. */
  takeRate(name: string, member: string, perMinute: number): Promise<number | undefined>;
  /** Sets the number of calls in the last minute on all machines. */
  setRate(name: string, calls: number): void;
}

/** A call of a process to the limits that another process holds. */
export type LimitCall =
  | { do: "enter" | "tryEnter"; queue: QueueSpec; key: string; weight: number }
  | { do: "takePlaces"; places: readonly Place[] }
  | { do: "takeRate"; name: string; member: string; perMinute: number }
  | { do: "setRate"; name: string; calls: number };

export interface LimitsAnswer {
  granted?: boolean;
  refused?: "queue_full" | "timed_out";
  full?: { full: string; taken: number };
  wait?: number | undefined;
}
