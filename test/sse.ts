import type { Body } from "./body.ts";

export interface SseMessage {
  id?: string;
  event?: string;
  data: Body;
}

export interface SseReader {
  status: number;
  headers: Headers;
  messages: SseMessage[];
  comments: string[];
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  /** The first message, seen already or still to come, that is meant. */
  find(wanted: (message: SseMessage) => boolean, timeoutMs?: number): Promise<SseMessage>;
  close(): void;
}

/** Reads a text/event-stream as a client would. */
export async function openSse(url: string, headers: Record<string, string> = {}): Promise<SseReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const messages: SseMessage[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  const read = async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const lines = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        const message: SseMessage = { data: undefined };
        for (const line of lines) {
          if (line.startsWith(":")) comments.push(line);
          else if (line.startsWith("id: ")) message.id = line.slice(4);
          else if (line.startsWith("event: ")) message.event = line.slice(7);
          else if (line.startsWith("data: ")) message.data = JSON.parse(line.slice(6));
        }
        if (message.data !== undefined) messages.push(message);
        for (const look of waiting) look();
      }
    }
  };
  const ended = read().catch((error: Error) => {
    if (error.name !== "AbortError") throw error;
  });
  return {
    status: response.status,
    headers: response.headers,
    messages,
    comments,
    ended,
    find: (wanted, timeoutMs = 5_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`No such message among ${JSON.stringify(messages)}`));
        }, timeoutMs);
        const look = () => {
          const found = messages.find(wanted);
          if (!found) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    close: () => abort.abort(),
  };
}
