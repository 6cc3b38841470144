import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Bench,
  type BenchOptions,
  type Child,
  cpuMicroseconds,
  createCaller,
  type EngineKind,
  type Figure,
  listEngines,
  startChild,
  withInstance,
} from "./measure.ts";

const streamCount = 1_000;
const runCount = 100;
const keyCount = 20;
/** Wait after the streams are open, so that the cost of opening them is not measured. */
const settleMs = 8_000;
/** Each stream gets two heartbeats in this time. */
const windowMs = 30_000;

/** CPU cost of 1,000 idle event streams, compared with a bare server that only keeps them open. */
export const streams: Bench = async (options) => {
  const figures: Figure[] = [];
  for (const engine of await listEngines(options)) figures.push(...(await idle(engine, options)));
  return figures;
};

async function idle(engine: EngineKind, { logProgress }: BenchOptions): Promise<Figure[]> {
  logProgress(`1,000 idle streams on ${engine}, a minute and a half`);
  return withInstance(engine, async (place) => {
    const product = await startChild("bench/product.ts", { ...place, args: ["api"] });
    const bare = await startChild("bench/peers/bare-streams.ts", place);
    try {
      const { keys } = await createCaller(product.url, keyCount);
      const runs = await queueRuns(product.url, keys[0]!);
      await pause(settleMs);
      const alone = await share(product);
      const opened = Array.from({ length: streamCount }, (_, i) => ({
        url: `${product.url}/v1/automation-runs/${runs[i % runCount]}/stream`,
        headers: { "x-api-key": keys[i % keyCount]! },
      }));
      const close = [await open(opened), await open(opened.map(() => ({ url: bare.url, headers: {} })))];
      await pause(settleMs);
      const [ours, theirs] = await Promise.all([share(product), share(bare)]);
      for (const one of close) one();
      const named = (name: string) => `${engine}: ${name}`;
      return [
        { name: named("CPU with no stream open"), value: alone, unit: "% of a core" },
        {
          name: named("CPU with 1,000 idle streams"),
          value: ours,
          unit: "% of a core",
          promise: { atMost: 3 },
        },
        { name: named("CPU of a bare server with 1,000"), value: theirs, unit: "% of a core" },
      ];
    } finally {
      await product.stop();
      await bare.stop();
    }
  });
}

async function share(child: Child): Promise<number> {
  const before = cpuMicroseconds(child);
  const started = performance.now();
  await pause(windowMs);
  return ((cpuMicroseconds(child) - before) / ((performance.now() - started) * 1000)) * 100;
}

async function queueRuns(url: string, key: string): Promise<string[]> {
  const post = async (path: string, body?: object) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "x-api-key": key, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { automation: { id: string }; run: { id: string } };
  };
  const { automation } = await post("/v1/automations", {
    name: "Bench",
    instructions: "Wait.",
    schedule: { kind: "manual" },
  });
  const ids: string[] = [];
  while (ids.length < runCount) ids.push((await post(`/v1/automations/${automation.id}/run`)).run.id);
  return ids;
}

/** Opens all streams and reads from them. Returns a function that closes them all. */
async function open(wanted: { url: string; headers: Record<string, string> }[]): Promise<() => void> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const replies: IncomingMessage[] = [];
  for (let at = 0; at < wanted.length; at += 50) {
    const some = wanted.slice(at, at + 50).map(
      ({ url, headers }) =>
        new Promise<IncomingMessage>((resolve, reject) => {
          const request = get(url, { headers, agent }, (reply) => {
            if (reply.statusCode !== 200) reject(new Error(`A stream was refused: ${reply.statusCode}.`));
            reply.resume().on("error", () => {});
            resolve(reply);
          });
          request.on("error", reject);
        }),
    );
    replies.push(...(await Promise.all(some)));
  }
  return () => {
    for (const reply of replies) reply.destroy();
  };
}
