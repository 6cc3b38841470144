import { z } from "zod";

export const workerStates = [
  "never_connected",
  "online",
  "busy",
  "idle",
  "draining",
  "stale",
  "lost",
  "stopped",
  "paused",
] as const;
export const State = z.enum(workerStates);
export type State = z.output<typeof State>;

export const Liveness = z.enum(["never_seen", "alive", "uncertain", "lost", "stopped"]);
export const Reachability = z.enum(["unknown", "reachable", "unreachable"]);
export const Freshness = z.enum(["unknown", "current", "drifted", "unsupported"]);
export const Skew = z.enum(["unknown", "current", "supported", "unsupported"]);

/** The versions of the worker API that this server speaks. Product versions decide nothing. */
export const workerApi = { current: 1, oldestSupported: 1 } as const;

/** A worker is stale after this many intervals without a heartbeat, and lost after more. */
export const staleAfterIntervals = 3;
export const lostAfterIntervals = 12;

/** A worker leaves when it was not seen for so long. Notice is given this much earlier. */
export const removal = {
  ephemeral: { afterHours: 24, noticeHours: 6 },
  others: { afterHours: 14 * 24, noticeHours: 48 },
} as const;
