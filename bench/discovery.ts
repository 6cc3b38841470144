/**
 * Discovery beside the official SDK's own, on the same servers in the same run, with 50 ms added to every request:
 * `node bench/discovery.ts [runs]`. The SDK connects as its users do (version negotiation, then tools), and where it
 * is refused it follows its own authorization discovery to the metadata of the authorization server.
 */
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

const HOP_MS = 50;
const RUNS = Number(process.argv[2] ?? 15);
const egress = createEgress({ allow: [], allowLoopback: true });

async function ours(url: string): Promise<string> {
  const { result, closed } = await discoverRequirements({
    url,
    egress,
    redirectUri: (id) => `https://x.example/${id}`,
  });
  await closed;
  return `${result.authentication.kind} · ${result.status}`;
}

async function theirs(url: string): Promise<string> {
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
    const { tools } = await client.listTools();
    await transport.terminateSession().catch(() => undefined);
    await client.close();
    return `connected, ${tools.length} tools`;
  } catch {
    await client.close().catch(() => undefined);
    const info = await discoverOAuthServerInfo(url, resourceMetadataUrl ? { resourceMetadataUrl } : {}).catch(
      () => undefined,
    );
    return info?.authorizationServerMetadata ? "OAuth metadata" : "no metadata";
  }
}

async function time(work: () => Promise<string>): Promise<{ ms: number; said: string }> {
  const times: number[] = [];
  let said = await work();
  for (let run = 0; run < RUNS; run += 1) {
    const started = performance.now();
    said = await work();
    times.push(performance.now() - started);
  }
  return { ms: times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0, said };
}

// In a thread of their own, so that serving does not count as asking.
const servers = new Worker(new URL("./discovery/servers.ts", import.meta.url), {
  workerData: HOP_MS,
  stderr: true,
});
const cases = await new Promise<Far[]>((resolve, reject) => {
  servers.once("message", resolve);
  servers.once("error", reject);
});

let failed = 0;
console.log(`${HOP_MS} ms a hop, median of ${RUNS} runs\n`);
console.log(
  `${"server".padEnd(38)}${"ours".padStart(9)}${"SDK".padStart(9)}${"ratio".padStart(8)}   ours says · SDK says`,
);
for (const { name, url, hops } of cases) {
  const us = await time(() => ours(url));
  const sdk = await time(() => theirs(url));
  const bound = hops ? ` (${(us.ms / (hops * HOP_MS)).toFixed(2)} of ${hops} round trips)` : "";
  if (hops && us.ms > 1.25 * hops * HOP_MS) failed += 1;
  console.log(
    `${name.padEnd(38)}${us.ms.toFixed(0).padStart(6)} ms${sdk.ms.toFixed(0).padStart(6)} ms${(us.ms / sdk.ms).toFixed(2).padStart(8)}   ${us.said} · ${sdk.said}${bound}`,
  );
}

const [first] = cases;
const target = first?.url ?? "";

/** Many at once: how long each took, sorted. */
async function atOnce(urls: readonly string[], work: (url: string) => Promise<unknown>): Promise<number[]> {
  const times = await Promise.all(
    urls.map(async (url) => {
      const started = performance.now();
      await work(url);
      return performance.now() - started;
    }),
  );
  return times.toSorted((a, b) => a - b);
}

const show = (times: readonly number[]) =>
  `${times[Math.floor(times.length / 2)]?.toFixed(0)} ms median, ${times.at(-1)?.toFixed(0)} ms at most`;

const fifty = Array.from({ length: 50 }, () => target);
await atOnce(fifty, ours);
console.log(`\none alone           ours ${show(await atOnce([target], ours))}`);
console.log(`50 at once          ours ${show(await atOnce(fifty, ours))}`);
await atOnce(fifty, theirs);
console.log(`50 at once          SDK  ${show(await atOnce(fifty, theirs))}`);
// Half of the targets never answer; the other half must not notice.
const silent = Array.from({ length: 25 }, () => ours(`${new URL(target).origin}/silent`));
console.log(`25 beside 25 silent ours ${show(await atOnce(fifty.slice(25), ours))}`);
void silent;

await servers.terminate();
process.exit(failed === 0 ? 0 : 1);
