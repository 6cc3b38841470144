import { NoPlaceError, type Release } from "@signalbox/flow-control";
import type { LimitCall, Limits, LimitsAnswer } from "./limits.ts";

/** What one process has taken from limits that this process holds for it. */
export interface LimitsClient {
  answer(id: number, call: LimitCall): Promise<LimitsAnswer>;
  /** Returns what was taken with that call, or ends its wait. */
  end(id: number): void;
  /** Returns everything. Call it when the process has ended. */
  endAll(): void;
}

/** Answers the calls of one process. What it holds is returned when it ends, also when it was killed. */
export function hostLimits(limits: Limits): LimitsClient {
  const held = new Map<number, Release>();
  const waits = new Map<number, AbortController>();

  function hold(id: number, release: Release | undefined): LimitsAnswer {
    if (release) held.set(id, release);
    return { granted: release !== undefined };
  }

  async function enter(id: number, { queue, key, weight }: Extract<LimitCall, { do: "enter" | "tryEnter" }>) {
    const wait = new AbortController();
    waits.set(id, wait);
    try {
      return hold(id, await limits.enter(queue, key, { weight, signal: wait.signal }));
    } catch (error) {
      if (error instanceof NoPlaceError) return { refused: error.reason };
      // The process gave up, so nobody reads the answer.
      if (wait.signal.aborted) return {};
      throw error;
    } finally {
      waits.delete(id);
    }
  }

  return {
    async answer(id, call) {
      switch (call.do) {
        case "enter":
          return enter(id, call);
        case "tryEnter":
          return hold(id, await limits.tryEnter(call.queue, call.key, call.weight));
        case "takePlaces": {
          const places = await limits.takePlaces(call.places);
          return "release" in places ? hold(id, places.release) : { full: places };
        }
        case "takeRate":
          return { wait: await limits.takeRate(call.name, call.member, call.perMinute) };
        case "setRate":
          limits.setRate(call.name, call.calls);
          return {};
      }
    },
    end(id) {
      waits.get(id)?.abort();
      held.get(id)?.();
      held.delete(id);
    },
    endAll() {
      for (const wait of waits.values()) wait.abort();
      for (const release of held.values()) release();
      held.clear();
    },
  };
}
