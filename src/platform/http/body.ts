import type { Readable } from "node:stream";
import { invalidRequest, Refusal, tooLarge } from "../errors.ts";
import type { HttpRequest } from "./request.ts";

export const defaultBodyDeadlineMs = 20_000;
const smallBody = 64 * 1024;
const largeBody = 256 * 1024;

/** In each window a body must bring at least this much: one that drips must not keep its connection, a large one its memory. */
const rateWindowMs = 5_000;
const leastPerWindow = 5 * 1024;
const leastPerWindowOfLarge = 160 * 1024;

/** Accounts for the memory of large bodies, by what has arrived and not by what was announced. */
export interface BodyAccount {
  /** This much needs no account. */
  freeBytes: number;
  /** How much is asked for at a time. */
  stepBytes: number;
  /** Asks for more. While it waits nothing is read; when it throws the body is refused with that. */
  reserve(bytes: number): Promise<void> | undefined;
}

/**
 * The body's bytes as they came. Counted while they arrive, so that a large one is refused without being
 * held, with a deadline over the whole and a minimum rate, so that a slow one cannot keep its place.
 */
export async function readBytes(
  { headers, incoming, outgoing }: HttpRequest,
  limit: number,
  deadlineMs: number,
  account?: BodyAccount,
): Promise<Buffer> {
  const announced = Number(headers["content-length"] ?? 0);
  // The connection stays open: many clients only listen once they have said everything, and closing it
  // under them would take the refusal along. The server reads on for a moment and forgets what it reads.
  const refusal = () => tooLarge(`The body is larger than ${limit} bytes.`);
  if (announced > limit) throw refusal();
  if (headers.expect !== undefined) outgoing.writeContinue();
  // A small body has usually come along with its headers. The stream hands it over a moment later, and
  // waiting for the stream's end as for any other would cost more than all the rest.
  if (announced > 0 && announced <= smallBody) {
    await undefined;
    const whole = incoming.readableLength === announced ? incoming.read() : null;
    if (whole !== null) return whole as Buffer;
  }
  return collect(incoming, { announced, limit, refusal, deadlineMs, account });
}

interface Collecting {
  announced: number;
  limit: number;
  refusal(): Refusal;
  deadlineMs: number;
  account: BodyAccount | undefined;
}

/** By listeners and not by iterating: for a small body the iterator costs more than everything else here. */
function collect(source: Readable, { announced, limit, refusal, deadlineMs, account }: Collecting) {
  return new Promise<Buffer>((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    /** A large body of known size is put together as it comes: pieces put together at the end would be there twice. */
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
      const least = size > largeBody ? leastPerWindowOfLarge : leastPerWindow;
      if (isWaiting || size - sizeBefore >= least) return next();
      // After a stall of this process, bytes that came in time are still in the socket: they are read before this is decided.
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
    // Nobody is left to read this; it is for the log, which should not take it for a fault of ours.
    const onCut = () => stop(invalidRequest([{ message: "The body was cut off." }]));
    const leave = () => {
      hasEnded = true;
      clearTimeout(timer);
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
    };
    const stop = (why: unknown) => {
      leave();
      source.pause();
      // Whatever still happens to it is nobody's business here, and must not end the process.
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
