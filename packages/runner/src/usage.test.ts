import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addUsage, noUsage, readUsage, subtractUsage, type Usage } from "./usage.ts";

describe("usage", () => {
  test("has no cost when the program names none, so that the server computes it", () => {
    expect(readUsage({ inputTokens: 10, outputTokens: 2 })).toEqual({ inputTokens: 10, outputTokens: 2 });
    expect(readUsage({ inputTokens: 10, costMicros: 0 })).toEqual({
      ...{ inputTokens: 10, outputTokens: 0, costMicros: 0 },
    });
    expect(readUsage({ input_tokens: 1, total_cost_usd: 0.0123 })?.costMicros).toBe(12_300);
  });

  test("counts tokens of caches as input, also from programs that count them apart", () => {
    const counts = { input_tokens: 10, cache_read_input_tokens: 500, cache_creation_input_tokens: 90 };
    expect(readUsage(counts)).toEqual({
      ...{ inputTokens: 600, outputTokens: 0, cacheReadTokens: 500, cacheWriteTokens: 90 },
    });
    expect(readUsage({ inputTokens: 600, cacheReadTokens: 500 })).toMatchObject({ inputTokens: 600 });
  });

  test("always has the tokens of caches in the input, because the server refuses other figures", () => {
    // The program counts caches apart, although it uses our names.
    expect(readUsage({ inputTokens: 10, cacheReadTokens: 500, cacheWriteTokens: 90 })).toEqual({
      ...{ inputTokens: 600, outputTokens: 0, cacheReadTokens: 500, cacheWriteTokens: 90 },
    });
    expect(readUsage({ cacheReadTokens: 7 })).toEqual({
      inputTokens: 7,
      outputTokens: 0,
      cacheReadTokens: 7,
    });
    expect(readUsage({ inputTokens: 9, cacheWriteTokens: 2, cacheWrite1hTokens: 5 })).toEqual({
      ...{ inputTokens: 9, outputTokens: 0, cacheWriteTokens: 5, cacheWrite1hTokens: 5 },
    });
    const total = { inputTokens: 100, outputTokens: 0, cacheReadTokens: 90 };
    const reported = { inputTokens: 95, outputTokens: 0, cacheReadTokens: 10 };
    expect(subtractUsage(total, reported)).toEqual({ inputTokens: 80, outputTokens: 0, cacheReadTokens: 80 });
  });

  test("has parts that fit into the input, whatever a program says", () => {
    const count = fc.oneof(fc.nat(100), fc.constant(Number.MAX_SAFE_INTEGER), fc.double(), fc.string());
    const source = fc.record(
      {
        ...{ inputTokens: count, cacheReadTokens: count, cacheWriteTokens: count, cacheWrite1hTokens: count },
        ...{ cache_read_input_tokens: count, cache_creation_input_tokens: count },
      },
      { requiredKeys: [] },
    );
    const expectToFit = (usage: Usage) => {
      const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = usage;
      expect(Number.isSafeInteger(inputTokens)).toBe(true);
      expect(cacheReadTokens + cacheWriteTokens).toBeLessThanOrEqual(inputTokens);
      expect(cacheWrite1hTokens).toBeLessThanOrEqual(cacheWriteTokens);
    };
    fc.assert(
      fc.property(source, source, (one, other) => {
        const [a, b] = [readUsage(one) ?? noUsage, readUsage(other) ?? noUsage];
        for (const usage of [a, b, addUsage(a, b), subtractUsage(a, b)]) expectToFit(usage);
      }),
    );
  });

  test("of a whole run leaves out its cost when lines without a cost were reported, so that nothing counts twice", () => {
    const total = { inputTokens: 100, outputTokens: 10, costMicros: 900 };
    const known = addUsage(noUsage, { inputTokens: 40, outputTokens: 4, costMicros: 300 });
    expect(subtractUsage(total, known)).toEqual({ inputTokens: 60, outputTokens: 6, costMicros: 600 });
    const unknown = addUsage(known, { inputTokens: 40, outputTokens: 4 });
    expect(subtractUsage(total, unknown)).toEqual({ inputTokens: 20, outputTokens: 2 });
  });
});
