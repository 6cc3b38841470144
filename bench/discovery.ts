import { Worker } from "node:worker_threads";
import {
  Client,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { discover } from "@signalbox/discovery";
import { createEgress } from "@signalbox/discovery/egress";
import type { RemoteServer } from "./discovery/servers.ts";
import { type Bench, type Figure, interleave, median, ratio } from "./measure.ts";

const RESPONSE_DELAY_MS = 50;
const egress = createEgress({ allow: [], allowLoopback: true });

/**
 * Compares discovery with that of the official SDK, on the same servers, which answer after 50 ms. The SDK
 * connects as its users do (version negotiation, then tools), and where it is refused it follows its own
 * authorization discovery up to the metadata of the authorization server.
 */
export const discovery: Bench = async ({ rounds, logProgress }) => {
  // The servers run in another thread, so that their work is not measured.
  const servers = new Worker(new URL("./discovery/servers.ts", import.meta.url), {
    workerData: RESPONSE_DELAY_MS,
    stderr: true,
  });
  const far = await new Promise<RemoteServer[]>((resolve, reject) => {
    servers.once("message", resolve);
    servers.once("error", reject);
  });
  const figures: Figure[] = [];
  for (const { name, url, roundTrips } of far) {
    logProgress(`discovery: ${name}`);
    const { ours, sdk } = await interleave(rounds, {
      ours: () => measureTime(() => discoverOnce(url)),
      sdk: () => measureTime(() => discoverWithSdk(url)),
    });
    figures.push({ name, value: median(ours), unit: "ms" });
    figures.push(ratio("  times the official SDK", ours, sdk));
    if (roundTrips === undefined) continue;
    figures.push({
      name: `  times ${roundTrips} round trips`,
      value: median(ours) / (roundTrips * RESPONSE_DELAY_MS),
      unit: "×",
      promise: { atMost: 1.07 },
    });
  }
  figures.push(...(await measureConcurrency(far[0]?.url ?? "", Math.min(rounds, 7), logProgress)));
  await servers.terminate();
  await egress.close();
  return figures;
};

const warmUps = 60;

/** Measures fifty discoveries at once, also next to targets that never answer. */
async function measureConcurrency(
  url: string,
  rounds: number,
  logProgress: (text: string) => void,
): Promise<Figure[]> {
  logProgress("discovery: fifty at once");
  const slowest = async (count: number, work: (url: string) => Promise<unknown>) =>
    Math.max(...(await Promise.all(Array.from({ length: count }, () => measureTime(() => work(url))))));
  const silent = new URL("/silent", url).href;
  const first = await slowest(50, discoverOnce);
  // Both sides are warmed up, because the compiler optimizes for some thousand discoveries.
  for (let n = 0; n < warmUps; n += 1) {
    await slowest(50, discoverOnce);
    await slowest(50, discoverWithSdk);
  }
  const { alone, ours, sdk, beside } = await interleave(rounds, {
    alone: () => slowest(1, discoverOnce),
    ours: () => slowest(50, discoverOnce),
    sdk: () => slowest(50, discoverWithSdk),
    beside: async () => {
      for (let n = 0; n < 25; n += 1) void discoverOnce(silent);
      return slowest(25, discoverOnce);
    },
  });
  // The CPU time of this thread, which other load on the machine affects less than the elapsed time.
  const spent = await interleave(rounds, {
    ours: () => measureProcessorTime(() => slowest(50, discoverOnce)),
    sdk: () => measureProcessorTime(() => slowest(50, discoverWithSdk)),
  });
  return [
    { name: "the slowest of the first 50 at once", value: first, unit: "ms" },
    { name: "one alone", value: median(alone), unit: "ms" },
    { name: "the slowest of 50 at once", value: median(ours), unit: "ms" },
    ratio("  times one alone", ours, alone, { atMost: 1.25 }),
    ratio("  times the slowest of 50 by the official SDK", ours, sdk),
    { name: "processor time of one of 50", value: median(spent.ours) / 50, unit: "ms" },
    ratio("  times the official SDK", spent.ours, spent.sdk),
    { name: "the slowest of 25 while 25 others never answer", value: median(beside), unit: "ms" },
  ];
}

async function measureTime(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function measureProcessorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

async function discoverOnce(url: string) {
  const { result } = await discover(url, {
    egress,
    redirectUri: (id) => `https://x.example/${id}`,
  });
  return result;
}

async function discoverWithSdk(url: string) {
  let resourceMetadataUrl: URL | undefined;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.status === 401)
        resourceMetadataUrl = extractWWWAuthenticateParams(response).resourceMetadataUrl;
      return response;
    },
  });
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
  try {
    await client.connect(transport);
    await client.listTools();
    await transport.terminateSession();
  } catch {
    await discoverOAuthServerInfo(url, resourceMetadataUrl ? { resourceMetadataUrl } : {}).catch(
      () => undefined,
    );
  } finally {
    await client.close();
  }
}
