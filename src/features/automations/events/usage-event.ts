/** Reads the usage from the payload of a usage event. Values that are not counters are ignored. */
export function parseUsage(payload: Record<string, unknown>) {
  const inputTokens = parseCounter(payload.inputTokens);
  const outputTokens = parseCounter(payload.outputTokens);
  const costMicros = isCounter(payload.costMicros) ? payload.costMicros : null;
  if (inputTokens + outputTokens + (costMicros ?? 0) === 0) return undefined;
  return {
    inputTokens,
    outputTokens,
    costMicros,
    cacheReadTokens: parseCounter(payload.cacheReadTokens),
    cacheWriteTokens: parseCounter(payload.cacheWriteTokens),
    cacheWrite1hTokens: parseCounter(payload.cacheWrite1hTokens),
    provider: parseName(payload.provider, 160),
    model: parseName(payload.model, 200),
  };
}

const isCounter = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

const parseCounter = (value: unknown): number => (isCounter(value) ? value : 0);

const parseName = (value: unknown, max: number): string | null =>
  typeof value === "string" && value.length > 0 && value.length <= max ? value : null;
