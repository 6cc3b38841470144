import { Worker } from "node:worker_threads";
import {
  Client,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { discoverRequirements } from "../src/features/mcp-connections/index.ts";
import { createEgress } from "../src/platform/egress/index.ts";
import type { Far } from "./discovery/servers.ts";
import { type Bench, type Figure, interleave, median, ratio } from "./frame.ts";

const HOP_MS = 50;
const egress = createEgress({ allow: [], allowLoopback: true });

/**
 * Discovery beside the official SDK's own, on the same servers, each of which answers 50 ms late. The SDK
 * connects as its users do (version negotiation, then tools), and where it is refused it follows its own
 * authorization discovery up to the metadata of the authorization server.
 */
export const discovery: Bench = async ({ rounds, say }) => {
  // In a thread of their own, so that serving does not count as asking.
  const servers = new Worker(new URL("./discovery/servers.ts", import.meta.url), {
    workerData: HOP_MS,
    stderr: true,
  });
  const far = await new Promise<Far[]>((resolve, reject) => {
    servers.once("message", resolve);
    servers.once("error", reject);
  });
  const figures: Figure[] = [];
  for (const { name, url, roundTrips } of far) {
    say(`discovery: ${name}`);
    const { ours, sdk } = await interleave(rounds, {
      ours: () => time(() => ask(url)),
      sdk: () => time(() => askSdk(url)),
    });
    figures.push({ name, value: median(ours), unit: "ms" });
    figures.push(ratio("  times the official SDK", ours, sdk));
    if (roundTrips === undefined) continue;
    figures.push({
      name: `  times ${roundTrips} round trips`,
      value: median(ours) / (roundTrips * HOP_MS),
      unit: "×",
      promise: { atMost: 1.25 },
    });
  }
  figures.push(...(await crowd(far[0]?.url ?? "", Math.min(rounds, 7), say)));
  await servers.terminate();
  await egress.close();
  return figures;
};

/** Fifty at once: is any of them slower for the others, or for targets that never answer? */
async function crowd(url: string, rounds: number, say: (text: string) => void): Promise<Figure[]> {
  say("discovery: fifty at once");
  const slowest = async (count: number, work: (url: string) => Promise<unknown>) =>
    Math.max(...(await Promise.all(Array.from({ length: count }, () => time(() => work(url))))));
  const silent = new URL("/silent", url).href;
  const { alone, ours, sdk, beside } = await interleave(rounds, {
    alone: () => slowest(1, ask),
    ours: () => slowest(50, ask),
    sdk: () => slowest(50, askSdk),
    beside: async () => {
      for (let n = 0; n < 25; n += 1) void ask(silent);
      return slowest(25, ask);
    },
  });
  // What the asking thread itself spends, which a busy machine blurs less than the clock.
  const spent = await interleave(rounds, {
    ours: () => processorTime(() => slowest(50, ask)),
    sdk: () => processorTime(() => slowest(50, askSdk)),
  });
  return [
    { name: "one alone", value: median(alone), unit: "ms" },
    { name: "the slowest of 50 at once", value: median(ours), unit: "ms" },
    ratio("  times the slowest of 50 by the official SDK", ours, sdk),
    { name: "processor time of one of 50", value: median(spent.ours) / 50, unit: "ms" },
    ratio("  times the official SDK", spent.ours, spent.sdk),
    { name: "the slowest of 25 beside 25 that never answer", value: median(beside), unit: "ms" },
  ];
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

async function ask(url: string) {
  const { result } = await discoverRequirements(url, {
    egress,
    redirectUri: (id) => `https://x.example/${id}`,
  });
  return result;
}

async function askSdk(url: string) {
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
