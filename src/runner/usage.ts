import { isObject } from "./payload.ts";

/** What a run used. Costs are millionths. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  costMicros: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, costMicros: 0 };
const most = Number.MAX_SAFE_INTEGER;

/** Reads counters by our names and by those that agent programs commonly use; undefined when there are none. */
export function readUsage(source: unknown): Usage | undefined {
  if (!isObject(source)) return undefined;
  const usage = {
    inputTokens: counter(source.inputTokens ?? source.input_tokens),
    outputTokens: counter(source.outputTokens ?? source.output_tokens),
    costMicros:
      counter(source.costMicros ?? source.cost_micros) ||
      counter(Number(source.costUsd ?? source.cost_usd ?? source.total_cost_usd ?? 0) * 1_000_000),
  };
  return isNothing(usage) ? undefined : usage;
}

const counter = (value: unknown): number =>
  typeof value === "number" && value > 0 ? Math.min(Math.round(value), most) : 0;

export const isNothing = ({ inputTokens, outputTokens, costMicros }: Usage): boolean =>
  inputTokens + outputTokens + costMicros === 0;

const each = (a: Usage, b: Usage, join: (a: number, b: number) => number): Usage => ({
  inputTokens: join(a.inputTokens, b.inputTokens),
  outputTokens: join(a.outputTokens, b.outputTokens),
  costMicros: join(a.costMicros, b.costMicros),
});

export const addUsage = (a: Usage, b: Usage): Usage => each(a, b, (x, y) => Math.min(x + y, most));

/** What of `total` has not been told yet. */
export const restOf = (total: Usage, told: Usage): Usage => each(total, told, (x, y) => Math.max(0, x - y));
