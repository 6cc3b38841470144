import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { makeDatabase, postgresIsThere } from "../test/postgres.ts";

export type EngineKind = "postgres" | "pglite";

/** What a benchmark has found out: a number, and where something was promised of it, what. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Of ratios: half of the rounds lay between these. Far apart, the machine was busy with something else. */
  between?: [number, number];
  promise?: { atLeast: number } | { atMost: number };
}

export interface BenchOptions {
  /** How often each side gets its turn. */
  rounds: number;
  /** How long a turn takes. */
  seconds: number;
  /** Says what is being measured, while it is. */
  say(text: string): void;
}

export type Bench = (options: BenchOptions) => Promise<Figure[]>;

export const held = ({ value, promise }: Figure): boolean | undefined =>
  promise && ("atLeast" in promise ? value >= promise.atLeast : value <= promise.atMost);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Of each round its own ratio, and the median of those: what disturbs a round disturbs both sides of it. */
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

/**
 * Gives every side a short turn in every round, each round in the opposite order of the last, so that a
 * noisy neighbour and a warming machine meet all of them alike. The first round warms up and is not kept.
 */
export async function interleave<Side extends string, Turn>(
  rounds: number,
  sides: Record<Side, () => Promise<Turn>>,
): Promise<Record<Side, Turn[]>> {
  const names = Object.keys(sides) as Side[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as Turn[]])) as Record<Side, Turn[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) {
      const value = await sides[name]();
      if (round > 0) measured[name].push(value);
    }
  }
  return measured;
}

interface Load {
  /** Who is asked. */
  child: Child;
  path: string;
  seconds: number;
  headers?: Record<string, string>;
  method?: string;
  body?: string;
  connections?: number;
}

export interface Turn {
  /** How many per second went well. */
  rate: number;
  /** Microseconds of CPU that the process spent on each: a busy machine disturbs it much less than the rate. */
  cpu: number;
}

/** Requests over HTTP, as many as come back; any answer but success makes the measurement worthless. */
export async function load({ child, path, seconds, connections = 32, ...request }: Load): Promise<Turn> {
  const before = cpuMicroseconds(child);
  const result = await autocannon({ ...request, url: child.url + path, connections, duration: seconds });
  if (result.non2xx || result.errors || result["2xx"] === 0) {
    throw new Error(`${path}: ${result.non2xx} refused, ${result.errors} failed.`);
  }
  return {
    rate: result["2xx"] / result.duration,
    cpu: (cpuMicroseconds(child) - before) / result["2xx"],
  };
}

/** Of the whole process so far, from the kernel (Linux; elsewhere it is not known). */
function cpuMicroseconds({ process: { pid } }: Child): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return Number.NaN;
  }
}

/** Calls of a function in this process, with that many under way at any time. */
export async function calls(
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

const rates = (side: readonly Turn[]) => side.map(({ rate }) => rate);
const cpu = (side: readonly Turn[]) => side.map((turn) => turn.cpu);

/** A side by itself. */
export const alone = (name: string, side: readonly Turn[], unit = "requests/s"): Figure[] => [
  { name, value: median(rates(side)), unit },
  { name: `${name}, CPU of each`, value: median(cpu(side)), unit: "µs" },
];

/** A side in proportion to another: more is better for us in both. */
export const beside = (
  name: string,
  mine: readonly Turn[],
  theirs: readonly Turn[],
  promise?: Figure["promise"],
): Figure[] => [
  ratio(name, rates(mine), rates(theirs), promise),
  ratio(`${name}, by CPU`, cpu(theirs), cpu(mine)),
];

/** A folder and a database that are gone when the work is done, however it ends. */
export async function withPlace<T>(
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

/** Both engines, or the embedded one alone, loudly, where there is no PostgreSQL to measure on. */
export async function enginesHere(say: BenchOptions["say"]): Promise<EngineKind[]> {
  if (await postgresIsThere()) return ["postgres", "pglite"];
  say("NO POSTGRESQL HERE: set TEST_DATABASE_URL. Only the embedded engine is measured.");
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
 * a file, as in production: what writing it costs is part of what is measured.
 */
export async function startChild(
  program: string,
  { folder, env, args = [] }: { folder: string; env: Record<string, string>; args?: string[] },
): Promise<Child> {
  const log = openSync(join(folder, "child.log"), "a");
  const started = performance.now();
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../${program}`, import.meta.url)), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", log],
  });
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

/** A person with an organization and keys in it, made the way anybody would. */
export async function makeCaller(url: string, keyCount = 1): Promise<Credentials> {
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
