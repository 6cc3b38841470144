import { readFileSync } from "node:fs";
import { measureRequests } from "./load.ts";
import {
  type Bench,
  type Child,
  createCaller,
  type Figure,
  interleave,
  listEngines,
  measureDatabase,
  median,
  ratio,
  readCpuTime,
  startChild,
  withInstance,
} from "./measure.ts";

const counts = [1, 2] as const;
const connections = 64;

interface ProcessTurn {
  rate: number;
  /** CPU microseconds of all serving processes, and of the database, for each request. */
  cpu: number;
  databaseCpu: number;
}

/** What is requested. `list` reads from the database; `key` only checks a cached key. */
const requests = { "list by key": "/v1/automations", "GET by key": "/v1/permissions" };

/**
 * The real command with one and with two processes, each on a database of its own. The requests come from this process,
 * which needs a core as well: on a machine with two cores, the rate says less than the CPU of a request.
 */
export const processes: Bench = async ({ rounds, seconds, logProgress }) => {
  if (!(await listEngines({ logProgress })).includes("postgres")) return [];
  return withInstance("postgres", (first) =>
    withInstance("postgres", async (second) => {
      const places = [first, second];
      const sides = await Promise.all(
        counts.map(async (count, i) => {
          const { folder, env } = places[i]!;
          const settings = { ...env, PROCESSES: String(count), DATABASE_POOL: "10" };
          const child = await startChild("bin/signalbox.mjs", { folder, env: settings, args: ["serve"] });
          const { keys } = await createCaller(child.url);
          return { child, key: keys[0]!, databaseUrl: env.DATABASE_URL! };
        }),
      );
      try {
        const figures: Figure[] = [];
        for (const [name, path] of Object.entries(requests)) {
          logProgress(name);
          const measure = (i: number) => () => measureSide(sides[i]!, path, seconds);
          const turns = await interleave<"one" | "two", ProcessTurn>(rounds, {
            one: measure(0),
            two: measure(1),
          });
          figures.push(
            ...describe(`${name}, 1 process`, turns.one),
            ...describe(`${name}, 2 processes`, turns.two),
            ratio(`${name}: rate of 2 processes beside 1`, list(turns.two, "rate"), list(turns.one, "rate")),
            ratio(`${name}: CPU of 2 processes beside 1`, list(turns.two, "cpu"), list(turns.one, "cpu")),
          );
        }
        return figures;
      } finally {
        await Promise.all(sides.map(({ child }) => child.stop()));
      }
    }),
  );
};

const list = (turns: readonly ProcessTurn[], field: keyof ProcessTurn) => turns.map((turn) => turn[field]);

const describe = (name: string, turns: readonly ProcessTurn[]): Figure[] => [
  { name, value: median(list(turns, "rate")), unit: "requests/s" },
  { name: `${name}, CPU of each`, value: median(list(turns, "cpu")), unit: "µs" },
  { name: `${name}, CPU of the database for each`, value: median(list(turns, "databaseCpu")), unit: "µs" },
];

async function measureSide(
  { child, key, databaseUrl }: { child: Child; key: string; databaseUrl: string },
  path: string,
  seconds: number,
): Promise<ProcessTurn> {
  const before = { service: readTree(child.process.pid!), database: await measureDatabase(databaseUrl)() };
  const { rate, requests } = await measureRequests({
    child,
    path,
    seconds,
    connections,
    headers: { "x-api-key": key },
  });
  const after = { service: readTree(child.process.pid!), database: await measureDatabase(databaseUrl)() };
  return {
    rate,
    cpu: (after.service - before.service) / requests,
    databaseCpu: (after.database - before.database) / requests,
  };
}

/** CPU microseconds of a process and of those that it started (Linux only). */
function readTree(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    return children.reduce((sum, child) => sum + readTree(Number(child)), readCpuTime(pid));
  } catch {
    return Number.NaN;
  }
}
