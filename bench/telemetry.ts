import { randomBytes, randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import {
  type Bench,
  type BenchOptions,
  type Child,
  cpuMicroseconds,
  createCaller,
  type EngineKind,
  type Figure,
  interleave,
  listEngines,
  measureCalls,
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
      const senders = await openSenders(product, { "x-api-key": keys[0]! });
      const url = place.env.DATABASE_URL;
      const peer =
        url && (await isPgbenchInstalled())
          ? await openTelemetryPgbench(url, place.folder, connections)
          : undefined;
      const turns = await interleave<string, Turn>(rounds, {
        ...(peer ? { peer: async () => ({ rate: await peer(seconds), cpu: Number.NaN }) } : {}),
        ...Object.fromEntries(
          Object.entries(sides).map(([name, side]) => [name, () => senders.send(seconds, side)]),
        ),
      });
      senders.close();
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

interface Sender {
  socket: Socket;
  answer: ((status: number) => void) | undefined;
}

type Side = (typeof sides)[keyof typeof sides];

/** Writes requests by hand: what the measuring side costs is taken from the measured one, as both share the machine. */
async function openSenders(child: Child, headers: Record<string, string>) {
  const { hostname, port, host } = new URL(child.url);
  const head = Object.entries({ host, "content-type": "application/json", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const senders = await Promise.all(
    Array.from({ length: senderCount }, async () => {
      const socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
      const sender: Sender = { socket, answer: undefined };
      let received = "";
      socket.setEncoding("latin1").on("data", (chunk: string) => {
        received += chunk;
        const end = received.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
        if (received.length < end + 4 + length) return;
        const status = Number(received.slice(9, 12));
        received = "";
        sender.answer?.(status);
      });
      return sender;
    }),
  );
  return {
    /** Rate and CPU are of events. With large batches, fewer connections are enough. */
    async send(seconds: number, { path, size, createBody }: Side): Promise<Turn> {
      const before = cpuMicroseconds(child);
      let sent = 0;
      const { rate } = await measureCalls(seconds, size === 1 ? senders.length : 4, async (lane) => {
        const sender = senders[lane]!;
        const body = createBody(size);
        const status = await new Promise<number>((resolve) => {
          sender.answer = resolve;
          sender.socket.write(
            `POST ${path} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
          );
        });
        if (status !== 200) throw new Error(`${path}: ${status}`);
        sent += size;
      });
      return { rate: rate * size, cpu: (cpuMicroseconds(child) - before) / sent };
    },
    close: () => {
      for (const { socket } of senders) socket.destroy();
    },
  };
}
