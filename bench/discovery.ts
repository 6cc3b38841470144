import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { discover } from "@signalbox/discovery";
import { createEgress } from "@signalbox/discovery/egress";
import type { RemoteServer } from "./discovery/servers.ts";
import { measureSlowest, type Slowest } from "./discovery/slowest.ts";
import { type Bench, type Figure, interleave, median, ratio } from "./measure.ts";

const RESPONSE_DELAY_MS = 50;
const egress = createEgress({ allow: [], allowLoopback: true });

type Measure = (url: string, count: number) => Promise<Slowest>;

/** Compares discovery with that of the official SDK, on the same servers, which answer after 50 ms. */
export const discovery: Bench = async ({ rounds, logProgress }) => {
  // The servers run in another thread, so that their work is not measured.
  const servers = new Worker(new URL("./discovery/servers.ts", import.meta.url), {
    workerData: RESPONSE_DELAY_MS,
    stderr: true,
  });
  const [far] = (await once(servers, "message")) as [RemoteServer[]];
  const sdkThread = new Worker(new URL("./discovery/sdk.ts", import.meta.url));
  const sdk: Measure = async (url, count) => {
    sdkThread.postMessage({ url, count });
    return (await once(sdkThread, "message"))[0] as Slowest;
  };
  const figures: Figure[] = [];
  // Measured first, because it shows the first discoveries and then warms up both sides.
  const url = far[0]?.url ?? "";
  const fewRounds = Math.min(rounds, 7);
  const concurrency = await measureConcurrency(url, sdk, fewRounds, logProgress);
  for (const { name, url, roundTrips } of far) {
    logProgress(`discovery: ${name}`);
    const turns = await interleave(rounds, { ours: () => ours(url, 1), sdk: () => sdk(url, 1) });
    figures.push({ name, value: median(times(turns.ours)), unit: "ms" });
    figures.push(ratio("  times the official SDK", times(turns.ours), times(turns.sdk)));
    if (roundTrips === undefined) continue;
    figures.push({
      name: `  times ${roundTrips} round trips`,
      value: median(times(turns.ours)) / (roundTrips * RESPONSE_DELAY_MS),
      unit: "×",
      promise: { atMost: 1.07 },
    });
  }
  figures.push(...concurrency, await measureBesideSilence(url, fewRounds, logProgress));
  await servers.terminate();
  await sdkThread.terminate();
  await egress.close();
  return figures;
};

const warmUps = 60;

/** Measures fifty discoveries at once. */
async function measureConcurrency(
  url: string,
  sdk: Measure,
  rounds: number,
  logProgress: (text: string) => void,
): Promise<Figure[]> {
  logProgress("discovery: fifty at once");
  const first = await ours(url, 1);
  const firstFifty = await ours(url, 50);
  // Both sides are warmed up, because the compiler optimizes for some thousand discoveries.
  for (let n = 0; n < warmUps; n += 1) {
    await ours(url, 50);
    await sdk(url, 50);
  }
  const turns = await interleave(rounds, {
    alone: () => ours(url, 1),
    ours: () => ours(url, 50),
    sdk: () => sdk(url, 50),
  });
  return [
    { name: "the first discovery of a process", value: first.ms, unit: "ms" },
    { name: "the slowest of the first 50 at once", value: firstFifty.ms, unit: "ms" },
    { name: "one alone", value: median(times(turns.alone)), unit: "ms" },
    { name: "the slowest of 50 at once", value: median(times(turns.ours)), unit: "ms" },
    ratio("  times one alone", times(turns.ours), times(turns.alone), { atMost: 1.25 }),
    ratio("  times the slowest of 50 by the official SDK", times(turns.ours), times(turns.sdk)),
    { name: "processor time of one of 50", value: median(cpuTimes(turns.ours)) / 50, unit: "ms" },
    ratio("  times the official SDK", cpuTimes(turns.ours), cpuTimes(turns.sdk)),
  ];
}

/**
 * Measures discoveries next to others whose target never answers. These take 15 s to end, and end with work, so they are
 * measured last.
 */
async function measureBesideSilence(
  url: string,
  rounds: number,
  logProgress: (text: string) => void,
): Promise<Figure> {
  logProgress("discovery: beside targets that never answer");
  const silent = new URL("/silent", url).href;
  const { beside } = await interleave(rounds, {
    beside: () => {
      for (let n = 0; n < 25; n += 1) void discoverOnce(silent);
      return ours(url, 25);
    },
  });
  return { name: "the slowest of 25 while 25 others never answer", value: median(times(beside)), unit: "ms" };
}

const times = (turns: readonly Slowest[]) => turns.map(({ ms }) => ms);
const cpuTimes = (turns: readonly Slowest[]) => turns.map(({ cpuMs }) => cpuMs);

const ours: Measure = (url, count) => measureSlowest(count, () => discoverOnce(url));

async function discoverOnce(url: string) {
  const { result } = await discover(url, {
    egress,
    redirectUri: (id) => `https://x.example/${id}`,
  });
  return result;
}
