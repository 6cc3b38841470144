import { createParser, type ParseError } from "eventsource-parser";
import { readChunks } from "./http.ts";

/** One message of a `text/event-stream`. */
export interface StreamMessage {
  /** Undefined when the message has no id. */
  id: string | undefined;
  /** `message` when the server names no event. */
  event: string;
  data: string;
}

interface StreamReaders {
  /** Called for each piece of the stream, also for comments that only keep the connection open. */
  onActivity?(): void;
  onComment?(comment: string): void;
  maxMessageLength?: number;
}

/** Parses messages by the rules of the HTML standard. It skips messages without data. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array> | null,
  { onActivity, onComment, maxMessageLength = 4 * 1024 * 1024 }: StreamReaders = {},
): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder();
  let messages: StreamMessage[] = [];
  let failure: ParseError | undefined;
  const parser = createParser({
    maxBufferSize: maxMessageLength,
    onComment,
    onEvent: ({ id, event, data }) => messages.push({ id, event: event ?? "message", data }),
    onError: (error) => {
      // Unknown fields are ignored, as the standard demands.
      if (error.type === "max-buffer-size-exceeded") failure = error;
    },
  });
  for await (const chunk of readChunks(body)) {
    onActivity?.();
    parser.feed(decoder.decode(chunk, { stream: true }));
    const complete = messages;
    messages = [];
    yield* complete;
    if (failure) throw new Error(`A message of the stream is longer than ${maxMessageLength} characters.`);
  }
}
