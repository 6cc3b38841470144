import { GitError, malformed } from "./errors.ts";
import { createYield } from "./turns.ts";

/** A line, or one of the three marks between lines. */
export type Packet = Buffer | "flush" | "delimiter" | "end";

const marks = { 0: "flush", 1: "delimiter", 2: "end" } as const;
const maxPacketBytes = 65_520;

export function encodePacket(text: string): Buffer {
  const body = Buffer.from(text);
  if (body.length + 4 > maxPacketBytes) throw new Error("A packet is at most 65516 bytes.");
  return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, "0")), body]);
}

export const flush = Buffer.from("0000");
export const delimiter = Buffer.from("0001");

export interface PacketReaderOptions {
  /** Maximum number of packets to read. */
  packets: number;
  signal?: AbortSignal | undefined;
}

/** Reads packets as they arrive and holds no more than one. */
export class PacketReader {
  #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);
  #left: number;
  #turn: () => Promise<void> | undefined;

  constructor(chunks: AsyncIterable<Uint8Array>, { packets, signal }: PacketReaderOptions) {
    this.#source = chunks[Symbol.asyncIterator]();
    this.#left = packets;
    this.#turn = createYield(signal);
  }

  /** Undefined at the end of what was sent. */
  async next(): Promise<Packet | undefined> {
    // A compressed reply of some KiB can hold millions of empty packets.
    if (this.#left-- <= 0) throw new GitError("too_large", "The server sent its answer in too many packets.");
    await this.#turn();
    const head = await this.#take(4);
    if (head.length === 0) return undefined;
    const digits = head.toString("latin1");
    if (head.length < 4 || !/^[0-9a-fA-F]{4}$/.test(digits)) throw malformed("a line has no length");
    const length = Number.parseInt(digits, 16);
    if (length in marks) return marks[length as keyof typeof marks];
    if (length < 4 || length > maxPacketBytes) throw malformed("a line has an impossible length");
    const body = await this.#take(length - 4);
    if (body.length < length - 4) throw malformed("it was cut short");
    if (body.subarray(0, 4).equals(errorMark)) throw findErrorMessage(body);
    return body;
  }

  /** Whatever comes after the last packet, as it comes. */
  async *rest(): AsyncGenerator<Buffer> {
    if (this.#held.length > 0) yield this.#held;
    this.#held = Buffer.alloc(0);
    for (;;) {
      const { value, done } = await this.#source.next();
      if (done) return;
      yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  }

  /** So many bytes, or fewer when there are no more. */
  async #take(count: number): Promise<Buffer> {
    if (this.#held.length < count) {
      const parts = [this.#held];
      let size = this.#held.length;
      while (size < count) {
        const { value, done } = await this.#source.next();
        if (done) break;
        const part = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
        parts.push(part);
        size += part.length;
      }
      this.#held = Buffer.concat(parts, size);
    }
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }
}

const errorMark = Buffer.from("ERR ");

const findErrorMessage = (body: Buffer) =>
  body.includes("not our ref")
    ? new GitError("server_error", "The requested commit is no longer available, because the ref has moved.")
    : new GitError("access_refused", "The server refused to hand the repository out.");
