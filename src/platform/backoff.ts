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

/** Parses the seconds or date of a `Retry-After` header (RFC 9110). Returns null for anything else. */
export function readRetryAfter(value: string | null | undefined, now: number): number | null {
  if (value === null || value === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value);
  const at = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
