/**
 * The histories of `model.test.ts`, 100,000 of them on each engine: `node test/long/automations-model.ts`.
 * A failure is printed with the seed that finds it again.
 */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { readConfig } from "../../src/platform/config.ts";
import { openPglite, openPostgres } from "../../src/platform/db/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { openPlatform } from "../../src/platform/open.ts";
import { checkHistory, createModelWorkspace, history } from "../model/histories.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "100000" },
    engine: { type: "string", default: "both" },
    lanes: { type: "string", default: "2" },
    seed: { type: "string" },
  },
});
const histories = Number(values.histories);
const lanes = Number(values.lanes);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);

/** Each lane has a database of its own: sweeping is for all runs, and histories must not sweep each other's. */
async function lane(engine: string, share: number, seed: number): Promise<string | undefined> {
  const database = engine === "postgres" ? await makeDatabase("sbx_model") : undefined;
  const platform = await openPlatform(
    readConfig({ SIGNALBOX_SECRET: "a secret for the tests, long enough" }),
    {
      publicUrl: "http://localhost",
      jobs: [],
      works: false,
      log: createLog("silent"),
      engine: database
        ? await openPostgres(`${database.url}?options=-c%20synchronous_commit%3Doff`, { onError: () => {} })
        : await openPglite(),
    },
  );
  try {
    const world = await createModelWorkspace(platform);
    const step = 1_000;
    for (let done = 0; done < share; done += step) {
      const numRuns = Math.min(step, share - done);
      const held = await fc.check(
        fc.asyncProperty(history(16), (steps) => checkHistory(world, steps)),
        { numRuns, seed: seed + done },
      );
      if (held.failed) return `seed ${held.seed}, path ${held.counterexamplePath}: ${held.errorInstance}`;
      process.stdout.write(`${engine}: ${done + numRuns} of ${share} in this lane\n`);
    }
    return undefined;
  } finally {
    await platform.close(0);
    await database?.drop();
  }
}

const engines = values.engine === "both" ? ["postgres", "pglite"] : [values.engine];
let failed = 0;
for (const engine of engines) {
  if (engine === "postgres" && !(await isPostgresAvailable())) {
    console.log("!!! No PostgreSQL: set TEST_DATABASE_URL. This engine IS SKIPPED.");
    continue;
  }
  const started = performance.now();
  const share = Math.ceil(histories / lanes);
  const faults = await Promise.all(
    Array.from({ length: lanes }, (_, i) => lane(engine, share, seed + i * 1_000_000)),
  );
  for (const fault of faults) {
    if (!fault) continue;
    failed++;
    console.log(fault);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${engine}: ${share * lanes} histories in ${seconds} s, ${failed} failed`);
}
process.exit(failed ? 1 : 0);
