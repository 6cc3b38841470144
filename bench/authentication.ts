import * as apiKeys from "../src/features/api-keys/index.ts";
import * as auth from "../src/features/auth/index.ts";
import type { Bus } from "../src/platform/bus.ts";
import type { Ctx } from "../src/platform/context.ts";
import { createDb, openPostgres } from "../src/platform/db/index.ts";
import { createAuthenticator } from "../src/platform/http/index.ts";
import { createState } from "../src/platform/state.ts";
import { measureRequests } from "./load.ts";
import {
  type Bench,
  type BenchOptions,
  compare,
  createCaller,
  type EngineKind,
  type Figure,
  interleave,
  listEngines,
  measureCalls,
  splitTurns,
  startChild,
  summarize,
  withInstance,
} from "./measure.ts";
import { openBetterAuth } from "./peers/better-auth.ts";
import { memberPath, openPath } from "./probes.ts";

/** What it costs to know who is calling. */
export const authentication: Bench = async (options) => {
  const engines = await listEngines(options);
  const figures: Figure[] = [];
  for (const engine of engines) figures.push(...(await requests(engine, options)));
  if (engines.includes("postgres")) figures.push(...(await keyChecks(options)));
  return figures;
};

/** The same GET by key, by session, by cookie and by nobody, and beside them the framework alone. */
async function requests(engine: EngineKind, options: BenchOptions): Promise<Figure[]> {
  const { rounds, seconds, logProgress } = splitTurns(options);
  logProgress(`requests on ${engine}`);
  return withInstance(engine, async (place) => {
    const product = await startChild("bench/product.ts", place);
    const framework = await startChild("bench/peers/hono.ts", place);
    try {
      const { token, keys } = await createCaller(product.url);
      const member = (headers: Record<string, string>) => () =>
        measureRequests({ child: product, path: memberPath, seconds, headers });
      const turns = await interleave(rounds, {
        framework: () => measureRequests({ child: framework, path: openPath, seconds }),
        open: () => measureRequests({ child: product, path: openPath, seconds }),
        key: member({ "x-api-key": keys[0]! }),
        session: member({ authorization: `Bearer ${token}` }),
        cookie: member({ cookie: `${auth.cookieName(product.url)}=${token}` }),
      });
      const named = (name: string) => `${engine}: ${name}`;
      return [
        ...summarize(named("hono alone"), turns.framework),
        ...summarize(named("GET without authentication"), turns.open),
        ...summarize(named("GET by API key"), turns.key),
        ...summarize(named("GET by session"), turns.session),
        ...summarize(named("GET by cookie"), turns.cookie),
        ...compare(named("API key beside no authentication"), turns.key, turns.open, { atLeast: 0.9 }),
        ...compare(named("session beside no authentication"), turns.session, turns.open),
        ...compare(named("cookie beside no authentication"), turns.cookie, turns.open),
        ...compare(named("no authentication beside hono alone"), turns.open, turns.framework, {
          atLeast: 0.9,
        }),
      ];
    } finally {
      await product.stop();
      await framework.stop();
    }
  });
}

const promise = { atLeast: 15 };
const atOnce = 16;
const poolSize = 10;

/** Our key check and the library's, called in this process: each with 16 keys, 16 checks at once, 10 connections. */
async function keyChecks(options: BenchOptions): Promise<Figure[]> {
  const { rounds, seconds, logProgress } = splitTurns(options);
  logProgress("key checks on postgres");
  return withInstance("postgres", (place) =>
    withInstance("postgres", async (theirPlace) => {
      const product = await startChild("bench/product.ts", place);
      const { keys } = await createCaller(product.url, atOnce).finally(() => product.stop());
      const engine = await openPostgres(place.env.DATABASE_URL!, { poolSize, onError: () => {} });
      const library = await openBetterAuth(theirPlace.env.DATABASE_URL!, poolSize);
      try {
        const ctx = { db: createDb(engine) } as Ctx;
        let forget = () => {};
        const bus: Bus = {
          publish: async () => {},
          send: async () => {},
          subscribe: (_topic, listener) => {
            forget = listener.onGap;
            return () => {};
          },
          isUp: () => true,
          close: async () => {},
        };
        const state = createState(() => ctx);
        const authenticate = createAuthenticator(
          { bus, state, config: { publicUrl: "http://localhost" } },
          apiKeys.room.credentials!,
        );
        const ours = keys.map((key) => ({ method: "GET", headers: { "x-api-key": key } }));
        const theirs = await Promise.all(keys.map(library.createKey));
        const checks = (call: (lane: number) => Promise<unknown>) => () =>
          measureCalls(seconds, atOnce, call);
        const turns = await interleave(rounds, {
          remembered: checks(async (lane) => authenticate(ctx, ours[lane]!)),
          // Everything that is remembered is forgotten before each check, so that each is looked up. Checks at the same
          // time share a SELECT.
          looked: checks(async (lane) => {
            forget();
            return authenticate(ctx, ours[lane]!);
          }),
          library: checks((lane) => library.verify(theirs[lane]!)),
        });
        return [
          ...summarize("key check: better-auth", turns.library, "checks/s"),
          ...summarize("key check: ours, looked up each time", turns.looked, "checks/s"),
          ...summarize("key check: ours, as a busy key meets it", turns.remembered, "checks/s"),
          ...compare(
            "key check, looked up each time, beside better-auth",
            turns.looked,
            turns.library,
            promise,
          ),
          ...compare("key check of a busy key beside better-auth", turns.remembered, turns.library, promise),
        ];
      } finally {
        await library.close();
        await engine.close();
      }
    }),
  );
}
