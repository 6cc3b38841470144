export interface BackOff {
  firstMs: number;
  maxMs: number;
  /** 0.1 spreads a pause over 90 to 110 percent, so that many callers do not return at the same moment. */
  jitter: number;
}

/** The pause after `failures` failures, in milliseconds. It doubles from `firstMs` after the first failure. */
export const computePause = (failures: number, { firstMs, maxMs, jitter }: BackOff, random = Math.random()) =>
  addJitter(Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(failures, 1) - 1, 30)), jitter, random);

/** Changes a pause at random by at most the share `jitter`. `random` is from 0 to 1. */
export const addJitter = (pause: number, jitter: number, random = Math.random()) =>
  pause * (1 - jitter + 2 * jitter * random);
