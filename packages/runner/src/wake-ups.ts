import { createBackoff, UnreachableError } from "@signalbox/client";
import type { RunnerApi } from "./api.ts";
import { UnusableServerError } from "./errors.ts";

/** A connection that ends sooner than this does not reset the backoff. */
const steadyMs = 5_000;
/** The server sends something every 15 s, so a connection that is silent for longer is dead. */
const silenceMs = 40_000;

interface WakeUpHandlers {
  /** There may be a run to claim. */
  onWork(): void;
  onCancel(runId: string, attempt: number): void;
  /** While there is no connection, the runner has to poll. */
  onConnection(isConnected: boolean): void;
  onUnusableServer(error: UnusableServerError): void;
}

/** Listens until the signal aborts. After a break it continues behind the last message. */
export async function listenForWakeUps(
  api: Pick<RunnerApi, "openWakeUps">,
  handlers: WakeUpHandlers,
  signal: AbortSignal,
): Promise<void> {
  const backoff = createBackoff();
  let lastEventId: string | undefined;
  while (!signal.aborted) {
    const connection = new AbortController();
    const close = () => connection.abort(new Error("silent for too long"));
    let silence = setTimeout(close, silenceMs);
    const onActivity = () => {
      clearTimeout(silence);
      silence = setTimeout(close, silenceMs);
    };
    const openedAt = performance.now();
    let retryAfterMs = 0;
    try {
      const until = AbortSignal.any([signal, connection.signal]);
      const messages = await api.openWakeUps(lastEventId, until, onActivity);
      handlers.onConnection(true);
      // Runs may have been queued while there was no connection.
      handlers.onWork();
      for await (const { id, event, data } of messages) {
        if (id !== undefined) lastEventId = id;
        if (event === "cancel") handleCancel(data, handlers);
        else if (event !== "message") handlers.onWork();
      }
    } catch (error) {
      if (error instanceof UnusableServerError) return handlers.onUnusableServer(error);
      // Other errors of the connection are reported by the requests for work.
      if (error instanceof UnreachableError) retryAfterMs = error.retryAfterMs ?? 0;
    } finally {
      clearTimeout(silence);
      connection.abort();
    }
    handlers.onConnection(false);
    if (performance.now() - openedAt > steadyMs) backoff.reset();
    await backoff.wait(signal, retryAfterMs);
  }
}

function handleCancel(data: string, handlers: WakeUpHandlers): void {
  try {
    const { runId, attempt } = JSON.parse(data) as { runId: string; attempt: number };
    handlers.onCancel(runId, attempt);
  } catch {
    // The reply to the next heartbeat has the same information.
  }
}
