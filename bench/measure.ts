import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { isPostgresAvailable, makeDatabase } from "../test/postgres.ts";

export type EngineKind = "postgres" | "pglite";

/** A measured number, with the limit that the project promises, if there is one. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** For ratios: half of the rounds are between these. A wide range means that the machine was busy. */
  between?: [number, number];
  promise?: { atLeast: number } | { atMost: number };
}

export interface BenchOptions {
  /** The number of measurements of each side, or of four short ones (`splitTurns`). */
  rounds: number;
  /** The length of a measurement. */
  seconds: number;
  /** For `growth`: numbers of rows. */
  sizes?: readonly number[];
  /** The only engine to measure. */
  engine?: EngineKind;
  /** Prints the measurement that is starting. */
  logProgress(text: string): void;
}

export type Bench = (options: BenchOptions) => Promise<Figure[]>;

export const isPromiseHeld = ({ value, promise }: Figure): boolean | undefined =>
  promise && ("atLeast" in promise ? value >= promise.atLeast : value <= promise.atMost);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median of the ratios of all rounds. A disturbance affects both sides of a round. */
export function ratio(
  name: string,
  mine: readonly number[],
  theirs: readonly number[],
  promise?: Figure["promise"],
): Figure {
  const ratios = mine.map((value, round) => value / theirs[round]!).sort((a, b) => a - b);
  const quarter = (ratios.length - 1) / 4;
  const between: [number, number] = [ratios[Math.floor(quarter)]!, ratios[Math.ceil(3 * quarter)]!];
  return { name, value: median(ratios), unit: "×", between, ...(promise ? { promise } : {}) };
}

/** Rounds until the compiler has optimized the sides, which takes some ten thousand requests: five seconds by default. */
const countWarmUps = (rounds: number): number => Math.max(5, Math.ceil((rounds * 5) / 7));
/** The share of the cores that other machines may take during a round. */
const maxStolen = 0.02;
/** At most so many times the asked rounds are repeated. */
const maxRepeats = 3;

/**
 * Gives every side a short turn in every round, each round in the opposite order of the last, so that
 * other load on the machine affects all sides alike. The first rounds warm the sides up and are not counted. A round in which
 * the hypervisor gave the cores to other machines is repeated, because a side that needs two cores loses more than one that
 * needs a single core. If there are not enough quiet rounds, the quietest ones count.
 */
export async function interleave<Side extends string, Turn>(
  rounds: number,
  sides: Record<Side, () => Promise<Turn>>,
): Promise<Record<Side, Turn[]>> {
  const names = Object.keys(sides) as Side[];
  const measured: { turns: Record<Side, Turn>; stolen: number }[] = [];
  const countQuiet = () => measured.filter(({ stolen }) => stolen <= maxStolen).length;
  for (
    let round = -countWarmUps(rounds);
    round < rounds || (countQuiet() < rounds && round < rounds * (1 + maxRepeats));
    round++
  ) {
    const before = readCores();
    const turns = {} as Record<Side, Turn>;
    for (const name of round % 2 ? names.toReversed() : names) turns[name] = await sides[name]();
    const after = readCores();
    const stolen = (after.stolen - before.stolen) / Math.max(1, after.all - before.all);
    if (round >= 0) measured.push({ turns, stolen });
  }
  const counted = measured.toSorted((a, b) => a.stolen - b.stolen).slice(0, rounds);
  return Object.fromEntries(
    names.map((name) => [name, counted.map(({ turns }) => turns[name])] as const),
  ) as Record<Side, Turn[]>;
}

/** The time of all cores so far, and how much of it other machines had (Linux only). */
function readCores(): { stolen: number; all: number } {
  try {
    const ticks = readFileSync("/proc/stat", "utf8").split("\n")[0]!.trim().split(/\s+/).slice(1).map(Number);
    // The first eight are disjoint. The others are part of the first two.
    return { stolen: ticks[7] ?? 0, all: ticks.slice(0, 8).reduce((sum, value) => sum + value, 0) };
  } catch {
    return { stolen: 0, all: 0 };
  }
}

export interface Turn {
  /** Successful requests per second. */
  rate: number;
  /** CPU microseconds for each request. Other load on the machine affects it much less than the rate. */
  cpu: number;
}

/** The CPU time of the whole process, from the kernel (Linux only). */
export const cpuMicroseconds = ({ process: { pid } }: Child): number => readCpuTime(pid);

/**
 * Returns a function that reads the CPU time of all connections to a database, for a server on this machine. Without
 * `url`, the database is part of the process that uses it.
 */
export function measureDatabase(url: string | undefined): () => Promise<number> {
  return async () => {
    if (url === undefined) return 0;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      return rows.reduce((sum, { pid }) => sum + readCpuTime(pid), 0);
    } finally {
      await client.end();
    }
  };
}

/** The sum of all threads, in nanoseconds in the file. The figures of a whole process are counted in ticks of 10 ms. */
export function readCpuTime(pid: number | undefined): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const read = (thread: string) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    return threads.reduce((sum, thread) => sum + read(thread), 0) / 1_000;
  } catch {
    return Number.NaN;
  }
}

