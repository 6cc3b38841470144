import type { Socket } from "node:net";
import { refuseBody } from "./body.ts";
import type { Exchange } from "./exchange.ts";
import type { Answer } from "./reply.ts";
import { formatHead, keepAliveMs } from "./reply-text.ts";
import { type HttpRequest, parseRequest } from "./request.ts";
import { parseWholeRequest } from "./whole-request.ts";

export interface WholeConnectionOptions {
  /** Begins to answer a request. Returns false to leave it to Node, for example because its reply is a stream. */
  take(request: HttpRequest): boolean;
  /** Gives the connection to Node's own server, with all bytes that were not read yet. */
  handOver(socket: Socket): void;
  /** Answers a connection that has sent nothing for `silenceMs`. */
  refuseSilence(socket: Socket): void;
  silenceMs: number;
  /** A caller that takes no byte of its reply for this time is disconnected. */
  unreadMs: number;
  /** True when every reply is the last of its connection. */
  isDraining(): boolean;
}

export interface WholeConnections {
  accept(socket: Socket): void;
  /** Closes the connections that wait for a request. */
  closeIdle(): void;
  closeAll(): void;
}

/**
 * Connections whose requests arrive in one piece, and one after the other. With the first request of any other form,
 * Node's own server takes over the connection.
 */
export function createWholeConnections(options: WholeConnectionOptions): WholeConnections {
  const open = new Set<WholeConnection>();
  const sweepMs = Math.min(1_000, options.silenceMs);
  let sweep: NodeJS.Timeout | undefined;
  const leave = (connection: WholeConnection) => {
    open.delete(connection);
    if (open.size > 0) return;
    clearInterval(sweep);
    sweep = undefined;
  };
  const passTime = () => {
    for (const connection of open) connection.passTime(sweepMs);
  };
  return {
    accept(socket) {
      open.add(new WholeConnection(socket, options, leave));
      sweep ??= setInterval(passTime, sweepMs).unref();
    },
    closeIdle() {
      for (const connection of open) if (connection.isIdle) connection.socket.destroy();
    },
    closeAll() {
      for (const { socket } of open) socket.destroy();
    },
  };
}

class WholeConnection {
  readonly socket: Socket;
  readonly #options: WholeConnectionOptions;
  readonly #leave: (connection: WholeConnection) => void;
  /** The request that is being answered. */
  #exchange: WholeExchange | undefined;
  /** True when the next request came before the reply. Node reads it when the reply was sent. */
  #isForNode = false;
  /** True after the first request, or after the refusal of a connection that sent none. */
  #isPastSilence = false;
  #idleMs = 0;

  constructor(socket: Socket, options: WholeConnectionOptions, leave: (connection: WholeConnection) => void) {
    this.socket = socket;
    this.#options = options;
    this.#leave = leave;
    socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose).on("error", ignore);
  }

  get isIdle(): boolean {
    return this.#exchange === undefined;
  }

  /** Closes a connection that has waited for too long. */
  passTime(ms: number): void {
    if (!this.isIdle) return;
    this.#idleMs += ms;
    if (this.#isPastSilence) {
      if (this.#idleMs > keepAliveMs) this.socket.destroy();
    } else if (this.#idleMs > this.#options.silenceMs) {
      this.#isPastSilence = true;
      // Nobody would get the reply to a request that comes now.
      this.socket.off("data", this.#onData).resume();
      this.#options.refuseSilence(this.socket);
    }
  }

  reply({ status, headers, body = "" }: Answer): void {
    const { socket } = this;
    if (body instanceof ReadableStream) throw new Error("The reply to a whole request must not be a stream.");
    const isLast = this.#options.isDraining() || headers.connection === "close";
    const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const head = formatHead({ status, headers }, length, isLast);
    let isFlushed: boolean;
    if (typeof body === "string") isFlushed = socket.write(head + body);
    else isFlushed = socket.write(Buffer.concat([Buffer.from(head), body]));
    // The time counts from the last byte that the caller has taken.
    if (!isFlushed) socket.setTimeout(this.#options.unreadMs).once("timeout", this.#onUnread);
    if (isLast) socket.destroySoon();
    // No further request is read until the caller has read this reply.
    else if (isFlushed) this.#finish();
    else socket.once("drain", this.#onDrain);
  }

  readonly #onUnread = (): void => {
    this.socket.destroy();
  };

  readonly #onDrain = (): void => {
    this.socket.setTimeout(0).off("timeout", this.#onUnread);
    this.#finish();
  };

  readonly #onData = (bytes: Buffer): void => {
    if (this.#exchange) {
      this.#isForNode = true;
      this.#putBack(bytes);
      return;
    }
    const whole = parseWholeRequest(bytes);
    const exchange = whole && new WholeExchange(this, whole.body);
    const request = exchange && parseRequest(whole, exchange);
    if (request && this.#options.take(request)) {
      this.#exchange = exchange;
      this.#isPastSilence = true;
    } else {
      this.#putBack(bytes);
      this.#handOver();
    }
  };

  readonly #finish = (): void => {
    this.#exchange = undefined;
    this.#idleMs = 0;
    if (this.#isForNode) this.#handOver();
  };

  #putBack(bytes: Buffer): void {
    this.socket.pause();
    this.socket.unshift(bytes);
  }

  #handOver(): void {
    const { socket } = this;
    socket.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose).off("error", ignore);
    this.#leave(this);
    this.#options.handOver(socket);
    socket.resume();
  }

  /** A caller that closes its side of the connection counts as disconnected. Node does the same. */
  readonly #onEnd = (): void => {
    this.socket.end();
  };

  readonly #onClose = (): void => {
    this.#leave(this);
    this.#exchange?.end(false);
  };
}

function ignore(): void {}

class WholeExchange implements Exchange {
  readonly #connection: WholeConnection;
  readonly #body: Buffer;
  #listeners: ((isSent: boolean) => void)[] | undefined;
  /** True when the reply was sent, false when the caller disconnected before. Undefined until then. */
  #isSent: boolean | undefined;

  constructor(connection: WholeConnection, body: Buffer) {
    this.#connection = connection;
    this.#body = body;
  }

  get socket(): Socket {
    return this.#connection.socket;
  }

  async readBytes(limit: number): Promise<Buffer> {
    if (this.#body.length > limit) throw refuseBody(limit);
    return this.#body;
  }

  onEnd(listener: (isSent: boolean) => void): void {
    if (this.#isSent !== undefined) listener(this.#isSent);
    else if (this.#listeners) this.#listeners.push(listener);
    else this.#listeners = [listener];
  }

  send(answer: Answer): void {
    // The `close` event of the socket ends the exchange.
    if (this.socket.destroyed) return;
    this.#connection.reply(answer);
    this.end(true);
  }

  end(isSent: boolean): void {
    if (this.#isSent !== undefined) return;
    this.#isSent = isSent;
    if (this.#listeners) for (const listener of this.#listeners) listener(isSent);
  }
}
