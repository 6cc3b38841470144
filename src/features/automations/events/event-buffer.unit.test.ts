import { describe, expect, test } from "vitest";
import { createEventBuffer, type StreamedEvent, type TotalBytes } from "./event-buffer.ts";

const event = (sequence: number, bytes = 10, attempt = 1): StreamedEvent => ({
  attempt,
  sequence,
  isTerminal: false,
  message: new Uint8Array(bytes),
});
const at = (sequence: number, attempt = 1) => ({ attempt, sequence });

describe("the last events of a run", () => {
  test("are returned to a reader that is a little behind, and not to a reader that could miss some", () => {
    const buffer = createEventBuffer({ bytes: 0 });
    expect(buffer.after(at(0))).toBeUndefined();
    buffer.startAfter(at(4));
    for (const sequence of [5, 6]) buffer.add(event(sequence));
    buffer.add(event(0, 10, 2));
    expect(buffer.after(at(3))).toBeUndefined();
    expect(buffer.after(at(4))).toMatchObject([at(5), at(6), at(0, 2)]);
    expect(buffer.after(at(6))).toMatchObject([at(0, 2)]);
    expect(buffer.after(at(0, 2))).toEqual([]);
  });

  test("are bounded in number and in bytes, for each run and in total", () => {
    const total: TotalBytes = { bytes: 0 };
    const buffers = Array.from({ length: 100 }, () => {
      const buffer = createEventBuffer(total);
      buffer.startAfter(at(-1));
      for (let n = 0; n < 500; n++) buffer.add(event(n, 5_000));
      expect(buffer.after(at(0))).toBeUndefined();
      return buffer;
    });
    expect(total.bytes).toBeLessThanOrEqual(32 * 1024 * 1024);
    // The last buffer found no room, so its readers query the database.
    expect(buffers.at(-1)!.after(at(498))).toBeUndefined();
    expect(buffers[0]!.after(at(498))).toMatchObject([at(499)]);
    for (const buffer of buffers) buffer.clear();
    expect(total.bytes).toBe(0);
  });

  test("are forgotten when nothing was added for a while", () => {
    const total: TotalBytes = { bytes: 0 };
    const buffer = createEventBuffer(total);
    buffer.startAfter(at(-1));
    buffer.add(event(0));
    buffer.expire(performance.now() + 5_000);
    expect(buffer.after(at(-1))).toHaveLength(1);
    buffer.expire(performance.now() + 11_000);
    expect(buffer.after(at(-1))).toBeUndefined();
    expect(buffer.after(at(0))).toEqual([]);
    expect(total.bytes).toBe(0);
  });
});
