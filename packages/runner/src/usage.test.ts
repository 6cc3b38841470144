import { describe, expect, test } from "vitest";
import { addUsage, noUsage, readUsage, subtractUsage } from "./usage.ts";

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

  test("of a whole run leaves out its cost when lines without a cost were reported, so that nothing counts twice", () => {
    const total = { inputTokens: 100, outputTokens: 10, costMicros: 900 };
    const known = addUsage(noUsage, { inputTokens: 40, outputTokens: 4, costMicros: 300 });
    expect(subtractUsage(total, known)).toEqual({ inputTokens: 60, outputTokens: 6, costMicros: 600 });
    const unknown = addUsage(known, { inputTokens: 40, outputTokens: 4 });
    expect(subtractUsage(total, unknown)).toEqual({ inputTokens: 20, outputTokens: 2 });
  });
});
