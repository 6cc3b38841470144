import {
  type Bench,
  type BenchOptions,
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
  for (const engine of await listEngines(options.logProgress))
    figures.push(...(await starts(engine, options)));
  return figures;
};

/** The real command on a new place, and again on the same: how soon it is ready and how much memory it then has. */
async function starts(engine: EngineKind, { rounds, logProgress }: BenchOptions): Promise<Figure[]> {
  logProgress(`starts on ${engine}`);
  const first: number[] = [];
  const second: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    await withInstance(engine, async (place) => {
      for (const times of [first, second]) {
        const product = await startChild("bin/signalbox.mjs", { ...place, args: ["serve"] });
        try {
          times.push(product.readyMs / 1000);
          if (times === second) memory.push(await residentMegabytes(product.url));
        } finally {
          await product.stop();
        }
      }
    });
  }
  const embedded = engine === "pglite";
  return [
    {
      name: `${engine}: first start`,
      value: median(first),
      unit: "s",
      ...(embedded ? { promise: { atMost: 6 } } : {}),
    },
    {
      name: `${engine}: second start`,
      value: median(second),
      unit: "s",
      ...(embedded ? { promise: { atMost: 2 } } : {}),
    },
    { name: `${engine}: resident memory after start`, value: median(memory), unit: "MB" },
  ];
}

/** As the process itself reports it, some seconds after it was ready. */
async function residentMegabytes(url: string): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1e6;
}