/**
 * Many short turns instead of a few long ones, for the same time in all. The speed of a machine that is shared with others
 * changes within a second, and a turn of a quarter of a second is near enough to that of the other side.
 */
export const splitTurns = ({ rounds, seconds, ...others }: BenchOptions): BenchOptions => ({
  ...others,
  rounds: rounds * 4,
  seconds: seconds / 4,
});

/** Calls a function in this process, with `atOnce` calls at a time. */
export async function measureCalls(
  seconds: number,
  atOnce: number,
  call: (lane: number) => Promise<unknown>,
): Promise<Turn> {
  const started = performance.now();
  const before = process.cpuUsage();
  const until = started + seconds * 1000;
  let count = 0;
  const lane = async (_: unknown, lane: number) => {
    while (performance.now() < until) {
      await call(lane);
      count++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const { user, system } = process.cpuUsage(before);
  return { rate: count / ((performance.now() - started) / 1000), cpu: (user + system) / count };
}

const listRates = (side: readonly Turn[]) => side.map(({ rate }) => rate);
const listCpuTimes = (side: readonly Turn[]) => side.map((turn) => turn.cpu);

/** The figures of one side. */
export const summarize = (name: string, side: readonly Turn[], unit = "requests/s"): Figure[] => [
  { name, value: median(listRates(side)), unit },
  { name: `${name}, CPU of each`, value: median(listCpuTimes(side)), unit: "µs" },
];

/** One side in proportion to another. A higher number is better for us in both figures. */
export const compare = (
  name: string,
  mine: readonly Turn[],
  theirs: readonly Turn[],
  promise?: Figure["promise"],
): Figure[] => [
  ratio(name, listRates(mine), listRates(theirs), promise),
  ratio(`${name}, by CPU`, listCpuTimes(theirs), listCpuTimes(mine)),
];

/** Runs `work` with a temporary folder and database, and deletes both afterwards. */
export async function withInstance<T>(
  engine: EngineKind,
  work: (place: { env: Record<string, string>; folder: string }) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  const database = engine === "postgres" ? await makeDatabase("sbx_bench") : undefined;
  try {
    return await work({
      folder,
      env: {
        DATA_DIR: join(folder, "data"),
        SIGNALBOX_SECRET: "a secret for the benchmarks, long enough",
        PORT: "0",
        ...(database ? { DATABASE_URL: database.url } : {}),
      },
    });
  } finally {
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the chosen engine, or both. Without PostgreSQL it logs a message and returns only the embedded engine. */
export async function listEngines({
  engine,
  logProgress,
}: Pick<BenchOptions, "engine" | "logProgress">): Promise<EngineKind[]> {
  if (engine) return [engine];
  if (await isPostgresAvailable()) return ["postgres", "pglite"];
  logProgress("NO POSTGRESQL HERE: set TEST_DATABASE_URL. Only the embedded engine is measured.");
  return ["pglite"];
}

export interface Child {
  url: string;
  /** From the start of the process to its ready line. */
  readyMs: number;
  process: ChildProcess;
  stop(): Promise<void>;
}

/**
 * Runs a program of ours in a process of its own until it prints a line with its URL. Its log goes into
 * a file, as in production: what writing it costs is part of what is measured. `program` is a path in this checkout, or
 * the full path of one in another.
 */
export async function startChild(
  program: string,
  { folder, env, args = [] }: { folder: string; env: Record<string, string>; args?: string[] },
): Promise<Child> {
  const log = openSync(join(folder, "child.log"), "a");
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [resolve(fileURLToPath(new URL("..", import.meta.url)), program), ...args],
    {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", log],
    },
  );
  closeSync(log);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    const patience = setTimeout(() => child.kill("SIGKILL"), 12_000);
    await exited;
    clearTimeout(patience);
  };
  const ready = new Promise<string>((resolve, reject) => {
    const impatience = setTimeout(() => reject(new Error(`${program} was not ready in 60 s.`)), 60_000);
    let printed = "";
    child.stdout!.on("data", (chunk) => {
      printed += chunk;
      const url = /https?:\/\/\S+/.exec(printed)?.[0];
      if (url) {
        clearTimeout(impatience);
        resolve(url);
      }
    });
    void exited.then(() => {
      clearTimeout(impatience);
      reject(new Error(`${program} ended before it was ready.`));
    });
  });
  try {
    return { url: await ready, readyMs: performance.now() - started, process: child, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface Credentials {
  token: string;
  keys: string[];
}

/** Creates a person with an organization and API keys over HTTP. */
export async function createCaller(url: string, keyCount = 1): Promise<Credentials> {
  const post = async <Body>(path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const { token } = await post<{ token: string }>("/api/auth/sign-up/email", {
    email: `bench-${Date.now()}@example.com`,
    password: "correct horse battery",
    name: "Bench",
  });
  const auth = { authorization: `Bearer ${token}` };
  const made = await post<{ organization: { id: string } }>("/v1/organizations", { name: "Bench" }, auth);
  const inside = { ...auth, "x-organization-id": made.organization.id };
  const keys: string[] = [];
  while (keys.length < keyCount) {
    keys.push((await post<{ key: string }>("/v1/api-keys", { name: "bench" }, inside)).key);
  }
  return { token, keys };
}
