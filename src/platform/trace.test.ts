import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openEmptyPglite } from "../../test/cluster.ts";
import { readConfig } from "./config.ts";
import { createHttp, listen, on, open, route, signedIn } from "./http/index.ts";
import { type Job, job } from "./jobs/index.ts";
import { createLog, type Log } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { type OpenPlatform, openPlatform } from "./open.ts";
import { openTracer, type Tracer } from "./trace.ts";

interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status?: { code: number };
}

/** A collector on loopback that keeps what it is sent and answers what it is told to. */
interface Collector {
  endpoint: string;
  /** The status of each answer, or never one. */
  answer: (attempt: number) => number | "never";
  bodies: string[];
  headers: IncomingHttpHeaders[];
  paths: string[];
  spans(): ExportedSpan[];
  close(): Promise<void>;
}

async function startCollector(): Promise<Collector> {
  const collector = {
    answer: () => 200,
    bodies: [],
    headers: [],
    paths: [],
  } as unknown as Collector;
  let attempts = 0;
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const status = collector.answer(++attempts);
      if (status === "never") return;
      if (status === 200) {
        collector.bodies.push(body);
        collector.headers.push(request.headers);
        collector.paths.push(request.url ?? "");
      }
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  collector.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  collector.spans = () =>
    collector.bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);
  collector.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return collector;
}

const readAttributes = ({ attributes }: ExportedSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

const counted = (metrics: Metrics, name: string) =>
  Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics.render())?.[1] ?? 0);

