import { SeverityNumber, SpanStatusCode } from "@opentelemetry/api";
import { OTLPLogExporter as JsonLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter as JsonMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { describe, expect, test } from "vitest";
import { claim, createRunner, queueRun } from "../../../../test/automations.ts";
import { createKey, createWorkspace, joinWorkspace, useServer } from "../../../../test/harness.ts";

const server = useServer();

/** Runs `work` with the variables that people set for their programs. */
async function withVariables<T>(variables: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

const pointAt = (headers: string, more: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${server.url}/otlp`,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
  ...more,
});

interface Exporter<Item> {
  export(items: Item, onResult: (result: { code: number; error?: Error }) => void): void;
  shutdown(): Promise<void>;
}

async function send<Item>(exporter: Exporter<Item>, items: Item): Promise<void> {
  const result = await new Promise<{ code: number; error?: Error }>((resolve) =>
    exporter.export(items, resolve),
  );
  await exporter.shutdown();
  if (result.code !== 0) throw result.error ?? new Error("The export failed.");
}

const resource = (attributes: Record<string, string> = {}) =>
  resourceFromAttributes({ "service.name": "review-bot", ...attributes });

type Attributes = Record<string, string | number | boolean | string[]>;

function createSpans(spans: { name: string; attributes: Attributes; failed?: boolean }[], more = {}) {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: resource(more),
    spanProcessors: [new SimpleSpanProcessor({ exporter: memory })],
  });
  const start = Date.now() - 5_000;
  for (const { name, attributes, failed } of spans) {
    const span = provider.getTracer("test").startSpan(name, { attributes, startTime: start });
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(start + 250);
  }
  return memory.getFinishedSpans();
}

function createLogs(
  records: { eventName?: string; body?: string; attributes: Attributes; severity?: number }[],
) {
  const memory = new InMemoryLogRecordExporter();
  const provider = new LoggerProvider({
    resource: resource(),
    processors: [new SimpleLogRecordProcessor({ exporter: memory })],
  });
  for (const { severity, ...record } of records)
    provider.getLogger("com.anthropic.claude_code.events").emit({
      ...record,
      severityNumber: severity ?? SeverityNumber.INFO,
      timestamp: Date.now() - 1000,
    });
  return memory.getFinishedLogRecords();
}

const list = async (headers: Record<string, string>) =>
  (await server.call("/v1/telemetry/events?limit=100", { headers })).body.items;

describe.each([
  {
    encoding: "protobuf",
    Trace: ProtobufTraceExporter,
    Log: ProtobufLogExporter,
    Metric: ProtobufMetricExporter,
  },
  { encoding: "JSON", Trace: JsonTraceExporter, Log: JsonLogExporter, Metric: JsonMetricExporter },
])("OpenTelemetry exporters that send $encoding", ({ Trace, Log, Metric }) => {
  test("spans are accepted once, with or without gzip, by environment variables alone", async () => {
    const { owner } = await createWorkspace(server);
    const { key, auth } = await createKey(server, owner);
    const spans = createSpans([
      {
        name: "chat claude",
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "anthropic",
          "gen_ai.request.model": "claude-sonnet",
          "gen_ai.usage.input_tokens": 300,
          "gen_ai.usage.output_tokens": 40,
          "gen_ai.prompt": "secret words",
          flags: ["a", "b"],
        },
      },
      {
        name: "execute_tool",
        attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "grep" },
      },
      { name: "GET /things", attributes: { "http.request.method": "GET" }, failed: true },
    ]);
    await withVariables(pointAt(`x-api-key=${key}`), () => send(new Trace(), spans));
    const gzip = { OTEL_EXPORTER_OTLP_COMPRESSION: "gzip" };
    await withVariables(pointAt(`x-api-key=${key}`, gzip), () => send(new Trace(), spans));
    const items = await list(auth);
    expect(items).toHaveLength(3);
    const find = (type: string) => items.find((item: { type: string }) => item.type === type);
    expect(find("model_call")).toMatchObject({
      ...{ signal: "span", source: "gen_ai", provider: "anthropic", model: "claude-sonnet" },
      ...{ inputTokens: 300, outputTokens: 40, durationMs: 250, failed: false, countsUsage: true },
      attributes: { "service.name": "review-bot" },
    });
    expect(JSON.stringify(items)).not.toContain("secret");
    expect(find("tool_call")).toMatchObject({ toolName: "grep", countsUsage: false });
    expect(find("GET /things")).toMatchObject({ source: "other", failed: true });
    const { traceId, spanId } = spans[0]!.spanContext();
    expect(find("model_call").eventId).toBe(`${traceId}:${spanId}`);
  });

  test("log records are accepted once, and do not count usage", async () => {
    const { owner } = await createWorkspace(server);
    const { key, auth } = await createKey(server, owner);
    const records = createLogs([
      {
        body: "claude_code.api_request",
        attributes: {
          "event.name": "api_request",
          "session.id": "s-1",
          model: "claude-sonnet",
          ...{
            input_tokens: "10",
            output_tokens: "5",
            cache_read_tokens: "100",
            cost_usd: "0.0123",
            duration_ms: 900,
          },
        },
      },
      { body: "claude_code.user_prompt", attributes: { "event.name": "user_prompt", prompt: "my secret" } },
      { body: "something went wrong in /home/ada", attributes: {}, severity: SeverityNumber.ERROR },
    ]);
    await withVariables(pointAt(`x-api-key=${key}`), async () => {
      await send(new Log(), records);
      await send(new Log(), records);
    });
    const items = await list(auth);
    expect(items).toHaveLength(3);
    const find = (type: string) => items.find((item: { type: string }) => item.type === type);
    expect(find("model_call")).toMatchObject({
      ...{
        signal: "log",
        source: "claude_code",
        model: "claude-sonnet",
        conversationId: "s-1",
        countsUsage: false,
      },
      ...{ inputTokens: 110, outputTokens: 5, cacheReadTokens: 100, costMicros: 12_300, durationMs: 900 },
    });
    expect(find("claude_code.user_prompt")).toBeDefined();
    expect(find("log")).toMatchObject({ failed: true });
    // Not "ada" alone, which ids contain by chance.
    expect(JSON.stringify(items)).not.toMatch(/secret|home\/ada/);
    const { body } = await server.call("/v1/telemetry/summary", { headers: auth });
    expect(body.items[0]).toMatchObject({ events: 3, inputTokens: 0, costMicros: null });
  });

  test.each(["delta", "cumulative"])("%s metrics add up to what the program counted", async (temporality) => {
    const { owner } = await createWorkspace(server);
    const { key, auth } = await createKey(server, owner);
    const variables = pointAt(`x-api-key=${key}`, {
      OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: temporality,
    });
    await withVariables(variables, async () => {
      const exporter = new Metric();
      // Every export is sent twice, as after a reply that was lost.
      const sendOnce = exporter.export.bind(exporter);
      exporter.export = (metrics, onResult) => sendOnce(metrics, () => sendOnce(metrics, onResult));
      const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
      const provider = new MeterProvider({ resource: resource(), readers: [reader] });
      const meter = provider.getMeter("com.anthropic.claude_code");
      const tokens = meter.createCounter("claude_code.token.usage");
      const cost = meter.createCounter("claude_code.cost.usage", { unit: "USD" });
      const duration = meter.createHistogram("tool.duration");
      for (const count of [100, 0, 25]) {
        if (count > 0) {
          tokens.add(count, { type: "input", model: "m" });
          tokens.add(count * 2, { type: "cacheRead", model: "m" });
          cost.add(count / 1000, { model: "m" });
          duration.record(count);
        }
        await provider.forceFlush();
      }
      await provider.shutdown();
    });
    const { body } = await server.call("/v1/telemetry/summary?groupBy=type", { headers: auth });
    const find = (type: string) => body.items.find((item: { type: string }) => item.type === type);
    expect(find("claude_code.token.usage")).toMatchObject({
      ...{ inputTokens: 375, cacheReadTokens: 250, outputTokens: 0, value: 375 },
      ...{ costMicros: null, unpricedEvents: 0 },
    });
    expect(find("claude_code.cost.usage")).toMatchObject({ costMicros: 125_000, inputTokens: 0 });
    expect(find("tool.duration")).toMatchObject({ value: 125 });
  });

  test("spans of a run are joined to it by the run credential", async () => {
    const { owner } = await createWorkspace(server);
    const run = await queueRun(server, owner.auth);
    const runner = await createRunner(server, owner.auth);
    const { credential } = await claim(server, runner.auth, run.id);
    const spans = createSpans([{ name: "step", attributes: {} }]);
    await withVariables(pointAt(`authorization=Bearer%20${credential}`), () => send(new Trace(), spans));
    expect(await list(owner.auth)).toMatchObject([{ runId: run.id, automationId: run.automationId }]);
  });
});

test("spans say which run and member they belong to, where the caller may say so", async () => {
  const workspace = await createWorkspace(server);
  const { owner } = workspace;
  const ada = await joinWorkspace(server, workspace, "member");
  const run = await queueRun(server, owner.auth);
  const spans = (attributes: Record<string, string>) =>
    createSpans([{ name: Object.values(attributes).join(), attributes: {} }], attributes);
  const { key } = await createKey(server, owner);
  const adasKey = await createKey(server, ada, {});
  await withVariables(pointAt(`x-api-key=${key}`), async () => {
    await send(new JsonTraceExporter(), spans({ "signalbox.run_id": run.id }));
    await send(new JsonTraceExporter(), spans({ "user.email": ada.email.toUpperCase() }));
  });
  await withVariables(pointAt(`x-api-key=${adasKey.key}`), async () => {
    // Another member's run: stored without it. Another member: refused.
    await send(new JsonTraceExporter(), spans({ "signalbox.run_id": run.id, a: "b" }));
    await send(new JsonTraceExporter(), spans({ "signalbox.member_id": run.memberId }));
    await send(new JsonTraceExporter(), spans({ "user.email": owner.email }));
  });
  const items = await list(owner.auth);
  expect(
    items
      .map((item: { runId: string | null; memberId: string }) => [item.runId, item.memberId === ada.memberId])
      .sort(),
  ).toEqual(
    [
      [null, true],
      [null, true],
      [null, true],
      [run.id, false],
    ].sort(),
  );
});
