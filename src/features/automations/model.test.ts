import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { createDatabase, openTestPlatform } from "../../../test/harness.ts";
import { checkHistory, createModelWorkspace, history } from "../../../test/model/histories.ts";

/** Each lane has a database of its own: sweeping is for all runs, and histories must not sweep each other's. */
async function lane(numRuns: number, seed: number): Promise<string> {
  const database = await createDatabase();
  // What survives a power cut is another test's matter, and waiting for the disk is most of the time here.
  if (database.url) database.url += "?options=-c%20synchronous_commit%3Doff";
  const platform = await openTestPlatform(database, { jobs: [], works: false });
  const world = await createModelWorkspace(platform);
  const held = await fc.check(
    fc.asyncProperty(history(database.kind === "pglite" ? 8 : 12), (steps) => checkHistory(world, steps)),
    { numRuns, seed },
  );
  await platform.close(0);
  await database.drop();
  return held.failed ? `seed ${held.seed}, path ${held.counterexamplePath}: ${held.errorInstance}` : "";
}

/** The embedded engine takes several times as long for a history. `test/long/automations-model.ts` runs 100,000. */
const histories = { pglite: 300, postgres: 600 };

test("random histories of claims, reports, repeats, lost leases and cancellations follow the model", async () => {
  const engine = inject("engine");
  const lanes = engine === "pglite" ? 1 : 2;
  // The seed is fixed, so that a result depends on the code alone.
  const seed = Number(process.env.HISTORIES_SEED ?? 20_261_116);
  const runs = histories[engine] / lanes;
  const failures = await Promise.all(Array.from({ length: lanes }, (_, i) => lane(runs, seed + i)));
  expect(failures.join("")).toBe("");
}, 300_000);
