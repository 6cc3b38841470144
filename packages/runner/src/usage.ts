import { isObject, type Payload } from "./payload.ts";

/** What a run used. Costs are millionths. A cost that is not known is omitted, and the server computes it. */
export interface Usage {
  /** All input tokens, with those of caches. */
  inputTokens: number;
  outputTokens: number;
  costMicros?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  /** Those of `cacheWriteTokens` in a cache that lasts an hour. */
  cacheWrite1hTokens?: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, costMicros: 0 };
/** A sum of several counts is still an exact integer. */
const maxCount = 1_000_000_000_000_000;

/** Reads counters by our names and by the names that agent programs commonly use. Undefined when there are none. */
export function readUsage(source: unknown): Usage | undefined {
  if (!isObject(source)) return undefined;
  // Programs with these names do not count the tokens of caches as input.
  const read = readCount(source.cache_read_input_tokens);
  const written = readCount(source.cache_creation_input_tokens);
  const cost = source.costMicros ?? source.cost_micros;
  const dollars = source.costUsd ?? source.cost_usd ?? source.total_cost_usd;
  const cacheReadTokens = readCount(source.cacheReadTokens);
  const cacheWriteTokens = readCount(source.cacheWriteTokens);
  const input = readCount(source.inputTokens ?? source.input_tokens) + read + written;
  // A program whose input is smaller than the tokens of caches does not count them as input either.
  const isApart = cacheReadTokens + cacheWriteTokens + read + written > input;
  const usage = fitParts({
    inputTokens: isApart ? input + cacheReadTokens + cacheWriteTokens : input,
    outputTokens: readCount(source.outputTokens ?? source.output_tokens),
    ...(typeof cost === "number" || typeof dollars === "number"
      ? { costMicros: readCount(cost) || readCount(Number(dollars ?? 0) * 1_000_000) }
      : {}),
    cacheReadTokens: cacheReadTokens + read,
    cacheWriteTokens: cacheWriteTokens + written,
    cacheWrite1hTokens: readCount(source.cacheWrite1hTokens),
  });
  return isEmptyUsage(usage) ? undefined : usage;
}

/** Reads what the server counts of a usage event: only our names. An event also has the names of its program. */
export const readCountedUsage = ({
  inputTokens,
  outputTokens,
  costMicros,
  cacheReadTokens,
  cacheWriteTokens,
  cacheWrite1hTokens,
}: Payload): Usage =>
  readUsage({
    ...{ inputTokens, outputTokens, costMicros },
    ...{ cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens },
  }) ?? noUsage;

/** Makes the input at least as large as its parts, because the server refuses other figures. Parts of 0 are omitted. */
function fitParts({
  inputTokens,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
  cacheWrite1hTokens = 0,
  ...rest
}: Usage): Usage {
  const written = Math.max(cacheWriteTokens, cacheWrite1hTokens);
  return {
    inputTokens: Math.max(inputTokens, cacheReadTokens + written),
    ...rest,
    ...omitZero("cacheReadTokens", cacheReadTokens),
    ...omitZero("cacheWriteTokens", written),
    ...omitZero("cacheWrite1hTokens", cacheWrite1hTokens),
  };
}

const omitZero = <Name extends string>(name: Name, count: number) =>
  (count > 0 ? { [name]: count } : {}) as { [Key in Name]?: number };

const readCount = (value: unknown): number =>
  typeof value === "number" && value > 0 ? Math.min(Math.round(value), maxCount) : 0;

export const isEmptyUsage = ({ inputTokens, outputTokens, costMicros = 0 }: Usage): boolean =>
  inputTokens + outputTokens + costMicros === 0;

/** The cost is known only when both costs are. */
const combine = (a: Usage, b: Usage, join: (a: number, b: number) => number): Usage =>
  fitParts({
    inputTokens: join(a.inputTokens, b.inputTokens),
    outputTokens: join(a.outputTokens, b.outputTokens),
    ...(a.costMicros === undefined || b.costMicros === undefined
      ? {}
      : { costMicros: join(a.costMicros, b.costMicros) }),
    cacheReadTokens: join(a.cacheReadTokens ?? 0, b.cacheReadTokens ?? 0),
    cacheWriteTokens: join(a.cacheWriteTokens ?? 0, b.cacheWriteTokens ?? 0),
    cacheWrite1hTokens: join(a.cacheWrite1hTokens ?? 0, b.cacheWrite1hTokens ?? 0),
  });

export const addUsage = (a: Usage, b: Usage): Usage => combine(a, b, (x, y) => Math.min(x + y, maxCount));

/**
 * The part of `total` that is not in `reported`. When the server computes the cost of what was reported, the cost of
 * the total is left out, so that nothing counts twice.
 */
export const subtractUsage = (total: Usage, reported: Usage): Usage =>
  combine(total, reported, (x, y) => Math.max(0, x - y));
