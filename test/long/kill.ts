/**
 * `npm run test:kill -- [--kills 1000] [--seed 1]`: serving processes are killed with SIGKILL while events and webhooks
 * arrive. One kill in ten hits the primary process. Needs PostgreSQL; a thousand kills take about an hour on two cores.
 * Ends with the one line `N passed, N failed`.
 */
import { parseArgs } from "node:util";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { killUnderLoad } from "../process/kills.ts";
import { cleanUp } from "../process/kit.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
if (!(await isPostgresAvailable())) {
  console.error("There is no PostgreSQL. Set TEST_DATABASE_URL to one where databases may be created.");
  process.exit(2);
}
const started = performance.now();
const minutes = () => ((performance.now() - started) / 60_000).toFixed(1);
const onKill = (count: number) => {
  if (count % 50 === 0) console.log(`  ${count} of ${kills} kills after ${minutes()} minutes`);
};
const database = await makeDatabase();
const wrong = await killUnderLoad(database.url, { kills, seed, onKill }).catch((error: Error) => [
  error.stack ?? error.message,
]);
console.log(`${wrong.length ? "✗" : "✓"} ${kills} times SIGKILL, seed ${seed} (${minutes()} minutes)`);
for (const line of wrong) console.log(`  ${line}`);
await cleanUp();
await database.drop();
console.log(`\n${wrong.length ? 0 : 1} passed, ${wrong.length ? 1 : 0} failed`);
process.exit(wrong.length ? 1 : 0);
