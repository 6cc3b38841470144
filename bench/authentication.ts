import * as apiKeys from "../src/features/api-keys/index.ts";
import * as auth from "../src/features/auth/index.ts";
import type { Bus } from "../src/platform/bus.ts";
import type { Ctx } from "../src/platform/context.ts";
import { createDb, openPostgres } from "../src/platform/db/index.ts";
import { createAuthenticator } from "../src/platform/http/index.ts";
import {
  type Bench,
  type BenchOptions,
  callsPerSecond,
  type EngineKind,
  enginesHere,
  type Figure,
  interleave,
  load,
  makeCaller,
  median,
  medianRatio,
  startChild,
  withPlace,
} from "./frame.ts";
import { openBetterAuth } from "./peers/better-auth.ts";
import { memberPath, openPath } from "./probes.ts";

/** What it costs to know who is calling, and what the process costs before anybody does. */
export const authentication: Bench = async (options) => {
  const engines = await enginesHere(options.say);
  const figures: Figure[] = [];
  for (const engine of engines) figures.push(...(await requests(engine, options)));
  if (engines.includes("postgres")) figures.push(...(await keyChecks(options)));
  for (const engine of engines) figures.push(...(await starts(engine, options)));
  return figures;
};

const perSecond = (name: string, values: number[], unit = "requests/s"): Figure => ({
  name,
  value: median(values),
  unit,
});

/** The same GET by key, by session, by cookie and by nobody, and beside them the framework alone. */
async function requests(engine: EngineKind, { rounds, seconds, say }: BenchOptions): Promise<Figure[]> {
  say(`requests on ${engine}`);
  return withPlace(engine, async (place) => {
    const product = await startChild("bench/product.ts", place);
    const framework = await startChild("bench/peers/hono.ts", place);
    try {
      const { token, keys } = await makeCaller(product.url);
      const member = (headers: Record<string, string>) => () =>
        load({ url: product.url + memberPath, seconds, headers });
      const rates = await interleave(rounds, {
        framework: () => load({ url: framework.url + openPath, seconds }),
        open: () => load({ url: product.url + openPath, seconds }),
        key: member({ "x-api-key": keys[0]! }),
        session: member({ authorization: `Bearer ${token}` }),
        cookie: member({ cookie: `${auth.cookieName(product.url)}=${token}` }),
      });
      const beside = (name: string, mine: number[], theirs: number[], atLeast?: number): Figure => ({
        name: `${engine}: ${name}`,
        value: medianRatio(mine, theirs),
        unit: "×",
        ...(atLeast === undefined ? {} : { promise: { atLeast } }),
      });
      return [
        perSecond(`${engine}: hono alone`, rates.framework),
        perSecond(`${engine}: GET without authentication`, rates.open),
        perSecond(`${engine}: GET by API key`, rates.key),
        perSecond(`${engine}: GET by session`, rates.session),
        perSecond(`${engine}: GET by cookie`, rates.cookie),
        beside("API key beside no authentication", rates.key, rates.open, 0.8),
        beside("session beside no authentication", rates.session, rates.open),
        beside("cookie beside no authentication", rates.cookie, rates.open),
        beside("no authentication beside hono alone", rates.open, rates.framework),
      ];
    } finally {
      await product.stop();
      await framework.stop();
    }
  });
}

const atOnce = 16;
const poolSize = 10;

/** Our key check and the library's, called in this process: each with 16 keys, 16 checks at once, 10 connections. */
async function keyChecks({ rounds, seconds, say }: BenchOptions): Promise<Figure[]> {
  say("key checks on postgres");
  return withPlace("postgres", (place) =>
    withPlace("postgres", async (theirPlace) => {
      const product = await startChild("bench/product.ts", place);
      const { keys } = await makeCaller(product.url, atOnce).finally(() => product.stop());
      const engine = await openPostgres(place.env.DATABASE_URL!, { poolSize, onError: () => {} });
      const library = await openBetterAuth(theirPlace.env.DATABASE_URL!, poolSize);
      try {
        const ctx = { db: createDb(engine) } as Ctx;
        let forget = () => {};
        const bus: Bus = {
          publish: async () => {},
          subscribe: (_topic, listener) => {
            forget = listener.onGap;
            return () => {};
          },
          isUp: () => true,
          close: async () => {},
        };
        const authenticate = createAuthenticator(
          bus,
          {
            session: auth.resolveSession,
            key: { prefix: apiKeys.keyPrefix, resolve: apiKeys.resolveKey },
            tokens: {},
          },
          "none",
        );
        const ours = keys.map((key) => new Request("http://127.0.0.1/", { headers: { "x-api-key": key } }));
        const theirs = await Promise.all(keys.map(library.createKey));
        const checks = (call: (lane: number) => Promise<unknown>) => () =>
          callsPerSecond(seconds, atOnce, call);
        const rates = await interleave(rounds, {
          remembered: checks((lane) => authenticate(ctx, ours[lane]!)),
          // Everything that is remembered is forgotten before each check, so that each is one SELECT.
          looked: checks((lane) => {
            forget();
            return authenticate(ctx, ours[lane]!);
          }),
          library: checks((lane) => library.verify(theirs[lane]!)),
        });
        return [
          perSecond("key check: better-auth", rates.library, "checks/s"),
          perSecond("key check: ours, one SELECT each time", rates.looked, "checks/s"),
          perSecond("key check: ours, as a busy key meets it", rates.remembered, "checks/s"),
          {
            name: "key check beside better-auth, one SELECT each time",
            value: medianRatio(rates.looked, rates.library),
            unit: "×",
            promise: { atLeast: 15 },
          },
          {
            name: "key check beside better-auth, as a busy key meets it",
            value: medianRatio(rates.remembered, rates.library),
            unit: "×",
            promise: { atLeast: 15 },
          },
        ];
      } finally {
        await library.close();
        await engine.close();
      }
    }),
  );
}

/** The real command on a new place, and again on the same: how soon it is ready and how much memory it then has. */
async function starts(engine: EngineKind, { rounds, say }: BenchOptions): Promise<Figure[]> {
  say(`starts on ${engine}`);
  const first: number[] = [];
  const second: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    await withPlace(engine, async (place) => {
      for (const times of [first, second]) {
        const product = await startChild("src/main.ts", { ...place, args: ["serve"] });
        try {
          times.push(product.readyMs / 1000);
          if (times === second) memory.push(await residentMegabytes(product.url));
        } finally {
          await product.stop();
        }
      }
    });
  }
  const embedded = engine === "pglite";
  return [
    {
      name: `${engine}: first start`,
      value: median(first),
      unit: "s",
      ...(embedded ? { promise: { atMost: 6 } } : {}),
    },
    {
      name: `${engine}: second start`,
      value: median(second),
      unit: "s",
      ...(embedded ? { promise: { atMost: 2 } } : {}),
    },
    { name: `${engine}: resident memory after start`, value: median(memory), unit: "MB" },
  ];
}

/** As the process itself reports it, some seconds after it was ready. */
async function residentMegabytes(url: string): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1e6;
}
