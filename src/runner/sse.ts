/** One message of a text/event-stream; one without `event` is a sign of life. */
export interface Message {
  id?: string;
  event?: string;
  data?: string;
}

/** Reads a stream as WHATWG's rules say, as far as a server of ours uses them. */
export async function* readMessages(body: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxMessage) throw new Error("a message without end");
    for (;;) {
      const end = /\r?\n\r?\n/.exec(text);
      if (!end) break;
      const block = text.slice(0, end.index);
      text = text.slice(end.index + end[0].length);
      yield readMessage(block);
    }
  }
}

const maxMessage = 1024 * 1024;

function readMessage(block: string): Message {
  const message: Message = {};
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "id") message.id = value!;
    else if (field === "event") message.event = value!;
    else if (field === "data")
      message.data = message.data === undefined ? value! : `${message.data}\n${value}`;
  }
  return message;
}
