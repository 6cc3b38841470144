import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** One kind of request of the load. */
export interface Work {
  name: string;
  /** How many of ten requests are of this kind. */
  weight: number;
  send(): Promise<{ status: number }>;
}

export interface Window {
  /** Seconds since the start. */
  at: number;
  requests: number;
  failed: number;
  p50: number;
  p99: number;
  /** Resident memory of the server, in MB. */
  memory: number;
}

export interface SoakResult {
  peak: number;
  rate: number;
  windows: Window[];
  failures: Record<string, number>;
}

/** Sends as much as the server takes for a while, and returns the requests per second. */
export async function measurePeak(works: readonly Work[], seconds: number, parallel = 32): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let sent = 0;
  const worker = async (turn: number) => {
    for (let i = turn; performance.now() < until; i++) {
      await choose(works, i).send();
      sent++;
    }
  };
  await Promise.all(Array.from({ length: parallel }, (_, turn) => worker(turn)));
  return sent / seconds;
}

interface SoakOptions {
  works: readonly Work[];
  pid: number;
  peak: number;
  seconds: number;
  windowSeconds: number;
  onWindow?(window: Window): void;
}

/** Sends half of what the server can take, at even intervals, whether earlier requests are answered or not. */
export async function soak({
  works,
  pid,
  peak,
  seconds,
  windowSeconds,
  onWindow,
}: SoakOptions): Promise<SoakResult> {
  const rate = Math.max(1, peak / 2);
  const started = performance.now();
  const result: SoakResult = { peak, rate, windows: [], failures: {} };
  const open = new Set<Promise<void>>();
  let times: number[] = [];
  let failed = 0;
  let sent = 0;
  const send = async (work: Work) => {
    const began = performance.now();
    const outcome = await work.send().then(
      ({ status }) => (status < 400 ? undefined : `${work.name}: ${status}`),
      (error: Error) => `${work.name}: ${error.message}`,
    );
    times.push(performance.now() - began);
    if (outcome === undefined) return;
    failed++;
    result.failures[outcome] = (result.failures[outcome] ?? 0) + 1;
  };
  for (let number = 1; number * windowSeconds <= seconds; number++) {
    const end = started + number * windowSeconds * 1_000;
    for (let now = performance.now(); now < end; now = performance.now()) {
      // All that are due by now. More than a second behind, the rest is left out instead of sent at once.
      const due = Math.floor(((now - started) / 1_000) * rate);
      sent = Math.max(sent, due - Math.ceil(rate));
      while (sent < due) {
        const one = send(choose(works, sent++)).finally(() => open.delete(one));
        open.add(one);
      }
      await pause(5);
    }
    const sorted = times.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    const window = {
      at: number * windowSeconds,
      requests: sorted.length,
      failed,
      p50: at(0.5),
      p99: at(0.99),
      memory: readMemory(pid),
    };
    result.windows.push(window);
    onWindow?.(window);
    times = [];
    failed = 0;
  }
  await Promise.all(open);
  return result;
}

/** Each kind as often as its weight says, in a fixed order. */
function choose(works: readonly Work[], turn: number): Work {
  let at = (turn * 7) % works.reduce((sum, { weight }) => sum + weight, 0);
  for (const work of works) {
    at -= work.weight;
    if (at < 0) return work;
  }
  return works[0]!;
}

/** Resident memory in MB. Linux only. */
const readMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;

/** How fast values grow, per hour, by the line with the least squares. */
export function slopePerHour(windows: readonly Window[], read: (window: Window) => number): number {
  const n = windows.length;
  const meanX = windows.reduce((sum, { at }) => sum + at, 0) / n;
  const meanY = windows.reduce((sum, window) => sum + read(window), 0) / n;
  const above = windows.reduce((sum, window) => sum + (window.at - meanX) * (read(window) - meanY), 0);
  const below = windows.reduce((sum, { at }) => sum + (at - meanX) ** 2, 0);
  return below === 0 ? 0 : (above / below) * 3_600;
}

export interface Verdict {
  name: string;
  /** Undefined when all is well. */
  problem: string | undefined;
}

const maxGrowthMb = 100;

/** The first quarter warms up: caches fill, code is compiled. It does not count. */
export function judgeSoak({ windows, failures }: SoakResult): Verdict[] {
  const quarter = Math.floor(windows.length / 4);
  const warm = windows.slice(quarter);
  const growth = slopePerHour(warm, ({ memory }) => memory);
  const slowest = (part: readonly Window[]) => Math.max(...part.map(({ p99 }) => p99));
  const [early, late] = [slowest(warm.slice(0, quarter)), slowest(warm.slice(-quarter))];
  const failed = Object.entries(failures).map(([what, count]) => `${count} × ${what}`);
  return [
    { name: "no request fails", problem: failed.length > 0 ? failed.join(", ") : undefined },
    {
      name: `memory grows by ${Math.round(growth)} MB an hour`,
      problem: growth > maxGrowthMb ? `more than ${maxGrowthMb} MB` : undefined,
    },
    {
      name: `p99 was ${early.toFixed(1)} ms and is ${late.toFixed(1)} ms`,
      problem: late > 2 * early && late > 50 ? "it has more than doubled" : undefined,
    },
  ];
}
