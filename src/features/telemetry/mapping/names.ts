/**
 * Changes when the meaning of a stored field changes. Every event keeps the version it was mapped with; see
 * docs/telemetry.md.
 */
export const mappingVersion = 1;

/**
 * The attribute names of each field, the preferred name first: GenAI semantic conventions (current and older names),
 * OpenLLMetry, OpenInference, AI SDK, Claude Code.
 */
export const attributeNames = {
  provider: [
    "gen_ai.provider.name",
    "gen_ai.system",
    "llm.provider",
    "llm.system",
    "llm.vendor",
    "ai.model.provider",
  ],
  model: [
    "gen_ai.response.model",
    "gen_ai.request.model",
    "llm.response.model",
    "llm.request.model",
    "llm.model_name",
    "embedding.model_name",
    "reranker.model_name",
    "ai.response.model",
    "ai.model.id",
    "model",
  ],
  inputTokens: [
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.usage.prompt_tokens",
    "llm.token_count.prompt",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
    "ai.usage.tokens",
    "input_tokens",
  ],
  outputTokens: [
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.usage.completion_tokens",
    "llm.token_count.completion",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
    "output_tokens",
  ],
  cacheReadTokens: [
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "llm.usage.cache_read_input_tokens",
    "llm.token_count.prompt_details.cache_read",
    "ai.usage.inputTokenDetails.cacheReadTokens",
    "ai.usage.cachedInputTokens",
    "cache_read_tokens",
  ],
  cacheWriteTokens: [
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "llm.usage.cache_creation_input_tokens",
    "llm.token_count.prompt_details.cache_write",
    "ai.usage.inputTokenDetails.cacheWriteTokens",
    "cache_creation_tokens",
  ],
  /** In US dollars. */
  cost: ["gen_ai.usage.cost", "llm.cost.total", "llm.usage.cost", "cost_usd"],
  costMicros: ["signalbox.cost_micros"],
  durationMs: ["signalbox.duration_ms", "duration_ms"],
  toolName: ["gen_ai.tool.name", "tool.name", "ai.toolCall.name", "tool_name"],
  agentName: ["gen_ai.agent.name", "agent.name", "ai.telemetry.functionId"],
  conversationId: [
    "gen_ai.conversation.id",
    "session.id",
    "ai.telemetry.metadata.sessionId",
    "traceloop.association.properties.session_id",
  ],
  memberId: ["signalbox.member_id"],
  email: ["user.email"],
  workerId: ["signalbox.worker_id"],
  runId: ["signalbox.run_id"],
} as const;

/** The types that all sources share. */
type CommonType =
  | "model_call"
  | "embedding"
  | "tool_call"
  | "agent"
  | "chain"
  | "retrieval"
  | "rerank"
  | "guardrail"
  | "evaluation";

/** Values of `gen_ai.operation.name`. */
export const genAiOperations: Readonly<Record<string, CommonType>> = {
  chat: "model_call",
  text_completion: "model_call",
  generate_content: "model_call",
  embeddings: "embedding",
  execute_tool: "tool_call",
  invoke_agent: "agent",
  create_agent: "agent",
  invoke_workflow: "chain",
  retrieval: "retrieval",
};

/** Values of `openinference.span.kind`. */
export const openInferenceKinds: Readonly<Record<string, CommonType>> = {
  LLM: "model_call",
  EMBEDDING: "embedding",
  TOOL: "tool_call",
  AGENT: "agent",
  CHAIN: "chain",
  RETRIEVER: "retrieval",
  RERANKER: "rerank",
  GUARDRAIL: "guardrail",
  EVALUATOR: "evaluation",
};

/** Values of `llm.request.type` and `traceloop.span.kind`. */
export const openLlmetryKinds: Readonly<Record<string, CommonType>> = {
  chat: "model_call",
  completion: "model_call",
  embedding: "embedding",
  rerank: "rerank",
  tool: "tool_call",
  agent: "agent",
  workflow: "chain",
  task: "chain",
};

/** Events of Claude Code that mean the same as events of other sources. */
export const claudeCodeEvents: Readonly<Record<string, CommonType>> = {
  "claude_code.api_request": "model_call",
  "claude_code.api_error": "model_call",
  "claude_code.llm_request": "model_call",
  "claude_code.tool_result": "tool_call",
  "claude_code.tool": "tool_call",
};

/** Calls of a model. Only their tokens count: agents and chains repeat the tokens of the calls inside them. */
export const typesWithUsage: ReadonlySet<string> = new Set(["model_call", "embedding", "rerank"]);
