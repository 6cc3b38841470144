import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { report, reportBatch } from "./contract.ts";

const number = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }) },
  fc.constantFrom<unknown>(-1, 0.5, 2 ** 53, "1", null, true, -0),
);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("user", "assistant", "warning", "terminal", "capability_search") },
  fc.constantFrom<unknown>("usage", "other", "", null, 1, "toString", ["assistant"]),
);
const payload = fc.oneof(
  { weight: 6, arbitrary: fc.dictionary(fc.string(), fc.jsonValue()) },
  fc.constantFrom<unknown>({ inputTokens: 1, cacheReadTokens: 2 }, [], null, "text", 1),
);
/** Mostly valid events. In some of them a field is missing, wrong or not known. */
const event = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record(
      { attempt: number, sequence: number, type: name, payload, createdAt: number },
      { requiredKeys: [] },
    ),
  },
  {
    weight: 20,
    arbitrary: fc.record({ attempt: number, sequence: number, type: name, payload, createdAt: number }),
  },
  fc.record({ attempt: number, sequence: number, type: name, kind: name, payload, createdAt: number }),
  fc.record({ attempt: number, sequence: number, kind: name, payload, createdAt: number, other: payload }),
  fc.constantFrom<unknown>(null, [], "text", 1, {}),
);
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("the fast check of events", () => {
  test("returns exactly what the contract returns, or nothing", () => {
    let recognized = 0;
    fc.assert(
      fc.property(event, (one) => {
        const given = asJson(one);
        const found = report.recognizeBody(given);
        if (found === undefined) return;
        recognized++;
        expect(report.body.safeParse(given)).toStrictEqual({ success: true, data: found });
      }),
      { numRuns: 2_000 },
    );
    expect(recognized).toBeGreaterThan(100);
  });

  test("does the same for batches", () => {
    let recognized = 0;
    const batch = fc.oneof(
      { weight: 9, arbitrary: fc.record({ events: fc.array(event, { maxLength: 3 }) }) },
      fc.constantFrom<unknown>(null, {}, { events: {} }, { events: null }, []),
    );
    fc.assert(
      fc.property(batch, (one) => {
        const given = asJson(one);
        const found = reportBatch.recognizeBody(given);
        if (found === undefined) return;
        recognized++;
        expect(reportBatch.body.safeParse(given)).toStrictEqual({ success: true, data: found });
      }),
      { numRuns: 2_000 },
    );
    expect(recognized).toBeGreaterThan(100);
  });

  test("leaves a batch that is too long to the contract", () => {
    const one = { attempt: 1, sequence: 0, type: "assistant", payload: {}, createdAt: 1 };
    const batch = (length: number) => ({ events: Array.from({ length }, () => one) });
    expect(reportBatch.recognizeBody(batch(500))).toBeDefined();
    expect(reportBatch.recognizeBody(batch(501))).toBeUndefined();
    expect(reportBatch.body.safeParse(batch(501)).success).toBe(false);
  });
});
