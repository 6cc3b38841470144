import { pause, RefusedError, UnreachableError } from "@signalbox/client";
import type { RunnerApi } from "./api.ts";

/** The server's lease. It is counted from before the request, so it never ends later here than at the server. */
const leaseMs = 60_000;
const heartbeatEveryMs = 15_000;
/** While the server does not answer. */
const retryEveryMs = 3_000;

interface LeaseHandlers {
  /** The server wants the run to stop. */
  onCancel(): void;
  /** The attempt does not belong to this runner any more. */
  onLost(refusal: RefusedError): void;
  /** The server did not answer for the length of the lease, so another runner may have the run. */
  onLapse(): void;
  onFault(error: unknown): void;
}

/** Keeps the lease of an attempt until the signal aborts. `since` is when the claim or the last heartbeat was sent. */
export async function keepLease(
  api: Pick<RunnerApi, "heartbeat">,
  { runId, attempt, since }: { runId: string; attempt: number; since: number },
  handlers: LeaseHandlers,
  signal: AbortSignal,
): Promise<void> {
  const startLapseTimer = (from: number) =>
    setTimeout(() => handlers.onLapse(), Math.max(0, from + leaseMs - performance.now()));
  let lapseTimer = startLapseTimer(since);
  let waitMs = since + heartbeatEveryMs - performance.now();
  try {
    while (!signal.aborted) {
      // The jitter spreads the heartbeats of runs that began together.
      await pause(Math.max(0, waitMs) * (0.8 + Math.random() * 0.2), signal);
      if (signal.aborted) return;
      const sentAt = performance.now();
      try {
        const { cancelRequested } = await api.heartbeat(runId, attempt);
        clearTimeout(lapseTimer);
        if (signal.aborted) return;
        lapseTimer = startLapseTimer(sentAt);
        if (cancelRequested) handlers.onCancel();
        waitMs = heartbeatEveryMs;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RefusedError) return handlers.onLost(error);
        if (!(error instanceof UnreachableError)) return handlers.onFault(error);
        // Tries again before the lease ends, even when the server asks for a longer wait.
        waitMs = Math.min(Math.max(retryEveryMs, error.retryAfterMs ?? 0), heartbeatEveryMs);
      }
    }
  } finally {
    clearTimeout(lapseTimer);
  }
}
