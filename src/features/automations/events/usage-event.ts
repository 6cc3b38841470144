/** Reads the usage from the payload of a usage event. Values that are not counters are ignored. */
export function parseUsage(payload: Record<string, unknown>) {
  const inputTokens = parseCounter(payload.inputTokens);
  const outputTokens = parseCounter(payload.outputTokens);
  const costMicros = parseCounter(payload.costMicros);
  if (inputTokens + outputTokens + costMicros === 0) return undefined;
  const { model } = payload;
  const named = typeof model === "string" && model.length > 0 && model.length <= 200;
  return { inputTokens, outputTokens, costMicros, model: named ? model : undefined };
}

const parseCounter = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
