import type { Answer, DnsError } from "./query.ts";

/** Short enough that people notice a changed record quickly, and long enough that one action asks only once. */
const maxSeconds = 10;
const absentSeconds = 5;
/** A server that gave no answer is asked again sooner. */
const failedSeconds = 2;
const maxNames = 2_000;
const maxAddresses = 64;

/** Caches recent answers, including failures. When the cache is full, the oldest name is removed. */
export function createAnswerCache() {
  const entries = new Map<string, { value: Answer | DnsError; expiresAt: number }>();
  const put = (name: string, value: Answer | DnsError, seconds: number) => {
    entries.delete(name);
    if (seconds <= 0) return;
    if (entries.size >= maxNames) entries.delete(entries.keys().next().value!);
    entries.set(name, { value, expiresAt: performance.now() + seconds * 1000 });
  };
  return {
    get(name: string): Answer | DnsError | undefined {
      const found = entries.get(name);
      if (!found) return undefined;
      if (found.expiresAt > performance.now()) return found.value;
      entries.delete(name);
      return undefined;
    },
    putAddresses(name: string, answer: Answer): void {
      const isSmall = answer.addresses.length <= maxAddresses;
      put(name, answer, isSmall ? Math.min(answer.ttlSeconds, maxSeconds) : 0);
    },
    putFailure(name: string, error: DnsError): void {
      put(name, error, error.code === "ENOTFOUND" ? absentSeconds : failedSeconds);
    },
  };
}
