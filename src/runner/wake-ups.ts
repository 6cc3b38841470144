import { createBackoff } from "./backoff.ts";
import { Denied, Unreachable } from "./failures.ts";
import type { Server } from "./server.ts";

/** A connection that ends sooner than this does not reset the backoff. */
const steadyMs = 5_000;
/** The server says something every 15 s; a line that is silent for longer is dead. */
const silenceMs = 40_000;

interface Ears {
  /** There may be something to claim. */
  onWork(): void;
  onCancel(runId: string, attempt: number): void;
  /** Whether wake-ups come at all; while they do not, somebody has to look. */
  onLine(up: boolean): void;
  onDenied(error: Denied): void;
}

/** Listens until the signal, and goes on after a break with what is newer than the last it heard. */
export async function listen(server: Server, ears: Ears, signal: AbortSignal): Promise<void> {
  const backoff = createBackoff();
  let lastEventId: string | undefined;
  while (!signal.aborted) {
    const line = new AbortController();
    const hangUp = () => line.abort(new Error("silent for too long"));
    let silence = setTimeout(hangUp, silenceMs);
    const openedAt = performance.now();
    let retryAfterMs = 0;
    try {
      const messages = await server.wakeUps(lastEventId, AbortSignal.any([signal, line.signal]));
      ears.onLine(true);
      // Whatever happened between the lines.
      ears.onWork();
      for await (const { id, event, data } of messages) {
        clearTimeout(silence);
        silence = setTimeout(hangUp, silenceMs);
        if (id !== undefined) lastEventId = id;
        if (event === "cancel") tellCancel(data, ears);
        else if (event !== undefined) ears.onWork();
      }
    } catch (error) {
      if (error instanceof Denied) return ears.onDenied(error);
      // Any other fault is the line's; it is said where work is looked for.
      if (error instanceof Unreachable) retryAfterMs = error.retryAfterMs;
    } finally {
      clearTimeout(silence);
      line.abort();
    }
    ears.onLine(false);
    if (performance.now() - openedAt > steadyMs) backoff.reset();
    await backoff.wait(signal, retryAfterMs);
  }
}

function tellCancel(data: string | undefined, ears: Ears): void {
  try {
    const { runId, attempt } = JSON.parse(data ?? "") as { runId: string; attempt: number };
    ears.onCancel(runId, attempt);
  } catch {
    // The next heartbeat says it too.
  }
}
