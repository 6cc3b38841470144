import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Attributes, maxCostMicros, maxTokens } from "../record.ts";
import { mapFields } from "./index.ts";

const mapSpan = (name: string, attributes: Attributes, keepsContents = false) =>
  mapFields({ signal: "span", name, attributes }, keepsContents);

describe("each source becomes the same fields", () => {
  const call = {
    ...{ type: "model_call", model: "m", inputTokens: 10, outputTokens: 2, countsUsage: true },
    ...{ cacheReadTokens: 4 },
  };
  test.each<[string, Attributes, object]>([
    [
      "gen_ai",
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.model": "m",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.usage.cache_read.input_tokens": 4,
      },
      call,
    ],
    [
      "gen_ai",
      {
        "gen_ai.system": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.usage.prompt_tokens": 10,
        "gen_ai.usage.completion_tokens": 2,
        "gen_ai.usage.cache_read_input_tokens": 4,
      },
      { ...call, provider: "openai" },
    ],
    [
      "openllmetry",
      {
        "llm.request.type": "chat",
        "gen_ai.system": "Anthropic",
        "gen_ai.response.model": "m",
        "gen_ai.usage.prompt_tokens": 10,
        "gen_ai.usage.completion_tokens": 2,
        "gen_ai.usage.cache_read_input_tokens": 4,
        "traceloop.association.properties.session_id": "s",
      },
      { ...call, conversationId: "s" },
    ],
    [
      "openinference",
      {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m",
        "llm.token_count.prompt": 10,
        "llm.token_count.completion": 2,
        "llm.token_count.prompt_details.cache_read": 4,
        "llm.cost.total": 0.25,
        "session.id": "s",
      },
      { ...call, conversationId: "s", costMicros: 250_000 },
    ],
    [
      "ai_sdk",
      {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.model.id": "m",
        "ai.model.provider": "openai.chat",
        "ai.usage.inputTokens": 10,
        "ai.usage.outputTokens": 2,
        "ai.usage.cachedInputTokens": 4,
        "ai.telemetry.functionId": "review",
      },
      { ...call, provider: "openai.chat", agentName: "review" },
    ],
    // Outer spans repeat the tokens of the calls inside them.
    [
      "ai_sdk",
      { "ai.operationId": "ai.generateText", "ai.usage.inputTokens": 10 },
      { type: "agent", inputTokens: 10, countsUsage: false },
    ],
    [
      "gen_ai",
      { "gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 10, "gen_ai.agent.name": "a" },
      { type: "agent", agentName: "a", countsUsage: false },
    ],
    [
      "ai_sdk",
      { "ai.operationId": "ai.toolCall", "ai.toolCall.name": "t" },
      { type: "tool_call", toolName: "t" },
    ],
    [
      "ai_sdk",
      { "ai.operationId": "ai.embed.doEmbed", "ai.usage.tokens": 3 },
      { type: "embedding", inputTokens: 3 },
    ],
    [
      "openinference",
      { "openinference.span.kind": "TOOL", "tool.name": "t" },
      { type: "tool_call", toolName: "t" },
    ],
    ["gen_ai", { "gen_ai.operation.name": "something_new" }, { type: "something_new", countsUsage: false }],
    ["other", { "http.request.method": "GET" }, { type: "span name" }],
  ])("%s %j", (source, attributes, expected) => {
    expect(mapSpan("span name", attributes)).toMatchObject({ source, ...expected });
  });
});

test("an event keeps the type that its sender chose", () => {
  const attributes = { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 1 };
  const mapped = mapFields({ signal: "event", name: "my.type", attributes }, false);
  expect(mapped).toMatchObject({ type: "my.type", source: "gen_ai", countsUsage: true });
});

test("input tokens that leave out cached ones are completed", () => {
  const attributes = { "gen_ai.usage.input_tokens": 3, "gen_ai.usage.cache_read.input_tokens": 100 };
  expect(mapSpan("x", attributes)).toMatchObject({ inputTokens: 103, cacheReadTokens: 100 });
});

