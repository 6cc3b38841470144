/**
 * What a code host and a supervisor do to the ingress, many times over:
 * `node test/long/webhook-faults.ts [--deliveries 10000] [--kills 25] [--seed 1]`.
 * Ends with the one line `N passed, N failed`.
 */
import { parseArgs } from "node:util";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, freshFolder } from "../process/kit.ts";
import { describeInstance, sendWhileKilled } from "../process/webhook-deliveries.ts";

const { values } = parseArgs({
  options: {
    deliveries: { type: "string", default: "10000" },
    kills: { type: "string", default: "25" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const faults = {
  deliveries: Number(values.deliveries),
  kills: Number(values.kills),
  seed: Number(values.seed),
};
let passed = 0;
let failed = 0;

async function show(name: string, work: () => Promise<string[]>): Promise<void> {
  const started = performance.now();
  const wrong = await work().catch((error: Error) => [error.stack ?? error.message]);
  if (wrong.length) failed++;
  else passed++;
  console.log(`${wrong.length ? "✗" : "✓"} ${name} (${Math.round((performance.now() - started) / 1000)} s)`);
  for (const line of wrong) console.log(`  ${line}`);
}

const what = `${faults.deliveries} deliveries, ${faults.kills} times SIGKILL, seed ${faults.seed}`;
if (await isPostgresAvailable()) {
  await show(`${what}, on PostgreSQL`, async () => {
    const database = await makeDatabase();
    return sendWhileKilled(describeInstance(undefined, database.url), faults).finally(() => database.drop());
  });
} else console.log("!!! No PostgreSQL: set TEST_DATABASE_URL. Killing the server on it IS SKIPPED.");
await show(`${what}, embedded`, () => sendWhileKilled(describeInstance(freshFolder(), undefined), faults));
await cleanUp();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
