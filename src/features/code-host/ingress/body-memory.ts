import { NoPlaceError, type Release } from "@signalbox/flow-control";
import type { Ctx } from "../../../platform/context.ts";
import { unavailable } from "../../../platform/errors.ts";
import { type BodyAccount, toNetwork } from "../../../platform/http/index.ts";

const MiB = 1024 * 1024;

/** The size of a push of a few hundred commits. Smaller bodies are not accounted for. */
const uncountedBytes = 256 * 1024;
/**
 * A body is in memory up to three times: as received, as text, and on its way to the database. Senders share this
 * memory by network, because the sender is unknown until the body is verified.
 */
const memoryLimits = { capacity: 32 * MiB, maxWaitMs: 0, maxWaiting: 0, maxWaitingPerKey: 0 };
/**
 * When the share of a network is used up, its body continues in one of these lanes. A lane has room for the largest
 * body, so a body in a lane never waits again, and bodies cannot block each other forever.
 */
const laneLimits = { capacity: 4, maxWaitMs: 8_000, maxWaiting: 64, maxWaitingPerKey: 48 };

/** Accounts for the memory of one delivery's body until `release`. */
export function accountForBody({ queues, address }: Ctx): BodyAccount & { release: Release } {
  const reservations: Release[] = [];
  let isInLane = false;
  let isReleased = false;
  const hold = (release: Release) => {
    if (isReleased) release();
    else reservations.push(release);
  };
  return {
    freeBytes: uncountedBytes,
    stepBytes: MiB,
    async reserve(bytes) {
      if (isInLane) return;
      const network = toNetwork(address);
      const taken = await queues("webhook bodies", memoryLimits).tryEnter(network, bytes);
      if (taken) return hold(taken);
      isInLane = true;
      await queues("large webhook bodies", laneLimits)
        .enter(network)
        .then(hold, (error) => {
          if (!(error instanceof NoPlaceError)) throw error;
          throw unavailable("Too many large deliveries at the moment. Try again shortly.", 5);
        });
    },
    release() {
      isReleased = true;
      for (const release of reservations.splice(0)) release();
    },
  };
}
