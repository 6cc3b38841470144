/**
 * The same raw bytes to our server and to a plain node:http server, for as long as wanted:
 * `node test/long/http-fuzz.ts [--seed N] [--seconds N]` (60 seconds by default).
 * Ends with the one line `N passed, N failed`; each connection counts as one.
 */
import { parseArgs } from "node:util";
import fc from "fast-check";
import { sent } from "../fixtures/http-fuzz/bytes.ts";
import { compareAll, differences } from "../fixtures/http-fuzz/compare.ts";
import { startOurs, startPlain } from "../fixtures/http-fuzz/servers.ts";

const { values } = parseArgs({
  options: { seed: { type: "string" }, seconds: { type: "string", default: "60" } },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const until = performance.now() + Number(values.seconds) * 1000;
console.log(`seed ${seed}`);

const [ours, theirs] = [await startOurs(), await startPlain()];
const counts: Record<string, number> = {};
let cases = 0;
let failed = 0;
for (let batch = 0; performance.now() < until; batch++) {
  const outcome = await compareAll(fc.sample(sent, { seed: seed + batch, numRuns: 1_000 }), ours, theirs);
  cases += outcome.cases;
  failed += outcome.problems.length;
  for (const [name, count] of Object.entries(outcome.counts)) counts[name] = (counts[name] ?? 0) + count;
  for (const { problem, bytes, ours, theirs } of outcome.problems) {
    console.log(`✗ ${problem} (seed ${seed + batch})\n  ${bytes}`);
    console.log(`  ours   ${JSON.stringify(ours)}\n  theirs ${JSON.stringify(theirs)}`);
  }
}
for (const [name, count] of Object.entries(counts))
  console.log(`${count} × ${name}: ${differences[name]!.reason}`);
await Promise.all([ours.close(), theirs.close()]);
console.log(`\n${cases - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
