import { calcPrice } from "@pydantic/genai-prices";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findModel, findPriceAt, loadCatalogue, type NamePattern, type Rates } from "../catalogue/index.ts";
import { computeCost, type TokenUsage } from "./compute.ts";

/** The names of providers in the price library, where they differ. */
const libraryNames: Record<string, string> = { bedrock: "aws", xai: "x-ai" };

const { providers } = loadCatalogue();
const models = Object.entries(providers).flatMap(([provider, { models }]) =>
  models.map((model) => ({ provider, model })),
);

/** The cost that an independent library computes, in micro-units. */
function askLibrary(provider: string, name: string, at: number, usage: TokenUsage): number | undefined {
  const {
    inputTokens,
    outputTokens,
    cacheReadTokens = 0,
    cacheWriteTokens = 0,
    cacheWrite1hTokens = 0,
  } = usage;
  const result = calcPrice(
    {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      cache_write_1h_tokens: cacheWrite1hTokens,
    },
    name,
    { providerId: libraryNames[provider] ?? provider, timestamp: new Date(at) },
  );
  return result ? result.total_price * 1_000_000 : undefined;
}

const ask = (provider: string, name: string, at: number, usage: TokenUsage) => {
  const model = findModel(provider, name);
  return model && computeCost(findPriceAt(model, at), usage);
};

/** The names that the rules of a model contain. */
const listNames = (pattern: NamePattern): string[] => {
  if (typeof pattern === "string") return pattern.startsWith("/") ? [] : [pattern.slice(1)];
  return ("all" in pattern ? pattern.all : pattern).flatMap(listNames);
};

/** Models without a price for one direction: the library counts such tokens as free, we call them unpriced. */
const omitUnpriced = (rates: Rates, usage: TokenUsage): TokenUsage => ({
  ...usage,
  ...(rates.output === undefined ? { outputTokens: 0 } : {}),
  ...(rates.input === undefined
    ? { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 }
    : {}),
});

const usages = fc
  .record({
    read: fc.nat(1_000_000),
    written: fc.nat(500_000),
    plain: fc.nat(500_000),
    hour: fc.double({ min: 0, max: 1, noNaN: true }),
    outputTokens: fc.nat(300_000),
  })
  .map(
    ({ read, written, plain, hour, outputTokens }): TokenUsage => ({
      inputTokens: read + written + plain,
      cacheReadTokens: read,
      cacheWriteTokens: written,
      cacheWrite1hTokens: Math.floor(written * hour),
      outputTokens,
    }),
  );
const times = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2027, 0, 1) });

describe("computed costs", () => {
  it("equal those of an independent price library within a micro-unit, for every name of every model", () => {
    const names = models.flatMap(({ provider, model }) =>
      [...new Set([model.id, ...listNames(model.match)])].map((name) => ({ provider, name })),
    );
    let compared = 0;
    fc.assert(
      fc.property(usages, times, (sample, at) => {
        for (const { provider, name } of names) {
          const found = findModel(provider, name);
          const usage = found ? omitUnpriced(findPriceAt(found, at), sample) : sample;
          const expected = askLibrary(provider, name, at, usage);
          const computed = ask(provider, name, at, usage);
          expect(computed === undefined, `${provider} ${name}`).toBe(expected === undefined);
          if (expected === undefined) continue;
          compared++;
          if (Math.abs(computed! - expected) > 1)
            expect.fail(`${provider} ${name} at ${at}: ${computed} instead of ${expected}`);
        }
      }),
      { numRuns: 6 },
    );
    expect(compared / 6).toBeGreaterThan(models.length);
  });

  it("find a model by all names that the library knows for it", () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
    const names = [
      ["anthropic", "claude-sonnet-4-5-20250929"],
      ["anthropic", "Claude-Opus-4-1"],
      ["openai", "gpt-4o-2024-08-06"],
      ["openai", "gpt-5-20250807"],
      ["google", "gemini-2.5-pro"],
      ["google", "claude-sonnet-4@20250514"],
      ["azure", "gpt-4o"],
      ["bedrock", "us.anthropic.claude-sonnet-4-20250514-v1:0"],
      ["xai", "grok-4-0709"],
      ["openrouter", "anthropic/claude-sonnet-4.5"],
      ["mistral", "mistral-large-latest"],
      ["openai", "no-such-model"],
    ] as const;
    for (const [provider, name] of names) {
      for (const at of [Date.UTC(2025, 10, 1), Date.UTC(2026, 10, 1)]) {
        const expected = askLibrary(provider, name, at, usage);
        const computed = ask(provider, name, at, usage);
        expect(computed === undefined, `${provider} ${name}`).toBe(expected === undefined);
        if (expected !== undefined) expect(Math.abs(computed! - expected)).toBeLessThanOrEqual(1);
      }
    }
  });

  it("change on the day from which a new price is valid", () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    const dated = models.filter(({ model }) => model.prices.some(({ from }) => from !== undefined));
    expect(dated.length).toBeGreaterThan(5);
    for (const { provider, model } of dated) {
      for (const { from } of model.prices) {
        if (from === undefined) continue;
        for (const at of [Date.parse(from) - 1, Date.parse(from)]) {
          const computed = ask(provider, model.id, at, usage);
          if (computed === undefined) continue;
          expect(Math.abs(computed - askLibrary(provider, model.id, at, usage)!)).toBeLessThanOrEqual(1);
        }
      }
    }
  });
});

describe("the computation", () => {
  const rates: Rates = { input: [3_000_000, [200_000, 6_000_000]], output: 15_000_000, cacheRead: 300_000 };

  it("prices reads and writes of a cache with their own rates, and without a rate as input", () => {
    const cost = computeCost(rates, {
      inputTokens: 1000,
      outputTokens: 10,
      cacheReadTokens: 400,
      cacheWriteTokens: 100,
    });
    expect(cost).toBe(600 * 3 + 120 + 10 * 15);
  });

  it("applies the tier of the whole input to all tokens", () => {
    expect(computeCost(rates, { inputTokens: 200_000, outputTokens: 0 })).toBe(600_000);
    expect(computeCost(rates, { inputTokens: 200_001, outputTokens: 0 })).toBe(1_200_006);
  });

  it("rounds once, at the end", () => {
    expect(computeCost({ input: 500_000, output: 500_000 }, { inputTokens: 1, outputTokens: 1 })).toBe(1);
    expect(computeCost({ input: 499_999 }, { inputTokens: 1, outputTokens: 0 })).toBe(0);
  });

  it("is exact for figures that a floating-point number cannot hold", () => {
    expect(computeCost({ input: 999_999 }, { inputTokens: 9_007_199_253, outputTokens: 0 })).toBe(
      9_007_190_246,
    );
  });

  it("gives no cost for tokens without a rate, instead of 0", () => {
    expect(computeCost({ input: 1 }, { inputTokens: 1, outputTokens: 1 })).toBeUndefined();
    expect(computeCost({ input: 1 }, { inputTokens: 1, outputTokens: 0 })).toBe(0);
  });

  it("gives no cost for parts that are larger than their total", () => {
    expect(computeCost(rates, { inputTokens: 1, outputTokens: 0, cacheReadTokens: 2 })).toBeUndefined();
  });
});
