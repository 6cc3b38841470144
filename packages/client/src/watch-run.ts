import type { AutomationRun, AutomationRunEvent } from "./api.ts";
import { pause } from "./backoff.ts";
import { describeNetworkError } from "./errors.ts";
import type { StreamMessage } from "./event-stream.ts";
import { followStream, isTemporary } from "./follow-stream.ts";
import type { Http } from "./http.ts";

/** An update of a run that is being watched. */
export type RunUpdate =
  | { type: "event"; event: AutomationRunEvent }
  | { type: "run"; run: AutomationRun }
  /** The connection was lost. The client opens a new one that continues after the last event. */
  | { type: "reconnecting"; reason: string };

export const isEnded = ({ status }: Pick<AutomationRun, "status">) =>
  status !== "queued" && status !== "running";

export interface WatchOptions {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
}

/** Follows a run until it has ended. Each event is yielded once and in order. */
export async function* watchRun(
  http: Http,
  runId: string,
  { signal, headers }: WatchOptions = {},
): AsyncGenerator<RunUpdate> {
  const path = `/v1/automation-runs/${encodeURIComponent(runId)}`;
  const readRun = async () =>
    (await http.request({ path, signal, ...(headers ? { headers } : {}) })) as { run: AutomationRun };
  let lastEventId: string | undefined;
  // Fails now when the server cannot be reached or does not have this run. Waiting would not help.
  await readRun();
  for (;;) {
    for await (const update of followStream(http, `${path}/stream`, { lastEventId, signal, headers })) {
      if (update.type === "reconnecting") yield update;
      if (update.type === "message") {
        lastEventId = update.message.id ?? lastEventId;
        const parsed = parseUpdate(update.message);
        if (parsed) yield parsed;
        if (parsed?.type === "run" && isEnded(parsed.run)) return;
      }
      if (update.type !== "ended") continue;
      // The stream ended without a final state. Read the run before reconnecting.
      try {
        const { run } = await readRun();
        if (!isEnded(run)) continue;
        yield { type: "run", run };
        return;
      } catch (error) {
        if (http.signal?.aborted || signal?.aborted || !isTemporary(error)) throw error;
        yield { type: "reconnecting", reason: describeNetworkError(error) };
      }
    }
    await pause(250, signal ?? http.signal);
  }
}

/** Undefined for a message of another kind, or one that is not JSON. */
function parseUpdate({ event, data }: StreamMessage): RunUpdate | undefined {
  try {
    if (event === "run") return { type: "run", run: JSON.parse(data) as AutomationRun };
    if (event === "message") return { type: "event", event: JSON.parse(data) as AutomationRunEvent };
  } catch {
    // The next message is read all the same.
  }
  return undefined;
}
