import fc from "fast-check";
import { expect, test } from "vitest";
import { delimiter, encodePacket, flush, type Packet, PacketReader } from "./pkt-line.ts";

/** The bytes in pieces of these sizes, as a network would hand them over. */
async function* inPieces(bytes: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % Math.max(sizes.length, 1)] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function readAll(bytes: Buffer, sizes: number[]): Promise<(Packet | undefined)[]> {
  const reader = new PacketReader(inPieces(bytes, sizes), { packets: 10_000 });
  const packets: (Packet | undefined)[] = [];
  for (let next = await reader.next(); next !== undefined; next = await reader.next()) packets.push(next);
  return packets;
}

const line = fc.string({ maxLength: 2_000 }).filter((text) => !text.startsWith("ERR "));
const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 10 });

test("packets are read back as written, for any split of the bytes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(line, fc.constantFrom("flush" as const, "delimiter" as const)), { maxLength: 30 }),
      sizes,
      async (packets, pieces) => {
        const marks = new Map([
          ["flush", flush],
          ["delimiter", delimiter],
        ]);
        const bytes = Buffer.concat(packets.map((one) => marks.get(one) ?? encodePacket(one)));
        const read = await readAll(bytes, pieces);
        expect(read.map((one) => (Buffer.isBuffer(one) ? one.toString() : one))).toEqual(packets);
      },
    ),
  );
});

test("the bytes after the last packet are returned unchanged", async () => {
  await fc.assert(
    fc.asyncProperty(line, fc.uint8Array({ maxLength: 3_000 }), sizes, async (first, rest, pieces) => {
      const reader = new PacketReader(inPieces(Buffer.concat([encodePacket(first), rest]), pieces), {
        packets: 10,
      });
      expect(String(await reader.next())).toBe(first);
      const parts: Buffer[] = [];
      for await (const part of reader.rest()) parts.push(part);
      expect(Buffer.concat(parts).equals(rest)).toBe(true);
    }),
  );
});

test("any other bytes are read as valid packets or give an error", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.string({ unit: fc.constantFrom(..."0123456789abcdefF") }).map((text) => Buffer.from(text)),
      ),
      sizes,
      async (bytes, pieces) => {
        try {
          await readAll(Buffer.from(bytes), pieces);
        } catch (error) {
          expect(error).toMatchObject({ name: "GitError" });
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("a truncated packet is an error, and not the end of the stream", async () => {
  await fc.assert(
    fc.asyncProperty(line, fc.nat(), async (text, cut) => {
      const whole = encodePacket(text);
      const at = 1 + (cut % (whole.length - 1));
      await expect(readAll(whole.subarray(0, at), [7])).rejects.toMatchObject({ kind: "protocol" });
    }),
  );
});

test("more packets than allowed are refused, even when they are small", async () => {
  const reader = new PacketReader(inPieces(Buffer.from("0004".repeat(2_000)), [700]), { packets: 1_000 });
  const readOn = async () => {
    while ((await reader.next()) !== undefined);
  };
  await expect(readOn()).rejects.toMatchObject({ kind: "too_large" });
});
