import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type BodyAccount, readBytes } from "./body.ts";

const MiB = 1024 * 1024;
const deadlineMs = 60_000;

function request(length?: number) {
  const incoming = new PassThrough({ highWaterMark: 64 * MiB });
  const headers = length === undefined ? {} : { "content-length": String(length) };
  const it = { incoming: Object.assign(incoming, { headers }), outgoing: {} };
  return { incoming, it: it as unknown as Parameters<typeof readBytes>[0] };
}

/** Lets streams deliver what was written to them. */
const flow = async () => {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
};

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

describe("the rate of a body", () => {
  async function send(incoming: PassThrough, bytes: number, seconds: number) {
    for (let i = 0; i < seconds; i++) {
      if (bytes > 0) incoming.write(Buffer.alloc(bytes));
      await flow();
      await vi.advanceTimersByTimeAsync(1_000);
      await flow();
    }
  }

  test.each([
    ["chunked, a byte each second", undefined, 1],
    ["announced, a byte each second", 25 * MiB, 1],
    ["silent", 100, 0],
  ])("a slow body is refused with 408: %s", async (_name, length, perSecond) => {
    const { incoming, it } = request(length);
    const read = readBytes(it, 25 * MiB, deadlineMs).then(
      () => "read",
      ({ status, body, headers }) => ({ status, body, headers }),
    );
    await send(incoming, perSecond, 7);
    expect(await Promise.race([read, "still read"])).toMatchObject({
      status: 408,
      body: { error: "request_timeout", message: expect.stringContaining("too slowly") },
      headers: { connection: "close" },
    });
  });

  test("a large body that becomes slow is refused with 408 too", async () => {
    const { incoming, it } = request(25 * MiB);
    const read = readBytes(it, 25 * MiB, deadlineMs).catch(({ status }) => status);
    incoming.write(Buffer.alloc(MiB));
    await send(incoming, 2 * 1024, 12);
    expect(await Promise.race([read, "still read"])).toBe(408);
  });

  test("a body that arrives at a steady rate is read, although it takes long", async () => {
    const { incoming, it } = request();
    const read = readBytes(it, 25 * MiB, deadlineMs);
    await send(incoming, 2 * 1024, 30);
    incoming.end();
    expect((await read).length).toBe(60 * 1024);
  });
});

describe("the memory account of a body", () => {
  const account = (reserve: BodyAccount["reserve"]): BodyAccount => ({
    freeBytes: 256 * 1024,
    stepBytes: MiB,
    reserve,
  });

  test("reserves the bytes that have arrived, not the announced length, and nothing for a small body", async () => {
    let reserved = 0;
    const count = account((bytes) => {
      reserved += bytes;
      return undefined;
    });
    for (const length of [25 * MiB, undefined]) {
      reserved = 0;
      const { incoming, it } = request(length);
      const read = readBytes(it, 25 * MiB, deadlineMs, count);
      read.catch(() => {});
      incoming.write(Buffer.alloc(200 * 1024));
      await flow();
      expect(reserved).toBe(0);
      incoming.write(Buffer.alloc(100 * 1024));
      await flow();
      expect(reserved).toBe(MiB);
      incoming.write(Buffer.alloc(2 * MiB));
      await flow();
      expect(reserved).toBe(3 * MiB);
      incoming.destroy();
    }
  });

  test("pauses a body while it waits, and refuses it with its own error", async () => {
    let admit = () => {};
    const { incoming, it } = request();
    const read = readBytes(
      it,
      25 * MiB,
      deadlineMs,
      account(() => new Promise((resolve) => (admit = resolve))),
    );
    incoming.write(Buffer.alloc(MiB, 1));
    await flow();
    expect(incoming.isPaused()).toBe(true);
    // Time that the body waits for memory does not count against the minimum rate.
    await vi.advanceTimersByTimeAsync(15_000);
    await flow();
    admit();
    await flow();
    incoming.end(Buffer.alloc(1, 2));
    const body = await read;
    expect([body.length, body[0], body.at(-1)]).toEqual([MiB + 1, 1, 2]);

    const refused = request();
    const reason = new Error("no room");
    const reading = readBytes(
      refused.it,
      25 * MiB,
      deadlineMs,
      account(() => Promise.reject(reason)),
    );
    refused.incoming.write(Buffer.alloc(MiB));
    await expect(reading).rejects.toBe(reason);
  });

  test("bytes are returned unchanged, with and without an announced length", async () => {
    const sent = Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251));
    for (const length of [sent.length, undefined]) {
      const { incoming, it } = request(length);
      const read = readBytes(
        it,
        25 * MiB,
        deadlineMs,
        account(() => undefined),
      );
      for (let at = 0; at < sent.length; at += 50_001) {
        incoming.write(sent.subarray(at, at + 50_001));
        await flow();
      }
      incoming.end();
      expect(Buffer.compare(await read, sent)).toBe(0);
    }
  });
});
