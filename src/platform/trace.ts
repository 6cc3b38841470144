import { randomUUID } from "node:crypto";
import packageJson from "../../package.json" with { type: "json" };
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { takeRandomBytes } from "./random.ts";

/**
 * OpenTelemetry, as much of it as we need: spans of requests and jobs, sent to a collector in batches as
 * OTLP over HTTP. Nothing waits for it: what does not fit into the buffer is dropped and counted.
 */
export interface Tracer {
  /** Undefined when this trace is not sampled. `traceparent` is what the caller sent, if anything. */
  start(
    name: string,
    kind: keyof typeof kinds,
    traceparent?: string | null,
    /** For what has already happened: how long ago it began, in milliseconds. */
    elapsedMs?: number,
  ): Span | undefined;
  /** Sends what is left, for at most that long. */
  stop(graceMs: number): Promise<void>;
}

export interface Span {
  readonly traceId: string;
  /** What it turned out to be. Never a secret, a query string or an id of somebody: the collector is not ours. */
  end(failed: boolean, attributes: Record<string, string | number | undefined>): void;
}

const kinds = { server: 2, client: 3, consumer: 5 };
const failedStatus = { code: 2 };
const maxBuffered = 4096;
const maxBatch = 512;
const exportTimeoutMs = 10_000;

export interface TracerOptions {
  log: Log;
  metrics: Metrics;
  everyMs?: number;
}

export function openTracer(
  { endpoint, headers, serviceName, ratio }: NonNullable<Config["tracing"]>,
  { log, metrics, everyMs = 5_000 }: TracerOptions,
): Tracer {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const resource = {
    attributes: write({
      "service.name": serviceName,
      "service.version": packageJson.version,
      "service.instance.id": randomUUID(),
    }),
  };
  let buffer: object[] = [];
  let sending: Promise<boolean> | undefined;
  let reported = 0;
  const stopping = new AbortController();
  const timer = setInterval(() => void flush(), everyMs).unref();

  function bufferSpans(spans: object[]) {
    const free = Math.max(0, maxBuffered - buffer.length);
    buffer = buffer.concat(spans.slice(0, free));
    drop(spans.length - free);
  }

  function drop(count: number) {
    if (count > 0) metrics.count("trace_spans_dropped_total", {}, count);
  }

  /** One batch at a time; true when it was taken. */
  function flush(): Promise<boolean> {
    if (sending) return sending;
    if (buffer.length === 0) return Promise.resolve(true);
    sending = send(buffer.splice(0, maxBatch)).then((batch) => {
      sending = undefined;
      if (batch && buffer.length >= maxBatch) void flush();
      return batch;
    });
    return sending;
  }

  async function send(spans: object[]): Promise<boolean> {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "signalbox" }, spans }] }],
        }),
        redirect: "error",
        signal: AbortSignal.any([AbortSignal.timeout(exportTimeoutMs), stopping.signal]),
      });
      await response.body?.cancel();
      if (response.ok) {
        metrics.count("trace_spans_exported_total", {}, spans.length);
        return true;
      }
      // The collector is busy or down: worth another try. Anything else it says, it will say again.
      if ([429, 502, 503, 504].includes(response.status)) bufferSpans(spans);
      else drop(spans.length);
      report(`it answered ${response.status}`);
    } catch (error) {
      bufferSpans(spans);
      report((error as Error).name === "TimeoutError" ? "it did not answer in time" : "it cannot be reached");
    }
    return false;
  }

  /** Logs at most one line a minute while the collector cannot be reached. */
  function report(reason: string) {
    const now = performance.now();
    if (reported !== 0 && now - reported < 60_000) return;
    reported = now;
    log.warn({ endpoint: url, reason }, "traces not sent");
  }

  return {
    start(name, kind, traceparent, elapsedMs = 0) {
      const parent = readParent(traceparent);
      const traceId = parent?.traceId ?? takeRandomBytes(16).toString("hex");
      if (!(parent ? parent.sampled : isWithin(ratio, traceId))) return undefined;
      const started = performance.now() - elapsedMs;
      return {
        traceId,
        end(failed, attributes) {
          if (buffer.length >= maxBuffered) return drop(1);
          buffer.push({
            traceId,
            spanId: takeRandomBytes(8).toString("hex"),
            ...(parent ? { parentSpanId: parent.spanId } : {}),
            name,
            kind: kinds[kind],
            startTimeUnixNano: nanoseconds(started),
            endTimeUnixNano: nanoseconds(performance.now()),
            attributes: write(attributes),
            ...(failed ? { status: failedStatus } : {}),
          });
          if (buffer.length === maxBatch) void flush();
        },
      };
    },
    async stop(graceMs) {
      clearInterval(timer);
      const cut = setTimeout(() => stopping.abort(), graceMs);
      while (sending || buffer.length > 0) if (!(await flush())) break;
      clearTimeout(cut);
      drop(buffer.splice(0).length);
    },
  };
}

/** W3C trace context. What is malformed is as if it were not there. */
function readParent(header: string | null | undefined) {
  const fields = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header ?? "");
  if (!fields) return undefined;
  const [, version, traceId, spanId, flags, more] = fields;
  if (version === "00" && more !== undefined) return undefined;
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return undefined;
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

/** By the random tail of the id, so that every service that sees this trace decides alike. */
const isWithin = (ratio: number, traceId: string): boolean =>
  Number.parseInt(traceId.slice(-13), 16) >= (1 - ratio) * 2 ** 52;

const nanoseconds = (at: number): string =>
  String(BigInt(Math.round((performance.timeOrigin + at) * 1_000)) * 1_000n);

function write(attributes: Record<string, string | number | undefined>) {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
    }));
}
