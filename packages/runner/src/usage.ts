import type { AutomationRunCompletion } from "@signalbox/client";
import { isObject } from "./payload.ts";

/** What a run used. Costs are millionths. */
export type Usage = Record<keyof NonNullable<AutomationRunCompletion["usage"]>, number>;

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, costMicros: 0 };
const maxCount = Number.MAX_SAFE_INTEGER;

/** Reads counters by our names and by the names that agent programs commonly use. Undefined when there are none. */
export function readUsage(source: unknown): Usage | undefined {
  if (!isObject(source)) return undefined;
  const usage = {
    inputTokens: readCount(source.inputTokens ?? source.input_tokens),
    outputTokens: readCount(source.outputTokens ?? source.output_tokens),
    costMicros:
      readCount(source.costMicros ?? source.cost_micros) ||
      readCount(Number(source.costUsd ?? source.cost_usd ?? source.total_cost_usd ?? 0) * 1_000_000),
  };
  return isEmptyUsage(usage) ? undefined : usage;
}

const readCount = (value: unknown): number =>
  typeof value === "number" && value > 0 ? Math.min(Math.round(value), maxCount) : 0;

export const isEmptyUsage = ({ inputTokens, outputTokens, costMicros }: Usage): boolean =>
  inputTokens + outputTokens + costMicros === 0;

const combine = (a: Usage, b: Usage, join: (a: number, b: number) => number): Usage => ({
  inputTokens: join(a.inputTokens, b.inputTokens),
  outputTokens: join(a.outputTokens, b.outputTokens),
  costMicros: join(a.costMicros, b.costMicros),
});

export const addUsage = (a: Usage, b: Usage): Usage => combine(a, b, (x, y) => Math.min(x + y, maxCount));

/** The part of `total` that is not in `reported`. */
export const subtractUsage = (total: Usage, reported: Usage): Usage =>
  combine(total, reported, (x, y) => Math.max(0, x - y));
