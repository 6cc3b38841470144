import { addJitter } from "@signalbox/flow-control";

/** Seconds before the second attempt, the third, …: nine attempts over about a day. */
export const retryPauses = [10, 60, 300, 1_800, 7_200, 18_000, 28_800, 28_800] as const;
/** The longest `Retry-After` that is respected, in seconds. */
export const maxPause = 28_800;

export interface Outcome {
  /** Null when there was no response. */
  status: number | null;
  /** The pause that `Retry-After` asks for. */
  retryAfterSeconds: number | null;
}

export type NextStep =
  | { state: "succeeded" }
  /** `gone` means that the endpoint answered 410 and wants no more events. */
  | { state: "failed"; isGone: boolean }
  | { state: "pending"; afterSeconds: number };

/** Decides what happens after attempt number `tries`, which starts at 1. `random` is from 0 to 1. */
export function decideNextStep(
  tries: number,
  { status, retryAfterSeconds }: Outcome,
  random: number,
): NextStep {
  if (status !== null && status >= 200 && status < 300) return { state: "succeeded" };
  if (status === 410) return { state: "failed", isGone: true };
  const pause = retryPauses[tries - 1];
  if (pause === undefined) return { state: "failed", isGone: false };
  // Spread out, so that deliveries to an endpoint that was down are not all retried at the same moment.
  const plannedPause = addJitter(pause, 0.1, random);
  const requestedPause = Math.min(retryAfterSeconds ?? 0, maxPause);
  return { state: "pending", afterSeconds: Math.max(plannedPause, requestedPause) };
}
