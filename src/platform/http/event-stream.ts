import type { Log } from "../log.ts";
import { baseHeaders } from "./reply.ts";

/** One message of a text/event-stream. */
export interface Message {
  id?: string;
  event?: string;
  data: unknown;
}

/**
 * Produces the messages of one stream, from the first read on. It is asked for the next message only when the
 * last one has been handed over, so a slow reader holds one message and not all of them. It ends when `signal`
 * does. Bytes are sent as they are: streams that send the same message can share its encoded form.
 */
export type Source = (signal: AbortSignal) => AsyncGenerator<Message | Uint8Array>;

const encoder = new TextEncoder();
const heartbeat = encoder.encode(": still here\n\n");
const opening = encoder.encode("retry: 2000\n\n");

export const encodeMessage = ({ id, event, data }: Message): Uint8Array =>
  encoder.encode(
    `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`,
  );

/** A stream as its registry sees it. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** When something was last sent, by `performance.now()`. */
  readonly sentAt: number;
  /** Sends a heartbeat as soon as the reader takes one. */
  beat(): void;
  end(): void;
}

/** It ends when its source does, when the reader leaves, and when `end` is called; `onEnd` is called once. */
export function createEventStream(source: Source, log: Log, onEnd: () => void): EventStream {
  const ended = new AbortController();
  let messages: AsyncGenerator<Message | Uint8Array> | undefined;
  /** The next message has been asked for and has not been sent. */
  let asked = false;
  let arrived: IteratorResult<Message | Uint8Array> | undefined;
  let beatDue = false;
  let sentAt = performance.now();
  /** Continues the pull that waits for something to send. */
  let resume = () => {};

  const end = () => {
    if (ended.signal.aborted) return;
    ended.abort();
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
          // The reader comes back by itself, and finds the fault gone or is told of it.
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

export const streamResponse = (body: ReadableStream<Uint8Array>): Response =>
  new Response(body, {
    headers: {
      ...baseHeaders,
      "content-type": "text/event-stream; charset=UTF-8",
      "cache-control": "no-store",
      // Proxies of the nginx kind would hold messages back until there are many.
      "x-accel-buffering": "no",
    },
  });
