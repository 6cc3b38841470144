import { createParser } from "eventsource-parser";

export interface SseEvent {
  event: string;
  data: string;
}

export interface SseReader {
  push(chunk: Uint8Array): SseEvent[];
  /** Ends the stream. An event that lacks only its closing blank line is returned too. */
  end(): SseEvent[];
}

/**
 * Reads `text/event-stream` in whatever pieces the network delivers it. The caller limits the bytes of the stream,
 * and with them the size of one event and of the buffer.
 */
export function createSseReader(): SseReader {
  // The parser removes the byte order mark, so the decoder must keep it: only the first one may be dropped.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let events: SseEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = "message", data }) => events.push({ event, data }),
  });

  function read(text: string): SseEvent[] {
    events = [];
    parser.feed(text);
    return events;
  }

  return {
    push: (chunk) => read(decoder.decode(chunk, { stream: true })),
    end: () => read(`${decoder.decode()}\n\n`),
  };
}
