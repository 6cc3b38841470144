/** A program with an OpenTelemetry SDK, started by the real runner, reports about its run without being told how. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Body } from "../body.ts";
import { cleanUp, copyFolder, type RunningServer, serve } from "./kit.ts";
import { createNotesFolder, openWorkspace, startRunner, type Workspace } from "./runner-kit.ts";

let server: RunningServer;
let workspace: Workspace;
beforeAll(async () => {
  server = await serve(copyFolder(inject("preparedFolder")));
  workspace = await openWorkspace(() => server.url);
});
afterAll(cleanUp);

async function ask(path: string, body?: unknown) {
  const reply = await fetch(server.url + path, {
    method: body === undefined ? "GET" : "PUT",
    headers: { "x-api-key": workspace.key, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as Body;
}

/** Writes a program that ends a span, counts with a counter, and prints the variables that it received. */
function createProgram(): string[] {
  const file = join(createNotesFolder(), "program.mjs");
  const load = (name: string) => JSON.stringify(import.meta.resolve(name));
  writeFileSync(
    file,
    `import { OTLPMetricExporter } from ${load("@opentelemetry/exporter-metrics-otlp-proto")};
    import { OTLPTraceExporter } from ${load("@opentelemetry/exporter-trace-otlp-proto")};
    import { detectResources, envDetector } from ${load("@opentelemetry/resources")};
    import { MeterProvider, PeriodicExportingMetricReader } from ${load("@opentelemetry/sdk-metrics")};
    import { SimpleSpanProcessor, TracerProvider } from ${load("@opentelemetry/sdk-trace")};
    const resource = detectResources({ detectors: [envDetector] });
    const traces = new TracerProvider({
      resource, spanProcessors: [new SimpleSpanProcessor({ exporter: new OTLPTraceExporter() })],
    });
    const span = traces.getTracer("program").startSpan("chat", {
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 3 },
    });
    span.end();
    const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() });
    const metrics = new MeterProvider({ resource, readers: [reader] });
    metrics.getMeter("program").createCounter("files.read").add(5);
    await metrics.shutdown();
    await traces.forceFlush();
    await traces.shutdown();
    const names = Object.keys(process.env).filter((name) => /^(OTEL|CLAUDE_CODE)_/.test(name)).sort();
    console.log(JSON.stringify({ type: "assistant", payload: { names, headers: process.env.OTEL_EXPORTER_OTLP_HEADERS } }));`,
  );
  return [process.execPath, file];
}

async function runProgram(env: Record<string, string> = {}) {
  const runId = await workspace.queue("Look.");
  const runner = startRunner(server.url, workspace.key, createProgram(), {
    args: ["--once"],
    env: { SIGNALBOX_API_KEY: workspace.key, ...env },
  });
  expect(await runner.ended, runner.output.stderr).toBe(0);
  const { run } = await workspace.read(runId);
  expect(run.status).toBe("succeeded");
  const [printed] = (await workspace.events(runId)).filter(({ type }) => type === "assistant");
  return { run, printed: printed!.payload };
}

test("spans and metrics of the program belong to its run", async () => {
  const { run, printed } = await runProgram({ OTEL_RESOURCE_ATTRIBUTES: "service.name=reviewer" });
  const { items } = await ask(`/v1/telemetry/events?runId=${run.id}`);
  expect(items).toHaveLength(2);
  for (const item of items)
    expect(item).toMatchObject({
      ...{ runId: run.id, automationId: run.automationId, memberId: run.memberId },
      attributes: { "service.name": "reviewer" },
    });
  const find = (name: string) => items.find(({ signal }: { signal: string }) => signal === name);
  expect(find("span")).toMatchObject({ type: "model_call", inputTokens: 12, outputTokens: 3 });
  expect(find("metric")).toMatchObject({ type: "files.read", value: 5 });
  // The credential is in a variable, and is masked where the program prints it.
  expect(printed.headers).toMatch(/^authorization=Bearer%20/);
  expect(printed.headers).not.toContain("sbt_");
});

test("a program of an organization that opted out is not told to report", async () => {
  await ask("/v1/telemetry/settings", { enabled: false, keepsContents: false, retentionDays: 90 });
  // The exporters then use their default address, where nothing listens, and the program ends all the same.
  const { run, printed } = await runProgram({ OTEL_EXPORTER_OTLP_TIMEOUT: "200" });
  expect(printed.names).toEqual(["OTEL_EXPORTER_OTLP_TIMEOUT"]);
  expect((await ask(`/v1/telemetry/events?runId=${run.id}`)).items).toEqual([]);
});
