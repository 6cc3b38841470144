import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  measureDatabase,
  median,
  ratio,
  startChild,
  withInstance,
} from "./measure.ts";

/**
 * What a call of a tool through `/mcp` costs beside a direct call to the same server with the same official client: with
 * the policy `warn`, and with `hold_changed`, which lists the tools before each call. With `BENCH_BEFORE`, the folder of
 * another checkout, that version is measured in the same rounds.
 */
export const mcpCalls: Bench = async (options) => {
  const figures: Figure[] = [];
  for (const engine of await listEngines(options)) figures.push(...(await measureEngine(engine, options)));
  return figures;
};

const atOnce = 16;
const text = "hello";
const policies = ["warn", "hold_changed"] as const;

interface Side {
  call(): Promise<unknown>;
  /** Milliseconds of calls that were made one after the other. */
  latencies: number[];
  /** Microseconds of CPU of the product and of its database for each call. */
  cpu: number[];
  databaseCpu: number[];
}

/** A version of the product that is measured. */
interface Product {
  /** What its figures begin with. */
  label: string;
  child: Child;
  token: string;
  readDatabaseCpu(): Promise<number>;
}

const measureEngine = async (engine: EngineKind, options: BenchOptions): Promise<Figure[]> => {
  const { BENCH_BEFORE: before } = process.env;
  return withProduct(engine, "", "bench/product.ts", (now) =>
    before
      ? withProduct(engine, "before, ", `${before}/bench/product.ts`, (earlier) =>
          measureProducts(engine, [now, earlier], options),
        )
      : measureProducts(engine, [now], options),
  );
};

const withProduct = <T>(
  engine: EngineKind,
  label: string,
  program: string,
  work: (product: Product) => Promise<T>,
): Promise<T> =>
  withInstance(engine, async (place) => {
    const child = await startChild(program, place);
    try {
      const { token } = await createCaller(child.url);
      const readDatabaseCpu = measureDatabase(place.env.DATABASE_URL);
      return await work({ label, child, token, readDatabaseCpu });
    } finally {
      await child.stop();
    }
  });

async function measureProducts(
  engine: EngineKind,
  products: readonly Product[],
  options: BenchOptions,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const era of ["sessions", "modern"]) {
    options.logProgress(`calls of tools on ${engine}, server with ${era}`);
    const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
    const upstream = await startChild("bench/peers/mcp-server.ts", { folder, env: {}, args: [era] });
    try {
      const described = await measureServer(products, upstream, options);
      figures.push(...described.map((one) => ({ ...one, name: `${engine}, ${era}: ${one.name}` })));
    } finally {
      await upstream.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return figures;
}

async function measureServer(
  products: readonly Product[],
  upstream: Child,
  { rounds, seconds }: BenchOptions,
): Promise<Figure[]> {
  const clients: Client[] = [];
  const open = async (url: string, headers: Record<string, string> = {}) => {
    const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    clients.push(client);
    return client;
  };
  try {
    const direct = createSide(await open(upstream.url), "echo");
    const sides: Record<string, { side: Side; product: Product | undefined }> = {
      direct: { side: direct, product: undefined },
    };
    for (const product of products) {
      const { mcpToken, save } = await prepare(product.child.url, upstream.url, product.token);
      const client = await open(`${product.child.url}/mcp`, { authorization: `Bearer ${mcpToken}` });
      for (const policy of policies) {
        const side = createSide(client, `${await save(policy)}__echo`);
        sides[`${product.label}${policy}`] = { side, product };
      }
    }
    const turns = Object.entries(sides).map(([name, { side, product }]) => [
      name,
      () => measureSide(product, side, seconds),
    ]);
    const rates = await interleave(
      rounds,
      Object.fromEntries(turns) as Record<string, () => Promise<number>>,
    );
    const described = Object.entries(sides).flatMap(([name, { side, product }]) =>
      describeSide(name, side, rates[name]!, product !== undefined),
    );
    const ratios = Object.keys(sides)
      .slice(1)
      .map((name) => ratio(`${name} beside direct`, rates[name]!, rates.direct!));
    return [...described, ...ratios];
  } finally {
    for (const client of clients) await client.close();
  }
}

const createSide = (client: Client, name: string): Side => ({
  latencies: [],
  cpu: [],
  databaseCpu: [],
  async call() {
    const { content } = await client.callTool({ name, arguments: { text } });
    const [first] = content;
    if (first?.type !== "text" || first.text !== text)
      throw new Error(`${name} answered ${JSON.stringify(content)}.`);
  },
});

/** Half of the time one call after the other, for how long they take, and half of it many at once, for how many. */
async function measureSide(product: Product | undefined, side: Side, seconds: number): Promise<number> {
  const before = product && cpuMicroseconds(product.child);
  const databaseBefore = await product?.readDatabaseCpu();
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
  if (product && before !== undefined && databaseBefore !== undefined) {
    side.cpu.push((cpuMicroseconds(product.child) - before) / calls);
    side.databaseCpu.push(((await product.readDatabaseCpu()) - databaseBefore) / calls);
  }
  return rate;
}

function describeSide(name: string, side: Side, rates: number[], isProduct: boolean): Figure[] {
  const sorted = side.latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return [
    { name: `${name}, ${atOnce} at once`, value: median(rates), unit: "calls/s" },
    { name: `${name}, p50 one by one`, value: at(0.5), unit: "ms" },
    { name: `${name}, p99 one by one`, value: at(0.99), unit: "ms" },
    ...(isProduct
      ? [
          { name: `${name}, CPU of each`, value: median(side.cpu), unit: "µs" },
          { name: `${name}, CPU of the database`, value: median(side.databaseCpu), unit: "µs" },
        ]
      : []),
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
