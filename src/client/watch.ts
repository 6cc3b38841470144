import { setTimeout as sleep } from "node:timers/promises";
import type { Run, RunEvent } from "../features/automations/index.ts";
import { RefusedError, reasonOf, UnreachableError } from "./errors.ts";
import type { Http } from "./http.ts";
import { readStream } from "./sse.ts";

/** An update of a run that is being watched. */
export type RunUpdate =
  | { type: "event"; event: RunEvent }
  | { type: "run"; run: Run }
  /** The connection was lost. The client opens a new one that continues after the last event. */
  | { type: "reconnecting"; reason: string };

export const isEnded = ({ status }: Pick<Run, "status">) => status !== "queued" && status !== "running";

const longestDelayMs = 10_000;
/** Upper limit for `Retry-After`. Without it a very long wait would overflow the timer, which then fires at once. */
const longestRetryAfterMs = 5 * 60_000;
/** The server sends a comment every 15 s, so a connection that is silent for this long is dead. */
const silenceMs = 45_000;

/**
 * Follows a run until it has ended. A lost connection is opened again with `Last-Event-ID`, so each event is
 * yielded once and in order.
 */
export async function* watchRun(http: Http, runId: string, signal?: AbortSignal): AsyncGenerator<RunUpdate> {
  const path = `/v1/automation-runs/${encodeURIComponent(runId)}`;
  let lastEventId: string | undefined;
  let failures = 0;
  // Fails now when the server cannot be reached or does not have this run. Waiting would not help.
  await http.request({ path });
  for (;;) {
    try {
      for await (const update of readOnce()) {
        failures = 0;
        yield update;
        if (update.type === "run" && isEnded(update.run)) return;
      }
      // The stream ended without a final state, as with a 204. Read the run before reconnecting.
      const { run } = (await http.request({ path })) as { run: Run };
      if (isEnded(run)) {
        yield { type: "run", run };
        return;
      }
      await pause(250);
    } catch (error) {
      if (signal?.aborted || (error instanceof RefusedError && !isTemporary(error))) throw error;
      failures++;
      yield { type: "reconnecting", reason: reasonOf(error) };
      const asked = error instanceof RefusedError ? (error.retryAfter ?? 0) * 1000 : 0;
      const delay = Math.min(250 * 2 ** failures, longestDelayMs);
      await pause(Math.max(delay, Math.min(asked, longestRetryAfterMs)));
    }
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, signal ? { signal } : {});
  }

  async function* readOnce(): AsyncGenerator<RunUpdate> {
    const silence = new AbortController();
    const endSilence = () => silence.abort(new DOMException("No answer.", "TimeoutError"));
    const until = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (lastEventId !== undefined) headers["last-event-id"] = lastEventId;
    const response = await http.open({ path: `${path}/stream` }, headers, until);
    if (response.status === 204 || !response.body) return;
    let timer = setTimeout(endSilence, silenceMs);
    const alive = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          clearTimeout(timer);
          timer = setTimeout(endSilence, silenceMs);
          controller.enqueue(chunk);
        },
      }),
    );
    try {
      for await (const { id, event, data } of readStream(alive)) {
        if (id !== undefined) lastEventId = id;
        if (event === "run") yield { type: "run", run: JSON.parse(data) as Run };
        else if (event === "message") yield { type: "event", event: JSON.parse(data) as RunEvent };
      }
    } catch (error) {
      throw new UnreachableError("", reasonOf(error), { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

const isTemporary = ({ status }: RefusedError) => status === 429 || status >= 500;
