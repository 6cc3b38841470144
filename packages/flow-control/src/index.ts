/** How the server and the packages wait: for a place in a queue, and between attempts. */
export { addJitter, type BackOff, computePause } from "./backoff.ts";
export {
  createFairQueue,
  type EnterOptions,
  type FairQueue,
  type FairQueueOptions,
  NoPlaceError,
  type Release,
} from "./fair-queue.ts";
export { createRateWindow, type RateWindow } from "./rate-window.ts";
export { computeWaitMs, parseRetryAfter, type RetryAfter, readRetryAfter } from "./retry-after.ts";
