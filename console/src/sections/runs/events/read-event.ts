import type { AutomationRunEvent } from "@signalbox/client";

/** Runners report any JSON. These functions find what a person wants to read in the usual field names. */

type Payload = Record<string, unknown>;

const isObject = (value: unknown): value is Payload =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const pick = (payload: Payload, names: readonly string[]): unknown => {
  for (const name of names) if (payload[name] !== undefined && payload[name] !== null) return payload[name];
  return undefined;
};

/** The text of a message. Undefined when the payload has none; then it is shown as JSON. */
export function readText(payload: Payload): string | undefined {
  const found = pick(payload, ["text", "message", "content", "summary"]);
  if (typeof found === "string") return found;
  if (Array.isArray(found)) {
    const parts = found
      .map((part) => (isObject(part) ? part.text : part))
      .filter((part) => typeof part === "string");
    if (parts.length > 0) return parts.join("\n");
  }
  if (isObject(found)) return readText(found);
  return undefined;
}

export interface ToolCall {
  name: string;
  input: unknown;
  result: unknown;
  durationMs: number | undefined;
  hasFailed: boolean;
}

export function readCall(payload: Payload, unnamed: string): ToolCall {
  const name = pick(payload, ["name", "tool", "toolName", "tool_name", "capability", "title"]);
  const duration = pick(payload, ["durationMs", "duration_ms", "elapsedMs", "ms"]);
  const error = pick(payload, ["error"]);
  return {
    name: typeof name === "string" && name !== "" ? name : unnamed,
    input: pick(payload, ["input", "arguments", "args", "parameters"]),
    result: error ?? pick(payload, ["result", "output", "response"]),
    durationMs: typeof duration === "number" && duration >= 0 ? duration : undefined,
    hasFailed:
      error !== undefined ||
      payload.isError === true ||
      payload.is_error === true ||
      payload.ok === false ||
      payload.status === "failed",
  };
}

export interface CapabilitySearch {
  query: string;
  results: readonly unknown[];
}

export function readSearch(payload: Payload): CapabilitySearch {
  const query = pick(payload, ["query", "text", "q"]);
  const results = pick(payload, ["results", "capabilities", "found"]);
  return { query: typeof query === "string" ? query : "", results: Array.isArray(results) ? results : [] };
}

export interface UsageLine {
  model: string | undefined;
  inputTokens: number;
  outputTokens: number;
  /** Undefined when the runner reported no cost. The server may have computed one. */
  costMicros: number | undefined;
}

const readCount = (value: unknown): number => (typeof value === "number" && value >= 0 ? value : 0);

export const readUsage = (payload: Payload): UsageLine => ({
  model: typeof payload.model === "string" ? payload.model : undefined,
  inputTokens: readCount(payload.inputTokens),
  outputTokens: readCount(payload.outputTokens),
  costMicros: typeof payload.costMicros === "number" ? payload.costMicros : undefined,
});

const maxSummary = 140;
const cutText = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > maxSummary ? `${line.slice(0, maxSummary)}…` : line;
};

/** A value in one short line: texts and numbers as they are, the values of an object side by side. */
export function summarize(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return cutText(value);
  if (typeof value !== "object") return String(value);
  const parts = (Array.isArray(value) ? value : Object.values(value))
    .filter((part) => ["string", "number", "boolean"].includes(typeof part))
    .slice(0, 6);
  return cutText(parts.join(", "));
}

/** One line for a call: its short result, or else its arguments. */
export function summarizeCall({ input, result }: ToolCall): string {
  const outcome = summarize(result);
  const given = summarize(input);
  if (typeof result === "string" && outcome.length <= 60)
    return given ? cutText(`${given} → ${outcome}`) : outcome;
  return given || outcome;
}

/** Text for the search in a run, in lower case. */
export const toSearchText = (event: AutomationRunEvent): string => {
  const text = event.payload.text;
  return (typeof text === "string" ? text : JSON.stringify(event.payload)).toLowerCase();
};
