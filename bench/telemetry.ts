import { randomBytes, randomUUID } from "node:crypto";
import { formatRequest, measureLoad } from "./load.ts";
import {
  type Bench,
  type BenchOptions,
  type Child,
  createCaller,
  type EngineKind,
  type Figure,
  interleave,
  listEngines,
  median,
  ratio,
  startChild,
  type Turn,
  withInstance,
} from "./measure.ts";
import { isPgbenchInstalled, openTelemetryPgbench } from "./peers/pgbench.ts";

const senderCount = 32;
/** The product's own default. */
const connections = 10;

/** Telemetry over HTTP, checked, mapped, on disk and in the daily sums, beside a bare row into a table of the same shape. */
export const telemetry: Bench = async (options) => {
  const engines = await listEngines(options);
  const figures: Figure[] = [];
  for (const engine of engines) figures.push(...(await measureBeside(engine, options)));
  return figures;
};

/** How many events a request has, and where it goes. */
const sides = {
  single: { path: "/v1/telemetry/events", size: 1, createBody: createEvents },
  "batches of 500": { path: "/v1/telemetry/events", size: 500, createBody: createEvents },
  "OTLP spans in batches of 500": { path: "/otlp/v1/traces", size: 500, createBody: createSpans },
};
const promised: Record<string, number> = { single: 0.3, "batches of 500": 2 };

async function measureBeside(
  engine: EngineKind,
  { rounds, seconds, logProgress }: BenchOptions,
): Promise<Figure[]> {
  logProgress(`telemetry on ${engine}`);
  return withInstance(engine, async (place) => {
    const product = await startChild("bench/product.ts", place);
    try {
      const { keys } = await createCaller(product.url);
      const url = place.env.DATABASE_URL;
      const peer =
        url && (await isPgbenchInstalled())
          ? await openTelemetryPgbench(url, place.folder, connections)
          : undefined;
      const turns = await interleave<string, Turn>(rounds, {
        ...(peer ? { peer: async () => ({ rate: await peer(seconds), cpu: Number.NaN }) } : {}),
        ...Object.fromEntries(
          Object.entries(sides).map(([name, side]) => [
            name,
            () => sendEvents(product, keys[0]!, seconds, side),
          ]),
        ),
      });
      const rates = (side: string) => turns[side]!.map(({ rate }) => rate);
      const peerName = `${engine}: pgbench, one row a transaction`;
      return [
        ...(peer ? [{ name: peerName, value: median(rates("peer")), unit: "rows/s" }] : []),
        ...Object.keys(sides).flatMap((side) => [
          { name: `${engine}: ${side}`, value: median(rates(side)), unit: "events/s" },
          {
            name: `${engine}: ${side}, CPU of each event`,
            value: median(turns[side]!.map(({ cpu }) => cpu)),
            unit: "µs",
          },
          ...(peer
            ? [
                ratio(
                  `${engine}: ${side} beside pgbench`,
                  rates(side),
                  rates("peer"),
                  promised[side] === undefined ? undefined : { atLeast: promised[side] },
                ),
              ]
            : []),
        ]),
      ];
    } finally {
      await product.stop();
    }
  });
}

function createEvents(size: number): string {
  const events = Array.from(
    { length: size },
    () =>
      `{"id":"${randomUUID()}","type":"model_call","at":${Date.now()},"model":"claude-sonnet-4-5","attributes":{"gen_ai.usage.input_tokens":1200,"gen_ai.usage.output_tokens":340,"signalbox.cost_micros":8700,"service.name":"bench"}}`,
  );
  return `{"events":[${events.join(",")}]}`;
}

function createSpans(size: number): string {
  const now = Date.now();
  const spans = Array.from({ length: size }, () => ({
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    name: "chat claude-sonnet-4-5",
    startTimeUnixNano: `${now}000000`,
    endTimeUnixNano: `${now + 5}000000`,
    attributes: [
      { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
      { key: "gen_ai.provider.name", value: { stringValue: "anthropic" } },
      { key: "gen_ai.request.model", value: { stringValue: "claude-sonnet-4-5" } },
      { key: "gen_ai.usage.input_tokens", value: { intValue: "1200" } },
      { key: "gen_ai.usage.output_tokens", value: { intValue: "340" } },
    ],
  }));
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
}

type Side = (typeof sides)[keyof typeof sides];

/** Returns the rate and the CPU of events, not of requests. Requests with many events need fewer connections. */
async function sendEvents(
  child: Child,
  key: string,
  seconds: number,
  { path, size, createBody }: Side,
): Promise<Turn> {
  const { host } = new URL(child.url);
  const headers = { "content-type": "application/json", "x-api-key": key };
  const { rate, cpu } = await measureLoad({
    child,
    seconds,
    connections: size === 1 ? senderCount : 4,
    expected: 200,
    next: () => Buffer.from(formatRequest(host, "POST", path, headers, createBody(size)), "latin1"),
  });
  return { rate: rate * size, cpu: cpu / size };
}
