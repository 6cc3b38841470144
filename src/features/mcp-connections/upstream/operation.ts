import { AsyncLocalStorage } from "node:async_hooks";
import { UpstreamError } from "./errors.ts";
import type { UpstreamCallbacks } from "./types.ts";

/** Allowed for notifications and the envelope, in addition to a result. */
const streamAllowanceBytes = 1024 * 1024;
/** How long the library may take to deliver the last message of a body that has ended. */
const deliveryMs = 250;

/**
 * What one operation may use, and who receives what the server sends meanwhile. Requests, streams and messages of a
 * session belong to the operation in whose asynchronous context they were started.
 */
export interface Operation {
  readonly callbacks: UpstreamCallbacks;
  /** Aborts when the operation has ended, for whatever reason. Its open replies end with it. */
  readonly ended: AbortSignal;
  /** Aborts when the caller gives up, the deadline passes, or the operation fails. The reason is an UpstreamError. */
  readonly signal: AbortSignal;
  /** True as soon as the server has begun to answer a request. */
  hasAnswer: boolean;
  remainingMs(): number;
  remainingBytes(): number;
  countBytes(bytes: number): void;
  /** Ends the operation with this error. Only the first error counts. */
  fail(error: UpstreamError): void;
  /** Sends a message. A server may take its time to reply to it, also when its last reply has ended. */
  send<T>(reply: Promise<T>): Promise<T>;
  /** A reply has begun or ended. When none is left and the operation is still waiting, its result cannot come. */
  bodyBegins(): void;
  bodyEnds(): void;
  /** The transport asks the server for the rest of a stream. */
  expectMore(): void;
  /** Waits for the answer to a request. Only meanwhile can a reply end too early. */
  waitFor<T>(answer: Promise<T>): Promise<T>;
}

export interface OperationLimits {
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
  callbacks?: UpstreamCallbacks;
}

/** Without a reason of its own, each abort would create an error with its stack. */
const operationEnded = new UpstreamError("cancelled", "The operation has ended.");

const current = new AsyncLocalStorage<Operation>();

export const findOperation = (): Operation | undefined => current.getStore();

/** Runs `work` as an operation. Rejects with the error that ended it, or with what `work` throws. */
export async function runOperation<T>(
  limits: OperationLimits,
  work: (operation: Operation) => Promise<T>,
): Promise<T> {
  const { timeoutMs, maxBytes, signal: given, callbacks = {} } = limits;
  const stopping = new AbortController();
  const ended = new AbortController();
  const deadline = performance.now() + timeoutMs;
  let left = maxBytes + streamAllowanceBytes;
  let bodies = 0;
  let answers = 0;
  let sending = 0;
  let hasEnded = false;
  let waiting: NodeJS.Timeout | undefined;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});

  const fail = (error: UpstreamError) => {
    if (stopping.signal.aborted) return;
    stopping.abort(error);
    reject(error);
  };
  /** Gives up on an answer when every reply has ended, and the library has had its time. */
  const watchEnd = () => {
    clearTimeout(waiting);
    if (!hasEnded || bodies > 0 || sending > 0 || answers === 0) return;
    const due = performance.now() + deliveryMs;
    waiting = setTimeout(() => {
      // In a busy process, the library had no time either.
      if (performance.now() > due + deliveryMs) return watchEnd();
      fail(new UpstreamError("invalid_answer", "The server ended its reply without the expected answer."));
    }, deliveryMs);
  };
  const onAbort = () => fail(new UpstreamError("cancelled", "The caller cancelled the operation."));
  const timer = setTimeout(
    () =>
      fail(
        new UpstreamError("timed_out", `The server did not answer within ${timeoutMs / 1000} s.`, {
          hadAnswer: operation.hasAnswer,
        }),
      ),
    timeoutMs,
  );
  const operation: Operation = {
    callbacks,
    ended: ended.signal,
    signal: stopping.signal,
    hasAnswer: false,
    remainingMs: () => Math.max(1, deadline - performance.now()),
    remainingBytes: () => Math.max(0, left),
    countBytes(bytes) {
      left -= bytes;
    },
    fail,
    async send(reply) {
      sending += 1;
      watchEnd();
      try {
        return await reply;
      } finally {
        sending -= 1;
        watchEnd();
      }
    },
    bodyBegins() {
      bodies += 1;
      hasEnded = false;
      watchEnd();
    },
    bodyEnds() {
      bodies -= 1;
      hasEnded = true;
      watchEnd();
    },
    expectMore() {
      hasEnded = false;
      watchEnd();
    },
    async waitFor(answer) {
      answers += 1;
      try {
        return await answer;
      } finally {
        answers -= 1;
        hasEnded = false;
        watchEnd();
      }
    },
  };
  if (given?.aborted) onAbort();
  else given?.addEventListener("abort", onAbort, { once: true });
  try {
    stopping.signal.throwIfAborted();
    return await current.run(operation, () => Promise.race([work(operation), failed]));
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(waiting);
    given?.removeEventListener("abort", onAbort);
    ended.abort(operationEnded);
  }
}
