/** What a usage event says it used. Its payload is free-form: whatever is no counter is no usage. */
export function usageOf(payload: Record<string, unknown>) {
  const inputTokens = counter(payload.inputTokens);
  const outputTokens = counter(payload.outputTokens);
  const costMicros = counter(payload.costMicros);
  if (inputTokens + outputTokens + costMicros === 0) return undefined;
  const { model } = payload;
  const named = typeof model === "string" && model.length > 0 && model.length <= 200;
  return { inputTokens, outputTokens, costMicros, model: named ? model : undefined };
}

const counter = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
