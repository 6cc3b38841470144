/** The tokens in the payload of a usage event. Values that are not counters are 0. */
export const readCounters = (payload: Record<string, unknown>) => ({
  inputTokens: parseCounter(payload.inputTokens),
  outputTokens: parseCounter(payload.outputTokens),
  cacheReadTokens: parseCounter(payload.cacheReadTokens),
  cacheWriteTokens: parseCounter(payload.cacheWriteTokens),
  cacheWrite1hTokens: parseCounter(payload.cacheWrite1hTokens),
});

/** Reads the usage from the payload of a usage event. Undefined when it has none. */
export function parseUsage(payload: Record<string, unknown>) {
  const tokens = readCounters(payload);
  const costMicros = isCounter(payload.costMicros) ? payload.costMicros : null;
  if (tokens.inputTokens + tokens.outputTokens + (costMicros ?? 0) === 0) return undefined;
  return {
    ...tokens,
    costMicros,
    provider: parseName(payload.provider, 160),
    model: parseName(payload.model, 200),
  };
}

const isCounter = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

const parseCounter = (value: unknown): number => (isCounter(value) ? value : 0);

/** The length is counted as in a completion: a character outside of the basic plane has two UTF-16 units. */
const parseName = (value: unknown, max: number): string | null =>
  typeof value === "string" && value.length > 0 && value.length <= 2 * max && [...value].length <= max
    ? value
    : null;
