/** One message of a `text/event-stream`. */
export interface StreamMessage {
  id: string | undefined;
  event: string;
  data: string;
}

const maxMessageLength = 4 * 1024 * 1024;

/** Parses messages by the rules of the HTML standard. It skips comments and messages without data. */
export async function* readStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder();
  let rest = "";
  let lines: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop()!;
    for (const part of parts) {
      const line = part.endsWith("\r") ? part.slice(0, -1) : part;
      if (line === "") {
        const message = parseMessage(lines);
        lines = [];
        length = 0;
        if (message) yield message;
      } else {
        lines.push(line);
        length += line.length;
      }
    }
    if (length + rest.length > maxMessageLength) {
      throw new Error(`A message of the stream is longer than ${maxMessageLength} characters.`);
    }
  }
}

function parseMessage(lines: string[]): StreamMessage | undefined {
  let id: string | undefined;
  let event = "message";
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") id = value;
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  return data.length > 0 ? { id, event, data: data.join("\n") } : undefined;
}
