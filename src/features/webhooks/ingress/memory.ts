import type { Ctx } from "../../../platform/context.ts";
import { unavailable } from "../../../platform/errors.ts";
import { NoPlaceError, type Release } from "../../../platform/fair-queue.ts";
import { type BodyAccount, networkOf } from "../../../platform/http/index.ts";

const MiB = 1024 * 1024;

/** As large as a push of a few hundred commits: smaller bodies need no account. */
const freeBytes = 256 * 1024;
/**
 * A body is there once as it came, once as text and once on its way to the database. Senders share these bytes by
 * network: anybody can send, and who they are is known only once the body is there.
 */
const memory = { capacity: 32 * MiB, maxWaitMs: 0, maxWaiting: 0, maxWaitingPerKey: 0 };
/**
 * A body that finds its network's share used up goes on in one of these lanes, each of which has room for the largest
 * body. Whoever is in a lane comes to an end without asking again, so bodies that wait for each other's memory cannot
 * block for good.
 */
const lanes = { capacity: 4, maxWaitMs: 8_000, maxWaiting: 64, maxWaitingPerKey: 48 };

/** Accounts for one delivery's body until it is released. */
export function accountForBody({ queues, address }: Ctx): BodyAccount & { release: Release } {
  const held: Release[] = [];
  let isInLane = false;
  let isReleased = false;
  const hold = (release: Release) => {
    if (isReleased) release();
    else held.push(release);
  };
  return {
    freeBytes,
    stepBytes: MiB,
    reserve(bytes) {
      if (isInLane) return undefined;
      const network = networkOf(address);
      const taken = queues("webhook bodies", memory).tryEnter(network, bytes);
      if (taken) {
        hold(taken);
        return undefined;
      }
      isInLane = true;
      return queues("large webhook bodies", lanes)
        .enter(network)
        .then(hold, (error) => {
          if (!(error instanceof NoPlaceError)) throw error;
          throw unavailable("Too many large deliveries at the moment. Try again shortly.", 5);
        });
    },
    release() {
      isReleased = true;
      for (const release of held.splice(0)) release();
    },
  };
}
