import {
  type Bench,
  type BenchOptions,
  compare,
  createCaller,
  type EngineKind,
  type Figure,
  interleave,
  listEngines,
  median,
  splitTurns,
  startChild,
  summarize,
  withInstance,
} from "./measure.ts";
import { buildRepositoryName, createWebhookSenders, webhookSecret } from "./webhook-senders.ts";

/** Connections at once: code hosts do not wait for a reply before the next delivery. */
const lanes = 64;
const fewerLanes = 32;

/** Compares pushes of 8 kB that are verified, deduplicated and stored with a middleware that stores nothing. */
export const webhooks: Bench = async (options) => {
  const figures: Figure[] = [];
  for (const engine of await listEngines(options))
    figures.push(...(await compareWithOctokit(engine, options)));
  return figures;
};

async function compareWithOctokit(engine: EngineKind, options: BenchOptions): Promise<Figure[]> {
  const { rounds, seconds, logProgress } = splitTurns(options);
  logProgress(`webhooks on ${engine}`);
  return withInstance(engine, async ({ env, folder }) => {
    const place = { folder, env: { ...env, CODEHOST_WEBHOOK_SECRET: webhookSecret } };
    // Only incoming deliveries are measured. Syncs run in another process.
    const product = await startChild("bench/product.ts", { ...place, args: ["api"] });
    const peer = await startChild("bench/peers/octokit.ts", place);
    const loud = await startChild("bench/peers/octokit.ts", {
      folder,
      env: { ...place.env, PEER_LOG: "on" },
    });
    try {
      await createConnectors(product.url);
      const mine = createWebhookSenders(product, lanes, 202, 401);
      const theirs = createWebhookSenders(peer, lanes, 200, 400);
      const loudly = createWebhookSenders(loud, lanes, 200, 400);
      const mineByFewer = createWebhookSenders(product, fewerLanes, 202, 401);
      const theirsByFewer = createWebhookSenders(peer, fewerLanes, 200, 400);
      const turns = await interleave(rounds, {
        peer: () => theirs.push(seconds),
        ours: () => mine.push(seconds),
        oursByFewer: () => mineByFewer.push(seconds),
        peerByFewer: () => theirsByFewer.push(seconds),
        peerRefusing: () => theirs.push(seconds, true),
        oursRefusing: () => mine.push(seconds, true),
        loudRefusing: () => loudly.push(seconds, true),
      });
      const promise = (atLeast: number) => (engine === "postgres" ? { atLeast } : undefined);
      const recorded = engine === "postgres" ? { many: 0.75, fewer: 0.65 } : { many: 0.3, fewer: 0.3 };
      return [
        ...summarize(`${engine}: octokit, no storage`, turns.peer),
        ...summarize(`${engine}: pushes recorded`, turns.ours),
        {
          name: `${engine}: pushes recorded, p99`,
          value: median(turns.ours.map(({ p99 }) => p99)),
          unit: "ms",
        },
        ...compare(`${engine}: pushes beside octokit, ${lanes} at once`, turns.ours, turns.peer, {
          atLeast: recorded.many,
        }),
        ...compare(
          `${engine}: pushes beside octokit, ${fewerLanes} at once`,
          turns.oursByFewer,
          turns.peerByFewer,
          { atLeast: recorded.fewer },
        ),
        ...summarize(`${engine}: octokit refusing`, turns.loudRefusing),
        ...summarize(`${engine}: octokit refusing, without its log`, turns.peerRefusing),
        ...summarize(`${engine}: bad signatures refused`, turns.oursRefusing),
        // Signalbox logs every request, and octokit logs refusals.
        ...compare(
          `${engine}: refusals beside octokit`,
          turns.oursRefusing,
          turns.loudRefusing,
          promise(1.2),
        ),
        ...compare(
          `${engine}: refusals beside octokit without its log`,
          turns.oursRefusing,
          turns.peerRefusing,
          promise(1.5),
        ),
      ];
    } finally {
      await product.stop();
      await peer.stop();
      await loud.stop();
    }
  });
}

/** Creates a connector for the repository of each connection. */
async function createConnectors(url: string): Promise<void> {
  const { keys } = await createCaller(url);
  for (let lane = 0; lane < lanes; lane++) {
    const response = await fetch(`${url}/v1/bench/connectors`, {
      method: "POST",
      headers: { "x-api-key": keys[0]!, "content-type": "application/json" },
      body: JSON.stringify({ repository: buildRepositoryName(lane) }),
    });
    if (!response.ok)
      throw new Error(`A connector was not created: ${response.status} ${await response.text()}`);
  }
}
