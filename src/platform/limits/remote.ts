import { NoPlaceError, type Release } from "@signalbox/flow-control";
import type { LimitCall, Limits, LimitsAnswer } from "./limits.ts";

/** How a process reaches the limits that its primary process holds. */
export interface LimitsChannel {
  ask(call: LimitCall): { id: number; answer: Promise<LimitsAnswer> };
  /** Returns what was taken with that call, or ends its wait. */
  end(id: number): void;
  tell(call: LimitCall): void;
}

/** The limits of the machine, as a process sees them that does not hold them itself. */
export function createRemoteLimits(channel: LimitsChannel): Limits {
  const release = (id: number): Release => {
    let isHeld = true;
    return () => {
      if (isHeld) channel.end(id);
      isHeld = false;
    };
  };
  return {
    async enter(queue, key, { weight = 1, signal } = {}) {
      signal?.throwIfAborted();
      const { id, answer } = channel.ask({ do: "enter", queue, key, weight });
      const aborted = Promise.withResolvers<never>();
      const abort = () => {
        channel.end(id);
        aborted.reject(signal!.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      try {
        const given = await Promise.race([answer, aborted.promise]);
        if (given.refused) throw new NoPlaceError(given.refused);
        return release(id);
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
    async tryEnter(queue, key, weight = 1) {
      const { id, answer } = channel.ask({ do: "tryEnter", queue, key, weight });
      return (await answer).granted ? release(id) : undefined;
    },
    async takePlaces(places) {
      const { id, answer } = channel.ask({ do: "takePlaces", places });
      return (await answer).full ?? { release: release(id) };
    },
    async takeRate(name, member, perMinute) {
      return (await channel.ask({ do: "takeRate", name, member, perMinute }).answer).wait;
    },
    setRate: (name, calls) => channel.tell({ do: "setRate", name, calls }),
  };
}
