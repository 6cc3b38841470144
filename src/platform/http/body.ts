import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { invalidRequest, Refusal, tooLarge } from "../errors.ts";

export const defaultBodyDeadlineMs = 20_000;
const smallBody = 64 * 1024;
const largeBody = 256 * 1024;

/**
 * Minimum number of bytes per window. A slow body must not hold a connection, and a slow large body must not hold
 * memory.
 */
const rateWindowMs = 5_000;
const minBytesPerWindow = 5 * 1024;
const minBytesPerWindowOfLargeBody = 160 * 1024;

/** Accounts for the memory of large bodies, by the bytes that have arrived and not by `content-length`. */
export interface BodyAccount {
  /** Bytes that need no reservation. */
  freeBytes: number;
  /** Reservations are multiples of this. */
  stepBytes: number;
  /** Reserves more bytes. Reading pauses while it waits. When it throws, the body is refused with that error. */
  reserve(bytes: number): Promise<void> | undefined;
}

/**
 * Reads the bytes of the body. The size is checked while they arrive, so that a body that is too large is never held. A
 * deadline and a minimum rate end slow bodies.
 */
export async function readBytes(
  { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  limit: number,
  deadlineMs: number,
  account?: BodyAccount,
): Promise<Buffer> {
  const { headers } = incoming;
  const announced = Number(headers["content-length"] ?? 0);
  // The connection stays open, because many clients read the reply only after they have sent everything. The server
  // reads the rest for a moment and discards it.
  const refusal = () => refuseBody(limit);
  if (announced > limit) throw refusal();
  if (headers.expect !== undefined) outgoing.writeContinue();
  // A small body usually arrives with its headers, and the stream has it a moment later. Reading it directly is much
  // cheaper than waiting for the end of the stream.
  if (announced > 0 && announced <= smallBody) {
    await undefined;
    const whole = incoming.readableLength === announced ? incoming.read() : null;
    if (whole !== null) return whole as Buffer;
  }
  return collect(incoming, { announced, limit, refusal, deadlineMs, account });
}

export const refuseBody = (limit: number): Refusal => tooLarge(`The body is larger than ${limit} bytes.`);

interface Collecting {
  announced: number;
  limit: number;
  refusal(): Refusal;
  deadlineMs: number;
  account: BodyAccount | undefined;
}

/** Uses listeners, because for a small body an iterator costs more than everything else here. */
function collect(source: Readable, { announced, limit, refusal, deadlineMs, account }: Collecting) {
  return new Promise<Buffer>((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    /**
     * A large body of known size is copied into one buffer as it arrives. Joining the chunks at the end would need
     * twice the memory.
     */
    let whole: Buffer | undefined;
    let size = 0;
    let accounted = account?.freeBytes ?? Number.POSITIVE_INFINITY;
    let isWaiting = false;
    let hasEnded = false;

    const startedAt = performance.now();
    let sizeBefore = 0;
    let timer = setTimeout(onWindow, Math.min(rateWindowMs, deadlineMs));
    function onWindow() {
      const leftMs = deadlineMs - (performance.now() - startedAt);
      if (leftMs <= 0) return stop(tooSlow(`The body did not arrive within ${deadlineMs / 1000} s.`));
      const next = () => {
        sizeBefore = size;
        timer = setTimeout(onWindow, Math.min(rateWindowMs, Math.ceil(leftMs)));
      };
      const least = size > largeBody ? minBytesPerWindowOfLargeBody : minBytesPerWindow;
      if (isWaiting || size - sizeBefore >= least) return next();
      // After a stall of this process, bytes that arrived in time may still be in the socket. They are read before the
      // decision.
      const seen = size;
      setImmediate(() => {
        if (hasEnded) return;
        if (size > seen) return next();
        stop(tooSlow(`The body arrived too slowly: fewer than ${least} bytes in ${rateWindowMs / 1000} s.`));
      });
    }

    const onData = (chunk: Uint8Array) => {
      size += chunk.length;
      if (size > limit) return stop(refusal());
      keep(chunk);
      if (size > accounted) reserve();
    };
    const keep = (chunk: Uint8Array) => {
      if (whole) whole.set(chunk, size - chunk.length);
      else chunks.push(chunk);
      if (whole || size <= largeBody || announced < size) return;
      whole = Buffer.allocUnsafeSlow(announced);
      let at = 0;
      for (const piece of chunks) {
        whole.set(piece, at);
        at += piece.length;
      }
      chunks = [];
    };
    const reserve = () => {
      const { stepBytes } = account!;
      const bytes = Math.ceil((size - accounted) / stepBytes) * stepBytes;
      accounted += bytes;
      let waiting: Promise<void> | undefined;
      try {
        waiting = account!.reserve(bytes);
      } catch (error) {
        return stop(error);
      }
      if (!waiting) return;
      isWaiting = true;
      source.pause();
      waiting.then(
        () => {
          isWaiting = false;
          if (!hasEnded) source.resume();
        },
        (error) => !hasEnded && stop(error),
      );
    };
    const onEnd = () => {
      leave();
      if (whole) resolve(whole.subarray(0, size));
      else resolve(chunks.length === 1 ? asBuffer(chunks[0]!) : Buffer.concat(chunks, size));
    };
    // Nobody reads this reply. A refusal keeps the log from reporting a fault of the server.
    const onCut = () => stop(invalidRequest([{ message: "The body was cut off." }]));
    const leave = () => {
      hasEnded = true;
      clearTimeout(timer);
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
    };
    const stop = (why: unknown) => {
      leave();
      source.pause();
      // Later errors of the stream do not matter here, and must not end the process.
      source.on("error", () => {});
      reject(why);
    };
    if (source.destroyed) return onCut();
    source.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length);

const tooSlow = (message: string) =>
  new Refusal(408, { error: "request_timeout", message }, { connection: "close" });
