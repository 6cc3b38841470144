import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
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
  withInstance,
} from "./measure.ts";

/**
 * What a call of a tool through `/mcp` costs beside a direct call to the same server with the same official client: with
 * the policy `warn`, and with `hold_changed`, which lists the tools before each call.
 */
export const mcpCalls: Bench = async (options) => {
  const figures: Figure[] = [];
  for (const engine of await listEngines(options.logProgress))
    figures.push(...(await measureEngine(engine, options)));
  return figures;
};

const atOnce = 16;
const text = "hello";

interface Side {
  call(): Promise<unknown>;
  /** Milliseconds of calls that were made one after the other. */
  latencies: number[];
  /** Microseconds of CPU of the product for each call. */
  cpu: number[];
}

const measureEngine = (engine: EngineKind, options: BenchOptions): Promise<Figure[]> =>
  withInstance(engine, async (place) => {
    const product = await startChild("bench/product.ts", place);
    try {
      const { token } = await createCaller(product.url);
      const figures: Figure[] = [];
      for (const era of ["sessions", "modern"]) {
        options.logProgress(`calls of tools on ${engine}, server with ${era}`);
        const upstream = await startChild("bench/peers/mcp-server.ts", { ...place, args: [era] });
        try {
          const described = await measureServer(product, upstream, token, options);
          figures.push(...described.map((one) => ({ ...one, name: `${engine}, ${era}: ${one.name}` })));
        } finally {
          await upstream.stop();
        }
      }
      return figures;
    } finally {
      await product.stop();
    }
  });

async function measureServer(
  product: Child,
  upstream: Child,
  token: string,
  { rounds, seconds }: BenchOptions,
): Promise<Figure[]> {
  const clients: Client[] = [];
  const open = async (url: string, headers: Record<string, string> = {}) => {
    const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    clients.push(client);
    return (name: string) => createSide(client, name);
  };
  try {
    const { mcpToken, save } = await prepare(product.url, upstream.url, token);
    const through = await open(`${product.url}/mcp`, { authorization: `Bearer ${mcpToken}` });
    const sides = {
      direct: (await open(upstream.url))("echo"),
      warn: through(`${await save("warn")}__echo`),
      hold: through(`${await save("hold_changed")}__echo`),
    };
    const rates = await interleave(rounds, {
      direct: () => measureSide(product, sides.direct, seconds),
      warn: () => measureSide(product, sides.warn, seconds),
      hold: () => measureSide(product, sides.hold, seconds),
    });
    return [
      ...describeSide("direct", sides.direct, rates.direct).slice(0, 3),
      ...describeSide("warn", sides.warn, rates.warn),
      ...describeSide("hold_changed", sides.hold, rates.hold),
      ratio("warn beside direct", rates.warn, rates.direct),
      ratio("hold_changed beside direct", rates.hold, rates.direct),
    ];
  } finally {
    for (const client of clients) await client.close();
  }
}

const createSide = (client: Client, name: string): Side => ({
  latencies: [],
  cpu: [],
  async call() {
    const { content } = await client.callTool({ name, arguments: { text } });
    const [first] = content;
    if (first?.type !== "text" || first.text !== text)
      throw new Error(`${name} answered ${JSON.stringify(content)}.`);
  },
});

/** Half of the time one call after the other, for how long they take, and half of it many at once, for how many. */
async function measureSide(product: Child, side: Side, seconds: number): Promise<number> {
  const before = cpuMicroseconds(product);
  let calls = 0;
  await measureCalls(seconds / 2, 1, async () => {
    const started = performance.now();
    await side.call();
    side.latencies.push(performance.now() - started);
    calls++;
  });
  const { rate } = await measureCalls(seconds / 2, atOnce, async () => {
    await side.call();
    calls++;
  });
  side.cpu.push((cpuMicroseconds(product) - before) / calls);
  return rate;
}

function describeSide(name: string, { latencies, cpu }: Side, rates: number[]): Figure[] {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return [
    { name: `${name}, ${atOnce} at once`, value: median(rates), unit: "calls/s" },
    { name: `${name}, p50 one by one`, value: at(0.5), unit: "ms" },
    { name: `${name}, p99 one by one`, value: at(0.99), unit: "ms" },
    { name: `${name}, CPU of each`, value: median(cpu), unit: "µs" },
  ];
}

/** The parts of replies that are used. */
interface Saved {
  connection: { id: string; slug: string };
  test: { ok: boolean };
  token: string;
}

/** As a person does it: an MCP token, and connections with high limits. */
async function prepare(url: string, serverUrl: string, token: string) {
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Saved;
  };
  const save = async (onDrift: "warn" | "hold_changed"): Promise<string> => {
    const { connection } = await send("POST", "/v1/mcp-connections", {
      ...{ url: serverUrl, name: onDrift, credential: "shared", registration: "none" },
      access: { organization: true },
    });
    const path = `/v1/mcp-connections/${connection.id}`;
    await send("PATCH", path, { limits: { callsPerMinute: 100_000, concurrency: 1_000 } });
    await send("PUT", `${path}/tools/policy`, { onDrift });
    const { test } = await send("POST", `${path}/test`);
    if (!test.ok) throw new Error(`The connection does not work: ${JSON.stringify(test)}`);
    return connection.slug;
  };
  const made = await send("POST", "/v1/mcp/token", { scopes: ["mcp:read", "mcp:write"] });
  return { mcpToken: made.token, save };
}
