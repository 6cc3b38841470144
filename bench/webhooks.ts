import {
  alone,
  type Bench,
  type BenchOptions,
  beside,
  type EngineKind,
  enginesHere,
  type Figure,
  interleave,
  makeCaller,
  median,
  startChild,
  withPlace,
} from "./frame.ts";
import { type Hookers, openHookers, repositoryOf, webhookSecret } from "./hookers.ts";

/** How many send at once: code hosts do not wait for one delivery to be answered before the next. */
const lanes = 64;
const fewer = 32;

/** Pushes of 8 kB, verified, deduplicated and on disk with their work, beside a middleware that keeps nothing. */
export const webhooks: Bench = async (options) => {
  const figures: Figure[] = [];
  for (const engine of await enginesHere(options.say))
    figures.push(...(await besideOctokit(engine, options)));
  return figures;
};

async function besideOctokit(engine: EngineKind, { rounds, seconds, say }: BenchOptions): Promise<Figure[]> {
  say(`webhooks on ${engine}`);
  return withPlace(engine, async ({ env, folder }) => {
    const place = { folder, env: { ...env, CODEHOST_WEBHOOK_SECRET: webhookSecret } };
    // Only what comes in is measured: syncing is another process's work, and there is nothing to sync with here.
    const product = await startChild("bench/product.ts", { ...place, args: ["api"] });
    const peer = await startChild("bench/peers/octokit.ts", place);
    const loud = await startChild("bench/peers/octokit.ts", {
      folder,
      env: { ...place.env, PEER_LOG: "on" },
    });
    try {
      await connect(product.url);
      // What runs for months is measured warm: the compiler takes some ten thousand requests to be done.
      const mine = await warmedUp(await openHookers(product, lanes, 202, 401));
      const theirs = await warmedUp(await openHookers(peer, lanes, 200, 400));
      const loudly = await openHookers(loud, lanes, 200, 400);
      const mineByFewer = await openHookers(product, fewer, 202, 401);
      const theirsByFewer = await openHookers(peer, fewer, 200, 400);
      const turns = await interleave(rounds, {
        peer: () => theirs.push(seconds),
        ours: () => mine.push(seconds),
        oursByFewer: () => mineByFewer.push(seconds),
        peerByFewer: () => theirsByFewer.push(seconds),
        peerRefusing: () => theirs.push(seconds, true),
        oursRefusing: () => mine.push(seconds, true),
        loudRefusing: () => loudly.push(seconds, true),
      });
      for (const hookers of [mine, theirs, loudly, mineByFewer, theirsByFewer]) hookers.close();
      const promise = (atLeast: number) => (engine === "postgres" ? { atLeast } : undefined);
      return [
        ...alone(`${engine}: octokit, no storage`, turns.peer),
        ...alone(`${engine}: pushes recorded`, turns.ours),
        {
          name: `${engine}: pushes recorded, p99`,
          value: median(turns.ours.map(({ p99 }) => p99)),
          unit: "ms",
        },
        ...beside(`${engine}: pushes beside octokit, ${lanes} at once`, turns.ours, turns.peer, promise(0.6)),
        ...beside(
          `${engine}: pushes beside octokit, ${fewer} at once`,
          turns.oursByFewer,
          turns.peerByFewer,
          promise(0.6),
        ),
        ...alone(`${engine}: octokit refusing`, turns.loudRefusing),
        ...alone(`${engine}: octokit refusing, without its log`, turns.peerRefusing),
        ...alone(`${engine}: bad signatures refused`, turns.oursRefusing),
        // We log every request, and it logs what it refuses.
        ...beside(`${engine}: refusals beside octokit`, turns.oursRefusing, turns.loudRefusing, promise(1.2)),
        ...beside(
          `${engine}: refusals beside octokit without its log`,
          turns.oursRefusing,
          turns.peerRefusing,
        ),
      ];
    } finally {
      await product.stop();
      await peer.stop();
      await loud.stop();
    }
  });
}

const warmRequests = 12_000;

async function warmedUp(hookers: Hookers): Promise<Hookers> {
  for (const bad of [true, false])
    for (let done = 0; done < warmRequests; ) done += (await hookers.push(1, bad)).rate;
  return hookers;
}

/** A connector for the repository of each lane. */
async function connect(url: string): Promise<void> {
  const { keys } = await makeCaller(url);
  for (let lane = 0; lane < lanes; lane++) {
    const response = await fetch(`${url}/v1/bench/connectors`, {
      method: "POST",
      headers: { "x-api-key": keys[0]!, "content-type": "application/json" },
      body: JSON.stringify({ repository: repositoryOf(lane) }),
    });
    if (!response.ok)
      throw new Error(`A connector was not made: ${response.status} ${await response.text()}`);
  }
}
