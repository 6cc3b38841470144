import { pause } from "./backoff.ts";
import { Refused, Unreachable } from "./failures.ts";
import type { Server } from "./server.ts";

/** What the server promises; ours is counted from before the request, so it never ends later than the server's. */
const leaseMs = 60_000;
const everyMs = 15_000;
/** While the server does not answer. */
const soonMs = 3_000;

interface Holder {
  /** The server wants the run to stop. */
  onCancel(): void;
  /** The attempt is not ours any more. */
  onLost(refusal: Refused): void;
  /** Nobody answered for so long that somebody else may have the run by now. */
  onLapse(): void;
  onFault(error: unknown): void;
}

/** Keeps the lease of an attempt until the signal. `since` is when the claim, or the last sign of life, was sent. */
export async function keepLease(
  server: Pick<Server, "heartbeat">,
  { runId, attempt, since }: { runId: string; attempt: number; since: number },
  holder: Holder,
  signal: AbortSignal,
): Promise<void> {
  const lapseAt = (from: number) =>
    setTimeout(() => holder.onLapse(), Math.max(0, from + leaseMs - performance.now()));
  let lapse = lapseAt(since);
  let waitMs = since + everyMs - performance.now();
  try {
    while (!signal.aborted) {
      // Not all at the same moment, when many runs began together.
      await pause(Math.max(0, waitMs) * (0.8 + Math.random() * 0.2), signal);
      if (signal.aborted) return;
      const sent = performance.now();
      try {
        const { cancelRequested } = await server.heartbeat(runId, attempt);
        clearTimeout(lapse);
        if (signal.aborted) return;
        lapse = lapseAt(sent);
        if (cancelRequested) holder.onCancel();
        waitMs = everyMs;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refused) return holder.onLost(error);
        if (!(error instanceof Unreachable)) return holder.onFault(error);
        // Retries before the lease ends, even when the server asks for a longer wait.
        waitMs = Math.min(Math.max(soonMs, error.retryAfterMs), everyMs);
      }
    }
  } finally {
    clearTimeout(lapse);
  }
}
