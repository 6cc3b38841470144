import type { Attributes, MappedFields, Signal } from "../record.ts";
import {
  claudeCodeEvents,
  genAiOperations,
  openInferenceKinds,
  openLlmetryKinds,
  typesWithUsage,
} from "./names.ts";

type Classified = Pick<MappedFields, "source" | "type" | "countsUsage" | "mayBePriced">;

interface Named {
  signal: Signal;
  name: string;
  attributes: Attributes;
}

/** Finds out whose names an event uses, what it means, and whether its tokens count. */
export function classify(event: Named): Classified {
  const { signal, name } = event;
  if (signal === "metric") return classifyMetric(name);
  const { source, type } = findSource(event);
  // The sender chose the type of an event, and reports each usage once.
  if (signal === "event") return { source, type: name, countsUsage: true, mayBePriced: true };
  // Spans and events report usage. Log records repeat what spans or metrics of the same sender say.
  const countsUsage =
    signal === "log" || source === "claude_code" ? false : source === "other" || typesWithUsage.has(type);
  return { source, type, countsUsage, mayBePriced: countsUsage };
}

/** Counters of tokens or cost. */
export const isUsageMetric = (name: string): boolean =>
  name === "claude_code.token.usage" || name === "claude_code.cost.usage";

/** Of the metrics only the counters of Claude Code are usage. Other senders have spans with the same figures. */
function classifyMetric(name: string): Classified {
  const countsUsage = isUsageMetric(name);
  const source = name.startsWith("claude_code.")
    ? "claude_code"
    : name.startsWith("gen_ai.")
      ? "gen_ai"
      : "other";
  // The cost of the tokens is a counter of its own.
  return { source, type: name, countsUsage, mayBePriced: false };
}

function findSource({ name, attributes }: Named): Pick<Classified, "source" | "type"> {
  const text = (attribute: string): string | undefined => {
    const value = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const lookUp = (table: Readonly<Record<string, string>>, key: string): string | undefined =>
    Object.hasOwn(table, key) ? table[key] : undefined;

  if (name.startsWith("claude_code.")) {
    return { source: "claude_code", type: lookUp(claudeCodeEvents, name) ?? name };
  }
  const operationId = text("ai.operationId");
  if (operationId !== undefined) return { source: "ai_sdk", type: findAiSdkType(operationId) };
  const kind = text("openinference.span.kind");
  if (kind !== undefined)
    return { source: "openinference", type: lookUp(openInferenceKinds, kind.toUpperCase()) ?? kind };
  const requestType = text("llm.request.type") ?? text("traceloop.span.kind");
  const operation = text("gen_ai.operation.name");
  const isOpenLlmetry = requestType !== undefined;
  if (operation !== undefined)
    return {
      source: isOpenLlmetry ? "openllmetry" : "gen_ai",
      type: lookUp(genAiOperations, operation) ?? operation,
    };
  if (requestType !== undefined)
    return { source: "openllmetry", type: lookUp(openLlmetryKinds, requestType) ?? requestType };
  if (text("gen_ai.system") !== undefined || text("gen_ai.provider.name") !== undefined)
    return { source: "gen_ai", type: text("gen_ai.tool.name") === undefined ? "model_call" : "tool_call" };
  return { source: "other", type: name };
}

/** `ai.generateText` is the outer call. `ai.generateText.doGenerate` inside it calls the model, once per step. */
function findAiSdkType(operationId: string): string {
  if (operationId === "ai.toolCall") return "tool_call";
  if (/\.doEmbed$/.test(operationId)) return "embedding";
  if (/\.doRerank$/.test(operationId)) return "rerank";
  if (/\.do(?:Generate|Stream)$/.test(operationId)) return "model_call";
  return /^ai\.(?:generate|stream)/.test(operationId) ? "agent" : "chain";
}
