import { createBackoff, pause } from "./backoff.ts";
import { describeNetworkError, RefusedError, toUnreachable } from "./errors.ts";
import { readEventStream, type StreamMessage } from "./event-stream.ts";
import { combineSignals, type Http, type HttpRequest } from "./http.ts";

export type StreamUpdate =
  | { type: "message"; message: StreamMessage }
  /** The server closed the stream. It is opened again, unless the server said that nothing more will come. */
  | { type: "ended" }
  /** The connection was lost. It is opened again after the last message. */
  | { type: "reconnecting"; reason: string };

/** The server sends a comment every 15 s, so a connection that is silent for this long is dead. */
const silenceMs = 45_000;
const pauseAfterEndMs = 250;

interface FollowOptions {
  lastEventId?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Sent with each connection, such as the organization of a signed-in person. */
  headers?: Record<string, string> | undefined;
}

/** Follows a stream. Connects again with `Last-Event-ID`, so each message is yielded once and in order. */
export async function* followStream(
  http: Http,
  path: string,
  { lastEventId, signal, headers: given }: FollowOptions = {},
): AsyncGenerator<StreamUpdate> {
  const abort = combineSignals(http.signal, signal);
  const backoff = createBackoff({ fromMs: 500, toMs: 10_000 });
  for (;;) {
    try {
      const silence = createSilenceTimer();
      const headers: Record<string, string> = { ...given, accept: "text/event-stream" };
      if (lastEventId !== undefined) headers["last-event-id"] = lastEventId;
      const response = await http.open({ path, headers, signal: combineSignals(signal, silence.signal) });
      if (response.status === 204) {
        yield { type: "ended" };
        return;
      }
      try {
        silence.restart();
        for await (const message of readEventStream(response.body, { onActivity: silence.restart })) {
          if (message.id !== undefined) lastEventId = message.id;
          backoff.reset();
          yield { type: "message", message };
        }
      } catch (error) {
        throw toUnreachable(http.url, error);
      } finally {
        silence.stop();
      }
      yield { type: "ended" };
      await pause(pauseAfterEndMs, abort);
    } catch (error) {
      if (abort?.aborted || !isTemporary(error)) throw error;
      yield { type: "reconnecting", reason: describeNetworkError(error) };
      await backoff.wait(abort, error instanceof RefusedError ? error.retryAfterMs : 0);
    }
  }
}

/** Sends a request and yields the messages of its stream. It is not repeated, because the server could act twice. */
export async function* readStreamOnce(http: Http, request: HttpRequest): AsyncGenerator<StreamUpdate> {
  const silence = createSilenceTimer();
  try {
    const response = await http.open({
      ...request,
      headers: { accept: "text/event-stream", ...request.headers },
      signal: combineSignals(request.signal, silence.signal),
    });
    silence.restart();
    for await (const message of readEventStream(response.body, { onActivity: silence.restart }))
      yield { type: "message", message };
  } catch (error) {
    throw toUnreachable(http.url, error);
  } finally {
    silence.stop();
  }
  yield { type: "ended" };
}

/** Whether a later try may succeed. A refusal such as 404 stays. */
export const isTemporary = (error: unknown): boolean =>
  !(error instanceof RefusedError) || error.status === 429 || error.status >= 500;

function createSilenceTimer() {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("No answer.", "TimeoutError"));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const restart = () => {
    stop();
    timer = setTimeout(abort, silenceMs);
  };
  return { signal: controller.signal, restart, stop };
}
