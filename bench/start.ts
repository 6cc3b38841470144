import { setTimeout as sleep } from "node:timers/promises";
import {
  type Bench,
  type BenchOptions,
  type Child,
  cpuMicroseconds,
  type EngineKind,
  type Figure,
  listEngines,
  median,
  startChild,
  withInstance,
} from "./measure.ts";

/** What the process costs before anybody calls. */
export const start: Bench = async (options) => {
  const figures: Figure[] = [];
  for (const engine of await listEngines(options)) figures.push(...(await starts(engine, options)));
  return figures;
};

/**
 * The real command on a new place, and again on the same: how soon it is ready, how much memory it then has, and what
 * it uses when nobody calls.
 */
async function starts(engine: EngineKind, { rounds, logProgress }: BenchOptions): Promise<Figure[]> {
  logProgress(`starts on ${engine}`);
  const first: number[] = [];
  const second: number[] = [];
  const memory: number[] = [];
  const idle: Idle[] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    await withInstance(engine, async (place) => {
      for (const times of [first, second]) {
        const product = await startChild("bin/signalbox.mjs", { ...place, args: ["serve"] });
        try {
          times.push(product.readyMs / 1000);
          if (times === second) {
            await sleep(3_000);
            memory.push(await residentMegabytes(product.url));
            // Only for the embedded engine: a server on PostgreSQL has several processes.
            if (engine === "pglite") idle.push(await measureIdle(product));
          }
        } finally {
          await product.stop();
        }
      }
    });
  }
  const figure = (name: string, values: readonly number[], unit: string, atMost?: number): Figure => ({
    name: `${engine}: ${name}`,
    value: median(values),
    unit,
    ...(engine === "pglite" && atMost !== undefined ? { promise: { atMost } } : {}),
  });
  return [
    figure("first start", first, "s", 3.5),
    figure("second start", second, "s", 1.5),
    figure("resident memory after start", memory, "MB", 400),
    ...(idle.length > 0 ? describeIdle(idle) : []),
  ];
}

/** As all processes themselves report it. */
async function residentMegabytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = [...text.matchAll(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/gm)];
  return values.reduce((sum, [, bytes]) => sum + Number(bytes), 0) / 1e6;
}

interface Idle {
  percent: number;
  megabytes: number;
}

const describeIdle = (idle: readonly Idle[]): Figure[] => [
  {
    name: "pglite: CPU when idle, of one core",
    value: median(idle.map(({ percent }) => percent)),
    unit: "%",
    promise: { atMost: 1.5 },
  },
  {
    name: "pglite: resident memory when idle",
    value: median(idle.map(({ megabytes }) => megabytes)),
    unit: "MB",
    promise: { atMost: 420 },
  },
];

/** By then the code that runs every few seconds is compiled. */
const settleSeconds = 60;
const idleSeconds = 60;

async function measureIdle(product: Child): Promise<Idle> {
  await sleep(settleSeconds * 1000);
  const before = cpuMicroseconds(product);
  const started = performance.now();
  await sleep(idleSeconds * 1000);
  return {
    percent: (cpuMicroseconds(product) - before) / 10 / (performance.now() - started),
    megabytes: await residentMegabytes(product.url),
  };
}
