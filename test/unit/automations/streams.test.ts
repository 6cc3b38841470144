import { describe, expect, test } from "vitest";
import {
  createEventBuffer,
  type StreamedEvent,
  type TotalBytes,
} from "../../../src/features/automations/events/event-buffer.ts";
import { createSharedLookups } from "../../../src/features/automations/runners/shared-lookups.ts";

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

describe("lookups that many streams ask for at once", () => {
  test("run once for all callers that asked before the start, and again for later callers", async () => {
    const lookups = createSharedLookups();
    const answers: PromiseWithResolvers<number>[] = [];
    const ask = () =>
      lookups.look("org_1", "waiting", () => {
        answers.push(Promise.withResolvers());
        return answers.at(-1)!.promise;
      });
    const [first, second, ...later] = Array.from({ length: 52 }, ask);
    // Two lookups begin at once. The other fifty callers wait and share the next lookup.
    expect(answers).toHaveLength(2);
    answers[1]!.resolve(2);
    expect(await second).toBe(2);
    await expect.poll(() => answers.length).toBe(3);
    answers[2]!.resolve(3);
    expect(new Set(await Promise.all(later))).toEqual(new Set([3]));
    answers[0]!.resolve(1);
    expect(await first).toBe(1);
    expect(answers).toHaveLength(3);
  });

  test("of one organization run two at a time, and do not delay those of another", async () => {
    const lookups = createSharedLookups();
    let active = 0;
    let most = 0;
    const release = Promise.withResolvers<void>();
    const slow = Array.from({ length: 100 }, (_, i) =>
      lookups.look("org_1", `held ${i}`, async () => {
        most = Math.max(most, ++active);
        await release.promise;
        active--;
      }),
    );
    expect(await lookups.look("org_2", "held", async () => "at once")).toBe("at once");
    release.resolve();
    await Promise.all(slow);
    expect(most).toBe(2);
  });

  test("that fail reject for the callers that asked, and not for the next caller", async () => {
    const lookups = createSharedLookups();
    const failing = () => Promise.reject(new Error("the database is away"));
    await expect(lookups.look("org_1", "a", failing)).rejects.toThrow("away");
    expect(await lookups.look("org_1", "a", async () => 7)).toBe(7);
  });
});