describe("a tracer and its collector", () => {
  let collector: Collector;
  let tracer: Tracer | undefined;
  let metrics: Metrics;
  beforeEach(async () => {
    collector = await startCollector();
    metrics = createMetrics();
  });
  afterEach(async () => {
    await tracer?.stop(0);
    await collector.close();
  });
  const start = (
    env: Record<string, string> = {},
    everyMs = 60_000,
    log: Log = createLog("silent"),
  ): Tracer => {
    const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...env });
    tracer = openTracer(tracing!, { log, metrics, everyMs });
    return tracer;
  };
  const sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  test("a span arrives as OTLP JSON under its service, with the headers that were configured", async () => {
    const before = Date.now();
    const trace = start({
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20dXNlcjpwYXNz, x-tenant=blue",
      OTEL_SERVICE_NAME: "front",
    });
    trace.start("GET /v1/things/{id}", "server")!.end(true, { "http.route": "/v1/things/{id}", n: 7 });
    await trace.stop(1_000);
    expect(collector.paths).toEqual(["/v1/traces"]);
    expect(collector.headers[0]).toMatchObject({
      authorization: "Basic dXNlcjpwYXNz",
      "x-tenant": "blue",
      "content-type": "application/json",
    });
    const { resource } = JSON.parse(collector.bodies[0]!).resourceSpans[0];
    expect(resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "front" } });
    const [span] = collector.spans();
    expect(span).toMatchObject({ name: "GET /v1/things/{id}", kind: 2, status: { code: 2 } });
    expect(span!.traceId).toMatch(/^[\da-f]{32}$/);
    expect(span!.spanId).toMatch(/^[\da-f]{16}$/);
    expect(span!.parentSpanId).toBeUndefined();
    expect(readAttributes(span!)).toEqual({ "http.route": "/v1/things/{id}", n: 7 });
    const startedMs = Number(BigInt(span!.startTimeUnixNano) / 1_000_000n);
    expect(Math.abs(startedMs - before)).toBeLessThan(2_000);
    expect(BigInt(span!.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span!.startTimeUnixNano));
    expect(counted(metrics, "trace_spans_exported_total")).toBe(1);
  });

  test("a path of the endpoint is kept", async () => {
    const trace = start({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/otlp/` });
    trace.start("a", "server")!.end(false, {});
    await trace.stop(1_000);
    expect(collector.paths).toEqual(["/otlp/v1/traces"]);
  });

  test("a caller's trace is continued, and its decision to sample or not is kept", () => {
    const none = start({ OTEL_TRACES_SAMPLER_ARG: "0" });
    expect(none.start("a", "server", sampled)?.traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(none.start("a", "server")).toBeUndefined();
    const all = start({ OTEL_TRACES_SAMPLER_ARG: "1" });
    expect(all.start("a", "server", sampled.replace(/01$/, "00"))).toBeUndefined();
    expect(all.start("a", "server")).toBeDefined();
  });

  test("a malformed traceparent is ignored", () => {
    const trace = start();
    for (const header of [
      "",
      "nonsense",
      sampled.toUpperCase(),
      sampled.replace(/^00/, "ff"),
      `${sampled}-more`,
      "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    ]) {
      const span = trace.start("a", "server", header);
      expect(span?.traceId, header).toMatch(/^[\da-f]{32}$/);
      expect(span?.traceId, header).not.toBe("0af7651916cd43dd8448eb211c80319c");
    }
    expect(trace.start("a", "server", `${sampled.replace(/^00/, "01")}-more`)?.traceId).toBe(
      "0af7651916cd43dd8448eb211c80319c",
    );
  });

  test("a share of the traces is sampled, by their ids", () => {
    const trace = start({ OTEL_TRACES_SAMPLER_ARG: "0.25" });
    let kept = 0;
    for (let i = 0; i < 4_000; i++) if (trace.start("a", "server")) kept++;
    expect(kept).toBeGreaterThan(800);
    expect(kept).toBeLessThan(1_200);
  });

  test("a full batch does not wait for the timer", async () => {
    const trace = start();
    for (let i = 0; i < 512; i++) trace.start("a", "server")!.end(false, {});
    await expect.poll(() => collector.spans().length).toBe(512);
  });

  test("a busy collector is asked again, and nothing is sent twice", async () => {
    collector.answer = (attempt) => (attempt === 1 ? 503 : 200);
    const trace = start({}, 20);
    trace.start("a", "server")!.end(false, {});
    await expect.poll(() => collector.spans().length).toBe(1);
    expect(counted(metrics, "trace_spans_dropped_total")).toBe(0);
  });

  test("spans that a collector refuses permanently are dropped and counted", async () => {
    collector.answer = () => 400;
    const trace = start({}, 20);
    trace.start("a", "server")!.end(false, {});
    await expect.poll(() => counted(metrics, "trace_spans_dropped_total")).toBe(1);
  });

  test("memory stays bounded while the collector is down, and lost spans are counted", async () => {
    await collector.close();
    const trace = start();
    for (let i = 0; i < 20_000; i++) trace.start("a", "server")!.end(false, {});
    // No attempt to send has ended yet, so nobody waited for one: a batch of 512 is being sent, 4,096 spans are kept.
    expect(counted(metrics, "trace_spans_dropped_total")).toBe(20_000 - 512 - 4_096);
    await trace.stop(1_000);
    expect(counted(metrics, "trace_spans_dropped_total")).toBe(20_000);
  });

  test("stopping waits for a silent collector only for the grace period", async () => {
    collector.answer = () => "never";
    const lines: string[] = [];
    const trace = start({}, 60_000, createLog("warn", { write: (line) => void lines.push(line) }));
    trace.start("a", "server")!.end(false, {});
    await trace.stop(200);
    expect(counted(metrics, "trace_spans_dropped_total")).toBe(1);
    // The grace period ended the attempt. Otherwise its own time-out would have, with another reason.
    expect(lines.map((line) => JSON.parse(line).reason)).toEqual(["it cannot be reached"]);
  });
});

describe("a traced service", () => {
  let collector: Collector;
  let platform: OpenPlatform;
  let url: string;
  let stop: () => Promise<void>;
  const handled: string[] = [];
  const jobs: Job[] = [
    job({ name: "test.works", handle: async () => void handled.push("works") }),
    job({
      name: "test.fails",
      retries: 0,
      handle: async () => {
        handled.push("fails");
        throw new TypeError("a secret detail");
      },
    }),
  ];
  const spec = { method: "get", tag: "Test", summary: "", replies: { 200: z.any() } } as const;
  const routes = [
    on(
      route({
        ...spec,
        path: "/v1/things/{id}",
        access: signedIn(),
        params: z.object({ id: z.string() }),
        query: z.object({ token: z.string().optional() }),
      }),
      () => ({ ok: true }),
    ),
    on(route({ ...spec, path: "/v1/broken", access: open }), () => {
      throw new Error("a secret detail");
    }),
  ];
  const lines: string[] = [];

  beforeAll(async () => {
    collector = await startCollector();
    const config = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      SIGNALBOX_SECRET: "a secret for the tests, long enough",
    });
    const log = createLog("info", { write: (line: string) => void lines.push(line) });
    const socket = await listen("127.0.0.1", 0);
    url = `http://127.0.0.1:${socket.port}`;
    platform = await openPlatform(config, {
      publicUrl: url,
      jobs,
      works: true,
      log,
      engine: await openEmptyPglite(),
    });
    const http = createHttp({
      platform,
      routes,
      authenticate: () => ({
        credential: "key",
        credentialId: "key_secretive",
        principal: "member",
        userId: "usr_secretive",
        member: {
          id: "mem_secretive",
          orgId: "org_secretive",
          role: "owner",
          permissions: new Set(),
          isSuspended: false,
        },
      }),
    });
    const listening = socket.serve(http);
    await platform.jobs.work(platform, jobs);
    stop = async () => {
      await listening.close(500);
      await platform.close(2_000);
    };
  });
  afterAll(async () => {
    await collector?.close();
  });

  test("requests and jobs produce spans with their outcome and without personal data", async () => {
    const given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await fetch(`${url}/v1/things/thing_secretive?token=secretive`, {
      headers: { traceparent: given, "x-api-key": "sbx_secretive", "x-request-id": "request-1" },
    });
    await fetch(`${url}/v1/broken`);
    await fetch(`${url}/v1/nothing/secretive`);
    await platform.jobs.add(platform.db, jobs[0]!, { detail: "secretive" });
    await platform.jobs.add(platform.db, jobs[1]!, { detail: "secretive" });
    await expect.poll(() => handled.length, { timeout: 20_000 }).toBe(2);
    const metrics = platform.metrics.render();
    await stop();

    const spans = new Map(collector.spans().map((span) => [span.name, span]));
    expect([...spans.keys()].sort()).toEqual([
      "GET /v1/broken",
      "GET /v1/things/{id}",
      "job test.fails",
      "job test.works",
      "not_found",
    ]);
    const thing = spans.get("GET /v1/things/{id}")!;
    expect(thing).toMatchObject({
      traceId: "0af7651916cd43dd8448eb211c80319c",
      parentSpanId: "b7ad6b7169203331",
      kind: 2,
    });
    expect(thing.status).toBeUndefined();
    expect(readAttributes(thing)).toEqual({
      "http.request.method": "GET",
      "http.route": "/v1/things/{id}",
      "http.response.status_code": 200,
      "signalbox.operation": "getV1ThingsById",
      "signalbox.request_id": "request-1",
      "signalbox.credential": "key",
    });
    expect(readAttributes(spans.get("GET /v1/broken")!)).toMatchObject({ "error.type": "500" });
    expect(spans.get("GET /v1/broken")!.status).toEqual({ code: 2 });
    expect(spans.get("not_found")!.status).toBeUndefined();
    expect(spans.get("job test.works")).toMatchObject({ kind: 5 });
    expect(readAttributes(spans.get("job test.fails")!)).toMatchObject({ "error.type": "TypeError" });
    expect(spans.get("job test.fails")!.status).toEqual({ code: 2 });
    for (const body of collector.bodies) expect(body).not.toMatch(/secretive|a secret detail|127\.0\.0\.1/);

    const line = lines.map((text) => JSON.parse(text)).find(({ requestId }) => requestId === "request-1");
    expect(line).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", orgId: "org_secretive" });

    expect(metrics).toContain(
      'http_request_duration_seconds_count{operation="getV1ThingsById",status="200"} 1',
    );
    expect(metrics).toContain('http_request_duration_seconds_count{operation="not_found",status="404"} 1');
    expect(metrics).toContain('job_failing{job="test.fails"} 1');
    expect(metrics).toContain('job_failing{job="test.works"} 0');
    expect(metrics).toMatch(/^bus_up 1$/m);
    expect(metrics).toMatch(/^nodejs_eventloop_delay_p99_seconds [\d.e-]+$/m);
    expect(metrics).not.toMatch(/secretive|nothing/);
  });
});

describe("the configuration of tracing", () => {
  test("is disabled without an endpoint", () => {
    expect(readConfig({ OTEL_SERVICE_NAME: "x" }).tracing).toBeUndefined();
  });

  test.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "must be a URL such as"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:pass@localhost:4318", "OTEL_EXPORTER_OTLP_HEADERS"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318/?key=1", "without credentials and query"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization", "must list headers as name=value"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a b=c", "must list headers as name=value"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=%zz", "percent-encoded"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=b%0d%0ac", "percent-encoded"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "must be http/json"],
    ["OTEL_TRACES_SAMPLER", "always_off", "OTEL_TRACES_SAMPLER_ARG"],
    ["OTEL_TRACES_SAMPLER_ARG", "half", "must be a number from 0 to 1"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5", "must be a number from 0 to 1"],
  ])("%s=%s prevents the start with one sentence", (name, value, sentence) => {
    const reading = () => readConfig({ [name]: value });
    expect(reading).toThrow(new RegExp(`^${name} `));
    expect(reading).toThrow(sentence);
  });
});
