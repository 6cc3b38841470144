import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
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
export const medianRatio = (mine: readonly number[], theirs: readonly number[]): number =>
  median(mine.map((value, round) => value / theirs[round]!));

/**
 * Gives every side a short turn in every round, each round in the opposite order of the last, so that a
 * noisy neighbour and a warming machine meet all of them alike. The first round warms up and is not kept.
 */
export async function interleave<Side extends string>(
  rounds: number,
  sides: Record<Side, () => Promise<number>>,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Side, number[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) {
      const value = await sides[name]();
      if (round > 0) measured[name].push(value);
    }
  }
  return measured;
}

interface Load {
  url: string;
  seconds: number;
  headers?: Record<string, string>;
  method?: string;
  body?: string;
  connections?: number;
}

/** Successful requests per second over HTTP; any other answer makes the measurement worthless. */
export async function load({ seconds, connections = 32, ...request }: Load): Promise<number> {
  const result = await autocannon({ ...request, connections, duration: seconds });
  if (result.non2xx || result.errors || result["2xx"] === 0) {
    throw new Error(`${request.url}: ${result.non2xx} refused, ${result.errors} failed.`);
  }
  return result["2xx"] / result.duration;
}

/** Calls per second of a function, with that many under way at any time. */
export async function callsPerSecond(
  seconds: number,
  atOnce: number,
  call: (lane: number) => Promise<unknown>,
): Promise<number> {
  const started = performance.now();
  const until = started + seconds * 1000;
  let calls = 0;
  const lane = async (_: unknown, lane: number) => {
    while (performance.now() < until) {
      await call(lane);
      calls++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return calls / ((performance.now() - started) / 1000);
}

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
