/** What an event is called in the API and in the database, however it arrived. */
export const signals = ["event", "span", "log", "metric"] as const;
export type Signal = (typeof signals)[number];

/** Whose names an event used. `other`: names that the mapping does not know. */
export const sources = ["gen_ai", "openllmetry", "openinference", "ai_sdk", "claude_code", "other"] as const;
export type Source = (typeof sources)[number];

/**
 * Where the cost of an event comes from. `none`: the event has no cost of its own, for example because another event
 * reports it.
 */
export const pricings = ["reported", "estimated", "unpriced", "none"] as const;
export type Pricing = (typeof pricings)[number];

export type Scalar = string | number | boolean | null;
export type AttributeValue = Scalar | AttributeValue[] | { [name: string]: AttributeValue };
export type Attributes = Record<string, AttributeValue>;

/** The fields that all sources have in common. */
export interface MappedFields {
  type: string;
  source: Source;
  provider: string | null;
  model: string | null;
  /** All input tokens, with those that were read from or written to a cache. */
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadTokens: number | null;
  cacheWriteTokens: number | null;
  costMicros: number | null;
  /** False when another event reports the same tokens or cost. */
  countsUsage: boolean;
  /** False when another event reports the cost of these tokens. */
  mayBePriced: boolean;
  durationMs: number | null;
  failed: boolean;
  toolName: string | null;
  agentName: string | null;
  conversationId: string | null;
  attributes: Attributes | null;
}

/** What an event says about where it belongs. Whether the caller may say so is checked later. */
export interface Claims {
  memberId?: string;
  email?: string;
  workerId?: string;
  runId?: string;
}

/** An event of any signal, before its claims are checked and its names are limited. */
export interface TelemetryRecord extends MappedFields {
  signal: Signal;
  /** The same for every report of the same event. */
  eventId: string;
  /** In hexadecimal. Differs when another event has the same id. */
  digest: string;
  at: number;
  /** The sum that a metric point adds. */
  value: number | null;
  claims: Claims;
}

/** Larger figures are errors of the sender, and sums of them would not fit. */
export const maxTokens = 10_000_000_000;
export const maxCostMicros = 100_000_000_000;
export const maxDurationMs = 100_000_000_000;
