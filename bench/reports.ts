import pg from "pg";
import type { LoadTurn } from "./load.ts";
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
  withInstance,
} from "./measure.ts";
import { isPgbenchInstalled, openPgbench } from "./peers/pgbench.ts";
import { createReporters, type Reporters, storedEvent } from "./reporters.ts";

const reporterCount = 32;
/** The product's own default. */
const connections = 10;

/** Events over HTTP, authenticated, fenced and on disk, beside a bare row into a table of the same shape. */
export const reports: Bench = async (options) => {
  const engines = await listEngines(options);
  const figures: Figure[] = [];
  for (const engine of engines) figures.push(...(await beside(engine, options)));
  return figures;
};

async function beside(engine: EngineKind, { rounds, seconds, logProgress }: BenchOptions): Promise<Figure[]> {
  logProgress(`reports on ${engine}`);
  return withInstance(engine, async (place) => {
    const product = await startChild("bench/product.ts", place);
    try {
      const reporters = await reportersOn(product);
      const url = place.env.DATABASE_URL;
      const peer =
        url && (await isPgbenchInstalled()) ? await openPgbench(url, place.folder, connections) : undefined;
      const turns = await interleave<string, LoadTurn>(rounds, {
        ...(peer
          ? {
              peer: async () => ({
                rate: await peer(seconds),
                cpu: Number.NaN,
                p99: Number.NaN,
                requests: 0,
              }),
            }
          : {}),
        ...sides(reporters, seconds),
      });
      const rates = (side: string) => turns[side]!.map(({ rate }) => rate);
      const promised: Record<string, number> = { single: 0.5, "batches of 8": 3, "batches of 50": 7 };
      return [
        ...(peer
          ? [
              {
                name: `${engine}: pgbench, one row a transaction`,
                value: median(rates("peer")),
                unit: "rows/s",
              },
            ]
          : []),
        ...Object.keys(sizes).flatMap((side) => [
          ...shown(`${engine}: events, ${side}`, turns[side]!),
          ...(peer
            ? [
                ratio(`${engine}: ${side} beside pgbench`, rates(side), rates("peer"), {
                  atLeast: promised[side]!,
                }),
              ]
            : []),
        ]),
      ];
    } finally {
      await product.stop();
    }
  });
}

const stored = 10_000_000;

/** The same with ten million events there already, beside a server that has none. Filling takes minutes. */
export const reportsOnFull: Bench = async ({ rounds, seconds, logProgress }) => {
  if (!(await listEngines({ logProgress })).includes("postgres")) return [];
  return withInstance("postgres", (emptyPlace) =>
    withInstance("postgres", async (fullPlace) => {
      const [empty, full] = [
        await startChild("bench/product.ts", emptyPlace),
        await startChild("bench/product.ts", fullPlace),
      ];
      try {
        logProgress(`storing ${stored.toLocaleString("en")} events`);
        await fill(fullPlace.env.DATABASE_URL!);
        const [few, many] = [await reportersOn(empty), await reportersOn(full)];
        const figures: Figure[] = [];
        for (const [side, batch] of Object.entries(sizes)) {
          logProgress(`${side}, full and empty`);
          const turns = await interleave(rounds, {
            empty: () => few.report(seconds, batch),
            full: () => many.report(seconds, batch),
          });
          const rates = (turns: LoadTurn[]) => turns.map(({ rate }) => rate);
          figures.push(
            ...shown(`full table: events, ${side}`, turns.full),
            ratio(`full table: ${side} beside an empty one`, rates(turns.full), rates(turns.empty), {
              atLeast: 0.9,
            }),
          );
        }
        return figures;
      } finally {
        await empty.stop();
        await full.stop();
      }
    }),
  );
};

const sizes = { single: 1, "batches of 8": 8, "batches of 50": 50 };
const sides = (reporters: Reporters, seconds: number) =>
  Object.fromEntries(
    Object.entries(sizes).map(([side, batch]) => [side, () => reporters.report(seconds, batch)]),
  );

const shown = (name: string, turns: readonly LoadTurn[]): Figure[] => [
  { name, value: median(turns.map(({ rate }) => rate)), unit: "events/s" },
  { name: `${name}, CPU of each`, value: median(turns.map(({ cpu }) => cpu)), unit: "µs" },
  { name: `${name}, p99 of a request`, value: median(turns.map(({ p99 }) => p99)), unit: "ms" },
];

/** Reporters of as many runs, each run made and reported on by the same key. */
async function reportersOn(child: Child): Promise<Reporters> {
  const { keys } = await createCaller(child.url);
  const headers = { "x-api-key": keys[0]! };
  const post = async (path: string, body?: object) => {
    const response = await fetch(child.url + path, {
      method: "POST",
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<Record<string, { id: string }>>;
  };
  const { automation } = await post("/v1/automations", {
    name: "Bench",
    instructions: "Report.",
    schedule: { kind: "manual" },
  });
  const runIds: string[] = [];
  while (runIds.length < reporterCount)
    runIds.push((await post(`/v1/automations/${automation!.id}/run`)).run!.id);
  return createReporters(child, headers, runIds);
}

/** Ten thousand runs of a thousand events each, written as a bulk load would. */
async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off");
  const runs = 10_000;
  for (let from = 0; from < runs; from += 500) {
    await client.query(
      `insert into automation_events (run_no, org_id, attempt, previous_sequence, last_sequence, is_terminal, events)
      select -r, 'org_00000000000000000000000000', 1, s - 1, s, false, $1
      from generate_series($2::int, $3::int) r, generate_series(0, $4::int - 1) s`,
      [storedEvent, from + 1, from + 500, stored / runs],
    );
  }
  await client.query("vacuum analyze automation_events");
  await client.end();
}
