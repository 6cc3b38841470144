import type { Bus } from "../bus.ts";
import type { Caller } from "../context.ts";
import { unavailable } from "../errors.ts";
import type { Log } from "../log.ts";
import { onForgotten } from "./authenticate.ts";
import { baseHeaders } from "./reply.ts";

/** One message of a text/event-stream. */
export interface Message {
  id?: string;
  event?: string;
  data: unknown;
}

/**
 * What to send, from the first read on. It is asked for the next message only when the last one is on its
 * way, so a slow reader holds one message and not all of them. It ends when `signal` does.
 */
export type Source = (signal: AbortSignal) => AsyncGenerator<Message>;

export interface StreamTerms {
  bus: Bus;
  log: Log;
  caller: Caller | undefined;
  /** Throws when the caller may no longer do what it is doing. */
  recheck(): Promise<void>;
  /** The server is about to stop. */
  closing: AbortSignal;
  heartbeatMs?: number;
}

const encoder = new TextEncoder();
const heartbeat = encoder.encode(": still here\n\n");
/** Each holds a socket and some memory; past this many, another replica is the better place. */
const maxOpen = 5_000;
let open = 0;

/**
 * A stream that ends when its source does, when the reader goes, when the server stops, and when the
 * caller's credential does. A reader that comes back with `Last-Event-ID` goes on where it was.
 */
export function eventStream(terms: StreamTerms, source: Source): Response {
  if (open >= maxOpen) throw unavailable("Too many streams are open here. Try again shortly.", 5);
  const ended = new AbortController();
  let stopWatching = () => {};
  let messages: AsyncGenerator<Message> | undefined;
  let pending: Promise<IteratorResult<Message>> | undefined;

  const end = () => {
    if (ended.signal.aborted) return;
    open--;
    ended.abort();
    stopWatching();
    terms.closing.removeEventListener("abort", end);
    // What the source still waits for ends with the signal; its last words are nobody's any more.
    pending?.catch(() => {});
    void messages?.return(undefined).catch(() => {});
  };
  const heartbeatMs = terms.heartbeatMs ?? 15_000;
  let checkedAt = performance.now();
  const recheck = () => {
    checkedAt = performance.now();
    return terms.recheck().catch(() => {
      end();
    });
  };
  const begin = () => {
    open++;
    terms.closing.addEventListener("abort", end);
    if (terms.caller) stopWatching = onForgotten(terms.bus, terms.caller, () => void recheck());
    if (terms.closing.aborted) end();
    messages = source(ended.signal);
  };

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!messages) {
          begin();
          controller.enqueue(encoder.encode("retry: 2000\n\n"));
          return;
        }
        try {
          pending ??= messages.next();
          const next = await within(heartbeatMs, pending, ended.signal);
          if (next === "late") {
            await recheck();
            if (!ended.signal.aborted) return controller.enqueue(heartbeat);
          } else if (next !== "ended" && !next.done) {
            pending = undefined;
            // A credential that comes to its time is announced by nobody, and this stream is never quiet.
            if (performance.now() - checkedAt > heartbeatMs) await recheck();
            if (!ended.signal.aborted) return controller.enqueue(encoder.encode(write(next.value)));
          }
        } catch (error) {
          // The reader comes back by itself, and finds the fault gone or is told of it.
          terms.log.warn({ err: error }, "stream ended early");
        }
        end();
        controller.close();
      },
      cancel: end,
    },
    // Nothing happens before somebody reads: a HEAD request never does.
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      ...baseHeaders,
      "content-type": "text/event-stream; charset=UTF-8",
      "cache-control": "no-store",
      // Proxies of the nginx kind would hold messages back until there are many.
      "x-accel-buffering": "no",
    },
  });
}

function write({ id, event, data }: Message): string {
  return `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function within<T>(ms: number, work: Promise<T>, signal: AbortSignal): Promise<T | "late" | "ended"> {
  return new Promise((resolve, reject) => {
    const done = (outcome: T | "late" | "ended") => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(outcome);
    };
    const onAbort = () => done("ended");
    const timer = setTimeout(() => done("late"), ms);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) return onAbort();
    work.then(done, (error) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      reject(error);
    });
  });
}
