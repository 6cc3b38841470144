import type { IncomingMessage, ServerResponse } from "node:http";
import { readBytes } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import type { Answer } from "./reply.ts";

/** The exchange of a request that Node's own server read. */
export class NodeExchange implements Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly #unreadMs: number;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, unreadMs = maxUnreadMs) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.#unreadMs = unreadMs;
  }

  get socket() {
    return this.incoming.socket;
  }

  readBytes(...[limit, deadlineMs, account]: Parameters<Exchange["readBytes"]>) {
    return readBytes(this, limit, deadlineMs, account);
  }

  onEnd(listener: (isSent: boolean) => void): void {
    const { outgoing } = this;
    if (outgoing.destroyed) listener(outgoing.writableFinished);
    else outgoing.once("close", () => listener(outgoing.writableFinished));
  }

  send({ status, headers, body }: Answer): void {
    const { incoming, outgoing } = this;
    if (!incoming.complete) outgoing.once("finish", () => discardRest(incoming));
    if (body instanceof ReadableStream) {
      try {
        outgoing.writeHead(status, headers);
      } catch (error) {
        // Nobody will read the stream, so it must release what it holds.
        void body.cancel().catch(() => {});
        throw error;
      }
      void pipeStream(body, this, this.#unreadMs);
    } else if (body === undefined) {
      outgoing.writeHead(status, headers).end();
    } else {
      headers["content-length"] = String(typeof body === "string" ? Buffer.byteLength(body) : body.length);
      outgoing.writeHead(status, headers).end(body);
      limitUnreadTime(this, this.#unreadMs);
    }
  }
}

/**
 * A caller that takes no byte of its reply for this time is disconnected, because the reply takes memory. The time is long,
 * because people pipe exports into programs that stop reading.
 */
export const maxUnreadMs = 120_000;

/** Limits the time after the end of a reply. Node closes the connection when the time is over. */
function limitUnreadTime({ socket, outgoing }: NodeExchange, unreadMs: number): void {
  // Without a socket, the reply waits for the one to an earlier request.
  if (outgoing.destroyed || (outgoing.socket && socket.writableLength === 0)) return;
  socket.setTimeout(unreadMs);
  // Before the listener of Node, which then limits the time until the next request.
  outgoing.prependOnceListener("finish", () => socket.setTimeout(0));
}

/** The beginning of a stream is held back for this time, so that a short reply is sent with one write. */
const gatherMs = 10;

/** Reads the stream as fast as the client reads the reply, and stops when the client disconnects. */
async function pipeStream(
  stream: ReadableStream<Uint8Array>,
  exchange: NodeExchange,
  unreadMs: number,
): Promise<void> {
  const { outgoing, socket } = exchange;
  const reader = stream.getReader();
  const sendGathered = gatherWrites(outgoing);
  const gone = () => void reader.cancel().catch(() => {});
  outgoing.once("close", gone);
  try {
    // A HEAD request has its reply, and a client that disconnected reads nothing more.
    if (outgoing.req.method === "HEAD" || outgoing.destroyed) gone();
    else outgoing.flushHeaders();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (outgoing.write(part.value) || outgoing.destroyed) continue;
      sendGathered();
      socket.setTimeout(unreadMs);
      await waitForDrain(outgoing);
      socket.setTimeout(0);
    }
    outgoing.end();
    sendGathered();
    limitUnreadTime(exchange, unreadMs);
  } catch {
    sendGathered();
    // The reply is incomplete. Closing the connection lets the client notice.
    outgoing.destroy();
  }
}

/**
 * Holds back what is written until the time is over, or the returned function is called. It is the socket that waits: a
 * response that holds chunks back itself writes the end of the reply before them.
 */
function gatherWrites({ socket }: ServerResponse): () => void {
  socket?.cork();
  let isHeld = true;
  const send = () => {
    clearTimeout(timer);
    if (isHeld) socket?.uncork();
    isHeld = false;
  };
  const timer = setTimeout(send, gatherMs);
  return send;
}

function waitForDrain(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
  });
}

/** Limits for reading an unwanted body: in bytes, in time, and in time without a byte. Then the connection is closed. */
const maxDiscardedBytes = 64 * 1024 * 1024;
const maxDiscardMs = 5_000;
const maxPauseMs = 500;

/**
 * Reads and discards the rest of the body. Many clients read the reply only after they have sent everything, and would
 * lose it if the connection were closed early.
 */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  const { socket } = incoming;
  const startedAt = performance.now();
  const readBefore = socket.bytesRead;
  let read = readBefore;
  let readAt = startedAt;
  // Node emits no data of a request that was answered, so the bytes are counted at the socket.
  const timer = setInterval(() => {
    const now = performance.now();
    if (socket.bytesRead !== read) readAt = now;
    read = socket.bytesRead;
    if (
      now - readAt >= maxPauseMs ||
      now - startedAt >= maxDiscardMs ||
      read - readBefore > maxDiscardedBytes
    ) {
      clearInterval(timer);
      socket.destroySoon();
    }
  }, 100);
  const stop = () => clearInterval(timer);
  incoming
    .on("error", () => {})
    .once("close", stop)
    .once("end", stop);
  incoming.resume();
}
