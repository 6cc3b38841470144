import { addJitter } from "../../../platform/backoff.ts";

/** Seconds before the second attempt, the third, …: nine attempts over about a day. */
export const pauses = [10, 60, 300, 1_800, 7_200, 18_000, 28_800, 28_800] as const;
/** The longest `Retry-After` that is respected, in seconds. */
export const longestPause = 28_800;

export interface Outcome {
  /** Null when there was no response. */
  status: number | null;
  /** The pause that `Retry-After` asks for. */
  retryAfterSeconds: number | null;
}

export type Step =
  | { state: "succeeded" }
  /** `gone` means that the endpoint answered 410 and wants no more events. */
  | { state: "failed"; gone: boolean }
  | { state: "pending"; afterSeconds: number };

/** Decides what happens after attempt number `tries`, which starts at 1. `random` is from 0 to 1. */
export function nextStep(tries: number, { status, retryAfterSeconds }: Outcome, random: number): Step {
  if (status !== null && status >= 200 && status < 300) return { state: "succeeded" };
  if (status === 410) return { state: "failed", gone: true };
  const pause = pauses[tries - 1];
  if (pause === undefined) return { state: "failed", gone: false };
  // Spread out, so that deliveries to an endpoint that was down are not all retried at the same moment.
  const planned = addJitter(pause, 0.1, random);
  const asked = Math.min(retryAfterSeconds ?? 0, longestPause);
  return { state: "pending", afterSeconds: Math.max(planned, asked) };
}
