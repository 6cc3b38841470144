import {
  type Attributes,
  type Claims,
  type MappedFields,
  maxCostMicros,
  maxDurationMs,
  maxTokens,
  type Signal,
} from "../record.ts";
import { cutText, selectAttributes } from "./attributes.ts";
import { classify } from "./classify.ts";
import { attributeNames } from "./names.ts";
import { createReader, type Reader } from "./reader.ts";

/** What is known about an event besides its attributes. */
export interface Unmapped {
  signal: Signal;
  /** The type of an event, the name of a span, log event or metric. */
  name: string;
  attributes: Attributes;
  durationMs?: number | null;
  failed?: boolean;
}

/** The attributes that become fields, and are not stored a second time. */
const mappedNames: ReadonlySet<string> = new Set([
  ...Object.values(attributeNames).flat(),
  "event.name",
  "event.timestamp",
  "event.sequence",
]);

const maxNameLength = 120;
const maxIdLength = 160;

/** Translates the names of all sources into one model. */
export function mapFields(
  { signal, name, attributes, durationMs, failed }: Unmapped,
  keepsContents: boolean,
): MappedFields & { claims: Claims } {
  const read = createReader(attributes);
  const { source, type, countsUsage, mayBePriced } = classify({ signal, name, attributes });
  const tokens = signal === "metric" ? noTokens : readTokenCounts(read, name);
  const cost = read.number("costMicros", maxCostMicros) ?? toMicros(read.number("cost", maxCostMicros));
  return {
    type: cutText(type, maxNameLength) || "unnamed",
    source,
    provider: read.text("provider", maxNameLength),
    model: read.text("model", maxNameLength),
    ...tokens,
    costMicros: cost === null || signal === "metric" ? null : Math.round(cost),
    countsUsage,
    mayBePriced,
    durationMs: toDuration(durationMs ?? read.number("durationMs", maxDurationMs)),
    failed: failed === true || attributes.success === "false" || attributes.success === false,
    toolName: read.text("toolName", maxNameLength),
    agentName: read.text("agentName", maxNameLength),
    conversationId: read.text("conversationId", maxIdLength),
    attributes: selectAttributes(attributes, { without: mappedNames, keepsContents }),
    claims: readClaims(read),
  };
}

const readTokens = (
  read: Reader,
  field: "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens",
) => {
  const tokens = read.number(field, maxTokens);
  return tokens === null ? null : Math.round(tokens);
};

type Tokens = Pick<MappedFields, "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens">;

const noTokens: Tokens = {
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
};

function readTokenCounts(read: Reader, name: string): Tokens {
  const input = readTokens(read, "inputTokens");
  const cacheReadTokens = readTokens(read, "cacheReadTokens");
  const cacheWriteTokens = readTokens(read, "cacheWriteTokens");
  const cached = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  // Claude Code, and senders that count like it, leave cached tokens out of the input.
  const leavesOutCached = name.startsWith("claude_code.") || (input ?? 0) < cached;
  return {
    inputTokens: input === null && cached === 0 ? null : (input ?? 0) + (leavesOutCached ? cached : 0),
    outputTokens: readTokens(read, "outputTokens"),
    cacheReadTokens,
    cacheWriteTokens,
  };
}

/** The tokens or the cost that a point of a metric adds. Only counters of Claude Code have them. */
export function readMetricUsage(
  name: string,
  attributes: Attributes,
  value: number,
): Tokens & Pick<MappedFields, "costMicros"> {
  const none = { ...noTokens, costMicros: null };
  if (name === "claude_code.cost.usage")
    return { ...none, costMicros: clampMetric(value * 1e6, maxCostMicros) };
  if (name !== "claude_code.token.usage") return none;
  const tokens = clampMetric(value, maxTokens);
  switch (attributes.type) {
    case "input":
      return { ...none, inputTokens: tokens };
    case "output":
      return { ...none, outputTokens: tokens };
    case "cacheRead":
      return { ...none, inputTokens: tokens, cacheReadTokens: tokens };
    case "cacheCreation":
      return { ...none, inputTokens: tokens, cacheWriteTokens: tokens };
    default:
      return none;
  }
}

/** A correction of an earlier point can be negative. */
const clampMetric = (value: number, max: number) => Math.max(-max, Math.min(max, Math.round(value)));

function toMicros(dollars: number | null): number | null {
  if (dollars === null) return null;
  const micros = Math.round(dollars * 1e6);
  return micros <= maxCostMicros ? micros : null;
}

const toDuration = (ms: number | null | undefined): number | null =>
  ms === null || ms === undefined || !(ms >= 0 && ms <= maxDurationMs) ? null : Math.round(ms);

function readClaims(read: Reader): Claims {
  const claims: Claims = {};
  for (const field of ["memberId", "email", "workerId", "runId"] as const) {
    const text = read.text(field, maxIdLength);
    if (text) claims[field] = text;
  }
  return claims;
}
