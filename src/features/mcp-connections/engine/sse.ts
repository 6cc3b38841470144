export interface SseEvent {
  event: string;
  data: string;
}

export interface SseReader {
  push(chunk: Uint8Array): SseEvent[];
  /** The stream is over: an event that only lacks its closing blank line is still handed out. */
  end(): SseEvent[];
  /** Data of the event under way, for a stream that was cut off in the middle of one. */
  pending(): string;
}

/** Reads `text/event-stream` as WHATWG HTML §9.2.6 says, in whatever pieces the network delivers it. */
export function createSseReader(): SseReader {
  // The decoder keeps the beginning of a split character. The byte order mark is dropped here: left to itself
  // the decoder drops a second one too when the first came in a chunk of its own.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let begun = false;
  let line = "";
  let afterCarriageReturn = false;
  let type = "";
  let data: string[] = [];

  function push(chunk: Uint8Array): SseEvent[] {
    const text = decoder.decode(chunk, { stream: true });
    if (begun || text === "") return readText(text);
    begun = true;
    return readText(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  }

  function readText(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let from = 0;
    // The LF of a CRLF pair may come in the next chunk: it ends no line of its own.
    if (afterCarriageReturn && text !== "") {
      if (text[0] === "\n") from = 1;
      afterCarriageReturn = false;
    }
    // Only the new text is searched, so that a megabyte sent byte by byte costs no more than one piece.
    const ends = /\r\n|\r|\n/g;
    ends.lastIndex = from;
    for (let found = ends.exec(text); found !== null; found = ends.exec(text)) {
      if (found[0] === "\r" && ends.lastIndex === text.length) afterCarriageReturn = true;
      const event = readLine(line + text.slice(from, found.index));
      if (event) events.push(event);
      line = "";
      from = ends.lastIndex;
    }
    line += text.slice(from);
    return events;
  }

  function readLine(text: string): SseEvent | undefined {
    if (text === "") return dispatch();
    const colon = text.indexOf(":");
    if (colon === 0) return undefined;
    const field = colon === -1 ? text : text.slice(0, colon);
    if (field === "event") type = fieldValue(text, colon);
    if (field === "data") data.push(fieldValue(text, colon));
    return undefined;
  }

  function dispatch(): SseEvent | undefined {
    const event = data.length > 0 ? { event: type || "message", data: data.join("\n") } : undefined;
    type = "";
    data = [];
    return event;
  }

  function end(): SseEvent[] {
    const events = readText(decoder.decode());
    if (line !== "") readLine(line);
    line = "";
    const last = dispatch();
    return last ? [...events, last] : events;
  }

  function pending(): string {
    const unfinished = line.startsWith("data:") ? [...data, fieldValue(line, 4)] : data;
    return unfinished.join("\n");
  }

  return { push, end, pending };
}

function fieldValue(line: string, colon: number): string {
  if (colon === -1) return "";
  return line[colon + 1] === " " ? line.slice(colon + 2) : line.slice(colon + 1);
}
