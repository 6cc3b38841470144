import { readEventStream } from "@signalbox/client";
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
  const waiting = new Set<() => void>();
  const read = async () => {
    for await (const { id, event, data } of readEventStream(response.body)) {
      messages.push({
        ...(id === undefined ? {} : { id }),
        ...(event === "message" ? {} : { event }),
        data: JSON.parse(data),
      });
      for (const look of waiting) look();
    }
  };
  const ended = read().catch((error: Error) => {
    if (error.name !== "AbortError") throw error;
  });
  return {
    status: response.status,
    headers: response.headers,
    messages,
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
