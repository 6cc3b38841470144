import type { Socket } from "node:net";
import type { BodyAccount } from "./body.ts";
import type { Answer } from "./reply.ts";

/** What a request needs of its connection. */
export interface Exchange {
  readonly socket: Socket;
  /** Reads the body, and refuses one that is larger than the limit. */
  readBytes(limit: number, deadlineMs: number, account?: BodyAccount): Promise<Buffer>;
  send(answer: Answer): void;
  /**
   * Calls the listener when the reply was sent, or when the caller disconnected before; at once when that has happened
   * already.
   */
  onEnd(listener: (isSent: boolean) => void): void;
}

/** Returns a signal that aborts when the caller disconnects before the whole reply is sent, or when `left` does. */
export function whenCallerLeaves(exchange: Exchange, left = new AbortController()): AbortSignal {
  exchange.onEnd((isSent) => {
    if (!isSent) left.abort();
  });
  return left.signal;
}
