import type { Log } from "../log.ts";
import { baseHeaders } from "./reply.ts";

/** One message of a text/event-stream. */
export interface Message {
  id?: string;
  event?: string;
  data: unknown;
}

/**
 * Produces the messages of one stream until `signal` aborts. The next message is requested only after the last one was
 * handed over. Bytes are sent unchanged, so that streams can share encoded messages.
 */
export type Source = (signal: AbortSignal) => AsyncGenerator<Message | Uint8Array>;

/** Without a reason of its own, each abort would create an error with its stack. */
const streamEnded = new Error("The stream has ended.");

/** Returns a reply that sends the messages of `source`. Rejects when the caller has too many open streams. */
export type OpenStream = (source: Source) => Promise<Response>;

const encoder = new TextEncoder();
const heartbeat = encoder.encode(": still here\n\n");
const opening = encoder.encode("retry: 2000\n\n");

export const encodeMessage = ({ id, event, data }: Message): Uint8Array =>
  encoder.encode(
    `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`,
  );

/** Reads messages back from a source, for readers inside of the process. Comments and `retry` are left out. */
export async function* decodeMessages(parts: AsyncGenerator<Message | Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  for await (const part of parts) {
    if (!(part instanceof Uint8Array)) yield part;
    // Sources send whole messages.
    else
      for (const block of decoder.decode(part).split("\n\n")) {
        // Only `\n` ends a line: JSON may contain other characters that end lines elsewhere.
        const lines = block.split("\n");
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const [id, event, data] = [field("id"), field("event"), field("data")];
        if (data !== undefined)
          yield {
            ...(id === undefined ? {} : { id }),
            ...(event === undefined ? {} : { event }),
            data: JSON.parse(data),
          };
      }
  }
}

/** A stream in the registry of open streams. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** When something was last sent, by `performance.now()`. */
  readonly sentAt: number;
  /** Sends a heartbeat as soon as the reader can take it. */
  beat(): void;
  end(): void;
}

/**
 * Creates a stream that ends when its source ends, when the reader disconnects, or when `end` is called. `onEnd` is
 * called once.
 */
export function createEventStream(source: Source, log: Log, onEnd: () => void): EventStream {
  const ended = new AbortController();
  let messages: AsyncGenerator<Message | Uint8Array> | undefined;
  /** True while the next message is requested and not yet sent. */
  let asked = false;
  let arrived: IteratorResult<Message | Uint8Array> | undefined;
  let beatDue = false;
  let sentAt = performance.now();
  /** Continues the pull that waits for something to send. */
  let resume = () => {};

  const end = () => {
    if (ended.signal.aborted) return;
    ended.abort(streamEnded);
    onEnd();
    resume();
    void messages?.return(undefined).catch(() => {});
  };
  const ask = () => {
    asked = true;
    messages!
      .next()
      .then(
        (next) => {
          arrived = next;
        },
        (error: unknown) => {
          // The client reconnects by itself. If the fault persists, the new request gets an error reply.
          if (!ended.signal.aborted) log.warn({ err: error }, "stream ended early");
          arrived = { done: true, value: undefined };
        },
      )
      .finally(() => resume());
  };
  const wait = () =>
    new Promise<void>((resolve) => {
      resume = resolve;
      if (arrived || beatDue || ended.signal.aborted) resolve();
    });

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (bytes: Uint8Array) => {
          sentAt = performance.now();
          controller.enqueue(bytes);
        };
        if (!messages && !ended.signal.aborted) {
          messages = source(ended.signal);
          return send(opening);
        }
        if (!asked && !ended.signal.aborted) ask();
        await wait();
        if (!ended.signal.aborted && arrived && !arrived.done) {
          const { value } = arrived;
          arrived = undefined;
          asked = false;
          return send(value instanceof Uint8Array ? value : encodeMessage(value));
        }
        if (!ended.signal.aborted && !arrived) {
          beatDue = false;
          return send(heartbeat);
        }
        end();
        controller.close();
      },
      cancel: end,
    },
    // Nothing happens before somebody reads: a HEAD request never does.
    { highWaterMark: 0 },
  );
  return {
    body,
    get sentAt() {
      return sentAt;
    },
    beat() {
      beatDue = true;
      resume();
    },
    end,
  };
}

export const streamHeaders: Readonly<Record<string, string>> = {
  ...baseHeaders,
  "content-type": "text/event-stream; charset=UTF-8",
  "cache-control": "no-store",
  // Proxies of the nginx kind would hold messages back until there are many.
  "x-accel-buffering": "no",
};
