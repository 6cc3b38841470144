import type { Rate, Rates } from "../catalogue/index.ts";

/** The tokens of one request, or of a report about several. */
export interface TokenUsage {
  /** All input tokens, with those that were read from or written to a cache. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  /** All tokens that were written to a cache. */
  cacheWriteTokens?: number;
  /** Those of them that were written to a cache that lasts an hour. */
  cacheWrite1hTokens?: number;
}

const million = 1_000_000n;

interface Contradiction {
  field: "inputTokens" | "cacheWriteTokens";
  /** A sentence for the sender. */
  message: string;
}

/** Finds a field that is smaller than its parts. A report with such a field is refused, wherever it comes from. */
export function findContradiction({
  inputTokens,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
  cacheWrite1hTokens = 0,
}: TokenUsage): Contradiction | undefined {
  if (cacheReadTokens + cacheWriteTokens > inputTokens)
    return {
      field: "inputTokens",
      message: "Cache tokens are part of `inputTokens`, so it cannot be smaller than their sum.",
    };
  if (cacheWrite1hTokens > cacheWriteTokens)
    return {
      field: "cacheWriteTokens",
      message: "`cacheWrite1hTokens` are part of `cacheWriteTokens`, so it cannot be smaller.",
    };
  return undefined;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/**
 * The cost in micro-units, rounded once. Undefined when tokens have no rate, or the figures contradict each other.
 * Tokens of a cache without a rate of its own cost as much as other tokens of their kind.
 */
export function computeCost(rates: Rates, usage: TokenUsage): number | undefined {
  const {
    inputTokens,
    outputTokens,
    cacheReadTokens = 0,
    cacheWriteTokens = 0,
    cacheWrite1hTokens = 0,
  } = usage;
  const counts = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens];
  if (!counts.every(isCount) || findContradiction(usage)) return undefined;
  const read = rates.cacheRead === undefined ? 0 : cacheReadTokens;
  const written1h = rates.cacheWrite1h === undefined ? 0 : cacheWrite1hTokens;
  const written = rates.cacheWrite === undefined ? 0 : cacheWriteTokens - written1h;
  const parts: [number, Rate | undefined][] = [
    [inputTokens - read - written - written1h, rates.input],
    [read, rates.cacheRead],
    [written, rates.cacheWrite],
    [written1h, rates.cacheWrite1h],
    [outputTokens, rates.output],
  ];
  // Millionths of a micro-unit, so that nothing is lost before the end.
  let sum = BigInt(rates.request ?? 0) * 1000n;
  for (const [tokens, rate] of parts) {
    if (tokens === 0) continue;
    if (rate === undefined) return undefined;
    sum += BigInt(tokens) * BigInt(chooseTier(rate, inputTokens));
  }
  const micros = (sum + million / 2n) / million;
  return micros > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(micros);
}

/** The tier depends on all input tokens, and applies to all tokens. */
function chooseTier(rate: Rate, inputTokens: number): number {
  if (typeof rate === "number") return rate;
  const [base, ...tiers] = rate;
  return tiers.findLast(([start]) => inputTokens > start)?.[1] ?? base;
}
