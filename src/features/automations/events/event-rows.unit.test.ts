import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunId } from "../runs/index.ts";
import {
  computeRowBytes,
  formatEvent,
  maxRowBytes,
  maxRowEvents,
  type NewEvent,
  packEvents,
  unpackEvents,
} from "./event-rows.ts";

const runId = "run_1" as RunId;
const types = ["user", "assistant", "usage"] as const;

/** A value that JSON writes and reads without a change. A negative zero would come back as 0. */
const written = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

/** Reports from a sequence on, small and large, with characters of one to four bytes. */
const reports = fc
  .record({
    first: fc.constantFrom(0, 1, 77, 2 ** 53 - 1_000),
    endsAttempt: fc.boolean(),
    contents: fc.array(
      fc.record({
        type: fc.constantFrom(...types),
        createdAt: fc.nat(),
        payload: fc.oneof(
          { weight: 4, arbitrary: fc.dictionary(fc.string({ unit: "binary" }), written) },
          fc.record({ text: fc.constantFrom("x", "é", "🦊\n").map((text) => text.repeat(3_000)) }),
        ),
      }),
      { minLength: 1, maxLength: 200 },
    ),
  })
  .map(({ first, endsAttempt, contents }) =>
    contents.map((content, i) => {
      const type = endsAttempt && i === contents.length - 1 ? ("terminal" as const) : content.type;
      return { ...content, type, attempt: 3, sequence: first + i };
    }),
  );

type Content = typeof reports extends fc.Arbitrary<(infer One)[]> ? One : never;

const prepare = ({ attempt, sequence, type, createdAt, payload }: Content): NewEvent => ({
  attempt,
  sequence,
  type,
  ...formatEvent(type, createdAt, JSON.stringify(payload)),
});

test("events that are packed into rows and unpacked are the same", () => {
  fc.assert(
    fc.property(reports, (events) => {
      const rows = packEvents(events.map(prepare));
      const stored = rows.flatMap(({ last, events }) =>
        unpackEvents({ runId, attempt: 3, lastSequence: last, receivedAt: 5, events }),
      );
      expect(stored).toEqual(events.map((event) => ({ ...event, runId, receivedAt: 5 })));
    }),
    { numRuns: 200 },
  );
});

test("each row follows the one before, is small unless it has one event, and only the last one can be terminal", () => {
  fc.assert(
    fc.property(reports, (events) => {
      const prepared = events.map(prepare);
      const rows = packEvents(prepared);
      for (const [i, { previous, last, isTerminal, events: text }] of rows.entries()) {
        expect(previous).toBe(i === 0 ? null : rows[i - 1]!.last);
        const count = JSON.parse(text).length;
        if (count > 1) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxRowBytes);
        else expect(Buffer.byteLength(text)).toBe(computeRowBytes(prepared[last - prepared[0]!.sequence]!));
        expect(count).toBeLessThanOrEqual(maxRowEvents);
        expect(isTerminal).toBe(i === rows.length - 1 && events.at(-1)!.type === "terminal");
        expect(text).not.toContain("\n");
      }
    }),
    { numRuns: 200 },
  );
});
