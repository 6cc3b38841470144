/** The value of a `Retry-After` header (RFC 9110 §10.2.3). */
export type RetryAfter = { seconds: number } | { at: Date };

/** Returns undefined for a missing header and for anything that is neither seconds nor an HTTP date. */
export function parseRetryAfter(value: string | null | undefined): RetryAfter | undefined {
  const text = value?.trim() ?? "";
  // Some servers send fractions, which RFC 9110 does not know. They are unambiguous.
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return { seconds: Number(text) };
  // `Date.parse` accepts much that is no HTTP date, such as "-5" and "1.5".
  const at = /^[A-Za-z]{3,9},? /.test(text) ? new Date(text) : undefined;
  return at && !Number.isNaN(at.getTime()) ? { at } : undefined;
}

export function computeWaitMs(retryAfter: RetryAfter, now: number): number {
  return "at" in retryAfter ? Math.max(0, retryAfter.at.getTime() - now) : retryAfter.seconds * 1000;
}

/** Reads how long a `Retry-After` header asks to wait, in whole seconds. Returns null without a valid header. */
export function readRetryAfter(value: string | null | undefined, now: number): number | null {
  const retryAfter = parseRetryAfter(value);
  return retryAfter ? Math.ceil(computeWaitMs(retryAfter, now) / 1000) : null;
}
