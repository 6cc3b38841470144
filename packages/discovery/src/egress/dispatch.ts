import type { Dispatcher } from "undici";

export interface RawReply {
  status: number;
  statusText: string;
  /** By lower-case name. A repeated header has all of its values, in order. */
  headers: Record<string, string[]>;
  body: ReplyBody;
}

/** A request that was sent. */
export interface Dispatched {
  answer: Promise<RawReply>;
  /** Ends the exchange: the answer and the body fail with this error, and the connection is closed. */
  stop(error: Error): void;
}

/**
 * Sends a request. undici's own `request` makes a stream and a signal for each reply, which takes longer than the rest of
 * a small exchange.
 */
export function dispatch(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): Dispatched {
  const handler = new ReplyHandler();
  dispatcher.dispatch(options, handler);
  return handler;
}

class ReplyHandler implements Dispatcher.DispatchHandler, Dispatched {
  readonly answer: Promise<RawReply>;
  readonly #resolve: (reply: RawReply) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ReplyBody | undefined;
  #error: Error | undefined;

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<RawReply>();
    // A caller that has stopped does not wait for it.
    promise.catch(() => {});
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  stop(error: Error): void {
    this.#fail(error);
    // Before the connection is open, there is nothing to close.
    this.#controller?.abort(error);
  }

  #fail(error: Error): void {
    this.#error ??= error;
    this.#reject(error);
    this.#body?.fail(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error) controller.abort(this.#error);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[]>,
    statusText = "",
  ): void {
    if (status < 200) return;
    this.#body = new ReplyBody(controller);
    this.#resolve({ status, statusText, headers: listValues(headers), body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }
}

/** undici has parsed the headers already, and gives a header that is not repeated as a string. */
function listValues(parsed: Record<string, string | string[]>): Record<string, string[]> {
  const headers: Record<string, string[]> = Object.create(null);
  for (const name of Object.keys(parsed)) {
    const value = parsed[name]!;
    headers[name] = typeof value === "string" ? [value] : value;
  }
  return headers;
}

/** How many bytes wait for the reader before the connection is no longer read. */
const maxWaiting = 64 * 1024;

/** The chunks of a body as they arrive. They are read once. */
export class ReplyBody implements AsyncIterableIterator<Uint8Array> {
  readonly #controller: Dispatcher.DispatchController;
  readonly #chunks: Uint8Array[] = [];
  #waiting = 0;
  #hasEnded = false;
  #error: Error | undefined;
  #reader: { resolve(next: IteratorResult<Uint8Array>): void; reject(error: Error): void } | undefined;

  constructor(controller: Dispatcher.DispatchController) {
    this.#controller = controller;
  }

  push(chunk: Uint8Array): void {
    if (this.#hasEnded) return;
    if (this.#reader) {
      this.#reader.resolve({ value: chunk, done: false });
      this.#reader = undefined;
      return;
    }
    this.#chunks.push(chunk);
    this.#waiting += chunk.byteLength;
    if (this.#waiting > maxWaiting) this.#controller.pause();
  }

  end(): void {
    this.#hasEnded = true;
    this.#reader?.resolve({ value: undefined, done: true });
    this.#reader = undefined;
  }

  fail(error: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#error = error;
    this.#chunks.length = 0;
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  /** Closes the connection, unless the whole body has arrived. */
  destroy(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#chunks.length = 0;
    this.#controller.abort(new Error("Nobody reads the rest of the reply."));
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#waiting -= chunk.byteLength;
      if (this.#waiting <= maxWaiting) this.#controller.resume();
      return { value: chunk, done: false };
    }
    if (this.#error) throw this.#error;
    if (this.#hasEnded) return { value: undefined, done: true };
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.destroy();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