test.each([
  "gen_ai.prompt.0.content",
  "gen_ai.completion",
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.call.arguments",
  "gen_ai.tool.call.result",
  "llm.input_messages.0.message.content",
  "llm.prompts",
  "input.value",
  "output.value",
  "ai.prompt",
  "ai.prompt.messages",
  "ai.response.text",
  "ai.response.toolCalls",
  "ai.toolCall.args",
  "ai.toolCall.result",
  "traceloop.entity.input",
  "traceloop.entity.output",
  "prompt",
  "tool_input",
  "tool_parameters",
  "error.message",
  "user_prompt",
  "system_prompt_preview",
  "response.model_output",
  "error_message",
  "toolInput",
  "ai.response.reasoning",
  "gen_ai.evaluation.explanation",
  "llm.function_call",
  "llm.prompt_template.variables",
  "response",
])("the contents in %s are dropped unless they are kept", (name) => {
  expect(mapSpan("x", { [name]: "words" }).attributes).toBeNull();
  expect(mapSpan("x", { [name]: "words" }, true).attributes).toEqual({ [name]: "words" });
});

test.each([
  "user.email",
  "user.id",
  "user.account_uuid",
  "organization.id",
  "host.name",
  "process.command_line",
  "ai.request.headers.authorization",
  "http.request.header.cookie",
  "llm.api_key",
])("%s is never stored", (name) => {
  expect(mapSpan("x", { [name]: "value" }, true).attributes).toBeNull();
});

test.each([
  "ai.response.finishReason",
  "gen_ai.response.id",
  "prompt.id",
  "promptId",
  "gen_ai.output.type",
  "gen_ai.tool.call.id",
  "tool_result_size_bytes",
  "prompt_length",
  "error.type",
])("%s is not contents", (name) => {
  expect(mapSpan("x", { [name]: "12" }).attributes).toEqual({ [name]: "12" });
});

test("a NUL in a text is replaced, and in a list it stays escaped", () => {
  expect(mapSpan("x", { text: "a\0b", list: ["a\0b"] }, true).attributes).toEqual({
    text: "a\ufffdb",
    list: '["a\\u0000b"]',
  });
});

test("whatever the attributes are, fields and attributes have limits and can be stored", () => {
  const value: fc.Arbitrary<unknown> = fc.oneof(
    fc.string({ unit: "binary", maxLength: 400 }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string({ unit: "binary" })),
    fc.object({ maxDepth: 3 }),
  );
  const names = fc.oneof(
    fc.constantFrom(
      ...[
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.cost",
        "model",
        "gen_ai.tool.name",
        "session.id",
        "success",
      ],
      ...["ai.operationId", "openinference.span.kind", "__proto__", "constructor", "gen_ai.operation.name"],
    ),
    fc.string({ unit: "binary", maxLength: 140 }),
  );
  const attributes = fc
    .array(fc.tuple(names, value), { maxLength: 60 })
    .map((entries) => Object.fromEntries(entries));
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), attributes, fc.boolean(), (name, given, keepsContents) => {
      const { attributes: stored, ...fields } = mapSpan(name, given as Attributes, keepsContents);
      const text = JSON.stringify([fields, stored]);
      expect(text.isWellFormed()).toBe(true);
      // A list is stored as JSON text, in which an escaped NUL is six plain characters. No text has the character itself.
      JSON.parse(text, (key, value) => {
        expect(`${key}${typeof value === "string" ? value : ""}`.includes("\0")).toBe(false);
        return value;
      });
      expect((fields.inputTokens ?? 0) <= maxTokens && (fields.costMicros ?? 0) <= maxCostMicros).toBe(true);
      expect(fields.type.length).toBeGreaterThan(0);
      expect(JSON.stringify(stored ?? {}).length).toBeLessThan(keepsContents ? 400_000 : 30_000);
    }),
    { numRuns: 300 },
  );
});
